//! Laws of audits: a log that keeps its rules is replayed to its end, and whatever is bent is named.

use crate::fixture;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fixture::served::serve;
use fixture::*;
use serde_json::{Value, json};
use superroot_client::Client;
use superroot_client::audit::{Audit, AuditBase, AuditError, FetchedSuperRoot};
use superroot_proof::note::{Checkpoint, KeyKind, Signer};
use superroot_types::*;
use superroot_wire::Case;
use superroot_wire::superroot::{BlobAnswer, Consistency, render_consistency};
use world::*;

fn signer() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[7; 32]).unwrap()
}

fn note(world: &World, size: usize) -> String {
    let (origin, root) = (ORIGIN.to_owned(), world.log_root(size));
    signer()
        .sign(&Checkpoint { origin, size: LogSize(size as u64), root }.to_string(), 0)
        .to_string()
}

fn fetched(world: &World, sequence: usize) -> FetchedSuperRoot {
    let Published { blob, appended, .. } = world.published[sequence].clone();
    let answer =
        BlobAnswer { blob, appended_count: appended.len() as u64, appended: Some(appended) };
    FetchedSuperRoot { answer, note: Some(note(world, sequence + 1)) }
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
        let mut audit = Audit::resume(&state, (ORIGIN, key.clone()), 0).unwrap();
        assert_eq!(audit.size(), at as u64);
        for sequence in at..4 {
            audit.take(&nobody(), fetched(&world, sequence)).await.unwrap();
        }
        assert_eq!(audit.to_state(), whole.to_state());
        let wrong = |text: &str, of, from| {
            let error = Audit::resume(text, of, from).unwrap_err();
            assert!(matches!(error, AuditError::State { .. }), "{error}");
        };
        wrong(&state, ("simulated/other", key.clone()), 0);
        wrong(&state, (ORIGIN, None), 0);
        wrong(&state, (ORIGIN, key.clone()), 1);
        wrong(&state.replace("\"from\":0", "\"from\":9"), (ORIGIN, key.clone()), 9);
        wrong(&state[1..], (ORIGIN, key.clone()), 0);
        for (place, digit) in
            state.char_indices().filter(|(_, digit)| digit.is_ascii_digit()).step_by(5)
        {
            let mut bent = state.clone();
            let other = if digit == '7' { "3" } else { "7" };
            bent.replace_range(place..=place, other);
            if let Ok(audit) = Audit::resume(&bent, (ORIGIN, key.clone()), 0) {
                // counts of what was done, and the note, are told and not checked again
                assert_eq!(audit.last_hash(), Some(world.root(at - 1)));
                assert_eq!(audit.log_root(), world.log_root(at));
            }
        }
    }
}

type Bend = fn(&mut FetchedSuperRoot);

#[tokio::test]
async fn whatever_is_bent_is_refused_and_changes_nothing() {
    let world = World::sample();
    let mut audit = replayed(&world, 1).await;
    let fit = |fetched: &mut FetchedSuperRoot| {
        let blob = &mut fetched.answer.blob;
        blob.super_root.tree_root = blob.tree().root();
    };
    let bends: [(&str, Bend); 11] = [
        ("the timestamp falls", |one| one.answer.blob.super_root.timestamp = UnixSeconds(1)),
        ("the sequence jumps", |one| one.answer.blob.super_root.sequence = Sequence(2)),
        ("another log", |one| one.answer.blob.super_root.log_id = Hash::ZERO),
        ("a run that ends earlier", |one| one.answer.blob.references[0].1.number.0 = 4099),
        ("a run that starts later", |one| one.answer.blob.references[0].1.start.0 = 6144),
        ("a row gone", |one| one.answer.blob.references.truncate(0)),
        ("more leaves", |one| one.answer.blob.mini_mmrs[0].leaf_count.0 += 1),
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
    let with = |note: String| FetchedSuperRoot { note: Some(note), ..fetched(&world, 1) };
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let (origin, root) = (ORIGIN.to_owned(), world.log_root(2));
    let text = Checkpoint { origin, size: LogSize(2), root }.to_string();
    let error = audit.take(&nobody(), with(stranger.sign(&text, 0).to_string())).await;
    assert!(matches!(error, Err(AuditError::Note { size: Some(2), .. })), "{error:?}");
    for size in [1, 3] {
        let error = audit.take(&nobody(), with(note(&world, size))).await;
        assert!(matches!(error, Err(AuditError::Root { size: 2, .. })), "{error:?}");
    }
    let unsigned = FetchedSuperRoot { note: None, ..fetched(&world, 1) };
    audit.take(&nobody(), unsigned).await.unwrap();
    assert_eq!((audit.size(), audit.signed()), (2, 1), "it counts as not signed");
}

/// An audit that begins with SuperRoot `from` of a log, or why it does not.
async fn begun(client: &Client, from: u64) -> Result<Audit, AuditError> {
    let given = AuditBase::fetch(client, from).await?;
    let key = Some(signer().verifier().clone());
    Audit::after((ORIGIN, key), client, given, |_, _| ()).await
}

/// Five SuperRoots.
fn longer() -> World {
    let mut world = World::sample();
    world.extend(ETHEREUM, 6161..=8200, |_| 0);
    world.publish(1_700_000_048);
    world
}

#[tokio::test]
async fn an_audit_that_begins_later_comes_to_the_same_end() {
    let world = longer();
    let (whole, client) = (replayed(&world, 5).await, serve(&world, note, |_, _| ()));
    for from in 1..5 {
        let mut audit = begun(&client, from).await.unwrap();
        assert_eq!((audit.from(), audit.size(), audit.signed()), (from, from, 0));
        let state = audit.to_state().unwrap();
        let key = || (ORIGIN, Some(signer().verifier().clone()));
        let error = Audit::resume(&state, key(), 0).unwrap_err().to_string();
        assert!(error.contains(&format!("say --from {from}")), "{error}");
        let mut again = Audit::resume(&state, key(), from).unwrap();
        for sequence in from..5 {
            let next = FetchedSuperRoot::fetch(&client, sequence).await.unwrap();
            audit.take(&client, next).await.unwrap();
            again.take(&client, fetched(&world, sequence as usize)).await.unwrap();
        }
        assert_eq!(audit.log_root(), whole.log_root());
        assert_eq!((audit.last_hash(), audit.signed()), (whole.last_hash(), 5 - from));
        assert_eq!(audit.to_state(), again.to_state());
        // all peaks are those of the audit from the beginning
        let peaks = |audit: &Audit| {
            let state: Value = serde_json::from_str(&audit.to_state().unwrap()).unwrap();
            [state["history"].clone(), state["mini_mmrs"].clone(), state["last"].clone()]
        };
        assert_eq!(peaks(&audit), peaks(&whole));
    }
}

#[tokio::test]
async fn every_bend_of_a_given_start_is_refused() {
    let (world, other) = (longer(), World::sample());
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let text = Checkpoint { origin: ORIGIN.to_owned(), size: LogSize(4), root: world.log_root(4) };
    let by_stranger = stranger.sign(&text.to_string(), 0).to_string();
    let zero = json!(Hash::ZERO);
    let bends = [
        ("/v5/superroot/3", "/superRootHash", json!(other.root(2))),
        ("/v5/superroot/3", "/superRootHash", json!(1)),
        ("/kv/blob", "/superRoot/timestamp", json!(1_700_000_037)),
        ("/kv/blob", "/superRoot/sequence", json!(2)),
        ("/kv/blob", "/miniMmrs/0/leafCount", json!(3)),
        ("/kv/blob", "/miniMmrs/0/rangeRoot", zero.clone()),
        ("/kv/blob", "/blockReferences/0/number", json!(6161)),
        ("/kv/blob", "/history/logRoot", zero.clone()),
        ("/kv/blob", "/publication/note", json!(note(&world, 3))),
        ("/kv/blob", "/publication/note", json!(by_stranger)),
        ("/v5/superroot/consistency", "/consistencyPath/0", zero.clone()),
        ("/v5/superroot/consistency", "/consistencyPath/2", zero.clone()),
        ("/v5/superroot/consistency", "/consistencyPath", json!([])),
        ("/v5/superroot/consistency", "/strength", json!("upgrade")),
        ("/v5/mini-mmr", "/twigs/0/twigRoot", zero.clone()),
        ("/v5/mini-mmr", "/twigs/0/twigIndex", json!(7)),
        ("/v5/mini-mmr", "/twigs/0/chainId", json!(10)),
        ("/v5/mini-mmr", "/twigs", json!([])),
        ("/v5/mini-mmr", "/from", json!(1)),
        ("/v5/mini-mmr", "/family", json!("bitcoin")),
    ];
    for (path, member, value) in bends {
        let name = format!("{path} {member} {value}");
        let was_bent = Arc::new(AtomicBool::new(false));
        let bent = was_bent.clone();
        let client = serve(&world, note, move |asked, body| {
            if asked.starts_with(path)
                && body[&member[1..].split('/').next().unwrap()] != json!(null)
            {
                let place = body.pointer_mut(member).unwrap();
                bent.fetch_or(*place != value, Ordering::Relaxed);
                *place = value.clone();
            }
        });
        assert!(begun(&client, 4).await.is_err(), "{name}");
        assert!(was_bent.load(Ordering::Relaxed), "{name}");
    }
    let of_another = serve(&world, note, |_, _| ());
    let given = AuditBase::fetch(&of_another, 4).await.unwrap();
    let error = Audit::after(("simulated/other", None), &of_another, given, |_, _| ()).await;
    assert!(matches!(error, Err(AuditError::AnotherLog { .. })), "{error:?}");
}

/// Two logs of one key, which part with SuperRoot 2; five SuperRoots each.
fn parted() -> [World; 2] {
    let grown = |mut world: World| {
        world.publish(1_700_000_036);
        world.publish(1_700_000_048);
        world
    };
    let bend = |world: &mut World| {
        drop(world.blocks.insert((ETHEREUM, 4105), block(4105, Hash([9; 32]), 7)));
    };
    [grown(log()), grown(log_with(bend))]
}

/// Whatever size its note is of, and whether or not the service still shows its own of that size.
#[tokio::test]
async fn another_view_has_the_same_root_at_its_size_or_is_evidence() {
    let [honest, other] = parted();
    for forgets in [false, true] {
        let client = serve(&honest, note, move |asked, body| {
            if forgets && asked == "/v5/checkpoint?sequence=2" {
                *body = json!(null);
            }
        });
        for at in 1..=5 {
            let audit = replayed(&honest, at).await;
            for size in 1..=5 {
                audit.compare(&client, &note(&honest, size)).await.unwrap();
                let theirs = note(&other, size);
                let compared = audit.compare(&client, &theirs).await;
                if size < 3 || size > at {
                    compared.unwrap();
                    continue;
                }
                let error = compared.unwrap_err();
                let AuditError::Split { size: of, note, .. } = &error else { panic!("{error}") };
                assert!(error.is_false() && (*of, note) == (size as u64, &theirs));
                let evidence = audit.evidence(&client, &theirs).await.unwrap();
                assert_eq!(evidence.verify().unwrap().size, LogSize(size as u64));
            }
        }
    }
    let audit = replayed(&honest, 5).await;
    assert!(audit.evidence(&nobody(), &note(&honest, 3)).await.is_none());
    let stranger = Signer::new(ORIGIN, KeyKind::Log, &[8; 32]).unwrap();
    let text =
        Checkpoint { origin: ORIGIN.to_owned(), size: LogSize(5), root: Hash::ZERO }.to_string();
    let by_stranger = stranger.sign(&text, 0).to_string();
    let refused = audit.compare(&nobody(), &by_stranger).await;
    assert!(matches!(refused, Err(AuditError::Note { .. })), "{refused:?}");
    // a service that proves the past of another size
    let older = honest.consistency(2, 4).proof.history;
    let older = render_consistency(&Consistency::History(Box::new(older)).into(), Case::Camel);
    let client = serve(&honest, note, move |asked, body| {
        if asked.contains("consistency") {
            body.clone_from(&older);
        }
    });
    let error = audit.compare(&client, &note(&other, 3)).await;
    assert!(matches!(error, Err(AuditError::Elsewhere { expected: 3, got: 2 })), "{error:?}");
    // a service that proves another past than was replayed
    let error = audit.compare(&serve(&other, note, |_, _| ()), &note(&honest, 3)).await;
    assert!(matches!(error, Err(AuditError::Rule { .. })), "{error:?}");
}

/// Where no service shows the replayed log any more, what the audit keeps shows the fork; what it does
/// not keep waits for a service that does.
#[tokio::test]
async fn the_note_of_a_shorter_fork_is_evidence_or_is_kept_until_it_is() {
    let [honest, other] = parted();
    let gone = serve(&other, note, |_, _| ());
    let key = Some(signer().verifier().clone());
    let shown = |world: &World, size: usize| vec![(size as u64, note(world, size))];
    let mut audit = replayed(&honest, 5).await;
    for size in 1..5 {
        let behind = audit.go_on(&gone, size, &shown(&honest, size as usize), |_| Ok(())).await;
        let error = behind.unwrap_err();
        assert!(matches!(error, AuditError::Behind { waiting: 0, .. }), "{error}");
        let error = audit.go_on(&gone, size, &shown(&other, size as usize), |_| Ok(())).await;
        let error = error.unwrap_err();
        if size < 3 {
            assert!(matches!(error, AuditError::Behind { waiting: 0, .. }), "{error}");
            continue;
        }
        let AuditError::Split { note: theirs, .. } = &error else { panic!("{error}") };
        assert_eq!(theirs, &note(&other, size as usize));
        let evidence = audit.evidence_of(&error, [&nobody()].into_iter()).await.unwrap();
        assert_eq!(evidence.verify().unwrap().size, LogSize(size));
    }
    // an audit that began after that size keeps no note of it
    let client = serve(&honest, note, |_, _| ());
    let mut audit = begun(&client, 4).await.unwrap();
    audit.go_on(&client, 5, &[], |_| Ok(())).await.unwrap();
    let error = audit.go_on(&gone, 3, &shown(&other, 3), |_| Ok(())).await.unwrap_err();
    assert!(matches!(error, AuditError::Behind { waiting: 1, .. }), "{error}");
    assert!(error.to_string().ends_with("1 notes of the shorter log are kept for comparison"));
    let state = audit.to_state().unwrap();
    let mut audit = Audit::resume(&state, (ORIGIN, key), 4).unwrap();
    let error = audit.go_on(&client, 5, &[], |_| Ok(())).await.unwrap_err();
    let AuditError::Split { note: theirs, .. } = &error else { panic!("{error}") };
    assert_eq!(theirs, &note(&other, 3));
    let evidence = audit.evidence_of(&error, [&client].into_iter()).await.unwrap();
    assert_eq!(evidence.verify().unwrap().size, LogSize(3));
}
