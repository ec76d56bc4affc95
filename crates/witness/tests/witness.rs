//! Laws of a witness: a log gets cosigned along one history alone, whatever is tried.

use crate::support;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use superroot_proof::hash::sha256_joined;
use superroot_proof::note::{Checkpoint, KeyKind, Note, Signer, TrustPolicy, VerifierKey};
use superroot_store::{CrashPoint, MemoryStore, StoreError};
use superroot_types::{Hash, LogSize, UnixSeconds};
use superroot_witness::{AddCheckpoint, OpenError, Witness, WitnessRefusal, WitnessedKey};
use support::*;

fn in_memory(keys: &[&Key]) -> (Witness, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (on(Arc::new(MemoryStore::new()), folder.path(), keys), folder)
}

fn latest(witness: &Witness) -> Option<Note> {
    witness.latest(&sha256_joined(&[ORIGIN.as_bytes()])).unwrap()
}

#[test]
fn a_log_of_other_implementations_is_cosigned_as_it_grows() {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(700, 700, ""));
    let (witness, _folder) = in_memory(&[&key]);
    assert_eq!(latest(&witness), None);
    let mut old = 0;
    for size in [0, 1, 2, 3, 7, 8, 255, 256, 257, 511, 700] {
        let request = tree.request(&key, old, size);
        let cosignature = witness.add(&request, NOW).unwrap();
        assert_eq!(cosignature.text(), request.note.text());
        assert_eq!(cosignature.verify(witness.key()), Ok(Some(NOW.0)));
        let shown = latest(&witness).unwrap();
        assert!(shown.verify(witness.key()).is_ok() && shown.verify(&key.public).is_ok());
        assert_eq!(Checkpoint::parse(shown.text()).unwrap().size, LogSize(size));
        assert_eq!(witness.sizes().unwrap(), [(ORIGIN.to_owned(), size)]);
        old = size;
    }
}

/// The log's key verifies with its policy what it was answered with.
#[test]
fn a_cosignature_meets_the_quorum_of_a_client() {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(9, 9, ""));
    let (witness, _folder) = in_memory(&[&key]);
    let request = tree.request(&key, 0, 9);
    let answer = witness.add(&request, NOW).unwrap().signature_lines();
    let read = Note::parse(&format!("{}\n{answer}", request.note.text())).unwrap();
    let note = request.note.joined(&read.signed_by([witness.key()])).to_string();
    let policy = format!("witness w {}\nquorum w\n", witness.key());
    let policy = TrustPolicy::parse(&policy).unwrap();
    assert_eq!(Checkpoint::of_note(&note, &key.public, &policy).unwrap().size, LogSize(9));
}

#[test]
fn what_does_not_extend_what_was_cosigned_is_refused() {
    let (key, tree, fork) = (Key::new(ORIGIN), Tree::new(40, 40, ""), Tree::new(40, 15, "!"));
    let (witness, folder) = in_memory(&[&key]);
    add(&witness, &tree, &key, 20).unwrap();
    let good = tree.request(&key, 20, 30);
    let refused = |request: &AddCheckpoint| witness.add(request, NOW).unwrap_err();

    let stranger = Key::new(ORIGIN);
    let theirs = AddCheckpoint { note: stranger.sign(good.note.text()), ..good.clone() };
    assert!(matches!(refused(&theirs), WitnessRefusal::Unsigned { .. }));
    let other = Key::new("example.org/unknown");
    assert!(matches!(refused(&tree.request(&other, 20, 30)), WitnessRefusal::UnknownLog { .. }));
    // the right key under a text that names another log, and no text of a checkpoint
    let text = tree.text("example.org/unknown", 30);
    let disguised = AddCheckpoint { note: key.sign(&text), ..good.clone() };
    assert!(matches!(refused(&disguised), WitnessRefusal::UnknownLog { .. }));
    let no_checkpoint =
        AddCheckpoint { note: key.sign(&format!("{ORIGIN}\n30\n")), ..good.clone() };
    assert!(matches!(refused(&no_checkpoint), WitnessRefusal::Checkpoint(_)));

    let shrunk = AddCheckpoint { old: 31, ..good.clone() };
    assert!(matches!(refused(&shrunk), WitnessRefusal::Order { old: 31, size: 30 }));
    for old in [0, 10, 19, 21, 30] {
        let request = tree.request(&key, old, 30);
        assert!(matches!(refused(&request), WitnessRefusal::OldSize { held: 20, .. }), "{old}");
    }
    // a rollback: a note of before, played again
    let before = tree.request(&key, 10, 19);
    assert!(matches!(refused(&before), WitnessRefusal::OldSize { held: 20, old: 10 }));
    // a fork below what was cosigned, by the proof of either branch
    for proof in [fork.proof(20, 30), tree.proof(20, 30)] {
        let request = AddCheckpoint { proof, ..fork.request(&key, 20, 30) };
        assert!(matches!(refused(&request), WitnessRefusal::Proof(_)));
    }
    for bent in [&good.proof[1..], &[good.proof.as_slice(), &[Hash([0; 32])]].concat(), &[]] {
        let request = AddCheckpoint { proof: bent.to_vec(), ..good.clone() };
        assert!(matches!(refused(&request), WitnessRefusal::Proof(_)));
    }
    for bit in 0..good.proof.len() * 256 {
        let mut proof = good.proof.clone();
        proof[bit / 256].0[bit / 8 % 32] ^= 1 << (bit % 8);
        assert!(matches!(
            refused(&AddCheckpoint { proof, ..good.clone() }),
            WitnessRefusal::Proof(_)
        ));
    }
    let huge = key.sign(&format!("{ORIGIN}\n{}\n{}\n", u64::MAX, "A".repeat(43) + "="));
    for proof in [vec![], vec![Hash::ZERO; 63]] {
        let request = AddCheckpoint { old: 20, proof, note: huge.clone() };
        assert!(matches!(refused(&request), WitnessRefusal::Proof(_)));
    }
    assert_eq!(witness.sizes().unwrap()[0].1, 20, "nothing refused has moved it");
    assert!(!folder.path().join("evidence").exists());
    assert!(witness.add(&good, NOW).is_ok());
}

#[test]
fn the_first_checkpoint_comes_without_a_proof_and_an_empty_log_has_one_root() {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(5, 5, ""));
    let (witness, _folder) = in_memory(&[&key]);
    let with_proof = AddCheckpoint { proof: vec![Hash::ZERO], ..tree.request(&key, 0, 5) };
    assert!(matches!(witness.add(&with_proof, NOW), Err(WitnessRefusal::Proof(_))));
    let text = tree.text(ORIGIN, 5).replace("\n5\n", "\n0\n");
    let no_empty_log = AddCheckpoint { old: 0, proof: vec![], note: key.sign(&text) };
    assert!(matches!(witness.add(&no_empty_log, NOW), Err(WitnessRefusal::Proof(_))));
    assert!(witness.add(&tree.request(&key, 0, 5), NOW).is_ok());
}

#[test]
fn the_size_held_is_cosigned_again_with_the_time_of_the_asking() {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(9, 9, ""));
    let (witness, _folder) = in_memory(&[&key]);
    witness.add(&tree.request(&key, 0, 9), NOW).unwrap();
    for later in [60, 3_600] {
        let now = UnixSeconds(NOW.0 + later);
        let again = witness.add(&tree.request(&key, 9, 9), now).unwrap();
        assert_eq!(again.verify(witness.key()), Ok(Some(now.0)));
    }
    assert_eq!(latest(&witness).unwrap().verify(witness.key()), Ok(Some(NOW.0)));
}

/// Both notes of the fork are kept, as the log's key alone signed them, and anyone can check them.
#[test]
fn two_roots_of_one_size_are_evidence() {
    let (key, tree) = (Key::new(ORIGIN), Tree::new(20, 20, ""));
    let (witness, folder) = in_memory(&[&key]);
    add(&witness, &tree, &key, 20).unwrap();
    let fork = Tree::new(20, 19, "!");
    for old in [20, 0, 7] {
        let request = fork.request(&key, old, 20);
        assert!(matches!(witness.add(&request, NOW), Err(WitnessRefusal::Fork { held: 20 })));
    }
    let files: Vec<_> = std::fs::read_dir(folder.path().join("evidence")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    let body: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&body["evidence"], &body["key"]),
        (&"two_notes".into(), &key.public.to_string().into())
    );
    let (evidence, _) = superroot_wire::evidence::parse_evidence(&body).unwrap();
    assert_eq!(evidence.verify().unwrap().size, LogSize(20), "anyone can check it");
    let shown = |index: usize| {
        let note = body["notes"][index].as_str().unwrap();
        Checkpoint::of_note(note, &key.public, &TrustPolicy::none()).unwrap()
    };
    assert_eq!((shown(0).size, shown(1).size), (LogSize(20), LogSize(20)));
    assert_ne!(shown(0).root, shown(1).root);
    assert!(!text.contains("witness.example"), "{text}");
    // a log that forks again and again fills no disk
    for size in 21..60 {
        let (tree, fork) = (Tree::new(size, 20, ""), Tree::new(size, 20, "!"));
        add(&witness, &tree, &key, size).unwrap();
        assert!(add(&witness, &fork, &key, size).is_err());
    }
    assert_eq!(std::fs::read_dir(folder.path().join("evidence")).unwrap().count(), 16);
}

#[test]
fn keys_of_the_wrong_kind_make_no_witness() {
    let store = || Arc::new(MemoryStore::new());
    let log = Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
    let none: [VerifierKey; 0] = [];
    let opened = Witness::open(log, store(), none, "evidence".into()).map(drop);
    assert!(matches!(opened, Err(OpenError::OwnKey { .. })));
    let keys = [own_key().verifier().clone()];
    let opened = Witness::open(own_key(), store(), keys, "evidence".into()).map(drop);
    assert!(matches!(opened, Err(OpenError::LogKey { .. })));
}

/// While a log's key is changed either counts, and lines of strangers are neither counted nor kept.
#[test]
fn either_key_of_a_log_counts_and_no_strange_line_is_kept() {
    let (old, new, stranger) = (Key::new(ORIGIN), Key::new(ORIGIN), Key::new(ORIGIN));
    let (witness, _folder) = in_memory(&[&old, &new]);
    let tree = Tree::new(9, 9, "");
    witness.add(&tree.request(&old, 0, 3), NOW).unwrap();
    let request = tree.request(&new, 3, 9);
    let note = stranger.sign(request.note.text()).joined(&request.note);
    witness.add(&AddCheckpoint { note, ..request }, NOW).unwrap();
    let shown = latest(&witness).unwrap();
    assert!(shown.verify(&new.public).is_ok() && shown.verify(&stranger.public).is_err());
}

/// Many callers at one time, half of them with another history: whatever is answered, of one size one
/// root alone was cosigned, and the size held is the largest of them.
#[test]
fn callers_at_one_time_get_one_history() {
    let (key, folder) = (Key::new(ORIGIN), tempfile::tempdir().unwrap());
    let witness = on(embedded(folder.path()), folder.path(), &[&key]);
    let answered = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            let (witness, key, answered) = (&witness, &key, &answered);
            scope.spawn(move || {
                let branch = if thread % 2 == 0 { "" } else { "!" };
                let tree = Tree::new(24, 0, branch);
                for size in 1..=24 {
                    if let Ok(note) = add(witness, &tree, key, size) {
                        answered.lock().unwrap().push(Checkpoint::parse(note.text()).unwrap());
                    }
                }
            });
        }
    });
    let answered = answered.into_inner().unwrap();
    let largest = answered.iter().map(|one| one.size).max().unwrap();
    assert_eq!(witness.sizes().unwrap()[0].1, largest.0);
    assert_eq!(largest, LogSize(24));
    is_one_history(&answered);
}

fn is_one_history(answered: &[Checkpoint]) {
    let mut roots = BTreeMap::new();
    for one in answered {
        assert_eq!(*roots.entry(one.size).or_insert(one.root), one.root, "size {}", one.size);
    }
}

/// Killed at each point between check and answer, and opened again: a witness never answers for two
/// roots of one size, and what it answered for it still holds.
#[test]
fn a_witness_that_dies_before_it_answers_signs_one_history() {
    let (key, trees) = (Key::new(ORIGIN), [Tree::new(40, 40, ""), Tree::new(40, 0, "!")]);
    for point in [
        CrashPoint::BeforeEngine,
        CrashPoint::AfterEngine,
        CrashPoint::WithinIntegrity,
        CrashPoint::AfterIntegrity,
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (mut answered, mut is_stored, mut own) = (Vec::new(), 0, 0);
        for size in 1..=12 {
            let store = embedded(folder.path());
            let witness = on(store.clone(), folder.path(), &[&key]);
            assert!(
                answered
                    .iter()
                    .all(|one: &Checkpoint| one.size <= LogSize(witness.sizes().unwrap()[0].1))
            );
            store.crash_at(point);
            let died = add(&witness, &trees[own], &key, size).unwrap_err();
            assert!(matches!(died, WitnessRefusal::Store(StoreError::Dead)), "{died}");
            let dead = add(&witness, &trees[own], &key, size + 1);
            assert!(
                matches!(dead, Err(WitnessRefusal::Store(_) | WitnessRefusal::OldSize { .. })),
                "{dead:?}"
            );
            drop((witness, store));
            // the operator tries the other history first
            let witness = on(embedded(folder.path()), folder.path(), &[&key]);
            is_stored += u64::from(witness.sizes().unwrap()[0].1 == size);
            for tree in [1 - own, own] {
                if let Ok(note) = add(&witness, &trees[tree], &key, size) {
                    answered.push(Checkpoint::parse(note.text()).unwrap());
                    own = tree;
                }
            }
        }
        assert_eq!(is_stored > 0, !matches!(point, CrashPoint::BeforeEngine));
        assert!(answered.len() >= 12, "{answered:?}");
        is_one_history(&answered);
    }
}

/// Go's checksum database signs `go.sum database tree` by the key `sum.golang.org`.
#[test]
fn a_log_whose_origin_is_not_the_name_of_its_key_is_held_to_one_history() {
    const DATABASE: &str = "go.sum database tree";
    let (key, folder) = (Key::new("sum.golang.org"), tempfile::tempdir().unwrap());
    let named: WitnessedKey = format!("{DATABASE}={}", key.public).parse().unwrap();
    let evidence = folder.path().join("evidence");
    let witness =
        Witness::open(own_key(), Arc::new(MemoryStore::new()), [named], evidence).unwrap();
    let request = |tree: &Tree, old, size| {
        let note = key.sign(&tree.text(DATABASE, size));
        AddCheckpoint { old, proof: tree.proof(old, size), note }
    };
    let (tree, fork) = (Tree::new(20, 20, ""), Tree::new(20, 3, "!"));
    witness.add(&request(&tree, 0, 7), NOW).unwrap();
    witness.add(&request(&tree, 7, 20), NOW).unwrap();
    assert_eq!(witness.sizes().unwrap(), [(DATABASE.to_owned(), 20)]);
    assert!(witness.latest(&sha256_joined(&[DATABASE.as_bytes()])).unwrap().is_some());
    let forked = witness.add(&request(&fork, 20, 20), NOW);
    assert!(matches!(forked, Err(WitnessRefusal::Fork { held: 20 })));
    let file = std::fs::read_dir(folder.path().join("evidence")).unwrap().next().unwrap().unwrap();
    let body = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
    let (evidence, _) = superroot_wire::evidence::parse_evidence(&body).unwrap();
    assert_eq!(evidence.verify().unwrap().origin, DATABASE);
    let other = witness.add(&tree.request(&key, 0, 7), NOW);
    assert!(
        matches!(other, Err(WitnessRefusal::UnknownLog { .. })),
        "the key speaks for that origin alone"
    );
}

#[test]
fn a_key_is_named_alone_or_behind_the_origin_of_its_log() {
    let go = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8";
    let read = |text: &str| text.parse::<WitnessedKey>();
    let key: VerifierKey = go.parse().unwrap();
    assert_eq!(read(go), Ok(key.clone().into()));
    for origin in ["go.sum database tree", "a=b", "example.org/log"] {
        let expected = WitnessedKey { origin: origin.to_owned(), key: key.clone() };
        assert_eq!(read(&format!("{origin}={go}")), Ok(expected));
    }
    for wrong in
        ["", "=", "log=", &format!("={go}"), &format!("a\nb={go}"), &go[1..], "log=name+id"]
    {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
