//! Blocks of the ICP ledger that `blocks.py` beside this made without our code, and proofs out of them.
#![allow(dead_code, unreachable_pub)]

use serde_json::Value;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::icp::BlockLeaf;
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

pub const ICP: ChainKey = ChainKey { family: Family::Icp, id: ChainId(223) };

/// A block, and what the other program says of it.
#[derive(Clone, Debug)]
pub struct Made {
    pub number: u64,
    pub bytes: Vec<u8>,
    pub hash: Hash,
    pub transaction_hash: Hash,
    /// Its fields, by the names of the other program.
    pub fields: Value,
}

pub fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0701 }];
    LogRegistry::new(vec![Profile { chain: ICP, caip2: "icp:1".to_owned(), rules }]).unwrap()
}

fn file() -> Value {
    serde_json::from_str(include_str!("blocks.json")).unwrap()
}

pub fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

pub fn hash(value: &Value) -> Hash {
    Hash(bytes(value).try_into().unwrap())
}

fn made(value: &Value) -> Made {
    Made {
        number: value["number"].as_u64().unwrap(),
        bytes: bytes(&value["encoded"]),
        hash: hash(&value["hash"]),
        transaction_hash: hash(&value["transactionHash"]),
        fields: value["block"].clone(),
    }
}

/// Block 9840566 of the mainnet.
pub fn real() -> Made {
    made(&file()["real"])
}

/// The first blocks of a made-up chain.
pub fn synthetic() -> Vec<Made> {
    file()["synthetic"].as_array().unwrap().iter().map(made).collect()
}

/// Transactions of the mainnet, with their hashes.
pub fn real_transactions() -> Vec<(Vec<u8>, Hash)> {
    let pair = |one: &Value| (bytes(&one["encoded"]), hash(&one["transactionHash"]));
    file()["realTransactions"].as_array().unwrap().iter().map(pair).collect()
}

impl Made {
    /// ProofLevels 1 and 2.
    pub fn prove(&self, subject: ProofSubject) -> Bundle {
        let leaf = BlockLeaf { block: self.bytes.clone() };
        let entry = (subject != ProofSubject::Block).then_some(EntryProof::Icp(leaf));
        let statement = Statement { chain: ICP, number: BlockNumber(self.number), subject };
        let block_hash = sha256_joined(&[&self.bytes]);
        let block = BlockLevel { header: self.bytes.clone(), block_hash, twig: None };
        Bundle { origin: "simulated/icp".to_owned(), statement, entry, block: Some(block) }
    }
}
