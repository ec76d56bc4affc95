//! Real blocks of Westend and a real read proof, found through `SUPERROOT_DATA` alone.

use std::path::PathBuf;

use alloy_primitives::Bytes;
use serde_json::Value;
use superroot_chain::ledger::polkadot::{
    PolkadotParams, RawDigest, RawPolkadotBlock, RawPolkadotHeader,
};
use superroot_chain::{
    ChainError, ChainRegistry, ChainSpec, Ledger, UntrustedBlock, VerifiedBlock, verify,
};
use superroot_proof::bundle::{self, *};
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::polkadot::{self, Header, Trie};
use superroot_types::*;

fn load(file: &str) -> Option<Value> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Westend was read");
        return None;
    };
    let text = std::fs::read(PathBuf::from(data).join("other/polkadot").join(file)).unwrap();
    Some(serde_json::from_slice(&text).unwrap())
}

/// A row of Westend: its pallet of the time is the third of its calls.
fn westend() -> ChainSpec {
    let mut row = ChainRegistry::builtin().find("polkadot").unwrap().clone();
    row.caip2 = "polkadot:e143f23803ac50e8f6f8e62695d1ce9e".to_owned();
    row.ledger = Ledger::Polkadot(PolkadotParams { timestamp_pallet: 2 });
    row
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

/// A recorded block in the form in which nodes give it.
fn raw(block: &Value) -> RawPolkadotBlock {
    let header = Header::decode(&bytes(&block["header_scale"])).unwrap();
    let list = block["extrinsics"].as_array().unwrap();
    RawPolkadotBlock {
        hash: block["hash"].as_str().unwrap().parse().unwrap(),
        header: RawPolkadotHeader {
            parent_hash: header.parent_hash,
            number: header.number,
            state_root: header.state_root,
            extrinsics_root: header.extrinsics_root,
            digest: RawDigest { logs: header.digest.into_iter().map(Bytes::from).collect() },
        },
        extrinsics: Some(list.iter().map(|one| bytes(one).into()).collect()),
        read_proof: None,
        votes: None,
    }
}

fn check(raw: &RawPolkadotBlock) -> Result<VerifiedBlock, ChainError> {
    verify(&westend(), &UntrustedBlock::Polkadot(Box::new(raw.clone())))
}

/// Levels 1 and 2 of a subject of that block.
fn bundle(block: &VerifiedBlock, subject: ProofSubject) -> Bundle {
    let entry = block.body().unwrap().prove(subject, true).unwrap();
    let statement = Statement { chain: block.chain(), number: block.number(), subject };
    let (header, block_hash) = (block.header().to_vec(), block.hash());
    let block = Some(BlockLevel { header, block_hash, twig: None });
    Bundle { origin: "recorded/test".to_owned(), statement, entry, block }
}

#[test]
fn every_real_block_verifies_and_proves_each_extrinsic() {
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let (mut blocks, mut extrinsics, mut sizes) = (0, 0, Vec::new());
    for file in ["westend_blocks_1_to_10.json", "westend_blocks_1_to_128.json"] {
        let Some(list) = load(file) else { return };
        for raw in list.as_array().unwrap().iter().map(raw) {
            let block = check(&raw).unwrap();
            assert_eq!(block.hash(), raw.hash);
            let year = block.timestamp().0 / (365 * 86_400);
            assert_eq!(year, 50, "{}: a block of 2020", raw.header.number);
            let sent = raw.extrinsics.as_deref().unwrap();
            for (tx_index, leaf) in (0_u32..).zip(sent) {
                let bundle = self::bundle(&block, ProofSubject::Transaction { tx_index });
                let facts = bundle::verify(&bundle, &policy).unwrap();
                let proven = facts.transaction.as_ref().unwrap();
                assert_eq!((&proven.raw[..], proven.hash), (&leaf[..], blake2b_256(leaf)));
                assert_eq!(block.transaction_hashes().unwrap()[tx_index as usize], proven.hash);
                sizes.push(bundle.encode().len());
                extrinsics += 1;
            }
            let tx_index = sent.len() as u32;
            let absent = self::bundle(&block, ProofSubject::Absence { tx_index });
            assert!(bundle::verify(&absent, &policy).unwrap().transaction.is_none());
            blocks += 1;
        }
    }
    assert_eq!(blocks, 138);
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    println!("{blocks} blocks, {extrinsics} extrinsics, levels 1 and 2 of {least} to {most} bytes");
}

#[test]
fn a_real_block_with_any_changed_bit_is_refused() {
    let Some(list) = load("westend_blocks_1_to_10.json") else { return };
    let longest = |block: &&Value| block["extrinsics"].as_array().unwrap().len();
    let raw = raw(list.as_array().unwrap().iter().max_by_key(longest).unwrap());
    assert_eq!(raw.extrinsics.as_ref().unwrap().len(), 5);
    let refused = |change: &dyn Fn(&mut RawPolkadotBlock)| {
        let mut changed = raw.clone();
        change(&mut changed);
        check(&changed).unwrap_err().to_string()
    };
    for (position, extrinsic) in raw.extrinsics.iter().flatten().enumerate() {
        for bit in 0..extrinsic.len() * 8 {
            refused(&|block| {
                let list = block.extrinsics.as_mut().unwrap();
                let mut bytes = list[position].to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                list[position] = bytes.into();
            });
        }
    }
    for bit in 0..256 {
        let flip = |hash: &mut Hash| hash.0[bit / 8] ^= 1 << (bit % 8);
        assert!(refused(&|block| flip(&mut block.hash)).starts_with("hash is"));
        assert!(refused(&|block| flip(&mut block.header.state_root)).starts_with("hash is"));
        assert!(refused(&|block| flip(&mut block.header.extrinsics_root)).starts_with("hash is"));
        assert!(refused(&|block| flip(&mut block.header.parent_hash)).starts_with("hash is"));
    }
    assert!(refused(&|block| block.header.number += 1).starts_with("hash is"));
    assert!(refused(&|block| drop(block.header.digest.logs.pop())).starts_with("hash is"));
    let root = "extrinsicsRoot is";
    assert!(refused(&|block| drop(block.extrinsics.as_mut().unwrap().pop())).starts_with(root));
    assert!(refused(&|block| block.extrinsics.as_mut().unwrap().swap(0, 1)).starts_with(root));
    assert!(refused(&|block| block.extrinsics = Some(vec![])).starts_with(root));
}

/// The first block of the file stands on Westend's own first block.
#[test]
fn the_blocks_stand_on_the_first_block_of_the_row() {
    let Some(list) = load("westend_blocks_1_to_10.json") else { return };
    let blocks: Vec<RawPolkadotBlock> = list.as_array().unwrap().iter().map(raw).collect();
    let first = const_hex::encode(blocks[0].header.parent_hash.0);
    assert!(first.starts_with(westend().caip2.strip_prefix("polkadot:").unwrap()));
    for (number, pair) in (1_u64..).zip(blocks.windows(2)) {
        assert_eq!((pair[0].header.number, pair[1].header.parent_hash), (number, pair[0].hash));
    }
}

/// Nodes of state version 0 and 1 beside each other, out of a set in no order.
#[test]
fn a_real_read_proof_shows_its_value_and_that_another_is_absent() {
    let Some(proof) = load("state_read_proof.json") else { return };
    let encoded = bytes(&proof["proof_scale_vec_of_nodes"]);
    let nodes: Vec<Vec<u8>> = parity_scale_codec::Decode::decode(&mut &encoded[..]).unwrap();
    assert_eq!(nodes.len(), 6);
    let root: Hash = proof["state_root"].as_str().unwrap().parse().unwrap();
    let (key, value) = (bytes(&proof["key"]), bytes(&proof["value"]));
    let trie = Trie::from_nodes(root, &nodes);
    let path = trie.prove(&key).unwrap();
    assert_eq!(polkadot::verify(&root, &key, &path), Ok(Some(&value[..])));
    println!("a read proof of {} nodes, {} on the way", nodes.len(), path.len());
    let absent = bytes(&proof["absent_key"]);
    let way = trie.prove(&absent).unwrap();
    assert_eq!(polkadot::verify(&root, &absent, &way), Ok(None));
    for (position, node) in path.iter().enumerate() {
        for bit in 0..node.len() * 8 {
            let mut changed = path.clone();
            changed[position][bit / 8] ^= 1 << (bit % 8);
            assert!(polkadot::verify(&root, &key, &changed).is_err());
        }
    }
}
