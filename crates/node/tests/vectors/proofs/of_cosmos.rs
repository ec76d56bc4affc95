//! Lies about a block of the Cosmos Hub, in a log that holds it.

use superroot_chain::ChainRegistry;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, header};
use superroot_proof::bundle::*;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::cosmos::{
    Branch, CosmosTransactionTree, PeakBranch, TreeProof, leaf_hash, transaction_hash,
};
use superroot_types::*;

use super::{Hostile, Lies};
use crate::world::{Block, ETHEREUM, World};

const COSMOS: ChainKey = ChainKey { family: Family::Cosmos, id: ChainId(118) };

const TX: ProofSubject = tx(4);
const EDGE: ProofSubject = tx(10);
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 11 };

/// The block of the log that has eleven transactions.
const HONEST: u64 = 20_000_000;
/// One of seven.
const SHORT: u64 = 20_000_001;
/// One without any.
const EMPTY: u64 = 20_000_002;
/// One of two, whose header names another chain.
const FOREIGN: u64 = 20_000_003;

const fn tx(tx_index: u32) -> ProofSubject {
    ProofSubject::Transaction { tx_index }
}

struct Log {
    world: World,
    blocks: Vec<(u64, Vec<Vec<u8>>)>,
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let transactions = |count: u8| (0..count).map(|at| vec![at; 50]).collect::<Vec<_>>();
        let counts = [(HONEST, 11), (SHORT, 7), (EMPTY, 0), (FOREIGN, 2)];
        let blocks = counts.map(|(number, count)| (number, transactions(count))).to_vec();
        for (number, transactions) in &blocks {
            let header = header(&CosmosBlockPlan {
                chain_id: if *number == FOREIGN { "osmosis-1" } else { "cosmoshub-4" }.to_owned(),
                number: BlockNumber(*number),
                parent_hash: Hash([7; 32]),
                time: (1_700_000_000, 5),
                app_hash: Hash([9; 32]),
                proposer_address: [3; 20],
                transactions: transactions.clone(),
            });
            let (header, transactions) = (header.encode(), transactions.clone());
            world.add(COSMOS, *number, Block { header, transactions, receipts: Vec::new() });
        }
        world.publish(1_700_000_000);
        Self { world, blocks }
    }

    fn transactions(&self, number: u64) -> Vec<Vec<u8>> {
        self.blocks.iter().find(|(one, _)| *one == number).unwrap().1.clone()
    }

    fn prove(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(COSMOS, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let body = Body::Cosmos(CosmosTransactionTree::build(self.transactions(number)));
        bundle.entry = body.prove(subject, true).unwrap();
        bundle
    }
}

fn tree(bundle: &mut Bundle) -> &mut TreeProof {
    match &mut bundle.entry {
        Some(EntryProof::Cosmos(tree)) => tree,
        other => panic!("no proof of the Cosmos family: {other:?}"),
    }
}

fn branch(bundle: &mut Bundle) -> &mut Branch {
    tree(bundle).transaction.as_mut().expect("a transaction")
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    let nothing = ProofSubject::Absence { tx_index: 0 };
    let good = [(HONEST, TX), (HONEST, EDGE), (HONEST, ABSENCE), (HONEST, ProofSubject::Block)];
    for (number, subject) in
        good.into_iter().chain([(EMPTY, nothing), (EMPTY, ProofSubject::Block)])
    {
        let held = super::refused_at(&log.prove(number, subject).encode(), &lies.trusted);
        assert_eq!(held, None, "{subject:?}");
    }
    statements(&mut lies, &log);
    trees(&mut lies, &log);
    paths(&mut lies, &log);
    headers(&mut lies, &log);
    encodings(&mut lies, &log);
    lies.all
}

fn statements(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, says: ProofSubject| {
        let mut lie = log.prove(HONEST, of);
        lie.statement.subject = says;
        lies.add(name, reason, &lie);
    };
    with("another index", "the siblings stand on other sides", TX, tx(6));
    with("the index beside it", "the siblings stand on other sides", TX, tx(5));
    with("index past the block", "the block has 11", EDGE, tx(11));
    let there = ProofSubject::Absence { tx_index: 10 };
    with("absence of what is there", "the block has 11", ABSENCE, there);
    let log_0 = ProofSubject::Log { tx_index: 4, log_index: 0 };
    with("an event", "no header commits to events", TX, log_0);
    let mut lie = log.prove(HONEST, TX);
    lie.statement.number = BlockNumber(HONEST + 1);
    lies.add("number one more", "the header has another number", &lie);
    let mut lie = log.prove(HONEST, TX);
    lie.block = log.prove(SHORT, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(SHORT);
    lies.add("under the header of another block", "the root is another", &lie);
    for (name, subject) in [
        ("a block of another chain", ProofSubject::Block),
        ("a transaction of another chain", tx(1)),
    ] {
        let lie = log.prove(FOREIGN, subject);
        lies.add(name, "the header names another chain than the row", &lie);
    }
}

/// What a path alone would let pass: no header names a count of transactions.
fn trees(lies: &mut Lies, log: &Log) {
    let hashes: Vec<Hash> =
        log.transactions(SHORT).iter().map(|one| transaction_hash(one)).collect();
    let pair = CosmosTransactionTree::build(log.transactions(SHORT)[4..6].to_vec()).root();
    for (name, lie_hash) in [
        ("inner node as the leaf of a peak", pair),
        ("leaf of a peak hashed twice", leaf_hash(&hashes[4])),
    ] {
        let mut lie = log.prove(SHORT, tx(6));
        lie.statement.subject = tx(5);
        tree(&mut lie).tx_count = 6;
        tree(&mut lie).peaks[1] = PeakBranch { transaction_hash: lie_hash, siblings: Vec::new() };
        lies.add(name, "leaves and inner nodes are hashed with other marks", &lie);
    }
    let mut lie = log.prove(SHORT, ABSENCE);
    tree(&mut lie).tx_count = 6;
    lies.add("absence by a count too small", "index and count give other lengths", &lie);
    let mut lie = log.prove(SHORT, tx(3));
    lie.statement.subject = ABSENCE;
    tree(&mut lie).tx_count = 4;
    branch(&mut lie).siblings.pop();
    let peaks = log.prove(SHORT, tx(6));
    tree(&mut lie).peaks = tree(&mut peaks.clone()).peaks.clone();
    lies.add("absence by a part of the block", "something stands right of it", &lie);
    let mut lie = log.prove(EMPTY, ProofSubject::Absence { tx_index: 0 });
    lie.block = log.prove(HONEST, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(HONEST);
    lies.add("a block passed off as empty", "its data_hash is no hash of nothing", &lie);
    let mut lie = log.prove(EMPTY, ProofSubject::Absence { tx_index: 0 });
    lie.statement.subject = tx(0);
    lies.add("a transaction of an empty block", "there is none", &lie);
    let mut lie = log.prove(HONEST, ProofSubject::Absence { tx_index: 11 });
    tree(&mut lie).tx_count = 0;
    lies.add("branches of an empty block", "a block without transactions has none", &lie);
}

fn paths(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut TreeProof)| {
        let mut lie = log.prove(HONEST, EDGE);
        bend(tree(&mut lie));
        lies.add(name, reason, &lie);
    };
    with("another transaction", "it has another hash", &|one| {
        one.transaction.as_mut().unwrap().transaction[7] ^= 1;
    });
    with("transaction left out", "it is missing", &|one| one.transaction = None);
    with("another peak", "it leads to another root", &|one| {
        one.peaks[0].transaction_hash = Hash::ZERO;
    });
    with("another sibling of a peak", "it leads to another root", &|one| {
        one.peaks[0].siblings[2] = Hash::ZERO;
    });
    with("peaks in another order", "they have other heights", &|one| one.peaks.reverse());
    with("peak left out", "index and count give two", &|one| drop(one.peaks.pop()));
    with("peak too many", "index and count give two", &|one| {
        one.peaks.push(PeakBranch { transaction_hash: Hash::ZERO, siblings: Vec::new() });
    });
    with("sibling too many", "index and count give another length", &|one| {
        one.transaction.as_mut().unwrap().siblings.push(Hash::ZERO);
    });
    let mut lie = log.prove(HONEST, TX);
    branch(&mut lie).siblings[1] = Hash::ZERO;
    lies.add("another sibling", "it leads to another root", &lie);
    let mut lie = log.prove(HONEST, TX);
    branch(&mut lie).siblings.pop();
    lies.add("sibling left out", "index and count give another length", &lie);
}

/// Bytes that would be read as the same header, and hash to the same.
fn headers(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(HONEST, ProofSubject::Block);
        bend(&mut lie.block.as_mut().unwrap().header);
        lies.add(name, reason, &lie);
    };
    with("header with a byte more", "nothing follows the last field", &|header| header.push(0));
    with("header with an unknown field", "nothing follows the last field", &|header| {
        header.extend_from_slice(&[0x78, 1]);
    });
    with("header cut short", "a field is missing", &|header| header.truncate(header.len() - 22));
    with("a number in two forms", "numbers have their shortest form", &|header| {
        header[1] += 1;
        header.splice(3..4, [0x8b, 0x00]);
    });
    with("an empty field", "what is empty is left out", &|header| {
        header.splice(4..4, [0x12, 0]);
    });
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, log: &Log) {
    let good = log.prove(HONEST, TX);
    let bytes = good.encode();
    let flags_at = 8 + 1 + good.origin.len() + 1 + 8 + 8 + 5 + 4;
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        bend(&mut bytes);
        lies.add_bytes(name, reason, bytes);
    };
    with("flag of receipts", "the family has none", &|bytes| bytes[flags_at] |= 2);
    with("1,048,577 transactions", "a block has at most 1,048,576", &|bytes| {
        bytes[flags_at + 1..flags_at + 5].copy_from_slice(&1_048_577_u32.to_be_bytes());
    });
    with("count below the index", "the index is past the count", &|bytes| {
        bytes[flags_at + 1..flags_at + 5].copy_from_slice(&4_u32.to_be_bytes());
    });
    with("a transaction of 4 GiB", "a length past the file", &|bytes| {
        bytes[flags_at + 5..flags_at + 9].fill(0xff);
    });
    with("cut in the branch", "it is cut short", &|bytes| bytes.truncate(flags_at + 100));
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let mut all: Vec<_> = (0..11).map(|tx_index| log.prove(HONEST, tx(tx_index))).collect();
    all.extend([ABSENCE, ProofSubject::Block].map(|one| log.prove(HONEST, one)));
    all.push(log.prove(EMPTY, ProofSubject::Absence { tx_index: 0 }));
    (log.world.root(0), all)
}
