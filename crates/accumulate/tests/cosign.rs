//! Laws of cosignatures: they are joined into notes that never change otherwise, and the newest note
//! with its quorum is known.

use crate::support;

use std::sync::Arc;

use superroot_accumulate::prove::{ProveError, Prover};
use superroot_accumulate::{AccumulateError, Accumulator, Cosigners};
use superroot_chain::ChainRegistry;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer, TrustPolicy};
use superroot_proof::range::{Sha256Range, verify_consistency};
use superroot_store::Store;
use superroot_types::{LeafCount, LogSize};
use support::*;

const NOW: u64 = 1_700_000_000;

fn witness(secret: u8) -> Signer {
    Signer::new(&format!("w{secret}.example"), KeyKind::Witness, &[secret; 32]).unwrap()
}

fn log_key() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap()
}

/// Witnesses 2, 3 and 4, of which that many have to sign.
fn policy(count: usize) -> TrustPolicy {
    let witnesses = [2, 3, 4].map(|w| format!("witness w{w} {}\n", witness(w).verifier())).concat();
    let group = format!("group g {count} w2 w3 w4\nquorum g\n");
    TrustPolicy::parse(&(witnesses + &group)).unwrap()
}

fn opened(store: &Arc<dyn Store>) -> Accumulator {
    let registry = ChainRegistry::builtin().proof_registry().clone();
    let accumulator = Accumulator::open(store.clone(), registry, ORIGIN).unwrap();
    accumulator.signed_by(vec![log_key()]).unwrap()
}

/// A log of that many signed SuperRoots.
fn log(count: u64) -> Log {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    log.accumulator = opened(&log.store);
    for number in 0..count {
        log.extend(&ethereum, number..=number);
        log.step(100 + number);
    }
    log
}

fn cosigners(log: &Log, policy: TrustPolicy) -> Cosigners {
    Cosigners::open(log.store.clone(), log.accumulator.board(), policy).unwrap()
}

fn cosign(prover: &Prover, size: u64, secret: u8) -> Note {
    let note = prover.note(LogSize(size)).unwrap().unwrap();
    witness(secret).sign(note.text(), NOW)
}

#[test]
fn cosignatures_come_to_the_note_and_change_nothing_else_of_it() {
    let log = log(3);
    let (prover, cosigners) = (log.prover(), cosigners(&log, policy(2)));
    let before = prover.note(LogSize(3)).unwrap().unwrap().to_string();
    for secret in [2, 4] {
        let cosigned = cosign(&prover, 3, secret);
        cosigners.keep(LogSize(3), witness(secret).verifier(), &cosigned).unwrap();
    }
    let after = prover.note(LogSize(3)).unwrap().unwrap();
    assert!(after.to_string().starts_with(&before));
    let shown = Checkpoint::of_note(&after.to_string(), log_key().verifier(), &policy(2)).unwrap();
    assert_eq!((shown.size, shown.root), (LogSize(3), prover.history_root(LogSize(3)).unwrap()));
    // of one witness one cosignature, however often it signs
    let later = witness(2).sign(after.text(), NOW + 60);
    cosigners.keep(LogSize(3), witness(2).verifier(), &later).unwrap();
    assert_eq!(prover.note(LogSize(3)).unwrap().unwrap(), after);
}

#[test]
fn what_is_no_cosignature_of_that_note_is_not_kept() {
    let log = log(3);
    let (prover, cosigners) = (log.prover(), cosigners(&log, policy(1)));
    let before = prover.note(LogSize(3)).unwrap();
    let key = witness(2);
    let of_older = cosign(&prover, 2, 2);
    let of_stranger = cosign(&prover, 3, 3);
    let false_key = Signer::new("w2.example", KeyKind::Witness, &[9; 32]).unwrap();
    let false_one = false_key.sign(before.as_ref().unwrap().text(), NOW);
    for (size, cosigned) in
        [(3, of_older), (3, of_stranger), (3, false_one), (4, cosign(&prover, 3, 2))]
    {
        let refused = cosigners.keep(LogSize(size), key.verifier(), &cosigned);
        assert!(matches!(refused, Err(AccumulateError::Cosignature { .. })), "{refused:?}");
    }
    assert_eq!((prover.note(LogSize(3)).unwrap(), prover.cosigned_note().unwrap()), (before, None));
}

#[test]
fn the_newest_note_with_its_quorum_is_known_and_after_a_start_too() {
    let log = log(4);
    let (prover, cosigners) = (log.prover(), cosigners(&log, policy(2)));
    let newest = |prover: &Prover| prover.cosigned_note().unwrap().map(|(size, _)| size);
    assert_eq!(newest(&prover), None);
    let keep = |size, secret| {
        let cosigned = cosign(&prover, size, secret);
        cosigners.keep(LogSize(size), witness(secret).verifier(), &cosigned).unwrap();
        newest(&prover)
    };
    assert_eq!(keep(3, 2), None);
    assert_eq!(keep(3, 3), Some(LogSize(3)));
    assert_eq!(keep(4, 3), Some(LogSize(3)));
    // a late quorum of an older note takes nothing back
    assert_eq!(keep(2, 3), Some(LogSize(3)));
    assert_eq!(keep(2, 4), Some(LogSize(3)));
    assert_eq!(keep(4, 4), Some(LogSize(4)));
    let (size, note) = prover.cosigned_note().unwrap().unwrap();
    assert!(policy(2).is_met(&note) && Some(note) == prover.note(size).unwrap());
    for (policy, expected) in
        [(policy(2), Some(LogSize(4))), (policy(3), None), (TrustPolicy::none(), None)]
    {
        let again = opened(&log.store);
        let prover = Prover::new(log.store.clone(), again.board());
        assert_eq!(newest(&prover), None, "nobody has asked");
        Cosigners::open(log.store.clone(), again.board(), policy).unwrap();
        assert_eq!(newest(&prover), expected);
    }
}

/// Between any two sizes, the newest included, and again once more was published.
#[test]
fn a_witness_is_shown_that_any_size_grew_out_of_any_other() {
    let mut log = log(0);
    let ethereum = chain("ethereum", 0);
    for number in 0..9 {
        log.extend(&ethereum, number..=number);
        log.step(100 + number);
        let prover = log.prover();
        for to in 0..=number + 1 {
            for from in 0..=to {
                let path = prover.history_growth(LogSize(from), LogSize(to)).unwrap();
                let root = |size| prover.history_root(size).unwrap();
                let held = verify_consistency::<Sha256Range>(
                    LeafCount(from),
                    LeafCount(to),
                    &root(LogSize(from)),
                    &root(LogSize(to)),
                    &path,
                );
                assert_eq!(held, Ok(()), "{from} to {to}");
            }
        }
        let ahead = prover.history_growth(LogSize(0), LogSize(number + 2));
        assert!(matches!(ahead, Err(ProveError::UnknownSuperRoot { .. })));
        assert!(matches!(
            prover.history_growth(LogSize(2), LogSize(1)),
            Err(ProveError::Order { .. })
        ));
    }
}
