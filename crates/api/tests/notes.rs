//! Laws of signed notes in answers: who brings the log's key needs nothing else, and what the newest
//! SuperRoot withdraws is proven nowhere any more.

use crate::support;

use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_proof::note::{Checkpoint, TrustPolicy};
use superroot_proof::range::{Sha256Range, verify_inclusion};
use superroot_proof::superroot::SuperRootHistory;
use superroot_types::{Hash, LeafCount, LeafIndex};
use superroot_wire::superroot::parse_blob;
use superroot_wire::{check_json, expand_batch};
use support::*;

/// The size of the note under which the log's key leads to the proof.
fn signed_size(body: &Value) -> u64 {
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let checked = check_json(body, &policy, None).unwrap();
    let key = log_key(ORIGIN);
    checked.facts.check_signed(key.verifier(), &TrustPolicy::none()).unwrap().size.0
}

fn failed(answer: &Value) -> Vec<&str> {
    let checks = answer["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
    checks.map(|check| check["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_proof_carries_the_newest_note_where_it_is_asked_for() {
    let mut world = World::small(unlimited());
    let document = world.get("/openapi.json").await.json();
    let (number, index, hash) = world.eventful(0..28);
    world.extend(34..36, true);
    world.step(500);
    for (path, schema) in [
        ("/v5/proof/1/20".to_owned(), "BlockProof"),
        ("/kv/proof/1/20".to_owned(), "BlockProofSnake"),
        ("/finality/1/proof/20".to_owned(), "BlockProofSnake"),
        ("/api/v5/proof/blob/1/20".to_owned(), "BlobProof"),
        ("/api/lambda/proof-bundle/block/1/20".to_owned(), "LambdaBundle"),
        (format!("/v5/tx/1/{hash}"), "TransactionProof"),
        (format!("/v5/proof/event/1/{number}/{index}/0"), "EventProof"),
    ] {
        for at in ["", "&sequence=0"] {
            let reply = world.get(&format!("{path}?note=1{at}")).await;
            assert_eq!(reply.header("cache-control"), "no-cache", "{path}: a newer note may come");
            assert_eq!(signed_size(&reply.good()), 3, "{path}{at}");
            assert_documented(&document, schema, &reply.good());
        }
        let plain = world.get(&format!("{path}?note=0")).await.good();
        assert!(plain.get("note").is_none() && plain["block"].get("note").is_none());
    }
    let problem = world.get("/v5/proof/1/20?note=yes").await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "note");
    let items = json!([{ "chain": 1, "block": 20 }, { "chain": 1, "txHash": hash }]);
    let batch = json!({ "items": items, "note": true });
    let batch = world.post("/v5/proof/batch", &batch).await.good();
    for item in expand_batch(&batch).unwrap() {
        assert_eq!(signed_size(&item), 3);
    }
    let wrong = json!({ "items": items, "note": 1 });
    let problem = world.post("/v5/proof/batch", &wrong).await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "note");
}

#[tokio::test]
async fn a_super_root_and_its_blob_come_with_their_note() {
    let world = World::small(unlimited());
    let page = world.get("/v5/superroot/0").await.good();
    let note = page["publication"]["note"].as_str().unwrap();
    let key = log_key(ORIGIN);
    let signed = Checkpoint::of_note(note, key.verifier(), &TrustPolicy::none()).unwrap();
    assert_eq!((signed.origin.as_str(), signed.size.0), (ORIGIN, 1));
    assert_eq!(page["publication"]["keys"], json!([]), "a page that never changes names no keys");
    let newest = world.get("/v5/superroot").await.good();
    assert_eq!(newest["publication"]["keys"], json!([key.verifier().to_string()]));
    let super_root = world.api().prover.latest().unwrap().super_root;
    let siblings = newest["publication"]["siblings"].as_array().unwrap().iter();
    let siblings: Vec<Hash> = siblings.map(|one| one.as_str().unwrap().parse().unwrap()).collect();
    let newest = newest["publication"]["note"].as_str().unwrap();
    let newest = Checkpoint::of_note(newest, key.verifier(), &TrustPolicy::none()).unwrap();
    let (leaf, root) = (SuperRootHistory::leaf(&super_root), newest.root);
    verify_inclusion::<Sha256Range>(&leaf, LeafIndex(1), LeafCount(2), &siblings, &root).unwrap();
    let note = page["publication"]["note"].as_str().unwrap();
    let text = world.get("/v5/checkpoint?sequence=0").await;
    assert_eq!(text.bytes, note.as_bytes());
    let blob = world.get(&format!("/kv/blob/{}", page["superRootHash"].as_str().unwrap())).await;
    assert_eq!(blob.good()["publication"]["note"], note);
    parse_blob(&blob.good()).unwrap().0.blob.check().unwrap();
}

/// From what is published anybody makes a SuperRoot of his own: a proof that leads to it is true of
/// nothing that this log published.
#[tokio::test]
async fn a_proof_of_a_super_root_that_nobody_published_is_not_valid() {
    let world = World::small(unlimited());
    let mut stranger = World::small(unlimited());
    stranger.extend(34..36, true);
    stranger.step(500);
    let proof = stranger.get("/v5/proof/1/20?note=1").await.good();
    let body = json!({ "proof": proof });
    let answer = world.post("/kv/verify", &body).await.good();
    assert_eq!((&answer["valid"], failed(&answer)), (&json!(false), vec!["anchor"]), "{answer}");
    assert_eq!(answer["level_reached"], 5, "the proof itself holds");
    let expected = json!({ "super_root_hash": proof["superRootHash"] });
    let answer = world.post("/kv/verify", &json!({ "proof": proof, "expected": expected })).await;
    assert_eq!(answer.good()["valid"], true, "the caller brought it");
    // a SuperRoot of this log is one whoever signed the note of the proof, and the check names the note
    let mut bent = world.get("/v5/proof/1/20?note=1").await.good();
    let note = bent["note"]["text"].as_str().unwrap().replace("\u{2014} ", "\u{2014} x");
    bent["note"]["text"] = json!(note);
    let answer = world.post("/kv/verify", &json!({ "proof": bent })).await.good();
    assert_eq!((&answer["valid"], failed(&answer)), (&json!(true), vec!["note"]), "{answer}");
}

#[tokio::test]
async fn what_is_withdrawn_is_proven_under_no_older_super_root_either() {
    let mut world = World::small(unlimited());
    let path = "/v5/proof/1/25?sequence=0";
    let proof = world.get(path).await.good();
    world.withdraw(25);
    world.step(500);
    world.get(path).await.problem(410, "withdrawn");
    world.get("/v5/proof/1/24?sequence=0").await.good();
    let answer = world.post("/kv/verify", &json!({ "proof": proof })).await.good();
    assert_eq!(answer["valid"], false, "{answer}");
}
