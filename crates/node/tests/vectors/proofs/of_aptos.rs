//! Lies about versions of Aptos, in a log that holds a block made by an independent program, the root before
//! it, and a block above it.

use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha3_256_joined;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::aptos::{
    AptosVersions, EventWay, ExecutionStatus, Frozen, Info, PLACEHOLDER, VersionProof, event_hash,
    info_hash,
};
use superroot_types::*;

use super::{Hostile, Lies, Shown};
use crate::world::{Block, ETHEREUM, World};

const APTOS: ChainKey = ChainKey { family: Family::Aptos, id: ChainId(637) };
/// Version 1002, an abort with two events; version 1003 has five.
const TX: ProofSubject = ProofSubject::Transaction { tx_index: 2 };
const EVENT: ProofSubject = ProofSubject::Log { tx_index: 3, log_index: 2 };
/// Its block, and those below and above.
const HONEST: u64 = 2;
const BELOW: u64 = 1;
const ABOVE: u64 = 3;

struct Log {
    world: World,
    before: Frozen,
    honest: AptosVersions,
    above: AptosVersions,
    infos: Vec<Vec<u8>>,
    events: Vec<Vec<Vec<u8>>>,
}

impl Log {
    /// The synthetic block between others.
    fn new() -> Self {
        let text = include_str!("../../../../chain/tests/aptos/synthetic.json");
        let all: Value = serde_json::from_str(text).unwrap();
        let versions = &all["block"]["versions"];
        let list = |value: &Value| value.as_array().unwrap().clone();
        let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
        let hash = |value: &Value| value.as_str().unwrap().parse::<Hash>().unwrap();
        let infos: Vec<_> = list(&versions["infos"]).iter().map(hex).collect();
        let events: Vec<Vec<_>> = list(&versions["events"])
            .iter()
            .map(|one| list(one).iter().map(hex).collect())
            .collect();
        let first = versions["firstVersion"].as_u64().unwrap();
        let before =
            Frozen::new(first, list(&versions["frozen"]).iter().map(hash).collect()).unwrap();
        let held = events.iter().cloned().map(Some).collect();
        let honest = AptosVersions::build(before.clone(), infos.clone(), held).unwrap();
        assert_eq!(
            honest.roots(),
            (hash(&all["block"]["hash"]), hash(&all["block"]["parentHash"]))
        );
        let above = vec![infos[0].clone(), infos[1].clone()];
        let above = AptosVersions::build(honest.after().unwrap(), above, vec![None; 2]).unwrap();
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let roots = [Hash([1; 32]), before.root(), honest.roots().0, above.roots().0];
        for (number, root) in (0..).zip(roots) {
            let (header, leaves) = (root.0.to_vec(), Vec::new());
            world.add(APTOS, number, Block { header, transactions: leaves, receipts: Vec::new() });
        }
        world.publish(1_700_000_000);
        Self { world, before, honest, above, infos, events }
    }

    fn block(&self, number: u64) -> Bundle {
        self.world.prove(APTOS, number, ProofSubject::Block, false, 0)
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        let mut bundle = self.block(HONEST);
        bundle.statement.subject = subject;
        bundle.entry = Body::Aptos(self.honest.clone()).prove(subject, true).unwrap();
        bundle
    }

    /// A version of the block under the root above it: a root holds every earlier version as well.
    fn prove_above(&self) -> Bundle {
        let infos = [&self.infos[..], &self.infos[..2]].concat();
        let all = AptosVersions::build(self.before.clone(), infos, vec![None; 6]).unwrap();
        let mut bundle = self.block(ABOVE);
        bundle.statement.subject = TX;
        bundle.entry = Body::Aptos(all).prove(TX, true).unwrap();
        bundle
    }
}

fn entry(bundle: &mut Bundle) -> &mut VersionProof {
    let Some(EntryProof::Aptos(entry)) = &mut bundle.entry else { panic!("no entry") };
    entry
}

fn event(bundle: &mut Bundle) -> &mut EventWay {
    entry(bundle).event.as_mut().unwrap()
}

/// Proofs that hold: a version and an event of the block, and that version under the root above.
pub(super) fn shown() -> Vec<Shown> {
    let log = Log::new();
    let above = "a version of Aptos under the root of the block above its own";
    let all = [
        ("a version of Aptos", log.prove(TX)),
        ("an event of Aptos", log.prove(EVENT)),
        (above, log.prove_above()),
    ];
    all.map(|(name, bundle)| Shown::of(name, log.world.root(0), &bundle)).to_vec()
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, EVENT, ProofSubject::Log { tx_index: 2, log_index: 1 }, ProofSubject::Block] {
        let held = super::refused_at(&log.prove(good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    let held = super::refused_at(&log.prove_above().encode(), &lies.trusted);
    assert_eq!(held, None, "the block above holds it as well");
    statements(&mut lies, &log);
    ways(&mut lies, &log);
    infos(&mut lies, &log);
    events(&mut lies, &log);
    encodings(&mut lies, &log);
    lies.all
}

fn statements(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, says: ProofSubject| {
        let mut lie = log.prove(of);
        lie.statement.subject = says;
        lies.add(name, reason, &lie);
    };
    let log_at = |log_index| ProofSubject::Log { tx_index: 3, log_index };
    with("the event beside it", "another event stands there", EVENT, log_at(3));
    with("an event past the tree", "the tree is as deep as its siblings", EVENT, log_at(8));
    with("event 2^32 - 1", "the tree is as deep as its siblings", EVENT, log_at(u32::MAX));
    let absence = ProofSubject::Absence { tx_index: 2 };
    with("an absence", "no root of Aptos shows one", TX, absence);
    with("a version as an event", "the event is missing", TX, log_at(0));
    with("an event as a version", "bytes follow the version", EVENT, TX);
    let mut under = |name: &str, reason: &str, number: u64, block: u64| {
        let mut lie = log.prove(TX);
        lie.statement.number = BlockNumber(number);
        lie.block = log.block(block).block;
        lies.add(name, reason, &lie);
    };
    under("under the root before it", "the version is not there yet", BELOW, BELOW);
    under("under the root of the block above", "it has another way there", ABOVE, ABOVE);
    under("number one more", "another root stands at that number", ABOVE, HONEST);
    let mut block = |name: &str, reason: &str, bend: &dyn Fn(&mut BlockLevel)| {
        let mut lie = log.prove_above();
        lie.statement.number = BlockNumber(HONEST);
        let honest = log.block(HONEST).block.unwrap();
        let proof = lie.block.as_mut().unwrap();
        proof.twig = honest.twig;
        bend(proof);
        lies.add(name, reason, &lie);
    };
    block("the root of the block above", "another root stands at that number", &|_| ());
    block("the root of another header", "the header is the root itself", &|block| {
        block.block_hash = log.block(HONEST).block.unwrap().block_hash;
    });
    block("a header of 31 bytes", "it is a root of 32", &|block| _ = block.header.pop());
    block("a header of 33 bytes", "it is a root of 32", &|block| block.header.push(0));
    let mut lie = log.block(HONEST);
    lie.statement.subject = ProofSubject::Transaction { tx_index: 0 };
    lie.entry = Body::Aptos(log.above.clone()).prove(lie.statement.subject, true).unwrap();
    lies.add("a version of a later block", "this root does not hold it yet", &lie);
}

fn ways(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut VersionProof)| {
        let mut lie = log.prove(TX);
        bend(entry(&mut lie));
        lies.add(name, reason, &lie);
    };
    let other = "it leads to another root";
    with("the version after it", other, &|way| way.version += 1);
    with("the version before it", other, &|way| way.version -= 1);
    with("a version past the tree", "the tree is as deep as its siblings", &|way| {
        way.version += 1 << way.siblings.len();
    });
    with("version 2^64 - 1", "the tree is as deep as its siblings", &|way| way.version = u64::MAX);
    with("two siblings swapped", other, &|way| way.siblings.swap(0, 1));
    with("a bit of a sibling", other, &|way| way.siblings[3].0[9] ^= 1);
    with("a sibling cut off at the leaf", other, &|way| _ = way.siblings.remove(0));
    with("a sibling cut off at the root", "the tree is too flat for the version", &|way| {
        way.siblings.pop();
    });
    with("no siblings", "the tree is too flat for the version", &|way| way.siblings.clear());
    with("a placeholder above the root", other, &|way| way.siblings.push(PLACEHOLDER));
    with("the way to a version beside it", other, &|way| {
        let beside = log.prove(ProofSubject::Transaction { tx_index: 3 });
        let Some(EntryProof::Aptos(beside)) = beside.entry else { panic!("no entry") };
        way.siblings = beside.siblings;
    });
    // the four versions of the block are a subtree of height two, which a later block finds frozen
    let pair = log.above.after().unwrap().roots().to_vec();
    with("a frozen subtree as a version", "a root is no info", &|way| {
        way.info = pair.last().unwrap().0.to_vec();
        way.siblings.drain(..1);
        way.version >>= 1;
    });
    with("an inner node as a version", "two hashes are no info", &|way| {
        let leaves = [&log.infos[2], &log.infos[3]].map(|info| info_hash(info));
        way.info = leaves.iter().flat_map(|leaf| leaf.0).collect();
        way.siblings.drain(..1);
        way.version >>= 1;
    });
    with("the placeholder as a version", "it is no info", &|way| {
        way.info = PLACEHOLDER.0.to_vec();
    });
}

fn infos(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(TX);
        bend(&mut entry(&mut lie).info);
        lies.add(name, reason, &lie);
    };
    let other = "it leads to another root";
    with("another version's info", other, &|info| info.clone_from(&log.infos[3]));
    with("a bit of the gas", other, &|info| info[1] ^= 1);
    with("a failure as a success", other, &|info| {
        let read = Info::decode(info).unwrap();
        *info = Info { status: ExecutionStatus::Success, ..read }.encode();
    });
    with("a bit of the transaction's hash", other, &|info| info[70] ^= 1);
    with("an info of another version of the form", "it is not known", &|info| info[0] = 1);
    with("a status that is none", "there are five", &|info| info[9] = 5);
    with("a place that is none", "it is a module or a script", &|info| info[10] = 2);
    with("an option that is neither", "it is there or not", &|info| *info.last_mut().unwrap() = 2);
    with("a byte behind the info", "it is not read whole", &|info| info.push(0));
    with("an info cut short", "it is not read whole", &|info| _ = info.pop());
    with("no info", "it is not read", &|info| info.clear());
    // the name of the module stands behind its length: 4
    with("a length in a longer form", "lengths have the shortest form", &|info| {
        assert_eq!(info[43], 4);
        info.splice(43..44, [0x84, 0]);
    });
    with("a length of 2^35", "an info is not so long", &|info| {
        info.splice(43..44, [0xff, 0xff, 0xff, 0xff, 0x7f]);
    });
    with("a name that is no text", "names are UTF-8", &|info| info[44] = 0xff);
    with("the seed before the info", "it stands in the hash, not in the info", &|info| {
        let seed = sha3_256_joined(&[b"APTOS::TransactionInfo"]);
        info.splice(0..0, seed.0);
    });
}

fn events(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut EventWay)| {
        let mut lie = log.prove(EVENT);
        bend(event(&mut lie));
        lies.add(name, reason, &lie);
    };
    let other = "it leads to another root than the info's";
    with("a bit of the event", other, &|way| way.event[5] ^= 1);
    with("an event of another version", other, &|way| way.event.clone_from(&log.events[2][0]));
    with("a byte behind the event", other, &|way| way.event.push(0));
    with("two siblings of the event swapped", other, &|way| way.siblings.swap(0, 1));
    with("a sibling of the event cut off", "the tree is too flat for its index", &|way| {
        way.siblings.drain(1..);
    });
    with("a placeholder above the event root", other, &|way| way.siblings.push(PLACEHOLDER));
    with("two hashes of events as one", other, &|way| {
        let leaves = [2, 3].map(|at| event_hash(&log.events[3][at]));
        way.event = leaves.iter().flat_map(|leaf| leaf.0).collect();
    });
    with("the seed before the event", other, &|way| {
        let seed = sha3_256_joined(&[b"APTOS::ContractEvent"]);
        way.event.splice(0..0, seed.0);
    });
    with("the info as its own event", other, &|way| way.event.clone_from(&log.infos[3]));
    let mut whole = |name: &str, reason: &str, bend: &dyn Fn(&mut Bundle)| {
        let mut lie = log.prove(EVENT);
        bend(&mut lie);
        lies.add(name, reason, &lie);
    };
    whole("an event under another version's info", other, &|lie| {
        let mut tx = log.prove(TX);
        let VersionProof { version, info, siblings, .. } = entry(&mut tx).clone();
        let event = entry(lie).event.take();
        *entry(lie) = VersionProof { version, info, siblings, event };
    });
    whole("an event of a version without any", "the root of none is the placeholder", &|lie| {
        let mut tx = log.prove(ProofSubject::Transaction { tx_index: 0 });
        let VersionProof { version, info, siblings, .. } = entry(&mut tx).clone();
        let event = Some(EventWay { event: PLACEHOLDER.0.to_vec(), siblings: Vec::new() });
        *entry(lie) = VersionProof { version, info, siblings, event };
        lie.statement.subject = ProofSubject::Log { tx_index: 0, log_index: 0 };
    });
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, log: &Log) {
    let flags_at = |bundle: &Bundle| {
        let place =
            if matches!(bundle.statement.subject, ProofSubject::Log { .. }) { 9 } else { 5 };
        8 + 1 + bundle.origin.len() + 1 + 8 + 8 + place + 4
    };
    let mut with =
        |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Vec<u8>, usize)| {
            let mut good = log.prove(of);
            let (mut bytes, at) = (good.encode(), flags_at(&good));
            // behind the flags: the version, and the info behind its length
            assert_eq!(bytes[at + 1..at + 9], entry(&mut good).version.to_be_bytes());
            bend(&mut bytes, at);
            lies.add_bytes(name, reason, bytes);
        };
    let count_at = |info: &[u8], at: usize| at + 1 + 8 + 4 + info.len();
    let tx_info = log.infos[2].clone();
    with("no parts", "a version has an info", TX, &|bytes, at| bytes[at] &= !3);
    with("an event without its flag", "bytes follow the version", EVENT, &|bytes, at| {
        bytes[at] &= !2;
    });
    with("the flag of an event without one", "no event is read", TX, &|bytes, at| bytes[at] |= 2);
    with("an info of 4 GiB", "a length past the file", TX, &|bytes, at| {
        bytes[at + 9..at + 13].fill(0xff);
    });
    with("an info of more than 64 KiB", "it is longer than an info is", TX, &|bytes, at| {
        let long = [&(65_537_u32).to_be_bytes()[..], &vec![0; 65_537]].concat();
        bytes.splice(at + 9..at + 13 + tx_info.len(), long);
    });
    with("64 siblings", "a tree is at most 63 deep", TX, &|bytes, at| {
        let at = count_at(&tx_info, at);
        let more = 64 - usize::from(bytes[at]);
        bytes[at] = 64;
        bytes.splice(at + 1..at + 1, vec![0; 32 * more]);
    });
    with("255 siblings", "a tree is at most 63 deep", TX, &|bytes, at| {
        bytes[count_at(&tx_info, at)] = 255;
    });
    with("cut in the siblings", "it is cut short", TX, &|bytes, at| {
        bytes.truncate(count_at(&tx_info, at) + 40);
    });
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let in_second = ProofSubject::Log { tx_index: 2, log_index: 1 };
    let mut all: Vec<_> =
        [TX, EVENT, in_second, ProofSubject::Block].map(|one| log.prove(one)).into();
    all.push(log.prove_above());
    (log.world.root(0), all)
}
