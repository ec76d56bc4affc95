//! Aptos' infos, ways in its accumulators, and versions of blocks: what is read is written as it was, what a
//! verified block proves is a proof, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::aptos::RawAptosBlock;
use superroot_chain::{UntrustedBlock, verify};
use superroot_fuzz::ledgers::{block_of_versions, read_versions};
use superroot_fuzz::parts::{assert_proven, check_body, check_entry, row};
use superroot_fuzz::{ledgers, seeds};
use superroot_proof::ledger::aptos::{ExecutionStatus, Info};
use superroot_types::{BlockNumber, Hash};

fuzz_target!(init: seeds::plant("aptos_block", &ledgers::versions()), |bytes: &[u8]| {
    let row = row("aptos");
    if let Ok(info) = Info::decode(bytes) {
        check_info(&info, bytes);
    }
    check_entry(row, bytes);
    let _ = check_body(row, bytes);
    let versions = read_versions(bytes);
    let claimed = RawAptosBlock {
        number: BlockNumber(9),
        hash: Hash::ZERO,
        parent_hash: Hash::ZERO,
        ledger_info: None,
        timestamp_us: 1,
        versions: Some(versions.clone()),
    };
    assert!(verify(row, &UntrustedBlock::Aptos(Box::new(claimed))).is_err());
    let Some(raw) = block_of_versions(versions) else { return };
    let (hash, parent_hash) = (raw.hash, raw.parent_hash);
    let Ok(block) = verify(row, &UntrustedBlock::Aptos(Box::new(raw))) else { return };
    assert_eq!((block.hash(), block.parent_hash()), (hash, parent_hash));
    assert_proven(row, &block);
});

/// It is written as it was, but for the place of an abort and of a failure, which is not kept.
fn check_info(info: &Info, bytes: &[u8]) {
    let written = info.encode();
    match &info.status {
        ExecutionStatus::Success
        | ExecutionStatus::OutOfGas
        | ExecutionStatus::Miscellaneous { .. } => {
            assert_eq!(written, bytes);
        }
        ExecutionStatus::MoveAbort { code, .. } => {
            let status = ExecutionStatus::MoveAbort { code: *code, reason: None };
            assert_eq!(Info::decode(&written), Ok(Info { status, ..info.clone() }));
        }
        ExecutionStatus::ExecutionFailure => assert_eq!(Info::decode(&written).as_ref(), Ok(info)),
    }
}
