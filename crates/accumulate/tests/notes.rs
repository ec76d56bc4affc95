//! Laws of the log's notes: one a size, in the commit of its SuperRoot, the same bytes for ever.

use crate::support;

use superroot_accumulate::{AccumulateError, Accumulator};
use superroot_chain::ChainRegistry;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer, TrustPolicy};
use superroot_store::{ScanOrder, Store, Table};
use superroot_types::LogSize;
use support::*;

fn signer(origin: &str, secret: u8) -> Signer {
    Signer::new(origin, KeyKind::Log, &[secret; 32]).unwrap()
}

fn open(log: &Log, signers: Vec<Signer>) -> Result<Accumulator, AccumulateError> {
    let registry = ChainRegistry::builtin().proof_registry().clone();
    Accumulator::open(log.store.clone(), registry, ORIGIN).unwrap().signed_by(signers)
}

fn notes(store: &dyn Store) -> Vec<(u64, String)> {
    let rows = store.scan(Table::Note, b"", None, 100, ScanOrder::Rising).unwrap();
    let read = rows.into_iter().map(|(size, note)| {
        (u64::from_be_bytes(size.try_into().unwrap()), String::from_utf8(note).unwrap())
    });
    read.collect()
}

#[test]
fn each_super_root_comes_with_a_note_of_the_log_that_ends_in_it() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    let key = signer(ORIGIN, 1);
    log.accumulator = open(&log, vec![key.clone()]).unwrap();
    for number in 0..5 {
        log.extend(&ethereum, number..=number);
        log.step(100 + number);
    }
    let prover = log.prover();
    let signed = notes(&*log.store);
    assert_eq!(signed.len(), 5);
    for (size, note) in &signed {
        let size = LogSize(*size);
        let shown = Checkpoint::of_note(note, key.verifier(), &TrustPolicy::none()).unwrap();
        assert_eq!((shown.size, shown.root), (size, prover.history_root(size).unwrap()));
        assert_eq!(prover.note(size).unwrap(), Some(Note::parse(note).unwrap()));
    }
    assert_eq!(prover.note(LogSize(6)).unwrap(), None);
    // opened again, by the same key or by another, nothing that was signed changes
    for again in [key, signer(ORIGIN, 2)] {
        open(&log, vec![again]).unwrap();
        assert_eq!(notes(&*log.store), signed);
    }
}

#[test]
fn a_log_that_was_not_signed_is_signed_from_its_newest_super_root_on() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    for number in 0..2 {
        log.extend(&ethereum, number..=number);
        log.step(100);
    }
    assert_eq!(notes(&*log.store), []);
    let sizes = |log: &Log| notes(&*log.store).iter().map(|(size, _)| *size).collect::<Vec<_>>();
    log.accumulator = open(&log, vec![signer(ORIGIN, 1)]).unwrap();
    assert_eq!(sizes(&log), [2]);
    log.extend(&ethereum, 2..=2);
    log.step(200);
    assert_eq!(sizes(&log), [2, 3]);
}

#[test]
fn while_a_key_is_changed_both_sign() {
    let (mut log, ethereum) = (Log::new(), chain("ethereum", 0));
    let keys = vec![signer(ORIGIN, 1), signer(ORIGIN, 2)];
    log.accumulator = open(&log, keys.clone()).unwrap();
    log.extend(&ethereum, 0..=0);
    log.step(100);
    let (_, note) = notes(&*log.store).remove(0);
    for key in keys {
        assert!(Checkpoint::of_note(&note, key.verifier(), &TrustPolicy::none()).is_ok());
    }
}

#[test]
fn a_key_of_another_log_or_of_a_witness_signs_nothing() {
    let log = Log::new();
    let witness = Signer::new(ORIGIN, KeyKind::Witness, &[1; 32]).unwrap();
    for key in [signer("example.org/other", 1), witness] {
        let refused = open(&log, vec![key]).map(drop);
        assert!(matches!(refused, Err(AccumulateError::Signer { .. })), "{refused:?}");
    }
}
