//! Laws of audits: a log that keeps its rules is replayed to its end, and whatever is bent is named.

mod fixture;

use fixture::*;
use superroot_client::Client;
use superroot_client::audit::{Audit, AuditError, Fetched};
use superroot_proof::note::{Checkpoint, KeyKind, Signer};
use superroot_types::*;
use superroot_wire::superroot::BlobAnswer;
use world::*;

fn signer() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[7; 32]).unwrap()
}

fn note(world: &World, size: usize) -> String {
    let (origin, root) = (ORIGIN.to_owned(), world.log_root(size));
    signer().sign(&Checkpoint { origin, size: size as u64, root }.to_string(), 0).to_string()
}

fn fetched(world: &World, sequence: usize) -> Fetched {
    let Published { blob, appended, .. } = world.published[sequence].clone();
    let answer =
        BlobAnswer { blob, appended_count: appended.len() as u64, appended: Some(appended) };
    Fetched { answer, note: Some(note(world, sequence + 1)) }
}

/// Nothing is asked of it: every twig is at hand.
fn nobody() -> Client {
    Client::new("http://127.0.0.1:1").unwrap()
}

async fn replayed(world: &World, count: usize) -> Audit {
    let mut audit = Audit::new(ORIGIN, Some(signer().verifier().clone()));
    for sequence in 0..count {
        audit.take(&nobody(), fetched(world, sequence)).await.unwrap();
    }
    audit
}

#[tokio::test]
async fn a_log_is_replayed_to_its_end_and_goes_on_from_its_state_anywhere() {
    let world = World::sample();
    let whole = replayed(&world, 4).await;
    assert_eq!((whole.size(), whole.signed(), whole.last_hash()), (4, 4, Some(world.root(3))));
    assert_eq!(whole.log_root(), world.log_root(4));
    let key = Some(signer().verifier().clone());
    for at in 1..4 {
        let state = replayed(&world, at).await.to_state().unwrap();
        let mut audit = Audit::resume(&state, ORIGIN, key.clone()).unwrap();
        assert_eq!(audit.size(), at as u64);
        for sequence in at..4 {
            audit.take(&nobody(), fetched(&world, sequence)).await.unwrap();
        }
        assert_eq!(audit.to_state(), whole.to_state());
        let wrong = |text: &str, origin: &str, key| {
            let error = Audit::resume(text, origin, key).unwrap_err();
            assert!(matches!(error, AuditError::State { .. }), "{error}");
        };
        wrong(&state, "simulated/other", key.clone());
        wrong(&state, ORIGIN, None);
        wrong(&state[1..], ORIGIN, key.clone());
        for (place, digit) in
            state.char_indices().filter(|(_, digit)| digit.is_ascii_digit()).step_by(5)
        {
            let mut bent = state.clone();
            let other = if digit == '7' { "3" } else { "7" };
            bent.replace_range(place..=place, other);
            if let Ok(audit) = Audit::resume(&bent, ORIGIN, key.clone()) {
                // counts of what was done, and the note, are told and not checked again
                assert_eq!(audit.last_hash(), Some(world.root(at - 1)));
                assert_eq!(audit.log_root(), world.log_root(at));
            }
        }
    }
}

type Bend = fn(&mut Fetched);

#[tokio::test]
async fn whatever_is_bent_is_refused_and_changes_nothing() {
    let world = World::sample();
    let mut audit = replayed(&world, 1).await;
    let fit = |fetched: &mut Fetched| {
        let blob = &mut fetched.answer.blob;
        blob.super_root.tree_root = blob.tree().root();
    };
    let bends: [(&str, Bend); 11] = [
        ("the timestamp falls", |one| one.answer.blob.super_root.timestamp = UnixSeconds(1)),
        ("the sequence jumps", |one| one.answer.blob.super_root.sequence = 2),
        ("another log", |one| one.answer.blob.super_root.log_id = Hash::ZERO),
        ("a run that ends earlier", |one| one.answer.blob.references[0].1.number.0 = 4099),
        ("a run that starts later", |one| one.answer.blob.references[0].1.start.0 = 6144),
        ("a row gone", |one| one.answer.blob.references.truncate(0)),
        ("more leaves", |one| one.answer.blob.mini_mmrs[0].leaf_count += 1),
        ("another range", |one| one.answer.blob.mini_mmrs[0].range_root = Hash([1; 32])),
        ("another history", |one| one.answer.blob.history.log_root = Hash([1; 32])),
        ("another twig", |one| one.answer.appended.as_mut().unwrap()[0].twig_root = Hash::ZERO),
        ("another count", |one| one.answer.appended_count = 7),
    ];
    for (name, bend) in bends {
        let mut bent = fetched(&world, 1);
        bend(&mut bent);
        fit(&mut bent);
        let error = audit.take(&nobody(), bent).await.unwrap_err();
        assert!(
            error.is_false() || matches!(error, AuditError::AnotherLog { .. }),
            "{name}: {error}"
        );
        assert_eq!(audit.size(), 1, "{name}");
    }
    let mut unfit = fetched(&world, 1);
    unfit.answer.blob.references[0].1.block_hash = Hash::ZERO;
    assert!(audit.take(&nobody(), unfit).await.unwrap_err().is_false());
    audit.take(&nobody(), fetched(&world, 1)).await.unwrap();
}

#[tokio::test]
async fn notes_are_of_the_key_and_of_the_replayed_history() {
    let world = World::sample();
    let mut audit = replayed(&world, 1).await;
    let with = |note: String| Fetched { note: Some(note), ..fetched(&world, 1) };
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let (origin, root) = (ORIGIN.to_owned(), world.log_root(2));
    let text = Checkpoint { origin, size: 2, root }.to_string();
    let error = audit.take(&nobody(), with(stranger.sign(&text, 0).to_string())).await;
    assert!(matches!(error, Err(AuditError::Note { sequence: 1, .. })), "{error:?}");
    for size in [1, 3] {
        let error = audit.take(&nobody(), with(note(&world, size))).await;
        assert!(matches!(error, Err(AuditError::Root { size: 2, .. })), "{error:?}");
    }
    let unsigned = Fetched { note: None, ..fetched(&world, 1) };
    audit.take(&nobody(), unsigned).await.unwrap();
    assert_eq!((audit.size(), audit.signed()), (2, 1), "it counts as not signed");
}

#[tokio::test]
async fn another_view_of_the_same_size_has_the_same_root_or_is_evidence() {
    let (honest, other) = (
        log(),
        log_with(|world| {
            drop(world.blocks.insert((ETHEREUM, 4105), block(4105, Hash([9; 32]), 7)));
        }),
    );
    let audit = replayed(&honest, 3).await;
    for size in 1..=3 {
        audit.compare(&note(&honest, size)).unwrap();
    }
    audit.compare(&note(&other, 2)).unwrap();
    let error = audit.compare(&note(&other, 3)).unwrap_err();
    let AuditError::Split { size: 3, evidence: Some(evidence), .. } = error else {
        panic!("{error}")
    };
    assert_eq!(evidence.verify().unwrap().size, 3);
}
