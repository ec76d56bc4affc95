//! Lies about a block of Bitcoin, in a log that holds it.

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::BitcoinTransactionTree;
use superroot_types::*;

use super::{Hostile, Lies};
use crate::coins::{self, BITCOIN, branches};
use crate::world::{Block, ETHEREUM, World};

const TX: ProofSubject = ProofSubject::Transaction { tx_index: 4 };
const OUTPUT: ProofSubject = ProofSubject::Log { tx_index: 4, log_index: 0 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 11 };

/// The block of the log that has these transactions.
const HONEST: u64 = 700_000;
/// One whose second transaction is as long as an inner node.
const NODE_SIZED: u64 = 700_001;
/// One without a coinbase.
const NO_COINBASE: u64 = 700_002;
/// One of six transactions.
const SHORT: u64 = 700_003;

struct Log {
    world: World,
    blocks: Vec<(u64, coins::Block)>,
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let honest = coins::block(11);
        let short_tx = coins::transaction(&[(Hash([9; 32]), 0, &[])], &[(1, &[0x51; 4])]);
        let node_sized = coins::block_of(vec![coins::coinbase(1), short_tx]);
        let no_coinbase = coins::block_of(honest.leaves[1..5].to_vec());
        let blocks = vec![
            (HONEST, honest),
            (NODE_SIZED, node_sized),
            (NO_COINBASE, no_coinbase),
            (SHORT, coins::block(6)),
        ];
        for (number, block) in &blocks {
            let header = block.header.encode().to_vec();
            let transactions = block.leaves.clone();
            world.add(BITCOIN, *number, Block { header, transactions, receipts: Vec::new() });
        }
        world.publish(1_700_000_000);
        Self { world, blocks }
    }

    fn block(&self, number: u64) -> &coins::Block {
        &self.blocks.iter().find(|(one, _)| *one == number).unwrap().1
    }

    fn prove(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(BITCOIN, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let tree = BitcoinTransactionTree::build(self.block(number).leaves.clone());
        bundle.entry = tree.branches(subject).unwrap().map(EntryProof::Bitcoin);
        bundle
    }
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, OUTPUT, ABSENCE, ProofSubject::Block] {
        let held = super::refused_at(&log.prove(HONEST, good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    statements(&mut lies, &log);
    trees(&mut lies, &log);
    paths(&mut lies, &log);
    encodings(&mut lies, &log);
    lies.all
}

fn statements(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, says: ProofSubject| {
        let mut lie = log.prove(HONEST, of);
        lie.statement.subject = says;
        lies.add(name, reason, &lie);
    };
    let tx = |tx_index| ProofSubject::Transaction { tx_index };
    let output = |log_index| ProofSubject::Log { tx_index: 4, log_index };
    with("another index", "the siblings stand on other sides", TX, tx(6));
    with("the index beside it", "the siblings stand on other sides", TX, tx(5));
    with("output past the transaction", "the transaction has one output", OUTPUT, output(1));
    with("output 2^32 - 1", "the transaction has one output", OUTPUT, output(u32::MAX));
    with(
        "absence of what is there",
        "the block has 11",
        ABSENCE,
        ProofSubject::Absence { tx_index: 10 },
    );
    let mut lie = log.prove(HONEST, TX);
    lie.statement.number = BlockNumber(HONEST + 1);
    lies.add("number one more", "the leaf of that number is another", &lie);
    let mut lie = log.prove(HONEST, TX);
    lie.block = log.prove(SHORT, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(SHORT);
    lies.add("under the header of another block", "the root is another", &lie);
}

fn trees(lies: &mut Lies, log: &Log) {
    let short = log.block(SHORT);
    let txids = short.txids();
    let mut lie = log.prove(SHORT, ProofSubject::Transaction { tx_index: 4 });
    let pair = sha256d(&[&txids[4].0, &txids[5].0]);
    let left = log.prove(SHORT, ProofSubject::Transaction { tx_index: 4 });
    let Some(EntryProof::Bitcoin(proofs)) = left.entry else { panic!("branches") };
    let top = proofs.transaction.siblings[1];
    lie.statement.subject = ProofSubject::Transaction { tx_index: 6 };
    branches(&mut lie).tx_count = 8;
    branches(&mut lie).transaction.siblings = vec![txids[5], pair, top];
    let first = branches(&mut lie).coinbase.as_mut().unwrap();
    first.siblings =
        vec![txids[1], sha256d(&[&txids[2].0, &txids[3].0]), sha256d(&[&pair.0, &pair.0])];
    lies.add("duplicated tail", "a node is paired with a copy of itself (CVE-2012-2459)", &lie);
    let mut lie = log.prove(SHORT, ProofSubject::Absence { tx_index: 9 });
    lie.entry = {
        let mut other = left_of(log);
        let lie = branches(&mut other);
        lie.tx_count = 5;
        lie.transaction.siblings.remove(0);
        other.entry
    };
    lies.add("absence by a count too small", "a node stands right of it", &lie);
    let node_sized = |index| ProofSubject::Transaction { tx_index: index };
    let reason = "64 bytes could be an inner node (CVE-2017-12842)";
    lies.add("transaction of 64 bytes", reason, &log.prove(NODE_SIZED, node_sized(1)));
    let absence = ProofSubject::Absence { tx_index: 2 };
    lies.add("absence by a transaction of 64 bytes", reason, &log.prove(NODE_SIZED, absence));
    let reason = "the first transaction is no coinbase";
    lies.add("no coinbase", reason, &log.prove(NO_COINBASE, node_sized(2)));
    lies.add("no coinbase, of the first", reason, &log.prove(NO_COINBASE, node_sized(0)));
    // one row higher, an inner node as a transaction: its hash is right, its bytes are none
    let mut lie = log.prove(SHORT, ProofSubject::Transaction { tx_index: 1 });
    let proofs = branches(&mut lie);
    proofs.tx_count = 3;
    proofs.coinbase.as_mut().unwrap().siblings.truncate(2);
    proofs.transaction.leaf = [txids[2].0, txids[3].0].concat();
    proofs.transaction.siblings =
        vec![sha256d(&[&txids[0].0, &txids[1].0]), sha256d(&[&pair.0, &pair.0])];
    lies.add("inner node as a transaction", "64 bytes are no transaction", &lie);
}

/// The branch of the fifth of six, as if it were the last.
fn left_of(log: &Log) -> Bundle {
    log.prove(SHORT, ProofSubject::Transaction { tx_index: 4 })
}

fn paths(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut BranchProofs)| {
        let mut lie = log.prove(HONEST, TX);
        bend(branches(&mut lie));
        lies.add(name, reason, &lie);
    };
    with("another sibling", "it leads to another root", &|one| {
        one.transaction.siblings[0] = Hash::ZERO;
    });
    with("another sibling of the coinbase", "it leads to another root", &|one| {
        one.coinbase.as_mut().unwrap().siblings[2] = Hash::ZERO;
    });
    with("another transaction", "it has another hash", &|one| one.transaction.leaf[7] ^= 1);
    with("another count", "index and count give another length", &|one| {
        one.tx_count = 5;
    });
    with("branch of another transaction", "another stands there", &|one| {
        one.transaction = log.block(HONEST).branch(7);
    });
    with("another coinbase", "the root is another", &|one| {
        one.coinbase = Some(coins::block(12).branch(0));
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
    with("flag of receipts", "Bitcoin has none", &|bytes| bytes[flags_at] |= 2);
    with("no transactions", "a block has one at least", &|bytes| {
        bytes[flags_at + 1..flags_at + 5].fill(0);
    });
    with("16,667 transactions", "a block has at most 16,666", &|bytes| {
        bytes[flags_at + 1..flags_at + 5].copy_from_slice(&16_667_u32.to_be_bytes());
    });
    with("count below the index", "the index is past the count", &|bytes| {
        bytes[flags_at + 1..flags_at + 5].copy_from_slice(&4_u32.to_be_bytes());
    });
    with("a transaction of 4 GiB", "a length past the file", &|bytes| {
        bytes[flags_at + 5..flags_at + 9].fill(0xff);
    });
    with("cut in the branch", "it is cut short", &|bytes| bytes.truncate(flags_at + 200));
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let all = [TX, OUTPUT, ABSENCE, ProofSubject::Block].map(|one| log.prove(HONEST, one));
    (log.world.root(0), all.into())
}
