//! Proof files: only canonical ones decode, and under a known root only what is there is shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{assert_genuine, policy, seeds};
use superroot_proof::bundle::{Bundle, DecodeError, MAGIC, Policy, verify, verify_anchored};
use superroot_proof::hash::keccak256;
use superroot_types::{Hash, ProofLevel};

fuzz_target!(init: seeds::plant("bundle_decode", &seeds::proofs()), |bytes: &[u8]| {
    match Bundle::decode(bytes) {
        Ok(bundle) => check(bytes, &bundle),
        Err(DecodeError::StatementCheck) => {
            let mended = mend(bytes).expect("the statement was read");
            if let Ok(bundle) = Bundle::decode(&mended) {
                check(&mended, &bundle);
            }
        }
        Err(_) => {}
    }
});

fn check(bytes: &[u8], bundle: &Bundle) {
    assert_eq!(bundle.encode(), bytes);
    for accept_opened_rows in [false, true] {
        let policy = Policy { accept_opened_rows, ..policy() };
        let Ok(facts) = verify(bundle, &policy) else { continue };
        assert_genuine(&facts);
        assert_eq!(facts.statement, bundle.statement);
        if let Some(root) = facts.super_root_hash() {
            assert_eq!(verify_anchored(bundle, &policy, &root).as_ref(), Ok(&facts));
        }
        assert!(verify_anchored(bundle, &policy, &Hash::ZERO).is_err());
        for level in ProofLevel::ALL.into_iter().filter(|level| *level <= facts.level) {
            let part = bundle.clone().up_to(level);
            let shown = verify(&part, &policy).expect("a part of a proof is a proof");
            assert!(shown.level <= level.max(ProofLevel::Block));
            assert_eq!(Bundle::decode(&part.encode()).as_ref(), Ok(&part));
        }
    }
}

/// The same bytes with the statement's check set right, which no fuzzer would find.
fn mend(bytes: &[u8]) -> Option<Vec<u8>> {
    let origin_at = MAGIC.len() + 1;
    let subject_at = origin_at + 1 + usize::from(*bytes.get(origin_at)?) + 1 + 8 + 8;
    let subject_length = match bytes.get(subject_at)? {
        0 => 0,
        2 => 8,
        _ => 4,
    };
    let (before, after) = bytes.split_at_checked(subject_at + 1 + subject_length)?;
    let check = &keccak256(before).0[..4];
    // a file may end inside its check
    Some([before, check, after.get(4..).unwrap_or_default()].concat())
}
