//! Laws of evidence: two histories under one key are shown, an honest log's never, and nothing that
//! was bent counts.

use crate::world;

use superroot_proof::consistency::*;
use superroot_proof::note::*;
use superroot_types::*;
use world::*;

fn signer() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[7; 32]).unwrap()
}

fn note(world: &World, size: usize) -> String {
    let (origin, root) = (ORIGIN.to_owned(), world.log_root(size));
    let text = Checkpoint { origin, size: LogSize(size as u64), root }.to_string();
    signer().sign(&text, 0).to_string()
}

/// The honest log, and one that shares SuperRoot 0 with it and nothing more.
fn two_logs() -> (World, World) {
    let mut other = World::new();
    other.extend(ETHEREUM, 4096..=4100, |number| number % 5);
    other.publish(1_700_000_000);
    for after in 1..5 {
        other.publish(1_700_000_001 + after);
    }
    (World::sample(), other)
}

fn entry(world: &World, index: usize, size: usize) -> Box<HistoryEntry> {
    let (super_root, path) = (world.published[index].blob.super_root, world.path(index, size));
    Box::new(HistoryEntry { super_root, path, opening: world.opening(index) })
}

fn evidence(notes: [String; 2], entry: Option<Box<HistoryEntry>>) -> ForkEvidence {
    ForkEvidence { key: signer().verifier().clone(), notes, entry }
}

#[test]
fn two_notes_of_one_size_contradict() {
    let (honest, other) = two_logs();
    for size in 2..=4 {
        let shown = evidence([note(&honest, size), note(&other, size)], None).verify().unwrap();
        let roots = [honest.log_root(size), other.log_root(size)];
        assert_eq!(
            shown,
            Contradiction { origin: ORIGIN.to_owned(), size: LogSize(size as u64), roots }
        );
    }
    let same = evidence([note(&honest, 1), note(&other, 1)], None).verify();
    assert_eq!(same, Err(EvidenceError::Agree { size: LogSize(1), root: honest.log_root(1) }));
    let sizes = evidence([note(&honest, 2), note(&other, 3)], None).verify();
    assert!(matches!(
        sizes,
        Err(EvidenceError::Sizes { first: LogSize(2), second: LogSize(3), .. })
    ));
}

#[test]
fn a_later_note_that_says_another_past_contradicts() {
    let (honest, other) = two_logs();
    for (a, b) in [(2, 3), (2, 4), (3, 4), (2, 5), (4, 5)] {
        let notes = [note(&honest, a), note(&other, b)];
        let shown = evidence(notes, Some(entry(&other, a, b))).verify().unwrap();
        assert_eq!(
            (shown.size, shown.roots),
            (LogSize(a as u64), [honest.log_root(a), other.log_root(a)])
        );
    }
}

/// Whatever is taken of one log, it does not contradict itself.
#[test]
fn an_honest_log_gives_no_evidence() {
    let (_, log) = two_logs();
    for a in 1..=4 {
        for b in a + 1..=5 {
            let own = evidence([note(&log, a), note(&log, b)], Some(entry(&log, a, b))).verify();
            assert_eq!(
                own,
                Err(EvidenceError::Agree { size: LogSize(a as u64), root: log.log_root(a) })
            );
            for index in (0..b).filter(|index| *index != a) {
                let other = evidence([note(&log, a), note(&log, b)], Some(entry(&log, index, b)));
                let (got, expected) = (index as u64, a as u64);
                assert_eq!(
                    other.verify(),
                    Err(EvidenceError::Entry { got: Sequence(got), expected: LogSize(expected) })
                );
            }
        }
    }
}

#[test]
fn evidence_that_was_bent_shows_nothing() {
    let (honest, other) = two_logs();
    let good = evidence([note(&honest, 2), note(&other, 5)], Some(entry(&other, 2, 5)));
    good.verify().unwrap();
    let bent = |bend: &dyn Fn(&mut ForkEvidence)| {
        let mut bent = good.clone();
        bend(&mut bent);
        bent.verify().unwrap_err()
    };
    fn of(evidence: &mut ForkEvidence) -> &mut HistoryEntry {
        evidence.entry.as_deref_mut().unwrap()
    }
    bent(&|bent| bent.notes.swap(0, 1));
    bent(&|bent| bent.entry = None);
    assert!(matches!(
        bent(&|bent| bent.notes[1].push('\n')),
        EvidenceError::Note { number: 2, .. }
    ));
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let key = stranger.verifier().clone();
    assert!(matches!(bent(&|bent| bent.key = key.clone()), EvidenceError::Note { number: 1, .. }));
    let witness = Signer::new(ORIGIN, KeyKind::Witness, &[7; 32]).unwrap();
    assert_eq!(bent(&|bent| bent.key = witness.verifier().clone()), EvidenceError::Key);
    for place in 0..of(&mut good.clone()).path.len() {
        let error = bent(&|bent| of(bent).path[place].0[31] ^= 1);
        assert!(matches!(error, EvidenceError::Path(_)), "{error}");
    }
    assert!(matches!(bent(&|bent| of(bent).path.push(Hash::ZERO)), EvidenceError::Path(_)));
    assert!(matches!(bent(&|bent| of(bent).path.clear()), EvidenceError::Path(_)));
    for place in 0..6 {
        let error = bent(&|bent| of(bent).opening.siblings[place].0[0] ^= 1);
        assert!(matches!(error, EvidenceError::Opening(ConsistencyError::Mismatch { .. })));
    }
    let root = bent(&|bent| of(bent).opening.history.log_root = honest.log_root(2));
    assert!(matches!(root, EvidenceError::Opening(_)), "{root}");
    let count = bent(&|bent| of(bent).opening.history.leaf_count = LeafCount(1));
    assert!(matches!(count, EvidenceError::Opening(ConsistencyError::HistoryCount { .. })));
    assert!(matches!(bent(&|bent| of(bent).super_root.timestamp.0 += 1), EvidenceError::Path(_)));
    assert_eq!(bent(&|bent| of(bent).super_root.log_id = Hash::ZERO), EvidenceError::Log);
}

/// A key may sign logs of names other than its own (Go's checksum database): what contradicts is of one of them.
#[test]
fn notes_of_one_origin_contradict_whatever_the_key_is_called() {
    let root = |byte| Hash([byte; 32]);
    let note = |origin: &str, root| {
        let text = Checkpoint { origin: origin.into(), size: LogSize(7), root }.to_string();
        signer().sign(&text, 0).to_string()
    };
    let database = "go.sum database tree";
    let of = |notes| evidence(notes, None).verify();
    let shown = of([note(database, root(1)), note(database, root(2))]).unwrap();
    assert_eq!((shown.origin.as_str(), shown.roots), (database, [root(1), root(2)]));
    let apart = of([note(database, root(1)), note(ORIGIN, root(2))]);
    assert!(matches!(apart, Err(EvidenceError::Origins { .. })), "{apart:?}");
    // what names SuperRoots is of the log that the key is named after
    let (honest, other) = two_logs();
    let [first, second] = [(&honest, 2), (&other, 3)].map(|(world, size)| {
        let text = Checkpoint {
            origin: database.into(),
            size: LogSize(size as u64),
            root: world.log_root(size),
        };
        signer().sign(&text.to_string(), 0).to_string()
    });
    let shown = evidence([first, second], Some(entry(&other, 2, 3))).verify();
    assert!(matches!(shown, Err(EvidenceError::Note { number: 1, .. })), "{shown:?}");
}
