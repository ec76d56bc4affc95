//! Lies about a block of Polkadot, in a log that holds it.

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::polkadot::{
    BlockTries, EVENTS_KEY, Header, StateVersion, Trie, compact, transaction_hash,
};
use superroot_types::*;

use super::{Hostile, Lies, Shown};
use crate::world::{Block, ETHEREUM, World};

const POLKADOT: ChainKey = ChainKey { family: Family::Polkadot, id: ChainId(400) };

const TX: ProofSubject = ProofSubject::Transaction { tx_index: 4 };
const EVENT: ProofSubject = ProofSubject::Log { tx_index: 4, log_index: 6 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 40 };

/// Blocks of the log: state version 1, version 0, and tries that no honest block has.
const HONEST: u64 = 31_500_000;
const OLD: u64 = 31_500_001;
const FORGED: u64 = 31_500_002;

/// Extrinsics and events of a block, and its header.
struct Made {
    number: u64,
    tries: BlockTries,
    header: Vec<u8>,
}

fn extrinsics() -> Vec<Vec<u8>> {
    (0..40_u8).map(|at| [compact(60).as_slice(), &[at; 60]].concat()).collect()
}

fn events(count: u64) -> Vec<u8> {
    [compact(count), vec![7; 7 * 12]].concat()
}

fn header(number: u64, extrinsics_root: Hash, state_root: Hash) -> Vec<u8> {
    let (parent_hash, digest) = (Hash([3; 32]), vec![vec![8]]);
    Header { parent_hash, number, state_root, extrinsics_root, digest }.encode()
}

fn made(number: u64, version: StateVersion) -> Made {
    let extrinsics = Trie::of_extrinsics(version, &extrinsics());
    let pairs = [(vec![0x26, 0xab], vec![1; 40]), (EVENTS_KEY.to_vec(), events(7))];
    let state = Trie::build(version, pairs);
    let header = header(number, extrinsics.root(), state.root());
    let events = Some(state.prove(&EVENTS_KEY).unwrap());
    Made { number, tries: BlockTries { extrinsics, events }, header }
}

/// An extrinsic of another length than it says, and a list of events that says more than it has.
fn forged() -> Made {
    let leaf = [compact(61).as_slice(), &[9; 60]].concat();
    let extrinsics = Trie::of_extrinsics(StateVersion::V0, &[leaf, extrinsics().remove(0)]);
    let state = Trie::build(StateVersion::V0, [(EVENTS_KEY, events(22))]);
    let header = header(FORGED, extrinsics.root(), state.root());
    let events = Some(state.prove(&EVENTS_KEY).unwrap());
    Made { number: FORGED, tries: BlockTries { extrinsics, events }, header }
}

struct Log {
    world: World,
    blocks: Vec<Made>,
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let blocks = vec![made(HONEST, StateVersion::V1), made(OLD, StateVersion::V0), forged()];
        for Made { number, header, .. } in &blocks {
            let header = header.clone();
            let (transactions, receipts) = (Vec::new(), Vec::new());
            world.add(POLKADOT, *number, Block { header, transactions, receipts });
        }
        world.publish(1_700_000_000);
        Self { world, blocks }
    }

    fn block(&self, number: u64) -> &Made {
        self.blocks.iter().find(|block| block.number == number).unwrap()
    }

    fn prove(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(POLKADOT, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let body = Body::Polkadot(self.block(number).tries.clone());
        bundle.entry = body.prove(subject, true).unwrap();
        bundle
    }
}

fn proofs(bundle: &mut Bundle) -> &mut ExtrinsicProofs {
    match &mut bundle.entry {
        Some(EntryProof::Polkadot(proofs)) => proofs,
        other => panic!("no trie nodes: {other:?}"),
    }
}

/// Proofs that hold: an extrinsic, the list of events with an event named, and an absence.
pub(super) fn shown() -> Vec<Shown> {
    let log = Log::new();
    let all = [
        ("an extrinsic of Polkadot", TX),
        ("an event of Polkadot", EVENT),
        ("an absence of Polkadot", ABSENCE),
    ];
    let of = |(name, subject)| Shown::of(name, log.world.root(0), &log.prove(HONEST, subject));
    all.map(of).to_vec()
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, EVENT, ABSENCE, ProofSubject::Block] {
        for number in [HONEST, OLD] {
            let held = super::refused_at(&log.prove(number, good).encode(), &lies.trusted);
            assert_eq!(held, None, "{good:?}");
        }
    }
    statements(&mut lies, &log);
    tries(&mut lies, &log);
    leaves(&mut lies, &log);
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
    let tx = |tx_index| ProofSubject::Transaction { tx_index };
    let event = |log_index| ProofSubject::Log { tx_index: 4, log_index };
    let absence = |tx_index| ProofSubject::Absence { tx_index };
    with("another index", "the nodes lead along another key", TX, tx(5));
    with("an index with a longer key", "the nodes lead along another key", TX, tx(64));
    with("transaction past the block", "the trie ends elsewhere", ABSENCE, tx(40));
    with("absence of what is there", "the trie has a value there", TX, absence(4));
    with("event past the list", "the block has seven events", EVENT, event(7));
    with("event 2^32 - 1", "the block has seven events", EVENT, event(u32::MAX));
    with("event without the list", "the statement needs it", TX, event(0));
    with("transaction with a list", "a part of which nothing is said", EVENT, TX);
    with("event of an extrinsic that is not there", "the nodes lead along another key", EVENT, {
        ProofSubject::Log { tx_index: 41, log_index: 0 }
    });
    let mut lie = log.prove(HONEST, TX);
    lie.statement.number = BlockNumber(OLD);
    lies.add("number one more", "the header has another number", &lie);
    let mut lie = log.prove(HONEST, TX);
    lie.block = log.prove(OLD, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(OLD);
    lies.add("under the header of another block", "the root is another", &lie);
}

fn tries(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut ExtrinsicProofs)| {
        let mut lie = log.prove(HONEST, EVENT);
        bend(proofs(&mut lie));
        lies.add(name, reason, &lie);
    };
    with("no node of the extrinsic", "an empty proof proves nothing", &|one| one.extrinsic.clear());
    with("no node of the list", "an empty proof proves nothing", &|one| one.events = Some(vec![]));
    with("value left out", "the walk ends before its key", &|one| drop(one.extrinsic.pop()));
    with("node too many", "every part must be used", &|one| one.extrinsic.push(vec![0]));
    with("nodes in another order", "a node has another hash", &|one| one.extrinsic.reverse());
    with("another value", "it has another hash", &|one| one.extrinsic.last_mut().unwrap()[9] ^= 1);
    with("list with one event less", "the root is another", &|one| {
        let state = Trie::build(StateVersion::V1, [(EVENTS_KEY, events(6))]);
        one.events = Some(state.prove(&EVENTS_KEY).unwrap());
    });
    with("tries exchanged", "the roots are the header's own fields", &|one| {
        let events = one.events.replace(one.extrinsic.clone());
        one.extrinsic = events.unwrap();
    });
    with("list of another block", "the root is another", &|one| {
        one.events.clone_from(&log.block(OLD).tries.events);
    });
    with("extrinsic of another block", "the root is another", &|one| {
        one.extrinsic = log.block(OLD).tries.extrinsics.prove(&compact(4)).unwrap();
    });
    // the node itself as if it were a value that stands apart
    with("value of one's own making", "the root is another", &|one| {
        let leaf = one.extrinsic.last().unwrap();
        let fake = [&[0x20][..], &transaction_hash(leaf).0].concat();
        one.extrinsic = vec![fake, leaf.clone()];
    });
}

/// Roots that a chain committed to, over leaves that no runtime makes.
fn leaves(lies: &mut Lies, log: &Log) {
    let forged = log.block(FORGED);
    let mut lie = log.prove(FORGED, ProofSubject::Block);
    lie.statement.subject = ProofSubject::Transaction { tx_index: 0 };
    let extrinsic = forged.tries.extrinsics.prove(&compact(0)).unwrap();
    lie.entry = Some(EntryProof::Polkadot(ExtrinsicProofs { extrinsic, events: None }));
    lies.add("extrinsic of another length", "its length is in it", &lie);
    let mut lie = log.prove(FORGED, ProofSubject::Block);
    lie.statement.subject = ProofSubject::Log { tx_index: 1, log_index: 0 };
    let extrinsic = forged.tries.extrinsics.prove(&compact(1)).unwrap();
    let events = forged.tries.events.clone();
    lie.entry = Some(EntryProof::Polkadot(ExtrinsicProofs { extrinsic, events }));
    lies.add("list of more events than it has bytes for", "an event has four at least", &lie);
}

fn headers(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(HONEST, TX);
        let block = lie.block.as_mut().unwrap();
        bend(&mut block.header);
        block.block_hash = blake2b_256(&block.header);
        lies.add(name, reason, &lie);
    };
    with("byte behind the header", "a header is read whole", &|bytes| bytes.push(0));
    with("header cut short", "a header is read whole", &|bytes| bytes.truncate(bytes.len() - 1));
    with("number in a longer form", "compact numbers are the shortest", &|bytes| {
        bytes.splice(32..36, [3, 0, 0, 0, 0]);
    });
    with("item of an unknown kind", "the digest has six kinds", &|bytes| {
        *bytes.last_mut().unwrap() = 1;
    });
    with("another state root", "the leaf of that number is another", &|bytes| bytes[40] ^= 1);
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, log: &Log) {
    let good = log.prove(HONEST, EVENT);
    let bytes = good.encode();
    let flags_at = 8 + 1 + good.origin.len() + 1 + 8 + 8 + 9 + 4;
    assert_eq!(bytes[flags_at] & 0b11, 0b11);
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        bend(&mut bytes);
        lies.add_bytes(name, reason, bytes);
    };
    with("a list alone", "the extrinsic stands beside it", &|bytes| bytes[flags_at] &= !1);
    with("no list", "its nodes are read as the header", &|bytes| bytes[flags_at] &= !2);
    with("thirteen nodes", "at most twelve", &|bytes| bytes[flags_at + 1] = 13);
    with("a node of 4 GiB", "a length past the file", &|bytes| {
        bytes[flags_at + 2..flags_at + 6].fill(0xff);
    });
    with("cut in a node", "it is cut short", &|bytes| bytes.truncate(flags_at + 100));
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let of = |number| [TX, EVENT, ABSENCE, ProofSubject::Block].map(|one| log.prove(number, one));
    (log.world.root(0), [of(HONEST), of(OLD)].concat())
}
