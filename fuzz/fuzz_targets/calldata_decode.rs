//! Proofs in calldata: one form a proof, and none false.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::{policy, seeds};
use superroot_proof::bundle::{Bundle, verify, verify_anchored};
use superroot_types::Hash;

const ORIGIN: &str = "recorded/calldata";

fuzz_target!(init: seeds::plant("calldata_decode", &seeds::calldata()), |bytes: &[u8]| {
    let Ok(bundle) = Bundle::from_calldata(bytes, ORIGIN) else { return };
    assert_eq!(bundle.to_calldata().as_deref(), Ok(bytes));
    let Ok(facts) = verify(&bundle, &policy()) else { return };
    assert_eq!(facts.statement, bundle.statement);
    assert!(verify_anchored(&bundle, &policy(), &Hash::ZERO).is_err());
});
