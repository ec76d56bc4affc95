//! Lies about a transaction of Solana, in a log that holds slots made by an independent program.

use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::solana::{
    Record, RecordProof, SIGNATURES_MAX, SLOT_HASHES_MAX, TRANSACTION_BYTES_MAX, plain, record,
    signature_leaf,
};
use superroot_types::*;

use self::slots::{SOLANA, Slot};
use super::{Hostile, Lies, Shown};
use crate::world::{Block, ETHEREUM, World};

#[path = "../../../../proof/tests/slots/mod.rs"]
mod slots;

/// The fourth of seven whose signatures one record has, with records behind.
const TX: ProofSubject = ProofSubject::Transaction { tx_index: 3 };
/// The last of them: its row is odd, so it is paired with itself.
const ALONE: ProofSubject = ProofSubject::Transaction { tx_index: 6 };
/// One of four signatures, in the last record.
const MANY: ProofSubject = ProofSubject::Transaction { tx_index: 9 };
/// The slot that has them, and one below.
const HONEST: u64 = 3;
const BELOW: u64 = 2;

struct Log {
    world: World,
    slots: Vec<Slot>,
}

impl Log {
    fn new() -> Self {
        let mut world = World::of(ChainRegistry::builtin().proof_registry().clone());
        world.extend(ETHEREUM, 4096..=4100, |number| number % 5);
        let slots = slots::slots();
        for slot in &slots {
            let (header, transactions) = (slot.blockhash().0.to_vec(), Vec::new());
            world.add(SOLANA, slot.slot, Block { header, transactions, receipts: Vec::new() });
        }
        world.publish(1_700_000_000);
        Self { world, slots }
    }

    fn at(&self, number: u64, subject: ProofSubject) -> Bundle {
        let mut bundle = self.world.prove(SOLANA, number, ProofSubject::Block, false, 0);
        bundle.statement.subject = subject;
        let body = self.slots[usize::try_from(number).unwrap()].body();
        bundle.entry = Body::Solana(body).prove(subject, true).unwrap();
        bundle
    }

    fn prove(&self, subject: ProofSubject) -> Bundle {
        self.at(HONEST, subject)
    }
}

fn entry(bundle: &mut Bundle) -> &mut RecordProof {
    let Some(EntryProof::Solana(entry)) = &mut bundle.entry else { panic!("no entry") };
    entry
}

/// A proof that holds: the log is simulated, so how many hashes its slots have is not known.
pub(super) fn shown() -> Vec<Shown> {
    let log = Log::new();
    let name = "a transaction of Solana in a simulated log";
    vec![Shown::of(name, log.world.root(0), &log.prove(TX))]
}

pub(super) fn hostile() -> Vec<Hostile> {
    let log = Log::new();
    let mut lies = Lies { trusted: log.world.root(0), all: Vec::new() };
    for good in [TX, ALONE, MANY, ProofSubject::Block] {
        let held = super::refused_at(&log.prove(good).encode(), &lies.trusted);
        assert_eq!(held, None, "{good:?}");
    }
    statements(&mut lies, &log);
    chains(&mut lies, &log);
    trees(&mut lies, &log);
    transactions(&mut lies, &log);
    encodings(&mut lies, &log);
    lies.all
}

fn statements(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, says: ProofSubject| {
        let mut lie = log.prove(TX);
        lie.statement.subject = says;
        lies.add(name, reason, &lie);
    };
    let event = ProofSubject::Log { tx_index: 3, log_index: 0 };
    with("an event", "a blockhash commits to signatures alone", event);
    let absence = ProofSubject::Absence { tx_index: 10 };
    with("an absence", "no hash shows the number of transactions", absence);
    let mut under = |name: &str, reason: &str, number: u64, block: u64| {
        let mut lie = log.prove(TX);
        lie.statement.number = BlockNumber(number);
        lie.block = log.at(block, ProofSubject::Block).block;
        lies.add(name, reason, &lie);
    };
    under("under the block below", "it leads to another blockhash", BELOW, BELOW);
    under("number one less", "another blockhash stands at that number", BELOW, HONEST);
    let mut block = |name: &str, reason: &str, bend: &dyn Fn(&mut BlockLevel)| {
        let mut lie = log.prove(ProofSubject::Block);
        bend(lie.block.as_mut().unwrap());
        lies.add(name, reason, &lie);
    };
    block("a header of 31 bytes", "it is a hash of 32", &|block| _ = block.header.pop());
    block("a header of 33 bytes", "it is a hash of 32", &|block| block.header.push(0));
    block("the blockhash of another header", "the header is the hash itself", &|block| {
        block.header[0] ^= 1;
    });
    block("another blockhash", "another one stands at that number", &|block| {
        let other = log.slots[2].blockhash();
        (block.header, block.block_hash) = (other.0.to_vec(), other);
    });
}

/// The way from the record to the blockhash.
fn chains(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut RecordProof)| {
        let mut lie = log.prove(TX);
        bend(entry(&mut lie));
        lies.add(name, reason, &lie);
    };
    let other = "it leads to another blockhash";
    with("another hash before the record", other, &|proof| proof.before.0[7] ^= 1);
    with("the hash behind the record before it", other, &|proof| {
        proof.before = plain(&proof.before, 1);
    });
    with("a plain hash more at the end", other, &|proof| proof.tail_hashes += 1);
    with("a plain hash fewer at the end", other, &|proof| proof.tail_hashes -= 1);
    with("a hash fewer before a record", other, &|proof| proof.records[0].num_hashes -= 1);
    with("a mixin bent", other, &|proof| proof.records[0].mixin.0[0] ^= 1);
    with("two records swapped", other, &|proof| proof.records.swap(0, 1));
    with("a record left out", other, &|proof| _ = proof.records.remove(0));
    with("a record left out, its hashes kept", "a record is no plain hash", &|proof| {
        let gone = proof.records.remove(0);
        proof.records[0].num_hashes += gone.num_hashes;
    });
    with("a record twice", other, &|proof| {
        let again = proof.records[0];
        proof.records.insert(0, again);
    });
    with("a record more at the end", other, &|proof| {
        proof.records.push(Record { num_hashes: 1, mixin: Hash::ZERO });
    });
    with("a record of no hashes", "it is a hash itself", &|proof| proof.records[0].num_hashes = 0);
    with("a plain hash as a record", "64 bytes were hashed, not 32", &|proof| {
        proof.tail_hashes -= 1;
        proof.records.push(Record { num_hashes: 1, mixin: Hash::ZERO });
    });
    // refused before anything is hashed: else these take seconds
    with("more hashes than a slot has", "4,000,000 are the most", &|proof| {
        proof.tail_hashes = SLOT_HASHES_MAX;
    });
    with("2^32 - 1 hashes at the end", "4,000,000 are the most", &|proof| {
        proof.tail_hashes = u32::MAX;
    });
    with("a sum of hashes that overflows", "4,000,000 are the most", &|proof| {
        proof.records[0].num_hashes = u32::MAX;
        proof.records[1].num_hashes = 2;
    });
    with("as many records as there may be, each of 2^32 - 1", "4,000,000 are the most", &|proof| {
        let one = Record { num_hashes: u32::MAX, mixin: Hash::ZERO };
        proof.records = vec![one; 40];
    });
    // a transaction of the slot below, and every hash from there to this slot's end
    let mut lie = log.prove(TX);
    let below = log.slots[2].body();
    let mut early =
        Body::Solana(below).prove(ProofSubject::Transaction { tx_index: 0 }, true).unwrap();
    let Some(EntryProof::Solana(early)) = &mut early else { panic!("no entry") };
    early.tail_hashes += SLOT_HASHES_MAX - early.hash_count().unwrap() + 1;
    *entry(&mut lie) = early.clone();
    lies.add(
        "one of the block below, from further back than a slot",
        "it is not of this block",
        &lie,
    );
}

/// The tree over the record's signatures.
fn trees(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut RecordProof)| {
        let mut lie = log.prove(of);
        bend(entry(&mut lie));
        lies.add(name, reason, &lie);
    };
    let other = "it leads to another mixin";
    with("the signature's index beside it", other, TX, &|proof| proof.signature_index ^= 1);
    with("an index past the signatures", "there are seven", TX, &|proof| {
        proof.signature_index = 7;
    });
    with("no signatures", "a record has some", TX, &|proof| proof.signature_count = 0);
    with("more signatures than a record has", "65,536 are the most", TX, &|proof| {
        proof.signature_count = SIGNATURES_MAX + 1;
    });
    with("two siblings swapped", other, TX, &|proof| proof.paths[0].swap(0, 1));
    with("a bit of a sibling", other, TX, &|proof| proof.paths[0][1].0[30] ^= 1);
    with("a sibling left out", "index and count give the length", TX, &|proof| {
        proof.paths[0].pop();
    });
    with("a sibling more", "index and count give the length", TX, &|proof| {
        proof.paths[0].push(Hash::ZERO);
    });
    with(
        "the last of seven as one of eight",
        "its copy is no transaction of its own",
        ALONE,
        &|proof| {
            proof.signature_count = 8;
            let leaf = signature_leaf(&signature(proof));
            proof.paths[0].insert(0, leaf);
        },
    );
    with("the copy of the last one", "the tail is duplicated", ALONE, &|proof| {
        (proof.signature_index, proof.signature_count) = (7, 8);
        let leaf = signature_leaf(&signature(proof));
        proof.paths[0].insert(0, leaf);
    });
    with("as the only one of its record", other, TX, &|proof| {
        (proof.signature_index, proof.signature_count) = (0, 1);
        proof.paths[0].clear();
    });
    with("three paths for four signatures", "each has its own", MANY, &|proof| {
        proof.paths.pop();
    });
    with("a path of another signature", "they lead to two mixins", MANY, &|proof| {
        proof.paths.swap(0, 1);
    });
    with("the mixin as the record", "what is hashed is a transaction", TX, &|proof| {
        let all = log.prove(MANY).entry;
        let Some(EntryProof::Solana(all)) = all else { panic!("no entry") };
        proof.before = record(&all.before, &Hash::ZERO);
    });
}

fn signature(proof: &RecordProof) -> [u8; 64] {
    proof.transaction[1..65].try_into().unwrap()
}

fn transactions(lies: &mut Lies, log: &Log) {
    let mut with = |name: &str, reason: &str, of: ProofSubject, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut lie = log.prove(of);
        bend(&mut entry(&mut lie).transaction);
        lies.add(name, reason, &lie);
    };
    let signed = "the signature does not fit the message";
    with("a bit of the message", signed, TX, &|raw| *raw.last_mut().unwrap() ^= 1);
    with("a bit of the recent blockhash", signed, TX, &|raw| {
        let at = raw.len() - 40;
        raw[at] ^= 1;
    });
    with("a bit of the signature", "no signature, or another leaf", TX, &|raw| raw[40] ^= 1);
    with("a byte behind the message", "it is read whole", TX, &|raw| raw.push(0));
    with("a message cut short", "it is read whole", TX, &|raw| _ = raw.pop());
    with("no transaction", "there is no signature", TX, &|raw| raw.clear());
    with("no signature", "it has no name then", TX, &|raw| _ = raw.splice(0..65, [0]));
    with("a signature more", "the message asks for one", TX, &|raw| {
        let again = raw[1..65].to_vec();
        raw[0] = 2;
        raw.splice(65..65, again);
    });
    with("a signature twice", "the second key is another", MANY, &|raw| {
        let first = raw[1..65].to_vec();
        raw.splice(65..129, first);
    });
    with("two signatures swapped", "they fit the other's key", MANY, &|raw| {
        let (first, second) = (raw[1..65].to_vec(), raw[65..129].to_vec());
        raw.splice(1..129, [second, first].concat());
    });
    with("a count in a longer form", "the shortest is the only one", TX, &|raw| {
        raw.splice(0..1, [0x81, 0]);
    });
    with("a message of version 1", "none but 0 is known", TX, &|raw| {
        let count = raw[65];
        raw.splice(65..66, [0x81, count]);
    });
    // a key that fits every message: of order one, and a signature of zeros
    with("a key that fits every message", "keys of a small order are refused", TX, &|raw| {
        let identity = [[1].to_vec(), vec![0; 31]].concat();
        raw.splice(1..65, [identity.clone(), vec![0; 32]].concat());
        raw.splice(69..101, identity);
    });
    with("1,233 bytes", "no packet has so many", TX, &|raw| {
        raw.resize(TRANSACTION_BYTES_MAX + 1, 0);
    });
    let mut lie = log.prove(TX);
    let other = log.prove(ProofSubject::Transaction { tx_index: 4 });
    let Some(EntryProof::Solana(other)) = other.entry else { panic!("no entry") };
    entry(&mut lie).transaction = other.transaction;
    lies.add("the transaction beside it", "its signature is another leaf", &lie);
}

/// What a decoder must refuse, before anything is verified.
fn encodings(lies: &mut Lies, log: &Log) {
    let mut good = log.prove(TX);
    let (bytes, proof) = (good.encode(), entry(&mut good).clone());
    let at = bytes.windows(32).position(|window| window == proof.before.0).unwrap();
    let length_at = at + 32;
    let index_at = length_at + 4 + proof.transaction.len();
    let count_at = index_at + 8 + 32 * proof.paths[0].len();
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        bend(&mut bytes);
        lies.add_bytes(name, reason, bytes);
    };
    with("no parts", "a transaction has a record", &|bytes| bytes[at - 1] &= !3);
    with("the flag of a receipt", "no header commits to one", &|bytes| bytes[at - 1] |= 2);
    with("a transaction of 4 GiB", "a length past the file", &|bytes| {
        bytes[length_at..length_at + 4].fill(0xff);
    });
    with("2^32 - 1 signatures", "65,536 are the most", &|bytes| {
        bytes[index_at + 4..index_at + 8].fill(0xff);
    });
    with("2^32 - 1 records", "32,768 are the most", &|bytes| {
        bytes[count_at..count_at + 4].fill(0xff);
    });
    with("more records than the file has", "it is cut short", &|bytes| {
        bytes[count_at + 2] = 0x7f;
    });
    with("cut in the records", "it is cut short", &|bytes| bytes.truncate(count_at + 20));
}

/// Proofs that hold.
pub(super) fn valid() -> (Hash, Vec<Bundle>) {
    let log = Log::new();
    let all = [TX, ALONE, MANY, ProofSubject::Block].map(|one| log.prove(one));
    (log.world.root(0), all.into())
}
