//! Blocks of the ICP ledger and certificates of the Internet Computer: a block that is read means the same
//! when it is written again, what it proves is a proof, and nothing panics.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::icp::{
    Principal, RawIcpBlock, check_certificate, encode_block, read_cbor, simulated_root_key,
    write_cbor,
};
use superroot_chain::{UntrustedBlock, verify};
use superroot_fuzz::parts::{assert_proven, check_body, check_entry, row};
use superroot_fuzz::{ledgers, seeds};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::icp::{Header, Transaction, transaction_hash};
use superroot_types::BlockNumber;

fuzz_target!(init: seeds::plant("icp_block", &ledgers::ledger_blocks()), |bytes: &[u8]| {
    let row = row("icp");
    if let Ok(transaction) = Transaction::decode(bytes) {
        check_written(&transaction);
    }
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(header.hash, sha256_joined(&[bytes]));
        assert_eq!(Transaction::decode(&header.raw_transaction).as_ref(), Ok(&header.transaction));
        check_written(&header.transaction);
    }
    check_entry(row, bytes);
    let _ = check_body(row, bytes);
    let hash = sha256_joined(&[bytes]);
    let mut verified = 0;
    for number in [0, 9] {
        let raw = RawIcpBlock {
            number: BlockNumber(number),
            hash,
            bytes: bytes.to_vec(),
            certificate: None,
        };
        if let Ok(block) = verify(row, &UntrustedBlock::Icp(Box::new(raw))) {
            assert_eq!((block.hash(), block.header()), (hash, bytes));
            assert_proven(row, &block);
            verified += 1;
        }
    }
    // the first block has no parent and every other has one
    assert_eq!(verified, u8::from(Header::decode(bytes).is_ok()));
    check_certified(bytes);
});

/// What is written of a transaction is read as the same, and has the same hash.
fn check_written(transaction: &Transaction) {
    let block = encode_block(None, 7, transaction);
    let read = Header::decode(&block).expect("what was written is read");
    assert_eq!((&read.transaction, read.timestamp_nanos, read.parent_hash), (transaction, 7, None));
    assert_eq!(transaction_hash(&read.transaction), transaction_hash(transaction));
}

fn check_certified(bytes: &[u8]) {
    if let Some(value) = read_cbor(bytes) {
        let written = write_cbor(value);
        // the mark in front may make it deeper than is read
        if let Some(read) = read_cbor(&written) {
            // a number that is none differs from itself, so the bytes are compared
            assert_eq!(write_cbor(read), written);
        }
    }
    // made of its secret key, which takes longer than all else
    static ROOT_KEY: LazyLock<[u8; 96]> = LazyLock::new(simulated_root_key);
    let _ = check_certificate(bytes, &ROOT_KEY);
    if let Ok(principal) = Principal::from_slice(bytes) {
        assert_eq!(principal.to_string().parse().as_ref(), Ok(&principal));
    }
    if let Some(principal) = str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()) {
        let principal: Principal = principal;
        assert_eq!(principal.to_string().as_bytes(), bytes);
    }
}
