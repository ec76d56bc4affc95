//! Lies about a block of Tron, in a log that holds it.

use superroot_chain::ChainRegistry;
use superroot_chain::ledger::tron::build::{Transfer, block};
use superroot_proof::bundle::*;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::tron::{
    Branch, EdgeProof, TX_COUNT_MAX, TronTransactionTree, leaf_hash,
};
use superroot_types::*;

use super::{Hostile, Lies};
use crate::world::{Block, ETHEREUM, World};

const TRON: ChainKey = ChainKey { family: Family::Tron, id: ChainId(728_126_428) };

/// On the right edge, two perfect subtrees left of it: 8 and 2 of 11.
const TX: ProofSubject = ProofSubject::Transaction { tx_index: 10 };
/// In a perfect subtree.
const INNER: ProofSubject = ProofSubject::Transaction { tx_index: 5 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 11 };
const EMPTY: ProofSubject = ProofSubject::Absence { tx_index: 0 };

/// The block of the log that has these transactions: 11.
const HONEST: u64 = 79_000_000;
/// One of seven.
const SHORT: u64 = 79_000_001;
/// One without transactions.
const BARE: u64 = 79_000_002;

struct Log {
    world: World,
    leaves: Vec<(u64, Vec<Vec<u8>>)>,
}

fn transfers(count: u8) -> Vec<Vec<u8>> {
    let transfer = |at: u8| Transfer {
        owner: [0x41; 21],
        to: [at; 21],
        amount: 1_000 + i64::from(at),
        timestamp_ms: 1_700_000_000_000,
        signature: [at; 65],
    };
    (0..count).map(|at| transfer(at).encode()).collect()
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let leaves = vec![(HONEST, transfers(11)), (SHORT, transfers(7)), (BARE, transfers(0))];
        for (number, leaves) in &leaves {
            let (at, parent) = (BlockNumber(*number), Hash([7; 32]));
            let raw = block(at, parent, 1_700_000_000_000, &[0x41; 21], leaves.clone()).unwrap();
            let (transactions, receipts) = (leaves.clone(), Vec::new());
            world.add(TRON, *number, Block { header: raw.header, transactions, receipts });
        }
        world.publish(1_700_000_000);
        Self { world, leaves }
    }

    fn leaves(&self, number: u64) -> &[Vec<u8>] {
        &self.leaves.iter().find(|(one, _)| *one == number).unwrap().1
    }

    fn prove(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(TRON, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let tree = TronTransactionTree::build(self.leaves(number).to_vec()).unwrap();
        bundle.entry = Body::Tron(tree).prove(subject, true).unwrap();
        bundle
    }
}

fn edge(bundle: &mut Bundle) -> &mut EdgeProof {
    match &mut bundle.entry {
        Some(EntryProof::Tron(edge)) => edge,
        other => panic!("no proof of Tron: {other:?}"),
    }
}

fn transaction(bundle: &mut Bundle) -> &mut Branch {
    edge(bundle).transaction.as_mut().unwrap()
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for (number, good) in [(HONEST, TX), (HONEST, INNER), (HONEST, ABSENCE), (BARE, EMPTY)] {
        let held = super::refused_at(&log.prove(number, good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    statements(&mut lies, &log);
    places(&mut lies, &log);
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
    with("another index", "the siblings stand on other sides", INNER, tx(6));
    with("the index beside it", "the siblings stand on other sides", INNER, tx(4));
    let event = ProofSubject::Log { tx_index: 5, log_index: 0 };
    with("an event", "no header commits to logs", INNER, event);
    with(
        "absence of what is there",
        "the block has 11",
        ABSENCE,
        ProofSubject::Absence { tx_index: 10 },
    );
    let mut lie = log.prove(HONEST, TX);
    lie.statement.number = BlockNumber(HONEST + 1);
    lies.add("number one more", "the header names another", &lie);
    let mut lie = log.prove(HONEST, TX);
    lie.block = log.prove(SHORT, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(SHORT);
    lies.add("under the header of another block", "the root is another", &lie);
    let mut lie = log.prove(BARE, EMPTY);
    lie.block = log.prove(SHORT, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(SHORT);
    lies.add("no transactions where there are some", "the root is not zeros", &lie);
    let mut lie = log.prove(SHORT, ABSENCE);
    lie.block = log.prove(BARE, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(BARE);
    lies.add("transactions of a block without any", "the root is zeros", &lie);
}

/// Lies about where a transaction stands: the path is right, and inner nodes are taken for leaves.
fn places(lies: &mut Lies, log: &Log) {
    let leaves = log.leaves(SHORT);
    let last = ProofSubject::Transaction { tx_index: 6 };
    let pair = [leaf_hash(&leaves[4]).0, leaf_hash(&leaves[5]).0].concat();
    let reason = "64 bytes are two hashes, and no transaction";
    for (name, subject) in [
        ("the last of seven as the last of six", ProofSubject::Transaction { tx_index: 5 }),
        ("absence by a count too small", ProofSubject::Absence { tx_index: 6 }),
    ] {
        let mut lie = log.prove(SHORT, last);
        lie.statement.subject = subject;
        edge(&mut lie).tx_count = 6;
        edge(&mut lie).peaks[1] = Branch { leaf: pair.clone(), siblings: Vec::new() };
        lies.add(name, reason, &lie);
    }
    let mut lie = log.prove(SHORT, last);
    lie.statement.subject = ProofSubject::Transaction { tx_index: 8 };
    edge(&mut lie).tx_count = 9;
    let first = edge(&mut lie).peaks[0].clone();
    edge(&mut lie).peaks = vec![first];
    let reason = "a subtree is less high than it would have to be";
    lies.add("the last of seven as the last of nine", reason, &lie);
    // one row higher, an inner node as a transaction: its hash is right, its bytes are none
    let mut lie = log.prove(SHORT, ProofSubject::Transaction { tx_index: 2 });
    lie.statement.subject = ProofSubject::Transaction { tx_index: 1 };
    let proof = edge(&mut lie);
    proof.tx_count = 4;
    let whole = proof.transaction.as_mut().unwrap();
    whole.leaf = [leaf_hash(&leaves[2]).0, leaf_hash(&leaves[3]).0].concat();
    whole.siblings.remove(0);
    lies.add("inner node as a transaction", "64 bytes are two hashes, and no transaction", &lie);
}

fn paths(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Bundle)| {
        let mut lie = log.prove(HONEST, of);
        bend(&mut lie);
        lies.add(name, reason, &lie);
    };
    let other_root = "it leads to another root";
    with("another sibling", other_root, INNER, &|lie| {
        transaction(lie).siblings[0] = Hash::ZERO;
    });
    with("another sibling of a peak", other_root, TX, &|lie| {
        edge(lie).peaks[0].siblings[2] = Hash::ZERO;
    });
    with("peaks in the other order", "each has a height of its own", TX, &|lie| {
        edge(lie).peaks.swap(0, 1);
    });
    with("another first leaf of a peak", other_root, TX, &|lie| edge(lie).peaks[1].leaf[9] ^= 1);
    with("another transaction", "it has another hash", INNER, &|lie| {
        transaction(lie).leaf[60] ^= 1
    });
    with("another signature", "signatures are inside the leaf", INNER, &|lie| {
        let signature = transaction(lie).leaf.len() - 10;
        transaction(lie).leaf[signature] ^= 1;
    });
    with("reverted, where it succeeded", "contractRet is inside the leaf", INNER, &|lie| {
        let last = transaction(lie).leaf.len() - 1;
        transaction(lie).leaf[last] = 2;
    });
    with("another count", "the right edge is elsewhere", TX, &|lie| edge(lie).tx_count = 12);
    with("branch of another transaction", "another stands there", INNER, &|lie| {
        *transaction(lie) =
            transaction(&mut log.prove(HONEST, ProofSubject::Transaction { tx_index: 7 })).clone();
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
    let count = |bytes: &mut Vec<u8>, count: u32| {
        bytes[flags_at + 1..flags_at + 5].copy_from_slice(&count.to_be_bytes());
    };
    with("flag of receipts", "Tron has none", &|bytes| bytes[flags_at] |= 2);
    with("no transactions", "there is one at least", &|bytes| count(bytes, 0));
    with("29,001 transactions", "a block has at most 29,000", &|bytes| {
        count(bytes, TX_COUNT_MAX + 1);
    });
    with("count below the index", "the index is past the count", &|bytes| count(bytes, 4));
    with("a transaction of 4 GiB", "a length past the file", &|bytes| {
        bytes[flags_at + 5..flags_at + 9].fill(0xff);
    });
    with("cut in the branch", "it is cut short", &|bytes| bytes.truncate(flags_at + 100));
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let mut all: Vec<_> = [TX, INNER, ABSENCE].map(|one| log.prove(HONEST, one)).into();
    all.push(log.prove(BARE, EMPTY));
    (log.world.root(0), all)
}
