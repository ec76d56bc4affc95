//! Lies about a checkpoint of Sui, in a log that holds it.

use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::sui::{ContentsProof, SuiCheckpoint, TransactionEffects};
use superroot_types::*;

use super::{Hostile, Lies};
use crate::world::{Block, ETHEREUM, World};

const SUI: ChainKey = ChainKey { family: Family::Sui, id: ChainId(784) };
/// A transaction with five events, of five.
const TX: ProofSubject = ProofSubject::Transaction { tx_index: 1 };
const EVENT: ProofSubject = ProofSubject::Log { tx_index: 1, log_index: 3 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 5 };
/// The checkpoint that has them.
const HONEST: u64 = 2;

struct Log {
    world: World,
    bodies: Vec<Body>,
    /// Outcome of each transaction of the checkpoint.
    outcomes: Vec<TransactionEffects>,
    transactions: Vec<Vec<u8>>,
}

impl Log {
    /// The synthetic checkpoints, in a row.
    fn new() -> Self {
        let text = include_str!("../../../../../vectors/sui/synthetic.json");
        let all: Vec<Value> = serde_json::from_str(text).unwrap();
        let hex = |value: &Value| const_hex::decode(value.as_str().unwrap()).unwrap();
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let (mut bodies, mut honest) = (Vec::new(), None);
        for (number, one) in (0_u64..).zip(&all) {
            let list = one["transactions"].as_array().unwrap();
            let transactions: Vec<_> = list.iter().map(|one| hex(&one["transaction"])).collect();
            let outcome = |one: &Value| TransactionEffects {
                effects: hex(&one["effects"]),
                events: (!one["events"].is_null()).then(|| hex(&one["events"])),
            };
            let outcomes: Vec<_> = list.iter().map(outcome).collect();
            if number == HONEST {
                honest = Some((outcomes.clone(), transactions.clone()));
            }
            let contents = hex(&one["contents"]);
            let header = hex(&one["summary"]);
            let leaves = transactions.clone();
            world.add(SUI, number, Block { header, transactions: leaves, receipts: Vec::new() });
            bodies.push(Body::Sui(SuiCheckpoint::build(contents, transactions, outcomes)));
        }
        world.publish(1_700_000_000);
        let (outcomes, transactions) = honest.unwrap();
        Self { world, bodies, outcomes, transactions }
    }

    fn prove(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(SUI, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let body = &self.bodies[usize::try_from(number).unwrap()];
        bundle.entry = body.prove(subject, true).unwrap();
        bundle
    }
}

fn entry(bundle: &mut Bundle) -> &mut ContentsProof {
    let Some(EntryProof::Sui(entry)) = &mut bundle.entry else { panic!("no entry") };
    entry
}

fn outcome(bundle: &mut Bundle) -> &mut TransactionEffects {
    entry(bundle).outcome.as_mut().unwrap()
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, EVENT, ABSENCE, ProofSubject::Block] {
        let held = super::refused_at(&log.prove(HONEST, good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    statements(&mut lies, &log);
    parts(&mut lies, &log);
    lists(&mut lies, &log);
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
    let event = |tx_index, log_index| ProofSubject::Log { tx_index, log_index };
    with("the index beside it", "another transaction stands there", TX, tx(2));
    with("an index past the list", "nothing stands there", TX, tx(5));
    with("another transaction's event", "its effects are others", EVENT, event(3, 0));
    with("event past the transaction's", "there are five", EVENT, event(1, 5));
    with("event 2^32 - 1", "there are five", EVENT, event(1, u32::MAX));
    with(
        "absence of what is there",
        "the list has five",
        ABSENCE,
        ProofSubject::Absence { tx_index: 4 },
    );
    let mut lie = log.prove(HONEST, TX);
    lie.statement.number = BlockNumber(HONEST + 1);
    lies.add("number one more", "the summary names its number", &lie);
    let mut lie = log.prove(HONEST, TX);
    lie.block = log.prove(1, ProofSubject::Block).block;
    lie.statement.number = BlockNumber(1);
    lies.add("under the summary of another checkpoint", "its contents are others", &lie);
}

fn parts(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Bundle)| {
        let mut lie = log.prove(HONEST, of);
        bend(&mut lie);
        lies.add(name, reason, &lie);
    };
    with("another transaction", "its digest is not listed there", TX, &|lie| {
        entry(lie).transaction = Some(log.transactions[0].clone());
    });
    with("a bit of the transaction", "it has another digest", TX, &|lie| {
        entry(lie).transaction.as_mut().unwrap()[9] ^= 1;
    });
    with("effects of another transaction", "their digest is not listed there", TX, &|lie| {
        outcome(lie).effects = log.outcomes[3].effects.clone();
    });
    with("a failure as a success", "the effects have another digest", TX, &|lie| {
        outcome(lie).effects[1] ^= 1;
    });
    with("events of another transaction", "the effects name another digest", EVENT, &|lie| {
        outcome(lie).events.clone_from(&log.outcomes[3].events);
    });
    with("a bit of an event's contents", "the events have another digest", EVENT, &|lie| {
        *outcome(lie).events.as_mut().unwrap().last_mut().unwrap() ^= 1;
    });
    let mut lie = log.prove(HONEST, EVENT);
    lie.statement.subject = ProofSubject::Log { tx_index: 0, log_index: 0 };
    entry(&mut lie).transaction = Some(log.transactions[0].clone());
    outcome(&mut lie).effects = log.outcomes[0].effects.clone();
    lies.add("an event of a transaction without any", "its effects name no events", &lie);
    lie.statement.subject = ProofSubject::Log { tx_index: 2, log_index: 0 };
    entry(&mut lie).transaction = Some(log.transactions[2].clone());
    outcome(&mut lie).effects = log.outcomes[2].effects.clone();
    lies.add("an event of a transaction that failed", "a failure leaves no events", &lie);
}

fn lists(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(HONEST, of);
        bend(&mut entry(&mut lie).contents);
        lies.add(name, reason, &lie);
    };
    let bytes = |number: u64| {
        let mut other = log.prove(number, ProofSubject::Absence { tx_index: 9 });
        entry(&mut other).contents.clone()
    };
    with("contents of another checkpoint", "the summary names another digest", ABSENCE, &|list| {
        *list = bytes(1);
    });
    with("an empty list", "the summary names another digest", ABSENCE, &|list| *list = bytes(3));
    with("one transaction fewer", "the list is not read to its end", ABSENCE, &|list| list[1] -= 1);
    with("two transactions swapped", "the summary names another digest", TX, &|list| {
        let (first, second) = (list[3..35].to_vec(), list[36..68].to_vec());
        list[3..35].copy_from_slice(&second);
        list[36..68].copy_from_slice(&first);
    });
    with("a list of an unknown version", "it is not known", TX, &|list| list[0] = 2);
    with("a list as that of the other version", "it is not read so", TX, &|list| list[0] = 0);
    with("a byte behind the list", "it is not read whole", TX, &|list| list.push(0));
    with("a count in a longer form", "lengths have the shortest form", TX, &|list| {
        list[1] |= 0x80;
        list.insert(2, 0);
    });
    with("a count of 2^32 - 1", "there are not so many", TX, &|list| {
        list.splice(1..2, [0xff, 0xff, 0xff, 0xff, 0x0f]);
    });
}

/// What a decoder must refuse, before anything is verified, and parts that are there too much or too little.
fn encodings(lies: &mut Lies, log: &Log) {
    let flags_at = |bundle: &Bundle| {
        let place =
            if matches!(bundle.statement.subject, ProofSubject::Log { .. }) { 9 } else { 5 };
        8 + 1 + bundle.origin.len() + 1 + 8 + 8 + place + 4
    };
    let mut with =
        |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Vec<u8>, usize)| {
            let good = log.prove(HONEST, of);
            let (mut bytes, at) = (good.encode(), flags_at(&good));
            bend(&mut bytes, at);
            lies.add_bytes(name, reason, bytes);
        };
    with("no parts", "a transaction has a list", TX, &|bytes, at| bytes[at] &= !3);
    with("a transaction without effects", "the effects are not read", TX, &|bytes, at| {
        bytes[at] &= !2;
    });
    with("an absence with effects", "it has the list alone", ABSENCE, &|bytes, at| bytes[at] |= 2);
    with("a list of 4 GiB", "a length past the file", TX, &|bytes, at| {
        bytes[at + 1..at + 5].fill(0xff);
    });
    with("cut in the list", "it is cut short", TX, &|bytes, at| bytes.truncate(at + 200));
    let mut lie = log.prove(HONEST, TX);
    entry(&mut lie).outcome = None;
    lies.add("a transaction whose effects are left out", "its status is part of it", &lie);
    let mut lie = log.prove(HONEST, ABSENCE);
    entry(&mut lie).transaction = Some(log.transactions[0].clone());
    lies.add("an absence with a transaction", "bytes follow the list", &lie);
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let mut all: Vec<_> =
        [EVENT, ABSENCE, ProofSubject::Block].map(|one| log.prove(HONEST, one)).into();
    all.extend((0..5).map(|tx_index| log.prove(HONEST, ProofSubject::Transaction { tx_index })));
    (log.world.root(0), all)
}
