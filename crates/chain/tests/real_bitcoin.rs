//! Real blocks and proofs of Bitcoin, found through `SUPERROOT_DATA` alone.

use std::path::PathBuf;

use bitcoin::consensus::deserialize;
use bitcoin::hashes::Hash as _;
use serde_json::Value;
use superroot_chain::ledger::bitcoin::{RawBitcoinBlock, check_work};
use superroot_chain::{ChainRegistry, ChainSpec, Ledger, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::bundle::*;
use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::bitcoin::{
    BranchError, Header, Transaction, merkle_root, prove, root_of_branch, transaction_hash,
};
use superroot_types::*;

/// The folder of Bitcoin's data; `None`, loudly, when there is none.
fn folder() -> Option<PathBuf> {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no block of Bitcoin was read");
        return None;
    };
    Some(PathBuf::from(data).join("other/bitcoin/btc"))
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("bitcoin").unwrap()
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
fn bundle(block: &VerifiedBlock, subject: ProofSubject) -> Bundle {
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
    let block = Some(BlockLevel { header, block_hash, twig: None });
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
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let mut outputs = 0;
    for (tx_index, theirs) in
        (0_u32..).zip(&theirs.txdata).step_by(83).chain([(2_499, &theirs.txdata[2_499])])
    {
        let proof = bundle(&block, ProofSubject::Transaction { tx_index });
        let facts = verify_bundle(&proof, &policy);
        assert_eq!(
            facts.transaction.as_ref().unwrap().hash.0,
            theirs.compute_txid().to_byte_array()
        );
        for (log_index, output) in (0_u32..).zip(&theirs.output).take(3) {
            let proof = bundle(&block, ProofSubject::Log { tx_index, log_index });
            let facts = verify_bundle(&proof, &policy);
            let proven = facts.output().unwrap();
            assert_eq!(proven.output.value_sats, output.value.to_sat());
            assert_eq!(proven.output.script_pubkey, output.script_pubkey.as_bytes());
            outputs += 1;
        }
    }
    assert!(outputs > 50, "{outputs} outputs");
    let facts = verify_bundle(&bundle(&block, ProofSubject::Absence { tx_index: 2_500 }), &policy);
    assert_eq!(facts.tx_count, Some(2_500));
    println!("block {RAW_NUMBER}: 2500 transactions verified, {outputs} outputs proven");
}

fn verify_bundle(bundle: &Bundle, policy: &Policy<'_>) -> Verified<Facts> {
    assert_eq!(Bundle::decode(&bundle.encode()).as_ref(), Ok(bundle));
    superroot_proof::bundle::verify(bundle, policy).unwrap()
}

#[test]
fn the_real_block_at_another_height_or_with_a_bent_byte_is_refused() {
    let Some(raw) = real_block() else { return };
    let other = RawBitcoinBlock { number: BlockNumber(RAW_NUMBER.0 + 1), ..raw.clone() };
    let error = check(&other).unwrap_err().to_string();
    assert_eq!(error, "height in the coinbase is 038db90a, expected 038eb90a for 702862");
    for at in (0..raw.bytes.len()).step_by(40_009) {
        let mut bent = raw.clone();
        bent.bytes[at] ^= 1;
        assert!(check(&bent).is_err(), "byte {at}");
    }
}

#[test]
fn the_first_block_of_the_main_network_verifies() {
    let genesis = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    let hash = Hash(genesis.block_hash().to_byte_array());
    let bytes = bitcoin::consensus::serialize(&genesis);
    let block = check(&RawBitcoinBlock { number: BlockNumber(0), hash, bytes }).unwrap();
    assert_eq!(block.transactions().unwrap().len(), 1);
}

fn json(file: &str) -> Option<Value> {
    let bytes = std::fs::read(folder()?.join("bitcoin-spv").join(file)).expect(file);
    Some(serde_json::from_slice(&bytes).unwrap())
}

fn hex(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

/// What a proof of the collection says: header, transaction without witness, index, siblings.
struct Spv {
    header: Vec<u8>,
    leaf: Vec<u8>,
    claimed: Vec<u8>,
    index: u32,
    siblings: Vec<Hash>,
}

fn spv(proof: &Value) -> Spv {
    let parts = ["version", "vin", "vout", "locktime"].map(|name| hex(&proof[name]));
    let nodes = hex(&proof["intermediate_nodes"]);
    Spv {
        header: hex(&proof["confirming_header"]["raw"]),
        leaf: parts.concat(),
        claimed: hex(&proof["tx_id"]),
        index: u32::try_from(proof["index"].as_u64().unwrap()).unwrap(),
        siblings: nodes.chunks_exact(32).map(|node| Hash(node.try_into().unwrap())).collect(),
    }
}

fn valid_spv() -> Option<Spv> {
    let proofs = json("testProofs.json")?;
    let proof = &proofs["valid"][0];
    Some(spv(&proof
        .as_str()
        .map_or_else(|| proof.clone(), |text| serde_json::from_str(text).unwrap())))
}

/// The collection's proof has no coinbase: its branch leads to the root, and as a proof of ours it
/// lacks what shows the depth.
#[test]
fn the_real_branch_of_block_592920_leads_to_its_root_and_lacks_the_coinbase() {
    let Some(spv) = valid_spv() else { return };
    let header = Header::decode(&spv.header).unwrap();
    let Ledger::Bitcoin(params) = &row().ledger else { panic!("a row of the family") };
    check_work(&header, params).unwrap();
    let txid = transaction_hash(&spv.leaf);
    assert_eq!(txid.0.as_slice(), spv.claimed);
    let read = Transaction::decode(&spv.leaf).unwrap();
    assert_eq!((read.inputs.len(), read.outputs.len()), (1, 3));
    // twelve siblings: any count of that depth that has a node beside each on the way
    for tx_count in [2_049, 3_000, 4_096] {
        let root = root_of_branch(&txid, spv.index, tx_count, &spv.siblings);
        assert_eq!(root, Ok(header.merkle_root));
    }
    for tx_count in [27, 2_048, 4_097] {
        let root = root_of_branch(&txid, spv.index, tx_count, &spv.siblings);
        assert!(matches!(root, Err(BranchError::Length { got: 12, .. })), "{tx_count}");
    }
    for index in [25, 27, 26 ^ 1 << 11] {
        assert_ne!(root_of_branch(&txid, index, 4_096, &spv.siblings), Ok(header.merkle_root));
    }
    let (tx_index, tx_count) = (spv.index, 3_000);
    let transaction = Branch { leaf: spv.leaf, siblings: spv.siblings };
    let entry = EntryProof::Bitcoin(BranchProofs { tx_count, transaction, coinbase: None });
    let subject = ProofSubject::Transaction { tx_index };
    let statement = Statement { chain: row().key(), number: BlockNumber(592_920), subject };
    let block = BlockLevel { header: spv.header, block_hash: header.hash(), twig: None };
    let bundle = Bundle {
        origin: "recorded/test".to_owned(),
        statement,
        entry: Some(entry),
        block: Some(block),
    };
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let error = superroot_proof::bundle::verify(&bundle, &policy).unwrap_err();
    let what = "the branch of the coinbase is missing";
    assert_eq!(error.fault, ProofFault::Ledger(LedgerError::Parts { what }));
}

/// Each invalid one fails here too, for a transaction, a hash or a branch that is none.
#[test]
fn the_invalid_proofs_of_the_collection_fail() {
    let Some(proofs) = json("testProofs.json") else { return };
    let bad = proofs["badSPVProofs"].as_array().unwrap();
    for case in bad {
        let spv = spv(&case["proof"]);
        let header = Header::decode(&spv.header);
        let txid = transaction_hash(&spv.leaf);
        let holds = Transaction::decode(&spv.leaf).is_ok()
            && txid.0.as_slice() == spv.claimed
            && header.is_ok_and(|header| {
                let root = root_of_branch(&txid, spv.index, 3_000, &spv.siblings);
                root == Ok(header.merkle_root)
            });
        assert!(!holds, "{}", case["comment"]);
    }
    assert!(bad.len() >= 4);
}

/// The collection's headers: their hashes, roots, parents and work.
#[test]
fn the_headers_of_the_collection_hash_and_link() {
    let Some(vectors) = json("testVectors.json") else { return };
    let Ledger::Bitcoin(params) = &row().ledger else { panic!("a row of the family") };
    let mut headers = 0;
    for pair in vectors["retargetAlgorithm"].as_array().unwrap() {
        for header in pair["input"].as_array().unwrap() {
            let Some(raw) = header["hex"].as_str().or_else(|| header["raw"].as_str()) else {
                continue;
            };
            let bytes = const_hex::decode(raw).unwrap();
            let read = Header::decode(&bytes).unwrap();
            let theirs: bitcoin::block::Header = deserialize(&bytes).unwrap();
            assert_eq!(read.hash().0, theirs.block_hash().to_byte_array());
            check_work(&read, params).unwrap();
            headers += 1;
        }
    }
    assert!(headers >= 4, "{headers} headers");
    assert_eq!(merkle_root(&[Hash([5; 32])]), Ok(Hash([5; 32])));
}
