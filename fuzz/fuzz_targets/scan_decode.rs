//! Scan files: only canonical ones decode, and what is shown is under the root of the header that was
//! hashed, whatever the file claims.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{assert_genuine, policy, seeds};
use superroot_proof::bundle::Policy;
use superroot_proof::hash::keccak256;
use superroot_proof::scan::{
    SCAN_BLOCKS_MAX, Scan, ScanDecodeError, ScanEvent, verify, verify_anchored,
};
use superroot_types::Hash;

fuzz_target!(init: seeds::plant("scan_decode", &seeds::scans()), |bytes: &[u8]| {
    match Scan::decode(bytes) {
        Ok(scan) => check(bytes, &scan),
        Err(ScanDecodeError::StatementCheck) => {
            let mended = mend(bytes).expect("the statement was read");
            if let Ok(scan) = Scan::decode(&mended) {
                check(&mended, &scan);
            }
        }
        Err(_) => {}
    }
});

fn check(bytes: &[u8], scan: &Scan) {
    assert_eq!(scan.encode(), bytes);
    for accept_opened_rows in [false, true] {
        let policy = Policy { accept_opened_rows, ..policy() };
        let Ok(facts) = verify(scan, &policy) else { continue };
        assert_genuine(&facts.last);
        assert_eq!(facts.statement, scan.statement);
        let count = facts.by_bloom + facts.by_receipts;
        assert!((1..=SCAN_BLOCKS_MAX).contains(&count));
        assert_eq!(Some(count), scan.statement.block_count());
        assert_eq!(facts.by_receipts, scan.receipts.len() as u64);
        for event in &facts.events {
            assert!(scan.statement.filter.passes(&event.log));
            assert!(scan.statement.from <= event.number && event.number <= scan.statement.to);
        }
        let root = facts.last.super_root_hash().expect("a scan leads to a SuperRoot");
        if let Some(due) = seeds::events_due(root, &facts.statement) {
            let place = |one: &ScanEvent| (one.number.0, one.tx_index, one.log_index);
            let shown: Vec<_> = facts.events.iter().map(place).collect();
            assert_eq!(shown, due, "events were left out or made up");
        }
        assert_eq!(verify_anchored(scan, &policy, &root).as_ref(), Ok(&facts));
        assert!(verify_anchored(scan, &policy, &Hash::ZERO).is_err());
    }
}

/// The same bytes with the statement's check set right, which no fuzzer would find.
fn mend(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut at = 7 + 1 + 8 + 8 + 8;
    at += 1 + 20 * usize::from(*bytes.get(at)?);
    for _ in 0..5 {
        at += 1 + 32 * usize::from(*bytes.get(at)?);
    }
    let (before, after) = bytes.split_at_checked(at)?;
    let check = &keccak256(before).0[..4];
    // a file may end inside its check
    Some([before, check, after.get(4..).unwrap_or_default()].concat())
}
