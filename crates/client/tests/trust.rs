//! Laws of trust: nothing an answer says makes its own SuperRoot trusted.

use crate::fixture;

use std::path::Path;

use fixture::world::{ETHEREUM, OPTIMISM, ORIGIN, World, block};
use fixture::{full, json, log, log_with, prove};
use superroot_client::*;
use superroot_proof::bundle::{Bundle, NotePath, ProofSubject};
use superroot_proof::note::{CheckpointError, KeyKind, NoteError, Signer, TrustPolicy};
use superroot_types::*;
use superroot_wire::Shape;

fn pinned(world: &World, sequences: &[usize]) -> TrustStore {
    let mut store = TrustStore::default();
    for sequence in sequences {
        store.pin(ORIGIN, *sequence as u64, world.root(*sequence)).unwrap();
    }
    store
}

fn key() -> Signer {
    Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap()
}

fn witness() -> Signer {
    Signer::new("witness.example", KeyKind::Witness, &[2; 32]).unwrap()
}

fn quorum() -> TrustPolicy {
    let key = witness().verifier().to_string();
    TrustPolicy::parse(&format!("witness one {key}\nquorum one\n")).unwrap()
}

/// A store that trusts the log's key.
fn keyed() -> TrustStore {
    let mut store = TrustStore::default();
    store.pin_key(key().verifier().clone(), None, KeySource::Given, false).unwrap();
    store
}

/// The page of a SuperRoot, and the note of the log that it ends.
fn page(world: &World, sequence: usize, signers: &[Signer]) -> (FetchedPage, String) {
    let NotePath { note, siblings } = world.note_path(sequence, sequence + 1, signers);
    let super_root = world.published[sequence].blob.super_root;
    (FetchedPage { origin: ORIGIN.to_owned(), super_root, siblings, keys: Vec::new() }, note)
}

/// Moves a store on to a SuperRoot, as `update` does.
fn advance(store: &mut TrustStore, world: &World, to: usize) -> Result<(), TrustError> {
    let (log, key_held) = store.key_of(ORIGIN)?;
    let (page, note) = page(world, to, &[key()]);
    let step = match log.pins().last() {
        None => {
            let blob = &world.published[to].blob;
            PinAdvance::first(ORIGIN, key_held, &page, &note, blob)?
        }
        Some(pin) => {
            let (proof, twigs) = full(world, pin.sequence as usize, to);
            let mut pending = PinAdvance::after(ORIGIN, key_held, pin, (&page, &note), &proof)?;
            pending.appending.take_all(&twigs)?;
            pending.finish()?
        }
    };
    store.advance(step)
}

fn judge(world: &World, bundle: &Bundle, store: &TrustStore) -> Result<TrustReason, ClientError> {
    let verifier = Verifier::new(world.registry.clone());
    let body = json(world, bundle, Shape::V5);
    verifier.check_trusted(&body, store).map(|(_, trusted)| trusted)
}

/// A proof in SuperRoot `sequence`, with a note of that size.
fn signed(world: &World, sequence: usize, size: usize, signers: &[Signer]) -> Bundle {
    let bundle = prove(world, ProofSubject::Block, sequence);
    bundle.with_note(world.note_path(sequence, size, signers))
}

#[test]
fn only_a_pinned_super_root_is_trusted() {
    let world = log();
    let bundle = prove(&world, ProofSubject::Block, 1);
    let trusted = judge(&world, &bundle, &pinned(&world, &[0, 1])).unwrap();
    assert_eq!(trusted, TrustReason { by: TrustedBy::Pin, first_use: false, witnessed: false });
    let error = judge(&world, &bundle, &TrustStore::default()).unwrap_err();
    assert!(matches!(error, ClientError::Distrust(Distrust::UnknownLog { .. })), "{error}");
    let error = judge(&world, &bundle, &pinned(&world, &[0, 2])).unwrap_err();
    assert!(matches!(error, ClientError::Distrust(Distrust::NoKey { sequence: 1, .. })), "{error}");
    let mut elsewhere = TrustStore::default();
    elsewhere.pin("simulated/other", 1, world.root(1)).unwrap();
    elsewhere.pin(ORIGIN, 2, world.root(1)).unwrap();
    assert!(judge(&world, &bundle, &elsewhere).is_err());
    let mut other = TrustStore::default();
    other.pin(ORIGIN, 1, Hash([7; 32])).unwrap();
    let error = judge(&world, &bundle, &other).unwrap_err();
    let ClientError::Distrust(fork) = error else { panic!("{error}") };
    assert!(matches!(fork, Distrust::Fork { sequence: 1, .. }) && fork.is_contradiction());
}

#[test]
fn a_proof_below_level_five_is_never_trusted() {
    let world = log();
    let short = prove(&world, ProofSubject::Block, 1).up_to(ProofLevel::Twig);
    let error = judge(&world, &short, &pinned(&world, &[0, 1, 2])).unwrap_err();
    let expected = Distrust::NoSuperRoot { level: ProofLevel::Twig };
    assert!(matches!(error, ClientError::Distrust(why) if why == expected));
}

#[test]
fn the_pinned_key_leads_to_every_super_root_that_it_signed() {
    let world = log();
    let mut store = keyed();
    for (sequence, size) in [(0, 1), (0, 3), (1, 2), (2, 3)] {
        let by = judge(&world, &signed(&world, sequence, size, &[key()]), &store).unwrap().by;
        assert_eq!(by, TrustedBy::NotJoined { size: size as u64 });
    }
    advance(&mut store, &world, 1).unwrap();
    for (sequence, size, by) in [
        (0, 2, TrustedBy::Joined { size: 2 }),
        (1, 3, TrustedBy::Pin),
        (2, 3, TrustedBy::NotJoined { size: 3 }),
    ] {
        let trusted = judge(&world, &signed(&world, sequence, size, &[key()]), &store).unwrap();
        assert_eq!(trusted.by, by, "{sequence} {size}");
    }
    // a note no newer than the pin has to agree with it, which that of a pin alone does
    let first = signed(&world, 0, 1, &[key()]);
    let older = judge(&world, &first, &store).unwrap_err();
    let expected = Distrust::OlderNote { size: 1, pin: 1 };
    assert!(matches!(older, ClientError::Distrust(why) if why == expected));
    let mut both = keyed();
    advance(&mut both, &world, 0).unwrap();
    advance(&mut both, &world, 1).unwrap();
    assert_eq!(judge(&world, &first, &both).unwrap().by, TrustedBy::Pin);
    advance(&mut both, &world, 2).unwrap();
    both.remove(ORIGIN, Some(0));
    let by = judge(&world, &signed(&world, 0, 2, &[key()]), &both).unwrap().by;
    assert_eq!(by, TrustedBy::Joined { size: 2 });
    // of a pin that was brought by hand no note is held to compare with
    let mut by_hand = keyed();
    by_hand.pin(ORIGIN, 2, world.root(2)).unwrap();
    for size in [2, 3] {
        let older = judge(&world, &signed(&world, 0, size, &[key()]), &by_hand).unwrap_err();
        assert!(matches!(older, ClientError::Distrust(Distrust::OlderNote { pin: 2, .. })));
    }
    let by = judge(&world, &signed(&world, 2, 3, &[key()]), &by_hand).unwrap().by;
    assert_eq!(by, TrustedBy::Pin);
    let other = Signer::new(ORIGIN, KeyKind::Log, &[9; 32]).unwrap();
    let error = judge(&world, &signed(&world, 2, 3, &[other]), &store).unwrap_err();
    let unsigned = CheckpointError::Note(NoteError::Unsigned);
    assert!(matches!(error, ClientError::Distrust(Distrust::Note(why)) if why == unsigned));
    let error = judge(&world, &prove(&world, ProofSubject::Block, 2), &store).unwrap_err();
    assert!(matches!(error, ClientError::Distrust(Distrust::NoNote { sequence: 2, .. })));
}

#[test]
fn the_quorum_holds_for_every_note() {
    let world = log();
    let mut store = TrustStore::default();
    store.pin_key(key().verifier().clone(), Some(quorum()), KeySource::Given, false).unwrap();
    let alone = signed(&world, 1, 2, &[key()]);
    let error = judge(&world, &alone, &store).unwrap_err();
    assert!(matches!(error, ClientError::Distrust(Distrust::Note(CheckpointError::Quorum))));
    let both = signed(&world, 1, 2, &[key(), witness()]);
    assert!(judge(&world, &both, &store).unwrap().witnessed);
    // of a pinned SuperRoot it is told as well, where its note has the quorum
    let mut pinned = store.clone();
    pinned.pin(ORIGIN, 1, world.root(1)).unwrap();
    for (proof, witnessed) in [(&both, true), (&alone, false)] {
        let trusted = judge(&world, proof, &pinned).unwrap();
        assert_eq!((trusted.by, trusted.witnessed), (TrustedBy::Pin, witnessed));
    }
    let refused = advance(&mut store, &world, 1).unwrap_err();
    assert!(matches!(refused, TrustError::Note(CheckpointError::Quorum)), "no pin moves either");
}

/// A key that is taken from the service stays so called until it is given.
#[test]
fn a_key_of_first_use_is_called_so_until_it_is_given() {
    let (world, mut store) = (log(), TrustStore::default());
    let pin = |store: &mut TrustStore, signer: &Signer, source, replaces| {
        store.pin_key(signer.verifier().clone(), None, source, replaces)
    };
    pin(&mut store, &key(), KeySource::FirstUse, false).unwrap();
    let bundle = signed(&world, 1, 2, &[key()]);
    assert!(judge(&world, &bundle, &store).unwrap().first_use);
    pin(&mut store, &key(), KeySource::Given, false).unwrap();
    assert!(!judge(&world, &bundle, &store).unwrap().first_use);
    pin(&mut store, &key(), KeySource::FirstUse, false).unwrap();
    assert!(!judge(&world, &bundle, &store).unwrap().first_use, "what is confirmed stays so");
    let other = Signer::new(ORIGIN, KeyKind::Log, &[9; 32]).unwrap();
    let refused = pin(&mut store, &other, KeySource::Given, false).unwrap_err();
    assert!(matches!(refused, TrustError::OtherKey { .. }), "{refused}");
    judge(&world, &bundle, &store).unwrap();
    pin(&mut store, &other, KeySource::Given, true).unwrap();
    assert!(judge(&world, &bundle, &store).is_err(), "the new key signed nothing yet");
    assert!(matches!(pin(&mut store, &witness(), KeySource::Given, false), Err(TrustError::Key)));
}

#[test]
fn a_pin_moves_on_by_notes_of_the_key_and_full_consistency() {
    let world = log();
    let mut store = keyed();
    for to in [0, 1, 2] {
        advance(&mut store, &world, to).unwrap();
        let newest = store.log(ORIGIN).unwrap().pins().last().unwrap().clone();
        assert_eq!((newest.sequence, newest.super_root_hash), (to as u64, world.root(to)));
    }
    let mut jumped = keyed();
    advance(&mut jumped, &world, 0).unwrap();
    advance(&mut jumped, &world, 2).unwrap();
    assert_eq!(jumped.log(ORIGIN).unwrap().pins().len(), 2);
    let mut unsigned = pinned(&world, &[0]);
    assert!(matches!(advance(&mut unsigned, &world, 1), Err(TrustError::NoKey { .. })));
    let mut unknown = TrustStore::default();
    assert!(matches!(advance(&mut unknown, &world, 1), Err(TrustError::UnknownLog { .. })));
}

/// From what is published anybody makes a SuperRoot of his own that extends the last in full: without
/// the key's signature no pin moves there.
#[test]
fn a_strangers_super_root_moves_nothing() {
    let honest = log();
    let mut store = keyed();
    advance(&mut store, &honest, 1).unwrap();
    let before = store.clone();
    let stranger = log_with(|world| {
        world.extend(OPTIMISM, 0..=3, |_| 2);
    });
    let forger = Signer::new(ORIGIN, KeyKind::Log, &[66; 32]).unwrap();
    let (log, held) = store.key_of(ORIGIN).unwrap();
    let (forged, note) = page(&stranger, 2, &[forger]);
    let (proof, _) = full(&stranger, 1, 2);
    let pin = log.pins().last().unwrap();
    let refused = PinAdvance::after(ORIGIN, held, pin, (&forged, &note), &proof).unwrap_err();
    assert!(matches!(refused, TrustError::Note(CheckpointError::Note(NoteError::Unsigned))));
    // nor under a note of the log itself, of another SuperRoot
    let (_, honest_note) = page(&honest, 2, &[key()]);
    let refused =
        PinAdvance::after(ORIGIN, held, pin, (&forged, &honest_note), &proof).unwrap_err();
    assert!(matches!(refused, TrustError::NotUnderNote { sequence: 2, .. }), "{refused}");
    let (_, older) = page(&honest, 1, &[key()]);
    let refused = PinAdvance::after(ORIGIN, held, pin, (&forged, &older), &proof).unwrap_err();
    assert!(matches!(refused, TrustError::NoteSize { size: 2, sequence: 2 }), "{refused}");
    assert_eq!(store, before);
}

/// The key is stolen, and signs another past: consistency fails, and the notes contradict each other.
#[test]
fn a_fork_under_the_own_key_is_refused_and_proven() {
    let honest = log();
    let fork = {
        let mut world = World::new();
        world.extend(ETHEREUM, 4096..=4099, |number| number % 5);
        world.add(ETHEREUM, 4100, block(4100, world.blocks[&(ETHEREUM, 4099)].hash(), 9));
        for timestamp in [1_700_000_000, 1_700_000_012, 1_700_000_024] {
            world.publish(timestamp);
        }
        world
    };
    let mut store = keyed();
    advance(&mut store, &honest, 1).unwrap();
    let refused = advance(&mut store, &fork, 2).unwrap_err();
    assert!(matches!(refused, TrustError::Inconsistent(_)), "{refused}");
    let verifier = Verifier::new(fork.registry.clone());
    let bundle = signed(&fork, 0, 2, &[key()]);
    let error = verifier.check_trusted(&bundle.encode(), &store).unwrap_err();
    let ClientError::Distrust(Distrust::TwoHistories(evidence)) = error else { panic!("{error}") };
    assert_eq!(evidence.verify().unwrap().size, LogSize(2));
    // no witness that is missing makes it less of a contradiction
    store.pin_key(key().verifier().clone(), Some(quorum()), KeySource::Given, false).unwrap();
    let error = verifier.check_trusted(&bundle.encode(), &store).unwrap_err();
    assert!(matches!(error, ClientError::Distrust(Distrust::TwoHistories(_))), "{error}");
}

/// What the newest pin withdraws is true in no proof of the log any more.
#[test]
fn what_the_pinned_registry_withdraws_is_false() {
    let mut world = log();
    let bundle = signed(&world, 1, 2, &[key()]);
    let mut rows = world.registry.rows().to_vec();
    rows[0].rules.push(superroot_proof::registry::HashRuleFrom { from_number: 4099, code: 0 });
    let known = world.registry.clone();
    world.registry = superroot_proof::registry::LogRegistry::new(rows).unwrap();
    world.publish(1_700_000_036);
    let mut store = keyed();
    advance(&mut store, &world, 3).unwrap();
    let verifier = Verifier::new(known);
    let error = verifier.check_trusted(&bundle.encode(), &store).unwrap_err();
    let ClientError::Distrust(withdrawn) = error else { panic!("{error}") };
    assert!(
        matches!(withdrawn, Distrust::Withdrawn { pin: 3, .. }) && withdrawn.is_contradiction()
    );
}

#[test]
fn a_new_store_takes_logs_of_plain_names_alone() {
    let mut store = TrustStore::default();
    for wrong in ["", "a b", "a+b"] {
        assert!(matches!(store.pin(wrong, 0, Hash::ZERO), Err(TrustError::Origin(_))));
    }
    for confusing in ["Log.example.org", "l\u{43e}g.example.org", "log\u{202e}"] {
        let error = store.pin(confusing, 0, Hash::ZERO).unwrap_err();
        assert!(matches!(error, TrustError::Confusing { .. }), "{confusing}: {error}");
    }
    assert!(store.pin(ORIGIN, SAFE_INTEGER_MAX + 1, Hash::ZERO).is_err());
    assert_eq!(store, TrustStore::default());
}

fn write(path: &Path, store: &TrustStore) {
    TrustStore::change(path, |held| {
        *held = store.clone();
        Ok::<_, TrustError>(())
    })
    .unwrap();
}

#[test]
fn a_store_reads_back_whole() {
    let world = log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("trust.toml");
    assert!(matches!(TrustStore::load(&path).unwrap_err(), TrustError::File { .. }));
    let mut signed = keyed();
    advance(&mut signed, &world, 0).unwrap();
    advance(&mut signed, &world, 2).unwrap();
    let mut witnessed = TrustStore::default();
    let key = key().verifier().clone();
    witnessed.pin_key(key, Some(quorum()), KeySource::FirstUse, false).unwrap();
    for mut store in [pinned(&world, &[0, 2]), signed, witnessed] {
        store.pin("log.example.org", 5, Hash([5; 32])).unwrap();
        write(&path, &store);
        assert_eq!(TrustStore::load(&path).unwrap(), store);
    }
}

/// Every line is under the checksum: a store that was cut, emptied or bent is noticed.
#[test]
fn a_bent_store_is_refused() {
    let world = log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let mut store = keyed();
    advance(&mut store, &world, 1).unwrap();
    write(&path, &store);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = (0..lines.len()).map(|count| lines[..count].join("\n"));
    let bent = [text.replace("sequence = 1", "sequence = 0"), format!("{text}{text}")];
    for bent in cut.chain(bent).chain(["log = 7".to_owned(), "\u{0}".to_owned()]) {
        assert_ne!(bent, text);
        std::fs::write(&path, &bent).unwrap();
        let error = TrustStore::load(&path).unwrap_err();
        assert!(matches!(error, TrustError::Malformed { .. }), "{bent}: {error}");
        let changed = TrustStore::change(&path, |_| Ok::<_, TrustError>(()));
        assert!(changed.is_err(), "nor is it written over");
    }
    let large = "#".repeat(usize::try_from(FILE_BYTES_MAX).unwrap() + 1);
    std::fs::write(&path, large).unwrap();
    assert!(matches!(TrustStore::load(&path), Err(TrustError::File { .. })));
}

#[test]
fn twenty_writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trust.toml");
    let path = path.as_path();
    std::thread::scope(|scope| {
        for sequence in 0..20 {
            scope.spawn(move || {
                TrustStore::change(path, |store| store.pin(ORIGIN, sequence, Hash([1; 32])))
                    .unwrap();
            });
        }
    });
    assert_eq!(TrustStore::load(path).unwrap().log(ORIGIN).unwrap().pins().len(), 20);
}

/// What was read before something else was written moves nothing.
#[test]
fn a_slow_answer_takes_no_pin_back_and_brings_none_back() {
    let world = log();
    let mut store = keyed();
    advance(&mut store, &world, 0).unwrap();
    let slow = |store: &TrustStore, to: usize| {
        let (log, held) = store.key_of(ORIGIN).unwrap();
        let ((page, note), (proof, twigs)) = (page(&world, to, &[key()]), full(&world, 0, to));
        let pin = log.pins().last().unwrap();
        let mut step = PinAdvance::after(ORIGIN, held, pin, (&page, &note), &proof).unwrap();
        step.appending.take_all(&twigs).unwrap();
        step.finish().unwrap()
    };
    let older = slow(&store, 1);
    let newer = slow(&store, 2);
    store.advance(newer).unwrap();
    let after = store.clone();
    assert!(matches!(store.advance(older), Err(TrustError::Changed { .. })));
    assert_eq!(store, after);
    let mut removed = keyed();
    advance(&mut removed, &world, 0).unwrap();
    let begun = slow(&removed, 1);
    removed.remove(ORIGIN, None);
    assert!(matches!(removed.advance(begun), Err(TrustError::Changed { .. })));
    assert_eq!(removed, TrustStore::default());
}

#[test]
fn a_store_is_bounded() {
    let mut store = TrustStore::default();
    for sequence in 0..PINS_MAX as u64 {
        store.pin(ORIGIN, sequence, Hash([1; 32])).unwrap();
    }
    let full = store.pin(ORIGIN, PINS_MAX as u64, Hash([1; 32])).unwrap_err();
    assert!(matches!(full, TrustError::Full { max: PINS_MAX, .. }));
    store.pin(ORIGIN, 0, Hash([1; 32])).expect("what is pinned may be pinned again");
    let more = (1..200).map(|log| store.pin(&format!("log{log}"), 0, Hash::ZERO));
    assert!(more.filter(Result::is_ok).count() < 64);
}
