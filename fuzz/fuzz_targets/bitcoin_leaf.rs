//! Bitcoin's headers, transactions, branches and raw blocks: what decodes, a second implementation
//! reads too, and nothing panics.
#![no_main]

use bitcoin::consensus::deserialize;
use bitcoin::hashes::Hash as _;
use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::bitcoin::RawBitcoinBlock;
use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
use superroot_fuzz::seeds;
use superroot_proof::ledger::bitcoin::{
    Header, Transaction, merkle_root, prove, root_of_branch, transaction_hash,
};
use superroot_types::{BlockNumber, Hash};

fuzz_target!(init: seeds::plant("bitcoin_leaf", &seeds::coins()), |bytes: &[u8]| {
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(header.encode().as_slice(), bytes);
        let theirs: bitcoin::block::Header = deserialize(bytes).expect("80 bytes are a header");
        assert_eq!(theirs.block_hash().to_byte_array(), header.hash().0);
    }
    if let Ok(transaction) = Transaction::decode(bytes) {
        let theirs: bitcoin::Transaction = deserialize(bytes).expect("a transaction");
        assert_eq!(theirs.compute_txid().to_byte_array(), transaction_hash(bytes).0);
        assert_eq!(theirs.output.len(), transaction.outputs.len());
        assert_ne!(bytes.len(), 64);
    }
    let row = ChainRegistry::builtin().find("bitcoin").expect("the built-in row");
    let number = BlockNumber(u64::from(bytes.first().copied().unwrap_or(0)));
    let hash = bytes.get(..80).and_then(|header| Header::decode(header).ok()).map(|one| one.hash());
    let raw = RawBitcoinBlock { number, hash: hash.unwrap_or(Hash::ZERO), bytes: bytes.to_vec() };
    let _ = verify(row, &UntrustedBlock::Bitcoin(Box::new(raw)));
    check_tree(bytes);
});

/// The bytes as transaction hashes: each is proven at its place alone.
fn check_tree(bytes: &[u8]) {
    let txids: Vec<Hash> =
        bytes.chunks_exact(32).map(|one| Hash(one.try_into().expect("32 bytes"))).collect();
    let Ok(root) = merkle_root(&txids) else { return };
    let count = u32::try_from(txids.len()).expect("a short input");
    for (index, txid) in (0..count).zip(&txids) {
        let siblings = prove(&txids, index).expect("the tree has a root");
        assert_eq!(root_of_branch(txid, index, count, &siblings), Ok(root));
    }
}
