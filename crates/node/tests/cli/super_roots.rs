//! `superroot verify` on answers about SuperRoots: consistency and blobs.

use crate::*;
use serde_json::{Value, json};
use superroot_types::*;
use superroot_wire::Case;
use superroot_wire::superroot::*;

fn blob(world: &crate::world::World, sequence: usize) -> BlobAnswer {
    let crate::world::Published { blob, appended, .. } = world.published[sequence].clone();
    BlobAnswer { blob, appended_count: appended.len() as u64, appended: Some(appended) }
}

fn verify(bench: &Bench, body: &Value, flags: &[&str]) -> Output {
    let file = bench.write("answer", body.to_string());
    bench.run(&[&["verify", &file], flags].concat())
}

#[test]
fn consistency_is_true_from_the_earlier_super_root_on() {
    let (bench, world) = (Bench::new(), small_world());
    let (from, to) = (world.root(0).to_string(), world.root(1).to_string());
    for strength in Strength::ALL {
        for case in [Case::Camel, Case::Snake] {
            let body = render_consistency(&consistency(&world, strength), case);
            let output = verify(&bench, &body, &["--superroot", &from]);
            output.expect(0, &["SuperRoot 1 extends SuperRoot 0", "TRUE", &from, &to]);
            output.expect(0, &[strength.name(), "Not shown:", "whose SuperRoot the later one is"]);
            output.expect(0, &["its timestamp is the service's word"]);
            // consistency needs no secret: nothing is to be trusted for it
            assert!(!output.out.contains("trusted") && !output.out.contains("trust update"));
            let of_blocks = output.out.contains("that no block was rewritten: strength history");
            assert_eq!(of_blocks, strength == Strength::History, "{output:?}");
            let report = verify(&bench, &body, &["--superroot", &from, "--json"]).json();
            let count = if strength == Strength::Full { 2 } else { 3 };
            assert_eq!(report["not_shown"].as_array().map(Vec::len), Some(count));
            verify(&bench, &body, &["--superroot", &to]).expect(1, &["FALSE: anchor", &to]);
            verify(&bench, &body, &[]).expect(2, &["NOT ANCHORED", "that of SuperRoot 0"]);
        }
    }
}

#[test]
fn consistency_that_does_not_hold_is_false() {
    let (bench, world) = (Bench::new(), small_world());
    let from = world.root(0).to_string();
    let good = consistency(&world, Strength::Full);
    let body = render_consistency(&good, Case::Camel);
    let Consistency::Full(full) = good.proof.clone() else { unreachable!() };
    let mut other_path = full.clone();
    other_path.history.upgrade.opening.siblings[0] = Hash([9; 32]);
    let mut other_bridge = full.clone();
    other_bridge.bridges[0].leaf = Hash([9; 32]);
    for bent in [other_path, other_bridge] {
        let bent = ConsistencyAnswer { proof: Consistency::Full(bent), ..good.clone() };
        let body = render_consistency(&bent, Case::Camel);
        verify(&bench, &body, &["--superroot", &from]).expect(1, &["✗ consistency", "FALSE"]);
    }
    let mut relabelled = body.clone();
    relabelled["to"]["superRootHash"] = json!(Hash([7; 32]));
    verify(&bench, &relabelled, &["--superroot", &from]).expect(1, &["FALSE: body", "to"]);
    let mut torn = body;
    torn["from"] = Value::Null;
    let output = verify(&bench, &torn, &["--superroot", &from]);
    output.expect(2, &["looks like a consistency", "from"]);
}

#[test]
fn the_trust_store_anchors_by_the_log_id() {
    let (bench, world) = (Bench::new(), small_world());
    let body = render_consistency(&consistency(&world, Strength::History), Case::Camel);
    let pin = |sequence: usize, hash: Hash| {
        let (hash, sequence) = (hash.to_string(), sequence.to_string());
        let origin = ["--origin", crate::world::ORIGIN, "--superroot", &hash];
        bench
            .run(&[&["trust", "pin", "--sequence", &sequence], &origin[..]].concat())
            .expect(0, &[]);
    };
    pin(1, world.root(1));
    verify(&bench, &body, &[]).expect(2, &["pins no SuperRoot 0 of that log"]);
    pin(0, world.root(0));
    verify(&bench, &body, &[]).expect(0, &["TRUE", "trust.toml"]);
    let report = verify(&bench, &body, &["--json"]).json();
    assert_eq!(report["anchored"]["by"], "trust_store");
    assert_eq!((&report["kind"], &report["valid"]), (&json!("consistency"), &json!(true)));
    assert_eq!(report["shown"]["to_hash"], json!(world.root(1)));
    bench.run(&["trust", "remove", "--origin", crate::world::ORIGIN]).expect(0, &[]);
    pin(0, Hash([3; 32]));
    verify(&bench, &body, &[]).expect(1, &["FALSE: anchor"]);
}

#[test]
fn a_blob_is_checked_against_its_own_super_root() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let blob = blob(&world, 1);
    for case in [Case::Camel, Case::Snake] {
        let body = render_blob(&blob, case);
        verify(&bench, &body, &["--superroot", &root])
            .expect(0, &["behind SuperRoot 1", "✓ blob", "TRUE", "appended twigs"]);
        verify(&bench, &body, &[]).expect(2, &["NOT ANCHORED"]);
        let other = world.root(0).to_string();
        verify(&bench, &body, &["--superroot", &other]).expect(1, &["FALSE: anchor"]);
    }
    let mut bent = blob;
    bent.blob.references[0].1.open_twig_root = Hash([5; 32]);
    let report =
        verify(&bench, &render_blob(&bent, Case::Camel), &["--superroot", &root, "--json"]);
    assert_eq!((report.code, &report.json()["error"]["step"]), (1, &json!("blob")), "{report:?}");
}

/// What comes in pages is not in the file: it says what was not checked, and that it is not enough.
#[test]
fn twigs_that_were_left_out_are_named() {
    let (bench, world) = (Bench::new(), small_world());
    let from = world.root(0).to_string();
    let mut whole = consistency(&world, Strength::Full);
    let count = whole.appended.take().unwrap().len();
    let body = render_consistency(&whole, Case::Camel);
    let left_out = format!("{count} appended twig");
    verify(&bench, &body, &["--superroot", &from]).expect(2, &[&left_out, "not checked"]);
    let mut blob = blob(&world, 1);
    blob.appended = None;
    let root = world.root(1).to_string();
    let body = render_blob(&blob, Case::Camel);
    verify(&bench, &body, &["--superroot", &root]).expect(0, &["TRUE", "not proven"]);
}

#[test]
fn evidence_of_two_histories_is_judged() {
    use superroot_proof::note::*;
    let bench = Bench::new();
    let signer = Signer::new("log.example", KeyKind::Log, &[7; 32]).unwrap();
    let note = |byte| {
        let origin = "log.example".to_owned();
        let text = Checkpoint { origin, size: 4, root: Hash([byte; 32]) }.to_string();
        signer.sign(&text, 0).to_string()
    };
    let key = signer.verifier().clone();
    let mut evidence = Evidence { key, notes: [note(1), note(2)], entry: None };
    let body = superroot_wire::evidence::render_evidence(&evidence);
    let said = ["TRUE", "signed two histories", "log.example+"];
    verify(&bench, &body, &[]).expect(0, &said);
    assert_eq!(verify(&bench, &body, &["--json"]).json()["shown"]["size"], 4);
    evidence.notes[1] = note(1);
    let same = superroot_wire::evidence::render_evidence(&evidence);
    verify(&bench, &same, &[]).expect(1, &["FALSE", "nothing is contradicted"]);
    let mut torn = body;
    torn["key"] = json!("nobody");
    verify(&bench, &torn, &[]).expect(2, &["looks like evidence", "key"]);
}

/// `inspect` shows proofs; of other answers it says what they are and who takes them.
#[test]
fn inspect_names_what_is_no_proof_of_a_fact() {
    let (bench, world) = (Bench::new(), small_world());
    let proof = render_consistency(&consistency(&world, Strength::History), Case::Camel);
    let file = bench.write("answer", proof.to_string());
    bench.run(&["inspect", &file]).expect(2, &["consistency of SuperRoots", "superroot verify"]);
    let file = bench.write("blob", render_blob(&blob(&world, 0), Case::Camel).to_string());
    bench.run(&["inspect", &file]).expect(2, &["a blob of SuperRoots"]);
}
