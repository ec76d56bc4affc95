//! `superroot trust`: what is pinned, and what moves a pin.

use crate::service::Answers;
use crate::world::{self, World};
use crate::*;
use serde_json::{Value, json};
use superroot_proof::bundle::{NotePath, ProofSubject};
use superroot_proof::consistency::Blob;
use superroot_proof::note::{KeyKind, Signer};
use superroot_proof::superroot::mini_mmr_roots;
use superroot_types::*;
use superroot_wire::superroot::body::{Publication, SuperRootPage};
use superroot_wire::superroot::*;
use superroot_wire::{Case, Shape, case};

const STORE: &str = ".config/superroot/trust.toml";

fn log_key() -> Signer {
    Signer::new(world::ORIGIN, KeyKind::Log, &[1; 32]).unwrap()
}

fn witness() -> Signer {
    Signer::new("witness.example", KeyKind::Witness, &[2; 32]).unwrap()
}

/// The page of a SuperRoot as the service gives it.
fn page(world: &World, sequence: usize, signers: &[Signer]) -> Value {
    let blob = &world.published[sequence].blob;
    let (registry_root, chains) = (blob.registry.root(), Vec::new());
    let Blob { super_root, mini_mmrs, history, .. } = blob;
    let NotePath { note, siblings } = world.note_path(sequence, sequence + 1, signers);
    let keys = signers.iter().take(1).map(|signer| signer.verifier().to_string()).collect();
    let publication = Publication { note: Some(note), siblings, keys, evm_signature: None };
    let origin = world::ORIGIN;
    let page = SuperRootPage::new(
        origin,
        super_root,
        (mini_mmrs, &mini_mmr_roots(mini_mmrs)),
        chains,
        history,
        registry_root,
        publication,
    );
    case::write(&page, Case::Camel)
}

/// A service of that log whose newest SuperRoot is that one.
fn service(world: &World, newest: usize, signers: &[Signer]) -> String {
    answers(world, newest, signers).serve()
}

/// What it answers.
fn answers(world: &World, newest: usize, signers: &[Signer]) -> Answers {
    let mut answers = Answers::default().with("/v5/superroot", &page(world, newest, signers));
    for sequence in 0..=newest {
        let note = world.note_path(sequence, sequence + 1, signers).note;
        let blob = &world.published[sequence].blob;
        let blob = BlobAnswer { blob: blob.clone(), appended_count: 0, appended: Some(Vec::new()) };
        answers = answers
            .with(&format!("/v5/superroot/{sequence}"), &page(world, sequence, signers))
            .with_text(&format!("/v5/checkpoint?sequence={sequence}"), &note)
            .with(&format!("/kv/blob/{}", world.root(sequence)), &render_blob(&blob, Case::Snake));
        if sequence == newest {
            answers = answers.with_text("/v5/checkpoint", &note).with_text(COSIGNED, &note);
        }
    }
    if newest == 1 {
        let full = render_consistency(&consistency(world, Strength::Full), Case::Camel);
        let path = "/v5/superroot/consistency?from=0&to=1&strength=full";
        answers = answers.with(path, &full);
    }
    answers
}

/// The path of the newest note that the service's witnesses signed.
const COSIGNED: &str = "/v5/checkpoint?cosigned=1";

fn pin_hash(bench: &Bench, world: &World, sequence: usize) -> Output {
    let (root, sequence) = (world.root(sequence).to_string(), sequence.to_string());
    let origin = ["--origin", world::ORIGIN, "--superroot", &root, "--sequence", &sequence];
    bench.run(&[&["trust", "pin"], &origin[..]].concat())
}

fn pin_key(bench: &Bench, flags: &[&str]) -> Output {
    let key = log_key().verifier().to_string();
    bench.run(&[&["trust", "pin", "--key", &key], flags].concat())
}

fn update(bench: &Bench, url: &str) -> Output {
    bench.run(&["trust", "update", "--url", url])
}

/// A proof in SuperRoot 1, with the note of the log that ends in it.
fn signed(world: &World, signers: &[Signer]) -> Vec<u8> {
    sealed(world, ProofSubject::Block).with_note(world.note_path(1, 2, signers)).encode()
}

#[test]
fn a_pinned_hash_makes_a_proof_true_until_it_is_removed() {
    let (bench, world) = (Bench::new(), small_world());
    let file = bench.write("proof", sealed(&world, ProofSubject::Block).encode());
    bench.run(&["trust", "list"]).expect(0, &["nothing is trusted yet"]);
    bench.run(&["verify", &file]).expect(2, &["NOT ANCHORED"]);
    pin_hash(&bench, &world, 1)
        .expect(0, &["pinned SuperRoot 1 of simulated/world", "not checked"]);
    pin_hash(&bench, &world, 0).expect(0, &["pinned"]);
    let root = world.root(1).to_string();
    let listed = bench.run(&["trust", "list"]);
    listed.expect(0, &["simulated/world  simulated", "no key", "SuperRoot 0", &root]);
    bench.run(&["verify", &file]).expect(0, &["TRUE", STORE]);
    update(&bench, &service(&world, 1, &[log_key()])).expect(2, &["pins never move"]);
    let remove = |flags: &[&str]| {
        bench.run(&[&["trust", "remove", "--origin", world::ORIGIN], flags].concat())
    };
    remove(&["--sequence", "7"]).expect(2, &["nothing like that is pinned"]);
    remove(&["--sequence", "1"]).expect(0, &["removed 1 pin of"]);
    bench.run(&["verify", &file]).expect(2, &["NOT ANCHORED"]);
    pin_hash(&bench, &world, 1).expect(0, &["pinned"]);
    remove(&[]).expect(0, &["removed 2 pins of"]);
    bench.run(&["trust", "list"]).expect(0, &["nothing is trusted yet"]);
}

#[test]
fn a_pinned_hash_is_checked_with_the_service_where_one_is_named() {
    let (bench, world) = (Bench::new(), small_world());
    let url = Answers::default().with("/v5/superroot/1", &page(&world, 1, &[log_key()])).serve();
    let (good, bad) = (world.root(1).to_string(), Hash([7; 32]).to_string());
    let pin = |flags: &[&str], root: &str, sequence: &str| {
        let always = ["trust", "pin", "--superroot", root, "--sequence", sequence];
        bench.run(&[&always[..], flags].concat())
    };
    pin(&["--url", &url, "--origin", world::ORIGIN], &bad, "1").expect(1, &["REFUSED", &good]);
    pin(&["--url", &url, "--origin", "log.example.org"], &good, "1").expect(1, &["REFUSED"]);
    pin(&["--url", &url, "--origin", world::ORIGIN], &good, "2").expect(2, &["404"]);
    // nobody pins made-up chains without having named them
    let unnamed = pin(&["--url", &url], &good, "1");
    unnamed.expect(2, &["this log is simulated", "--origin simulated/world"]);
    pin(&[], &good, "1").expect(2, &["--url"]);
    pin(&["--origin", "a b"], &good, "1").expect(2, &["may be taken for another"]);
    assert_eq!(TrustFiles::of(&bench), TrustFiles { pinned: false });
    let named = pin(&["--url", &url, "--origin", world::ORIGIN], &good, "1");
    named.expect(0, &["the hash binds the log and the sequence"]);
}

/// Whether a store was written.
#[derive(Debug, PartialEq, Eq)]
struct TrustFiles {
    pinned: bool,
}

impl TrustFiles {
    fn of(bench: &Bench) -> Self {
        Self { pinned: bench.path(STORE).exists() }
    }
}

/// Who pinned the key once needs nothing else: not the hash, not the service.
#[test]
fn every_proof_file_verifies_by_the_pinned_key() {
    let (bench, world) = (Bench::new(), small_world());
    let key = log_key().verifier().to_string();
    let file = bench.write("proof", signed(&world, &[log_key()]));
    let by_key =
        |key: &str, more: &[&str]| bench.run(&[&["verify", &file, "--key", key], more].concat());
    by_key(&key, &[]).expect(0, &["TRUE", "signed, at size 2, by the --key", "publication"]);
    let other = Signer::new(world::ORIGIN, KeyKind::Log, &[9; 32]).unwrap().verifier().to_string();
    by_key(&other, &[]).expect(2, &["NOT ANCHORED", "no signature of that key"]);
    let bare = bench.write("bare", sealed(&world, ProofSubject::Block).encode());
    let ways = ["carries no signed note", "?note=1", "note: true", "--superroot HASH"];
    bench.run(&["verify", &bare, "--key", &key]).expect(2, &ways);
    pin_key(&bench, &[]).expect(0, &["pinned the key of simulated/world, fingerprint "]);
    let json = bench.run(&["verify", &file, "--json"]).json();
    assert_eq!((&json["valid"], &json["anchored"]["joined"]), (&json!(true), &json!(false)));
    assert_eq!(json["anchored"]["key"], key);
    bench.run(&["verify", &file]).expect(0, &["TRUE", "not joined to your pin"]);
    bench.run(&["trust", "list"]).expect(0, &[&key]);
    // with a policy, the quorum holds for files too
    let witness_key = witness().verifier().to_string();
    let policy = bench.write("policy", format!("witness one {witness_key}\nquorum one\n"));
    by_key(&key, &["--policy", &policy]).expect(2, &["has not the witnesses"]);
    let file = bench.write("proof", signed(&world, &[log_key(), witness()]));
    let quorum = bench.run(&["verify", &file, "--key", &key, "--policy", &policy]);
    quorum.expect(0, &["TRUE", "by the quorum of your witnesses"]);
    assert!(!quorum.out.contains("publication:"), "witnesses show it to everybody");
    let bent = bench.write("policy", "witness one nothing\nquorum one\n");
    by_key(&key, &["--policy", &bent]).expect(2, &["is no policy"]);
}

#[test]
fn a_pin_moves_on_by_the_keys_notes_and_full_consistency() {
    let (bench, world) = (Bench::new(), small_world());
    let [at_0, at_1] = [0, 1].map(|newest| service(&world, newest, &[log_key()]));
    update(&bench, &at_0).expect(2, &["is not in the trust store"]);
    pin_key(&bench, &["--url", &at_0]).expect(0, &["pinned SuperRoot 0 of simulated/world"]);
    update(&bench, &at_0).expect(0, &["SuperRoot 0 of simulated/world is the newest"]);
    let words = "moved from SuperRoot 0 to 1 of simulated/world";
    update(&bench, &at_1).expect(0, &[words, "consistency full"]);
    let file = bench.write("proof", body(&open(&world), Shape::V5).to_string());
    bench.run(&["verify", &file]).expect(0, &["TRUE", "pinned in your trust store"]);
    let before = bench.read(STORE);
    update(&bench, &at_0).expect(2, &["at SuperRoot 0, behind your pin 1"]);
    assert_eq!(bench.read(STORE), before);
}

/// A note no newer than the pin has to agree with it, and nothing in the file shows that.
#[test]
fn a_note_older_than_the_pin_anchors_nothing() {
    let (bench, world) = (Bench::new(), small_world());
    let url = service(&world, 1, &[log_key()]);
    pin_key(&bench, &["--url", &url]).expect(0, &["pinned SuperRoot 1 of simulated/world"]);
    let first = world.prove(world::ETHEREUM, 4099, ProofSubject::Block, true, 0);
    let first = bench.write("first", first.with_note(world.note_path(0, 1, &[log_key()])).encode());
    let words = ["NOT ANCHORED", "no newer than SuperRoot 1", "a newer proof, or give --key"];
    bench.run(&["verify", &first]).expect(2, &words);
    let key = log_key().verifier().to_string();
    bench.run(&["verify", &first, "--key", &key]).expect(0, &["TRUE", "by the --key"]);
    // the same SuperRoot under the note that was pinned
    let newer = world.prove(world::ETHEREUM, 4099, ProofSubject::Block, true, 0);
    let newer = bench.write("newer", newer.with_note(world.note_path(0, 2, &[log_key()])).encode());
    let joined = bench.run(&["verify", &newer]);
    joined.expect(0, &["TRUE", "signed, at size 2"]);
    assert!(!joined.out.contains("not joined"), "{joined:?}");
}

/// Of a pinned SuperRoot whose note the witnesses signed, nothing is left to show of its publication.
#[test]
fn a_pinned_super_root_with_the_quorum_is_published() {
    let (bench, world) = (Bench::new(), small_world());
    let policy = format!("witness one {}\nquorum one\n", witness().verifier());
    let policy = bench.write("policy", policy);
    let both = [log_key(), witness()];
    let url = service(&world, 1, &both);
    pin_key(&bench, &["--url", &url, "--policy", &policy]).expect(0, &["pinned SuperRoot 1"]);
    let file = bench.write("proof", signed(&world, &both));
    let found = bench.run(&["verify", &file]);
    found.expect(0, &["pinned in your trust store", "its note signed by the quorum"]);
    assert!(!found.out.contains("publication:"), "{found:?}");
    let alone = bench.write("proof", signed(&world, &[log_key()]));
    bench.run(&["verify", &alone]).expect(0, &["pinned in your trust store", "publication:"]);
}

/// From published data alone a stranger makes a SuperRoot of his own that extends the pin in full; so
/// does whoever runs the service with another key. Neither moves a pin.
#[test]
fn a_strangers_super_root_moves_nothing() {
    let (bench, world) = (Bench::new(), small_world());
    pin_key(&bench, &["--url", &service(&world, 0, &[log_key()])]).expect(0, &[]);
    let before = bench.read(STORE);
    let forger = Signer::new(world::ORIGIN, KeyKind::Log, &[66; 32]).unwrap();
    let forged = service(&world, 1, std::slice::from_ref(&forger));
    update(&bench, &forged).expect(2, &["no signature of that key"]);
    let named = forger.verifier().to_string();
    let replaced = bench.run(&["trust", "pin", "--key", &named]);
    replaced.expect(1, &["REFUSED", "--replace"]);
    assert_eq!(bench.read(STORE), before);
    let file = bench.write("proof", signed(&world, &[forger]));
    bench.run(&["verify", &file]).expect(2, &["NOT ANCHORED", "no signature of that key"]);
}

/// The same log with another past.
fn forked_world() -> World {
    let mut liar = World::new();
    liar.registry = registry().clone();
    liar.extend(world::ETHEREUM, 4096..=4100, |_| 1);
    liar.publish(1_700_000_000);
    liar.extend(world::ETHEREUM, 4101..=6150, |_| 0);
    liar.publish(1_700_000_012);
    liar
}

/// Witnesses sign no fork: who asks for them is told of it by what the key alone signed.
#[test]
fn a_fork_that_no_witness_signed_leaves_evidence_too() {
    let (bench, world, liar) = (Bench::new(), small_world(), forked_world());
    let policy = format!("witness one {}\nquorum one\n", witness().verifier());
    let policy = bench.write("policy", policy);
    let both = [log_key(), witness()];
    pin_key(&bench, &["--url", &service(&world, 0, &both), "--policy", &policy]).expect(0, &[]);
    let before = bench.read(STORE);
    let forked = |cosigned: Option<&str>| {
        let forked = answers(&liar, 1, &[log_key()]);
        match cosigned {
            Some(note) => forked
                .with("/v5/superroot/0", &page(&world, 0, &both))
                .with_text(COSIGNED, note)
                .serve(),
            None => forked.with_problem(COSIGNED, 404, "not_found", "no such note").serve(),
        }
    };
    let own = world.note_path(0, 1, &both).note;
    let unwitnessed = liar.note_path(1, 2, &[log_key()]).note;
    for cosigned in [None, Some(own.as_str()), Some(unwitnessed.as_str())] {
        let refused = update(&bench, &forked(cosigned));
        refused.expect(1, &["REFUSED", "evidence.json", "signed two histories"]);
        bench.run(&["verify", "evidence.json"]).expect(0, &["TRUE", "signed two histories"]);
        std::fs::remove_file(bench.path("evidence.json")).unwrap();
        assert_eq!(bench.read(STORE), before);
    }
    // a log that only grew, and waits for its witnesses, is no fork: it moves nothing either
    let waits = answers(&world, 1, &[log_key()]);
    let waits = waits.with_problem(COSIGNED, 404, "not_found", "no such note").serve();
    update(&bench, &waits).expect(2, &["404"]);
    let waits = answers(&world, 1, &[log_key()]).with_text(COSIGNED, &own).serve();
    update(&bench, &waits).expect(0, &["is the newest already"]);
    assert_eq!(bench.read(STORE), before);
    assert!(!bench.path("evidence.json").exists());
}

/// The key signs another past: nothing moves, and what it signed convinces everybody.
#[test]
fn a_fork_by_the_own_key_leaves_evidence() {
    let (bench, world) = (Bench::new(), small_world());
    pin_key(&bench, &["--url", &service(&world, 0, &[log_key()])]).expect(0, &[]);
    let before = bench.read(STORE);
    let liar = forked_world();
    for newest in [0, 1] {
        let refused = update(&bench, &service(&liar, newest, &[log_key()]));
        refused.expect(1, &["REFUSED", "evidence.json", "signed two histories"]);
        let checked = bench.run(&["verify", "evidence.json"]);
        checked.expect(0, &["TRUE: the holder of this key signed two histories"]);
        assert_eq!(bench.read(STORE), before);
    }
    let file = bench.write("proof", signed(&liar, &[log_key()]));
    bench.run(&["verify", &file]).expect(0, &["not joined to your pin"]);
    let first = liar.prove(world::ETHEREUM, 4099, ProofSubject::Block, true, 0);
    let first = bench.write("first", first.with_note(liar.note_path(0, 1, &[log_key()])).encode());
    bench.run(&["verify", &first]).expect(1, &["FALSE: anchor: SuperRoot 0 of", "pinned is"]);
}

/// A key or a hash on the command line takes nothing from what is pinned.
#[test]
fn what_is_pinned_is_held_against_a_key_and_a_hash_too() {
    let (bench, world, liar) = (Bench::new(), small_world(), forked_world());
    let (key, root) = (log_key().verifier().to_string(), liar.root(1).to_string());
    let proof = bench.write("proof", signed(&liar, &[log_key()]));
    let blob = &liar.published[1].blob;
    let blob = BlobAnswer { blob: blob.clone(), appended_count: 0, appended: Some(Vec::new()) };
    let blob = bench.write("blob", render_blob(&blob, Case::Camel).to_string());
    let by_key = || bench.run(&["verify", &proof, "--key", &key]);
    let by_hash = |file: &str| bench.run(&["verify", file, "--superroot", &root]);
    by_key().expect(0, &["TRUE"]);
    by_hash(&proof).expect(0, &["TRUE"]);
    by_hash(&blob).expect(0, &["TRUE"]);
    pin_key(&bench, &["--url", &service(&world, 1, &[log_key()])]).expect(0, &["pinned"]);
    by_key().expect(1, &["FALSE: anchor", "pinned is", STORE]);
    by_hash(&proof).expect(1, &["FALSE: anchor", "pinned is", STORE]);
    by_hash(&blob).expect(1, &["FALSE: anchor", STORE]);
    // another log's store says nothing of it
    bench.run(&["trust", "remove", "--origin", world::ORIGIN]).expect(0, &[]);
    by_key().expect(0, &["TRUE"]);
}

/// A block that the pinned registry withdrew is true by no key and no hash.
#[test]
fn what_a_pin_withdraws_is_false_by_a_key_too() {
    let (bench, mut world) = (Bench::new(), small_world());
    let (key, root) = (log_key().verifier().to_string(), world.root(1).to_string());
    let proof = bench.write("proof", signed(&world, &[log_key()]));
    withdraw_ethereum(&mut world, 4099);
    let url = service(&world, 2, &[log_key()]);
    let withdrawn = "withdrawn: evm:1 from block 4099";
    pin_key(&bench, &["--url", &url]).expect(0, &["SuperRoot 2", withdrawn]);
    let again = update(&bench, &url);
    again.expect(0, &["is the newest already", withdrawn]);
    assert_eq!(again.out.matches("withdrawn").count(), 1, "{again:?}");
    for flags in [["--key", &key], ["--superroot", &root]] {
        let found = bench.run(&[&["verify", &proof], &flags[..]].concat());
        found.expect(1, &["FALSE: anchor", "was withdrawn by the log", STORE]);
    }
}

/// Publishes a SuperRoot whose registry withdraws Ethereum from that block on.
fn withdraw_ethereum(world: &mut World, from_number: u64) {
    let mut rows = world.registry.rows().to_vec();
    let row = rows.iter_mut().find(|row| row.chain == world::ETHEREUM).unwrap();
    row.rules.push(superroot_proof::registry::HashRuleFrom { from_number, code: 0 });
    world.registry = superroot_proof::registry::LogRegistry::new(rows).unwrap();
    world.publish(1_700_000_024);
}

/// A key that the service itself names is trusted on first use, and called so.
#[test]
fn a_key_of_first_use_is_called_so_until_it_is_confirmed() {
    let (bench, world) = (Bench::new(), small_world());
    let url = service(&world, 1, &[log_key()]);
    let origin = ["--origin", world::ORIGIN];
    let pin = |flags: &[&str]| {
        bench.run(&[&["trust", "pin", "--url", &url], &origin[..], flags].concat())
    };
    pin(&[]).expect(2, &["nobody is there to compare the fingerprint"]);
    pin(&["--yes"]).expect(2, &["--fingerprint"]);
    let wrong = "0".repeat(64);
    pin(&["--yes", "--fingerprint", &wrong]).expect(1, &["REFUSED", "has the fingerprint"]);
    assert_eq!(TrustFiles::of(&bench), TrustFiles { pinned: false });
    let right = log_key().verifier().fingerprint().to_string();
    pin(&["--yes", "--fingerprint", &right]).expect(0, &["first_use", "pinned SuperRoot 1"]);
    bench.run(&["trust", "list"]).expect(0, &["first_use"]);
    let file = bench.write("proof", signed(&world, &[log_key()]));
    bench.run(&["verify", &file]).expect(0, &["TRUE", "first_use"]);
    pin_key(&bench, &[]).expect(0, &[]);
    assert!(!bench.run(&["trust", "list"]).out.contains("first_use"));
    assert!(!bench.run(&["verify", &file]).out.contains("first_use"));
}

/// Twenty at once: each pin stays.
#[test]
fn parallel_pins_all_stay() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(0).to_string();
    std::thread::scope(|scope| {
        for log in 0..20 {
            let (bench, root) = (&bench, &root);
            scope.spawn(move || {
                let origin = format!("simulated/log{log}");
                let of = ["--origin", &origin, "--superroot", root, "--sequence", "0"];
                bench.run(&[&["trust", "pin"], &of[..]].concat()).expect(0, &["pinned"]);
            });
        }
    });
    let listed = bench.run(&["trust", "list"]).out;
    assert_eq!(listed.matches("simulated/log").count(), 20, "{listed}");
    bench.write(STORE, b"");
    bench.run(&["trust", "list"]).expect(2, &["does not begin with its checksum"]);
}

/// A listener takes connections, and nobody answers.
#[test]
fn a_silent_service_is_left_after_its_time() {
    let bench = Bench::new();
    pin_key(&bench, &[]).expect(0, &["pinned the key"]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    for command in [
        &["trust", "update"][..],
        &["trust", "pin", "--origin", world::ORIGIN],
        &["prove", "block", "ethereum", "7"],
    ] {
        let asked = [command, &["--url", &url, "--timeout", "1"]].concat();
        let words = ["no whole answer of ", &url, "within 1 s"];
        bench.run(&asked).expect(2, &words);
    }
}

#[test]
fn what_is_pinned_is_listed_for_programs() {
    let (bench, world) = (Bench::new(), small_world());
    let list = || bench.run(&["trust", "list", "--json"]);
    assert_eq!(list().json(), json!({ "logs": [] }));
    pin_key(&bench, &[]).expect(0, &["pinned the key"]);
    let url = service(&world, 1, &[log_key()]);
    update(&bench, &url).expect(0, &["pinned SuperRoot 1"]);
    let pin = json!({ "sequence": 1, "super_root_hash": world.root(1) });
    let key =
        json!({ "key": log_key().verifier().to_string(), "first_use": false, "witnesses": null });
    let log = json!({ "origin": world::ORIGIN, "network": "simulated", "key": key, "pins": [pin] });
    assert_eq!(list().json(), json!({ "logs": [log] }));
}
