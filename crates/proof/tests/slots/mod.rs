//! Synthetic slots of the Solana family, made by `make.py` from the rules alone, and the proofs due for
//! them.
#![allow(dead_code, unreachable_pub)]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use superroot_proof::bundle::*;
use superroot_proof::ledger::Body;
use superroot_proof::ledger::solana::{Entry, Record, RecordProof, SolanaEntries};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

pub const SOLANA: ChainKey = ChainKey { family: Family::Solana, id: ChainId(200) };

#[derive(Deserialize)]
pub struct Slot {
    pub slot: u64,
    previous_last_entry_hash: String,
    blockhash: String,
    entries: Vec<SlotEntry>,
    pub proofs: Vec<Due>,
}

#[derive(Deserialize)]
struct SlotEntry {
    num_hashes: u32,
    hash: String,
    transactions_base64: Vec<String>,
}

/// The proof of a transaction as `make.py` has it.
#[derive(Deserialize)]
pub struct Due {
    raw: String,
    pub signature: String,
    hash: Hex,
    before: Hex,
    signature_index: u32,
    signature_count: u32,
    paths: Vec<Vec<Hex>>,
    records: Vec<DueRecord>,
    tail_hashes: u32,
}

#[derive(Deserialize)]
struct DueRecord {
    num_hashes: u32,
    mixin: Hex,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Hash);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        format!("0x{text}").parse().map(Self).map_err(|_| text)
    }
}

pub fn slots() -> Vec<Slot> {
    serde_json::from_str(include_str!("slots.json")).unwrap()
}

fn base58(text: &str) -> Hash {
    Hash(bs58::decode(text).into_vec().unwrap().try_into().unwrap())
}

impl Slot {
    pub fn start(&self) -> Hash {
        base58(&self.previous_last_entry_hash)
    }

    pub fn blockhash(&self) -> Hash {
        base58(&self.blockhash)
    }

    pub fn body(&self) -> SolanaEntries {
        let entries = self.entries.iter().map(|entry| Entry {
            num_hashes: entry.num_hashes,
            hash: base58(&entry.hash),
            tx_count: u32::try_from(entry.transactions_base64.len()).unwrap(),
        });
        let raw = self.entries.iter().flat_map(|entry| &entry.transactions_base64);
        let leaves = raw.map(|raw| BASE64_STANDARD.decode(raw).unwrap()).collect();
        SolanaEntries::build(self.start(), entries.collect(), leaves).unwrap()
    }

    pub fn statement(&self, subject: ProofSubject) -> Statement {
        Statement { chain: SOLANA, number: BlockNumber(self.slot), subject }
    }

    /// The proof of a transaction up to level 2.
    pub fn prove(&self, tx_index: u32) -> Bundle {
        let subject = ProofSubject::Transaction { tx_index };
        let entry = Body::Solana(self.body()).prove(subject, true).unwrap();
        Bundle {
            origin: "test/solana".into(),
            statement: self.statement(subject),
            entry,
            block: Some(BlockLevel {
                header: self.blockhash().0.to_vec(),
                block_hash: self.blockhash(),
                twig: None,
            }),
        }
    }
}

impl Due {
    pub fn raw(&self) -> Vec<u8> {
        const_hex::decode(&self.raw).unwrap()
    }

    pub fn hash(&self) -> Hash {
        self.hash.0
    }

    pub fn proof(&self) -> RecordProof {
        let record = |one: &DueRecord| Record { num_hashes: one.num_hashes, mixin: one.mixin.0 };
        RecordProof {
            before: self.before.0,
            transaction: self.raw(),
            signature_index: self.signature_index,
            signature_count: self.signature_count,
            paths: self.paths.iter().map(|path| path.iter().map(|one| one.0).collect()).collect(),
            records: self.records.iter().map(record).collect(),
            tail_hashes: self.tail_hashes,
        }
    }
}

pub fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0201 }];
    let caip2 = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp".to_owned();
    LogRegistry::new(vec![Profile { chain: SOLANA, caip2, rules }]).unwrap()
}
