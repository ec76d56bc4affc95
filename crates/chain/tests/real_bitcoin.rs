//! Real blocks of Bitcoin, found through `SUPERROOT_DATA` alone.
#![allow(missing_docs)]

use std::path::PathBuf;

use bitcoin::consensus::deserialize;
use bitcoin::hashes::Hash as _;
use superroot_chain::bitcoin::RawBitcoinBlock;
use superroot_chain::{ChainRow, Registry, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::bundle::*;
use superroot_proof::ledger::bitcoin::prove;
use superroot_types::*;

/// The folder of Bitcoin's data; `None`, loudly, when there is none.
fn folder() -> Option<PathBuf> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Bitcoin was read");
        return None;
    };
    Some(PathBuf::from(data).join("other/bitcoin/btc"))
}

fn row() -> &'static ChainRow {
    Registry::builtin().find("bitcoin").unwrap()
}

const RAW_FILE: &str =
    "mainnet_block_000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae.raw";
/// Told by its coinbase alone.
const RAW_NUMBER: BlockNumber = BlockNumber(702_861);

fn real_block() -> Option<RawBitcoinBlock> {
    let bytes = std::fs::read(folder()?.join(RAW_FILE)).expect("the raw block");
    let mut hash: [u8; 32] = const_hex::decode(&RAW_FILE[14..14 + 64]).unwrap().try_into().unwrap();
    hash.reverse();
    Some(RawBitcoinBlock { number: RAW_NUMBER, hash: Hash(hash), bytes })
}

fn check(raw: &RawBitcoinBlock) -> Result<VerifiedBlock, superroot_chain::ChainError> {
    verify(row(), &UntrustedBlock::Bitcoin(Box::new(raw.clone())))
}

/// Levels 1 and 2 of a subject of that block.
fn bundle(block: &VerifiedBlock, subject: Subject) -> Bundle {
    let (leaves, hashes) = (block.transactions().unwrap(), block.transaction_hashes().unwrap());
    let tx_count = u32::try_from(leaves.len()).unwrap();
    let branch = |index: u32| Branch {
        leaf: leaves[index as usize].clone(),
        siblings: prove(hashes, index).unwrap(),
    };
    let entry = subject.branch_index(tx_count).map(|index| {
        let coinbase = (index > 0).then(|| branch(0));
        EntryProof::Bitcoin(BranchProofs { tx_count, transaction: branch(index), coinbase })
    });
    let statement = Statement { chain: block.chain(), number: block.number(), subject };
    let (header, block_hash) = (block.header().to_vec(), block.hash());
    let block = Some(BlockProof { header, block_hash, twig: None });
    Bundle { origin: "recorded/test".to_owned(), statement, entry, block }
}

#[test]
fn a_real_block_of_2500_transactions_verifies_and_proves_each() {
    let Some(raw) = real_block() else { return };
    let block = check(&raw).unwrap();
    let theirs: bitcoin::Block = deserialize(&raw.bytes).unwrap();
    assert_eq!(theirs.bip34_block_height().unwrap(), RAW_NUMBER.0);
    assert!(theirs.check_merkle_root() && theirs.check_witness_commitment());
    assert_eq!(block.transactions().unwrap().len(), 2_500);
    assert_eq!(block.timestamp().0, u64::from(theirs.header.time));
    for (hash, theirs) in block.transaction_hashes().unwrap().iter().zip(&theirs.txdata) {
        assert_eq!(hash.0, theirs.compute_txid().to_byte_array());
    }
    let policy = Policy::strict(Registry::builtin().proof_registry());
    let mut outputs = 0;
    for (tx_index, theirs) in
        (0_u32..).zip(&theirs.txdata).step_by(83).chain([(2_499, &theirs.txdata[2_499])])
    {
        let proof = bundle(&block, Subject::Transaction { tx_index });
        let facts = verify_bundle(&proof, &policy);
        assert_eq!(
            facts.transaction.as_ref().unwrap().hash.0,
            theirs.compute_txid().to_byte_array()
        );
        for (log_index, output) in (0_u32..).zip(&theirs.output).take(3) {
            let proof = bundle(&block, Subject::Log { tx_index, log_index });
            let facts = verify_bundle(&proof, &policy);
            let proven = facts.output().unwrap();
            assert_eq!(proven.output.value_sats, output.value.to_sat());
            assert_eq!(proven.output.script_pubkey, output.script_pubkey.as_bytes());
            outputs += 1;
        }
    }
    assert!(outputs > 50, "{outputs} outputs");
    let facts = verify_bundle(&bundle(&block, Subject::Absence { tx_index: 2_500 }), &policy);
    assert_eq!(facts.tx_count, Some(2_500));
    println!("block {RAW_NUMBER}: 2500 transactions verified, {outputs} outputs proven");
}

fn verify_bundle(bundle: &Bundle, policy: &Policy<'_>) -> Verified<Facts> {
    assert_eq!(Bundle::decode(&bundle.encode()).as_ref(), Ok(bundle));
    superroot_proof::bundle::verify(bundle, policy).unwrap()
}
