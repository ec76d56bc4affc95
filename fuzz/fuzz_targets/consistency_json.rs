//! Blobs and proofs of consistency as JSON: what is read renders to what reads the same, and no
//! known SuperRoot is extended by another log.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_types::Hash;
use superroot_wire::superroot::{
    Consistency, Strength, parse_blob, parse_consistency, render_blob, render_consistency,
};
use superroot_wire::{Case, parse_json};

fuzz_target!(init: seeds::plant("consistency_json", &seeds::consistencies()), |bytes: &[u8]| {
    let Ok(body) = parse_json(bytes) else { return };
    if let Ok(blob) = parse_blob(&body) {
        for case in [Case::Camel, Case::Snake] {
            assert_eq!(parse_blob(&render_blob(&blob, case)).as_ref(), Ok(&blob));
        }
        if blob.check().is_ok() {
            assert_eq!(blob.history.leaf_count, blob.super_root.sequence);
        }
    }
    if let Ok(proof) = parse_consistency(&body) {
        for case in [Case::Camel, Case::Snake] {
            assert_eq!(parse_consistency(&render_consistency(&proof, case)).as_ref(), Ok(&proof));
        }
        check(&proof);
    }
});

fn check(proof: &Consistency) {
    let (from, to) = (proof.from(), proof.to());
    assert!(proof.verify(&Hash::ZERO, &to.hash()).is_err(), "the client brings another root");
    assert!(proof.verify(&from.hash(), &Hash::ZERO).is_err(), "the client brings another root");
    if proof.verify(&from.hash(), &to.hash()).is_ok() {
        assert_eq!(from.log_id, to.log_id);
        assert!(from.sequence < to.sequence && from.timestamp <= to.timestamp);
        if let Consistency::Full(full) = proof {
            assert_eq!(proof.strength(), Strength::Full);
            assert!(full.from.check().is_ok() && full.to.check().is_ok());
        }
    }
}
