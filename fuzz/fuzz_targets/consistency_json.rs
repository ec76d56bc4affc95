//! Blobs and proofs of consistency as JSON: what is read renders to what reads the same, and no
//! known SuperRoot is extended by another log.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_fuzz::seeds;
use superroot_types::Hash;
use superroot_wire::evidence::{parse_evidence, render_evidence};
use superroot_wire::superroot::{
    Consistency, ConsistencyAnswer, Strength, parse_blob, parse_consistency, render_blob,
    render_consistency,
};
use superroot_wire::{Case, parse_json};

fuzz_target!(init: seeds::plant("consistency_json", &seeds::consistencies()), |bytes: &[u8]| {
    let Ok(body) = parse_json(bytes) else { return };
    if let Ok((answer, _)) = parse_blob(&body) {
        for case in [Case::Camel, Case::Snake] {
            assert_eq!(parse_blob(&render_blob(&answer, case)), Ok((answer.clone(), vec![])));
        }
        let blob = answer.blob;
        if blob.check().is_ok() {
            assert_eq!(blob.history.leaf_count, blob.super_root.sequence.history());
        }
    }
    if let Ok((answer, _)) = parse_consistency(&body) {
        for case in [Case::Camel, Case::Snake] {
            let rendered = render_consistency(&answer, case);
            assert_eq!(parse_consistency(&rendered), Ok((answer.clone(), vec![])));
        }
        check(&answer);
    }
    if let Ok((evidence, _)) = parse_evidence(&body) {
        assert_eq!(parse_evidence(&render_evidence(&evidence)), Ok((evidence.clone(), vec![])));
        assert!(evidence.verify().is_err(), "no key signed two histories");
    }
});

fn check(answer: &ConsistencyAnswer) {
    let proof = &answer.proof;
    let (from, to) = (proof.from(), proof.to());
    assert!(answer.begin(&Hash::ZERO, &to.hash()).is_err(), "the client brings another root");
    assert!(answer.begin(&from.hash(), &Hash::ZERO).is_err(), "the client brings another root");
    if answer.verify(&from.hash(), &to.hash()).is_ok() {
        assert_eq!(from.log_id, to.log_id);
        assert!(from.sequence < to.sequence && from.timestamp <= to.timestamp);
        if let Consistency::Full(full) = proof {
            assert_eq!(proof.strength(), Strength::Full);
            assert!(full.from.check().is_ok() && full.to.check().is_ok());
        }
    }
}
