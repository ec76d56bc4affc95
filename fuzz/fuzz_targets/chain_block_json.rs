//! Blocks as nodes send them: reading, encoding and recomputing them never panics, what is verified
//! is bound by its hash, and a second implementation reads the same transactions.
#![no_main]

use alloy_consensus::TxEnvelope;
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{RawEvmBlock, RawTransactions};
use superroot_chain::{ChainRegistry, UntrustedBlock, VerifiedBlock, verify};
use superroot_fuzz::seeds;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Header, Layout, Receipt};
use superroot_proof::mpt::OrderedTrie;

fuzz_target!(init: seeds::plant("chain_block_json", &seeds::node_blocks()), |bytes: &[u8]| {
    let Ok(raw) = serde_json::from_slice::<RawEvmBlock>(bytes) else { return };
    let shown = serde_json::to_vec(&raw).expect("a block is written as JSON");
    let again: RawEvmBlock = serde_json::from_slice(&shown).expect("what we wrote");
    assert_eq!(again, raw);
    encode_parts(&raw);
    let ethereum = ChainRegistry::builtin().find("ethereum").expect("a row of this build");
    if let Ok(block) = verify(ethereum, &UntrustedBlock::Evm(Box::new(raw))) {
        check(&block);
    }
});

/// Each part for itself: most fuzzed blocks fall at the first hash.
fn encode_parts(raw: &RawEvmBlock) {
    if let Ok(header) = encode::header(&raw.block, Layout::Ethereum) {
        _ = Header::decode(Layout::Ethereum, &header);
    }
    if let RawTransactions::Full(transactions) = &raw.block.transactions {
        for leaf in transactions.iter().filter_map(|one| encode::transaction(one).ok()) {
            let mut rest = leaf.as_slice();
            if let Ok(theirs) = TxEnvelope::decode_2718(&mut rest) {
                assert!(rest.is_empty());
                assert_eq!(theirs.encoded_2718(), leaf);
            }
        }
    }
    for leaf in raw.receipts.iter().flatten().filter_map(|one| encode::receipt(one).ok()) {
        _ = Receipt::decode(&leaf);
    }
    for withdrawal in raw.block.withdrawals.iter().flatten() {
        assert!(!encode::withdrawal(withdrawal).is_empty());
    }
}

fn check(block: &VerifiedBlock) {
    assert_eq!(keccak256(block.header()), block.hash());
    let header = Header::decode(Layout::Ethereum, block.header()).expect("it was verified");
    assert_eq!(header.number, block.number().0);
    if let Some(transactions) = block.transactions() {
        assert_eq!(OrderedTrie::build(transactions).root(), header.transactions_root);
    }
    if let Some(receipts) = block.receipts() {
        assert_eq!(OrderedTrie::build(receipts).root(), header.receipts_root);
    }
}
