//! Laws of the SuperRoot routes, and snapshots of what they and the proof routes say.

use crate::support;

use serde_json::{Value, json};
use superroot_types::Hash;
use superroot_wire::superroot::{parse_blob, parse_consistency};
use support::*;

fn hash_of(body: &Value, name: &str) -> Hash {
    body[name].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_super_root_shows_nine_mini_mmrs_and_all_chains() {
    let world = World::small(unlimited());
    let body = world.get("/v5/superroot").await.good();
    assert_eq!(body["miniMmrs"].as_array().unwrap().len(), 9);
    let references = body["blockReferences"].as_array().unwrap();
    assert_eq!(references.len(), 27);
    assert_eq!(
        (&references[0]["number"], &references[0]["status"]),
        (&json!(31), &json!("following"))
    );
    let block_time = GENESIS + 31;
    assert_eq!(references[0]["lagSeconds"], json!(NOW - block_time));
    for other in &references[1..] {
        assert_eq!(other["status"], "not_followed");
        assert_eq!(other["number"], Value::Null);
    }
    let snake = world.get("/kv/super-root/latest").await.good();
    assert_eq!(snake["super_root_hash"], body["superRootHash"]);
    assert_eq!(snake["v5_anchor"]["super_root_hash"], body["v5Anchor"]["superRootHash"]);
    let older = world.get("/v5/superroot/0").await;
    assert_eq!(older.good()["sequence"], 0);
    assert!(older.has("etag"));
    assert_eq!(older.good()["blockReferences"][0]["lagSeconds"], Value::Null);
    world.get("/v5/superroot/2").await.problem(404, "unknown_superroot");
}

#[tokio::test]
async fn a_blob_holds_everything_behind_its_super_root() {
    let world = World::sealed(unlimited());
    let page = world.get("/v5/superroot").await.good();
    let hash = hash_of(&page, "superRootHash");
    let reply = world.get(&format!("/kv/blob/{hash}")).await;
    let (answer, unproven) = parse_blob(&reply.good()).unwrap();
    answer.blob.check().unwrap();
    assert_eq!(unproven, ["publication", "v5_anchor"]);
    assert_eq!((answer.blob.super_root.hash(), answer.appended_count), (hash, 1));
    assert_eq!(answer.appended.unwrap().len(), 1);
    assert!(reply.header("cache-control").contains("immutable"));
    let unknown = format!("/kv/blob/{}", Hash([3; 32]));
    world.get(&unknown).await.problem(404, "unknown_superroot");
}

#[tokio::test]
async fn consistency_verifies_between_hashes_that_the_client_brings() {
    let world = World::small(unlimited());
    let older = hash_of(&world.get("/v5/superroot/0").await.good(), "superRootHash");
    let newer = hash_of(&world.get("/v5/superroot/1").await.good(), "superRootHash");
    for strength in ["history", "full"] {
        let path = format!("/v5/superroot/consistency?from=0&to=1&strength={strength}");
        let body = world.get(&path).await.good();
        assert_eq!(body["strength"], strength);
        let (proof, _) = parse_consistency(&body).unwrap();
        proof.verify(&older, &newer).unwrap();
        assert!(proof.verify(&newer, &older).is_err());
    }
    let open_ended = world.get("/v5/superroot/consistency?from=0").await;
    parse_consistency(&open_ended.good()).unwrap().0.verify(&older, &newer).unwrap();
    assert_eq!(open_ended.header("cache-control"), "no-cache");
    for (query, parameter) in [
        ("", "from"),
        ("?from=x", "from"),
        ("?from=1&to=1", "from"),
        ("?from=1&to=0", "from"),
        ("?from=0&to=-1", "to"),
        ("?from=0&strength=weak", "strength"),
    ] {
        let reply = world.get(&format!("/v5/superroot/consistency{query}")).await;
        assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], parameter, "{query}");
    }
    for query in ["from=0&to=0", "from=1", "from=1&to=1&strength=full"] {
        let reply = world.get(&format!("/v5/superroot/consistency?{query}")).await;
        let detail = reply.problem(400, "invalid_parameter")["detail"].to_string();
        assert!(detail.contains("extends itself: compare the hashes"), "{query}: {detail}");
    }
    let past = world.get("/v5/superroot/consistency?from=0&to=2").await;
    past.problem(404, "unknown_superroot");
}

#[tokio::test]
async fn the_checkpoint_is_what_the_next_super_root_commits_to() {
    let mut world = World::small(unlimited());
    let reply = world.get("/v5/checkpoint").await;
    assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    let text = String::from_utf8(reply.bytes).unwrap();
    let lines: Vec<_> = text.split('\n').collect();
    assert_eq!((lines.len(), lines[0], lines[1], lines[3]), (6, ORIGIN, "2", ""));
    world.extend(34..35, true);
    world.step(200);
    let history = &world.get("/v5/superroot/2").await.good()["history"];
    assert_eq!(history["leafCount"], 2);
    let root = hash_of(history, "logRoot");
    use base64::Engine;
    assert_eq!(base64::engine::general_purpose::STANDARD.encode(root.0), lines[2]);
}

#[tokio::test]
async fn before_the_first_super_root_proofs_wait_and_the_rest_answers() {
    let world = World::empty(unlimited(), 0);
    for path in ["/v5/superroot", "/v5/proof/1/5", "/v5/checkpoint", "/finality/1", "/health/ready"]
    {
        let problem = world.get(path).await.problem(503, "starting");
        let anchor = problem.get("v5Anchor").or_else(|| problem.get("v5_anchor"));
        assert_eq!(anchor, Some(&Value::Null), "{path}");
    }
    assert_eq!(world.get("/health/live").await.good()["status"], "live");
    let status = world.get("/api/v1/status").await.good();
    assert_eq!((&status["status"], &status["super_root"]), (&json!("starting"), &Value::Null));
    assert_eq!(status["v5_anchor"], Value::Null);
    assert_eq!(world.get("/api/v1/chains").await.good()["chains"].as_array().unwrap().len(), 27);
}

#[tokio::test]
async fn every_other_answer_is_documented_too() {
    let world = World::sealed(unlimited());
    let document = world.get("/openapi.json").await.json();
    let page = world.get("/v5/superroot").await.good();
    let blob = format!("/kv/blob/{}", page["superRootHash"].as_str().unwrap());
    for (path, schema) in [
        ("/v5/superroot", "SuperRootPage"),
        ("/v5/superroot/0", "SuperRootPage"),
        ("/kv/super-root/latest", "SuperRootPageSnake"),
        (&blob, "PublishedBlob"),
        ("/v5/mini-mmr/evm/twigs?from=0", "TwigPage"),
        ("/api/v1/chains", "ChainList"),
        ("/api/v1/status", "Status"),
        ("/health/live", "Health"),
        ("/health/ready", "Ready"),
        ("/health", "Ready"),
    ] {
        assert_documented(&document, schema, &world.get(path).await.good());
    }
    let items = json!({ "items": [{ "chain": 1, "block": 2046 }] });
    assert_documented(&document, "Batch", &world.post("/v5/proof/batch", &items).await.good());
    let world = World::small(unlimited());
    for strength in ["history", "full"] {
        let path = format!("/v5/superroot/consistency?from=0&strength={strength}");
        assert_documented(&document, "ConsistencyProof", &world.get(&path).await.good());
    }
}

#[tokio::test]
async fn answers_are_as_reviewed() {
    let world = World::small(unlimited());
    let (number, index, hash) = world.eventful(0..32);
    for (name, path) in [
        ("superroot", "/v5/superroot".to_owned()),
        ("block", "/v5/proof/1/20".to_owned()),
        ("kv_block", "/kv/proof/1/20".to_owned()),
        ("lambda", "/api/lambda/proof-bundle/block/1/20".to_owned()),
        ("blob_proof", "/api/v5/proof/blob/1/20".to_owned()),
        ("transaction", format!("/v5/tx/1/{hash}")),
        ("event", format!("/v5/proof/event/1/{number}/{index}/0")),
        ("finality", "/finality/1".to_owned()),
        ("not_anchored", "/v5/proof/1/32".to_owned()),
    ] {
        let request = request("GET", &path, &[("x-request-id", "r-1")], axum::body::Body::empty());
        let body = cut(world.send(request).await.json());
        insta::assert_json_snapshot!(name, body);
    }
}
