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

/// A blob carries the note of its log: the key that you give leads to it, as to a proof.
#[test]
fn a_blob_is_anchored_by_the_key_that_signed_its_note() {
    use superroot_proof::bundle::NotePath;
    use superroot_proof::note::*;
    let (bench, world) = (Bench::new(), small_world());
    let signer = |secret| Signer::new(crate::world::ORIGIN, KeyKind::Log, &[secret; 32]).unwrap();
    let with_note = |size: usize, signer: &Signer| {
        let NotePath { note, siblings } =
            world.note_path(size - 1, size, std::slice::from_ref(signer));
        let mut body = render_blob(&blob(&world, 1), Case::Snake);
        body["publication"] = json!({ "note": note, "siblings": siblings, "keys": ["any"] });
        body
    };
    let key = signer(1).verifier().to_string();
    let body = with_note(2, &signer(1));
    let found = verify(&bench, &body, &["--key", &key]);
    found.expect(0, &["TRUE", "signed, at size 2, by the --key", "publication.keys"]);
    verify(&bench, &body, &[]).expect(2, &["NOT ANCHORED"]);
    let unsigned = verify(&bench, &with_note(2, &signer(9)), &["--key", &key]);
    unsigned.expect(2, &["no signature of that key"]);
    let other_size = verify(&bench, &with_note(1, &signer(1)), &["--key", &key]);
    other_size.expect(1, &["FALSE: anchor", "the note is of size 1"]);
    let mut other_path = body.clone();
    other_path["publication"]["siblings"][0] = json!(Hash([7; 32]));
    verify(&bench, &other_path, &["--key", &key]).expect(1, &["FALSE: anchor", "does not lead to"]);
    for empty in [json!({ "note": null, "siblings": [], "keys": [] }), Value::Null] {
        let mut body = body.clone();
        body["publication"] = empty;
        verify(&bench, &body, &["--key", &key]).expect(2, &["carries no note"]);
    }
    let elsewhere = Signer::new("log.example", KeyKind::Log, &[1; 32]).unwrap();
    let elsewhere = elsewhere.verifier().to_string();
    verify(&bench, &body, &["--key", &elsewhere]).expect(2, &["of another log than log.example"]);
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
        let text = Checkpoint { origin, size: LogSize(4), root: Hash([byte; 32]) }.to_string();
        signer.sign(&text, 0).to_string()
    };
    let key = signer.verifier().clone();
    let mut evidence = ForkEvidence { key, notes: [note(1), note(2)], entry: None };
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
