//! Bitcoin blocks made for tests, and proofs out of them by the plain rules of `docs/protocol.md`.
#![allow(dead_code, unreachable_pub)]

use superroot_proof::bundle::*;
use superroot_proof::hash::sha256d;
use superroot_proof::ledger::bitcoin::{BitcoinTransactionTree, Header, prove, transaction_hash};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

pub const BITCOIN: ChainKey = ChainKey { family: Family::Bitcoin, id: ChainId(21_000_000) };

/// A block: leaves and the header over them.
pub struct Block {
    pub leaves: Vec<Vec<u8>>,
    pub header: Header,
}

pub fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0101 }];
    let caip2 = "bip122:000000000019d6689c085ae165831e93".to_owned();
    LogRegistry::new(vec![Profile { chain: BITCOIN, caip2, rules }]).unwrap()
}

/// A transaction without witness: inputs as (previous, script), outputs as (satoshi, script).
pub fn transaction(inputs: &[(Hash, u32, &[u8])], outputs: &[(u64, &[u8])]) -> Vec<u8> {
    let mut out = 2_i32.to_le_bytes().to_vec();
    out.push(u8::try_from(inputs.len()).unwrap());
    for (hash, index, script) in inputs {
        out.extend_from_slice(&hash.0);
        out.extend_from_slice(&index.to_le_bytes());
        put_script(&mut out, script);
        out.extend_from_slice(&u32::MAX.to_le_bytes());
    }
    out.push(u8::try_from(outputs.len()).unwrap());
    for (value, script) in outputs {
        out.extend_from_slice(&value.to_le_bytes());
        put_script(&mut out, script);
    }
    out.extend_from_slice(&0_u32.to_le_bytes());
    out
}

fn put_script(out: &mut Vec<u8>, script: &[u8]) {
    match u8::try_from(script.len()) {
        Ok(length @ 0..=0xfc) => out.push(length),
        _ => {
            out.push(0xfd);
            out.extend_from_slice(&u16::try_from(script.len()).unwrap().to_le_bytes());
        }
    }
    out.extend_from_slice(script);
}

pub fn coinbase(number: u64) -> Vec<u8> {
    let mut script = vec![8];
    script.extend_from_slice(&number.to_le_bytes());
    transaction(&[(Hash::ZERO, u32::MAX, &script)], &[(50_0000_0000, &[0x51; 25])])
}

/// A block of so many transactions; the one at place `i` has `i % 4 + 1` outputs.
pub fn block(tx_count: u32) -> Block {
    let mut leaves = vec![coinbase(700_000)];
    for place in 1..tx_count {
        let script = vec![0x6a; 20 + place as usize % 300];
        let outputs: Vec<(u64, &[u8])> =
            (0..=place % 4).map(|at| (u64::from(place * 1_000 + at), &script[..])).collect();
        leaves.push(transaction(&[(Hash([place as u8; 32]), place, &[0x51, 0x52])], &outputs));
    }
    block_of(leaves)
}

/// A block over any leaves, its root folded the plain way.
pub fn block_of(leaves: Vec<Vec<u8>>) -> Block {
    let merkle_root = plain_root(leaves.iter().map(|leaf| sha256d(&[leaf])).collect());
    let parent_hash = Hash([7; 32]);
    let (version, time, bits, nonce) = (0x2000_0000, 1_600_000_000, 0x170e_d0eb, 3);
    Block { leaves, header: Header { version, parent_hash, merkle_root, time, bits, nonce } }
}

/// The tree as Bitcoin Core's first code made it: an odd row is lengthened by a copy.
pub fn plain_root(mut row: Vec<Hash>) -> Hash {
    while row.len() > 1 {
        if row.len() % 2 == 1 {
            row.push(*row.last().unwrap());
        }
        row = row.chunks(2).map(|pair| sha256d(&[&pair[0].0, &pair[1].0])).collect();
    }
    row[0]
}

impl Block {
    pub fn tx_count(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap()
    }

    pub fn txids(&self) -> Vec<Hash> {
        self.leaves.iter().map(|leaf| transaction_hash(leaf)).collect()
    }

    pub fn branch(&self, index: u32) -> Branch {
        let siblings = prove(&self.txids(), index).unwrap();
        Branch { leaf: self.leaves[index as usize].clone(), siblings }
    }

    /// ProofLevels 1 and 2.
    pub fn prove(&self, subject: ProofSubject) -> Bundle {
        let tree = BitcoinTransactionTree::build(self.leaves.clone());
        let entry = tree.branches(subject).unwrap().map(EntryProof::Bitcoin);
        let statement = Statement { chain: BITCOIN, number: BlockNumber(700_000), subject };
        let header = self.header.encode().to_vec();
        let block = BlockLevel { header, block_hash: self.header.hash(), twig: None };
        Bundle { origin: "simulated/coins".to_owned(), statement, entry, block: Some(block) }
    }
}

/// The branches of a proof.
pub fn branches(bundle: &mut Bundle) -> &mut BranchProofs {
    match &mut bundle.entry {
        Some(EntryProof::Bitcoin(branches)) => branches,
        other => panic!("no branches: {other:?}"),
    }
}
