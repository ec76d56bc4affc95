//! Slots of the Solana family for tests: those that a script made from the rules, and real ones of
//! `SUPERROOT_DATA`, as JSON and as the archives of Old Faithful.
#![allow(dead_code)]

use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock};
use superroot_chain::{
    ChainError, ChainRegistry, ChainSpec, UntrustedBlock, VerifiedBlock, verify,
};
use superroot_types::*;

/// Made by `proof/tests/slots/make.py`.
pub(crate) const SYNTHETIC: &str = include_str!("../../../proof/tests/slots/slots.json");

pub(crate) fn hash(text: &str) -> Hash {
    Hash(bs58::decode(text).into_vec().unwrap().try_into().unwrap())
}

/// The row of the main network, or of one that begins with that hash.
pub(crate) fn row_of(genesis: Hash) -> ChainSpec {
    let row = ChainRegistry::builtin().find("solana").unwrap().clone();
    let params = superroot_chain::ledger::solana::SolanaParams { genesis_hash: genesis };
    ChainSpec { ledger: superroot_chain::Ledger::Solana(params), ..row }
}

pub(crate) fn main_row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("solana").unwrap()
}

pub(crate) fn check(row: &ChainSpec, raw: &RawSolanaBlock) -> Result<VerifiedBlock, ChainError> {
    verify(row, &UntrustedBlock::Solana(Box::new(raw.clone())))
}

/// Slots in the form of the data's JSON. None of them was skipped, so heights are slots.
pub(crate) fn slots_of(json: &str) -> Vec<RawSolanaBlock> {
    let slots: Vec<Value> = serde_json::from_str(json).unwrap();
    let mut blocks: Vec<RawSolanaBlock> = slots.iter().map(slot).collect();
    if let Some(first) = blocks.first_mut().filter(|first| first.slot == 0) {
        first.parent_hash = Hash::ZERO;
    }
    blocks
}

fn slot(json: &Value) -> RawSolanaBlock {
    let slot = json["slot"].as_u64().unwrap();
    let entries = json["entries"].as_array().unwrap().iter().map(|entry| RawEntry {
        num_hashes: entry["num_hashes"].as_u64().unwrap(),
        hash: hash(entry["hash"].as_str().unwrap()),
        transactions: {
            let all = entry["transactions_base64"].as_array().unwrap().iter();
            all.map(|raw| BASE64_STANDARD.decode(raw.as_str().unwrap()).unwrap()).collect()
        },
    });
    RawSolanaBlock {
        number: BlockNumber(slot),
        slot,
        parent_slot: slot.saturating_sub(1),
        hash: hash(json["blockhash"].as_str().unwrap()),
        parent_hash: json["previous_last_entry_hash"].as_str().map_or(Hash::ZERO, hash),
        time: 0,
        entries: Some(entries.collect()),
    }
}

pub(crate) fn synthetic() -> Vec<RawSolanaBlock> {
    slots_of(SYNTHETIC)
}

/// Where the entries of the first synthetic slot begin.
pub(crate) fn synthetic_genesis() -> Hash {
    let slots: Vec<Value> = serde_json::from_str(SYNTHETIC).unwrap();
    hash(slots[0]["previous_last_entry_hash"].as_str().unwrap())
}

/// A file of the real data; `None`, loudly, when there is none.
pub(crate) fn file(name: &str) -> Option<Vec<u8>> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Solana was read");
        return None;
    };
    let path = PathBuf::from(data).join("other/solana").join(name);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

pub(crate) fn real() -> Option<Vec<RawSolanaBlock>> {
    let mut blocks = Vec::new();
    for name in ["slots_0_9.json", "slots_10_19.json"] {
        blocks.extend(slots_of(&String::from_utf8(file(name)?).unwrap()));
    }
    Some(blocks)
}
