//! Headers and receipt leaves: what decodes, a second implementation reads too, and writes again
//! byte for byte.
#![no_main]

use alloy_consensus::ReceiptEnvelope;
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_rlp::{Decodable, Encodable};
use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_proof::ledger;
use superroot_proof::ledger::evm::{Bloom, Header, Layout, Receipt, ReceiptStatus, leaf_type};
use superroot_proof::registry::HashRule;

/// Fields of a header up to Prague; what came later the second implementation may not know.
const PRAGUE_FIELDS: usize = 21;
/// Largest EIP-2718 type of a receipt that the second implementation knows.
const KNOWN_TYPE_MAX: u8 = 4;

fuzz_target!(init: seeds::plant("header_and_receipt", &seeds::leaves()), |bytes: &[u8]| {
    if let Ok(header) = Header::decode(Layout::Ethereum, bytes) {
        check_header(bytes, &header);
    }
    for rule in [HashRule::Withdrawn, HashRule::Tron] {
        assert!(ledger::Header::decode(rule, bytes).is_err(), "{rule:?} has no reader");
    }
    if let Ok(receipt) = Receipt::decode(bytes) {
        check_receipt(bytes, &receipt);
    }
});

fn check_header(bytes: &[u8], header: &Header) {
    let later = [header.block_access_list_hash.is_some(), header.slot_number.is_some()];
    if later.contains(&true) {
        return;
    }
    let mut rest = bytes;
    let theirs = alloy_consensus::Header::decode(&mut rest)
        .unwrap_or_else(|error| panic!("{error}: a header of up to {PRAGUE_FIELDS} fields"));
    assert!(rest.is_empty());
    let mut again = Vec::new();
    theirs.encode(&mut again);
    assert_eq!(again, bytes);
    assert_eq!((theirs.number, theirs.timestamp), (header.number, header.timestamp));
    assert_eq!(theirs.receipts_root.0, header.receipts_root.0);
    assert_eq!(theirs.transactions_root.0, header.transactions_root.0);
    assert_eq!(theirs.parent_hash.0, header.parent_hash.0);
}

fn check_receipt(bytes: &[u8], receipt: &Receipt) {
    let mut bloom = Bloom::ZERO;
    receipt.logs.iter().for_each(|log| bloom.insert_log(log));
    assert_eq!(bloom, receipt.logs_bloom);
    assert_eq!(receipt.tx_type, leaf_type(bytes));
    if receipt.tx_type > KNOWN_TYPE_MAX {
        return;
    }
    let mut rest = bytes;
    let theirs = ReceiptEnvelope::decode_2718(&mut rest)
        .unwrap_or_else(|error| panic!("{error}: a receipt of type {}", receipt.tx_type));
    assert!(rest.is_empty());
    assert_eq!(theirs.encoded_2718(), bytes);
    assert_eq!(theirs.cumulative_gas_used(), receipt.cumulative_gas_used);
    assert_eq!(theirs.logs().len(), receipt.logs.len());
    if let ReceiptStatus::Status(success) = receipt.outcome {
        assert_eq!(theirs.status(), success);
    }
}
