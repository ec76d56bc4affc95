//! Chains that stand still: what is anchored is proven, nobody is put off for ever.

use crate::support;

use serde_json::{Value, json};
use superroot_api::{ChainStage, StatusError};
use superroot_types::{Hash, UnixSeconds};
use support::*;

/// Questions about what is not anchored, or about the newest of a chain.
const LIVE_QUESTIONS: [&str; 9] = [
    "/v5/proof/1/latest",
    "/v5/proof/event/1/latest/0/0",
    "/kv/proof/1/latest",
    "/api/v5/proof/blob/1/latest",
    "/v5/proof/1/32",
    "/v5/proof/1/33",
    "/v5/proof/1/1000000",
    "/finality/1/proof/latest",
    "/finality/1",
];

/// The chain's limit is 240 s: 20 blocks of 12 s.
fn quiet_for(seconds: u64) -> World {
    let world = World::small(unlimited());
    world.clock.set(UnixSeconds(NOW + seconds));
    world
}

#[tokio::test]
async fn stalled_chain_answers_503_with_retry_after() {
    let world = quiet_for(241);
    for path in LIVE_QUESTIONS {
        let reply = world.get(path).await;
        let problem = reply.problem(503, "chain_unavailable");
        assert_eq!((&problem["retryable"], reply.header("retry-after")), (&json!(true), "30"));
        assert_eq!((&problem["state"], &problem["since"]), (&json!("stalled"), &json!(NOW)));
        assert_eq!((&problem["anchored"], &problem["head"]), (&json!(31), &json!(33)), "{path}");
        assert_eq!(problem["see"], "/api/v1/coverage/1");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("no new block for 241 s, the limit is 240 s"), "{detail}");
        assert!(detail.contains("up to block 31, can still be proven"), "{detail}");
    }
    let items = json!({ "items": [{ "chain": 1, "block": 20 }, { "chain": 1, "block": 32 }] });
    let problem = world.post("/v5/proof/batch", &items).await.problem(503, "chain_unavailable");
    assert_eq!(problem["parameter"], "items[1]");
}

#[tokio::test]
async fn before_its_limit_a_quiet_chain_is_to_be_waited_for() {
    let world = quiet_for(240);
    assert_eq!(world.get("/v5/proof/1/latest").await.status, 200);
    assert_eq!(world.get("/finality/1").await.status, 200);
    world.get("/v5/proof/1/32").await.problem(409, "not_yet_anchored");
    world.get("/v5/proof/1/33").await.problem(409, "not_final");
}

#[tokio::test]
async fn what_is_anchored_of_a_stalled_chain_is_proven_as_ever() {
    let world = quiet_for(1_000_000);
    let (number, index, hash) = world.eventful(0..32);
    for path in [
        "/v5/proof/1/31".to_owned(),
        "/kv/proof/1/0".to_owned(),
        "/finality/1/proof/31".to_owned(),
        format!("/v5/tx/1/{hash}"),
        format!("/v5/proof/event/1/{number}/{index}/0"),
        // a SuperRoot that is named has a newest block for good
        "/v5/proof/1/latest?sequence=1".to_owned(),
        // levels below the SuperRoot wait for nothing
        "/v5/proof/1/32?level=2".to_owned(),
        "/finality".to_owned(),
        "/v5/superroot".to_owned(),
    ] {
        assert_eq!(world.get(&path).await.status, 200, "{path}");
    }
    world.get("/v5/proof/1/32?sequence=1").await.problem(409, "not_yet_anchored");
    let anchor = &world.get("/v5/proof/1/32").await.json()["v5Anchor"];
    assert_eq!(anchor["indexedBlock"], 31);
}

#[tokio::test]
async fn a_halted_chain_says_so_with_its_retraction() {
    let world = World::small(unlimited());
    // the store says so, whatever the board does
    world.halt(30);
    for path in LIVE_QUESTIONS {
        let reply = world.get(path).await;
        let problem = reply.problem(503, "chain_unavailable");
        assert_eq!((&problem["state"], reply.header("retry-after")), (&json!("halted"), "3600"));
        assert_eq!(problem["since"], NOW - 5);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("halted at block 30: two hashes"), "{detail}");
        assert_eq!(
            problem["retraction"],
            json!({
                "chain_id": 1,
                "number": 30,
                "held_hash": Hash([1; 32]),
                "other_hash": Hash([2; 32]),
                "sources": ["alpha", "gamma"],
                "source_count": 3,
                "rule": "finalized tag",
                "noticed_at": NOW - 5,
                "other_header": "0x0304",
            })
        );
    }
    assert_eq!(world.get("/v5/proof/1/31").await.status, 200);
}

#[tokio::test]
async fn a_chain_without_a_source_is_not_to_be_asked_again() {
    let world = World::small(unlimited());
    world.status.update(world.key(), |view| view.state = ChainStage::NotFollowed);
    for path in LIVE_QUESTIONS {
        let reply = world.get(path).await;
        let problem = reply.problem(503, "chain_unavailable");
        assert_eq!((&problem["retryable"], reply.has("retry-after")), (&json!(false), false));
        assert!(problem["detail"].as_str().unwrap().contains("no source of it"), "{problem}");
    }
    assert_eq!(world.get("/v5/proof/1/31").await.status, 200);
}

/// Errors of a store may name files, those of a node whatever it likes.
#[tokio::test]
async fn a_503_tells_nothing_of_the_last_error() {
    let world = quiet_for(500);
    let last_error = StatusError::new(&"cannot read /srv/secret/db", UnixSeconds(NOW));
    world.status.update(world.key(), |view| view.last_error = Some(last_error));
    for path in LIVE_QUESTIONS {
        assert!(!world.get(path).await.json().to_string().contains("secret"), "{path}");
    }
}

/// What was anchored before its nodes took it back stays and is proven, but nothing calls it final:
/// not the block, nor what stands on it, in any shape, under whichever SuperRoot.
#[tokio::test]
async fn what_is_taken_back_is_never_called_final() {
    let world = World::small(unlimited());
    let fixed = world.get("/v5/proof/1/29?sequence=1").await;
    assert!(fixed.header("cache-control").contains("immutable"));
    // what was remembered of before says nothing afterwards
    let items = json!({ "items": [{ "chain": 1, "block": 20 }, { "chain": 1, "block": 31 }] });
    let before = world.post("/v5/proof/batch", &items).await;
    assert_eq!(before.good()["items"][1]["finality"]["status"], "finalized");
    assert_eq!(world.post("/v5/proof/batch", &items).await.bytes, before.bytes);
    world.halt(30);
    let document = world.get("/openapi.json").await.json();
    for (path, schema) in [
        ("/v5/proof/1/30", "BlockProof"),
        ("/v5/proof/1/31", "BlockProof"),
        ("/v5/proof/1/30?sequence=1", "BlockProof"),
        ("/v5/proof/1/32?level=2", "BlockProof"),
        ("/kv/proof/1/30", "BlockProofSnake"),
        ("/finality/1/proof/30", "BlockProofSnake"),
        ("/api/v5/proof/blob/1/31", "BlobProof"),
        ("/api/lambda/proof-bundle/block/1/30", "LambdaBundle"),
    ] {
        let reply = world.get(path).await;
        let body = reply.good();
        assert_documented(&document, schema, &body);
        assert_eq!(body["finality"]["status"], "retracted", "{path}");
        let number = &body["retraction"]["number"];
        assert_eq!((number, reply.header("cache-control")), (&json!(30), "no-cache"), "{path}");
        let text = body.to_string();
        assert!(!text.contains("\"finalized\"") && !text.contains("Finalized\":true"), "{text}");
        let said = body.get("l6_finality_commitment").and_then(Value::as_str);
        assert!(said.is_none_or(|said| said.starts_with("retracted")), "{said:?}");
    }
    let batch = world.post("/v5/proof/batch", &items).await.good();
    let [below, above] = [&batch["items"][0], &batch["items"][1]];
    assert_eq!(
        (&below["finality"]["status"], below.get("retraction")),
        (&json!("finalized"), None)
    );
    assert_eq!(above["finality"]["status"], "retracted");
    assert_eq!(above["retraction"]["number"], 30);
    let proof = world.get("/v5/proof/1/31").await.good();
    let checked = world.post("/kv/verify", &json!({ "proof": proof })).await.good();
    assert_eq!((&checked["valid"], &checked["retraction"]["number"]), (&json!(true), &json!(30)));
    let list = world.get("/finality").await.good();
    let ethereum = &list["chains"][0];
    assert_eq!((&ethereum["finalized"]["number"], &ethereum["rule"]), (&json!(29), &Value::Null));
    let status = world.get("/api/v1/status").await.good();
    assert_eq!(status["chains"][0]["finalized"]["number"], 29);
    // what is below is as it was, to the byte
    assert_eq!(world.get("/v5/proof/1/29?sequence=1").await.bytes, fixed.bytes);
}

/// Where it is not known how deep a contradiction reaches, nothing that it may reach is called final.
#[tokio::test]
async fn a_contradiction_of_unknown_depth_reaches_below_the_block_it_names() {
    let world = World::small(unlimited());
    world.halt(30);
    let mut batch = superroot_store::WriteBatch::new();
    let from = superroot_types::BlockNumber(20);
    superroot_store::write::put_contest(&mut batch, &*world.store, world.key(), from).unwrap();
    world.store.commit(batch).unwrap();
    for (number, status, named) in
        [(19, "finalized", None), (20, "retracted", Some(30)), (31, "retracted", Some(30))]
    {
        let body = world.get(&format!("/v5/proof/1/{number}")).await.good();
        assert_eq!(body["finality"]["status"], status, "block {number}");
        assert_eq!(body["retraction"]["number"].as_u64(), named, "block {number}");
    }
    let list = world.get("/finality").await.good();
    assert_eq!(list["chains"][0]["finalized"]["number"], 19);
}

/// Once nodes stand by what was held, it is final again; that it was taken back once is still told.
#[tokio::test]
async fn what_stands_again_is_final_again_and_keeps_its_retraction() {
    let world = World::small(unlimited());
    world.halt_at(30, world.block(30).hash());
    let mut cleared = superroot_store::WriteBatch::new();
    superroot_store::write::clear_halt(&mut cleared, world.key());
    world.store.commit(cleared).unwrap();
    let status = async |number: u64| {
        let body = world.get(&format!("/v5/proof/1/{number}")).await.good();
        (body["finality"]["status"].clone(), body["retraction"]["number"].clone())
    };
    assert_eq!(status(31).await, (json!("retracted"), json!(30)), "cleared is not agreed on");
    world.extend(33..34, true);
    assert_eq!(status(30).await, (json!("finalized"), json!(30)));
    // what stood on it was taken back with it, and keeps that; what came later was not
    assert_eq!(status(31).await, (json!("finalized"), json!(30)));
    assert_eq!(status(29).await, (json!("finalized"), Value::Null));
    let later = world.get("/v5/proof/1/33?level=2").await.good();
    assert_eq!(later["finality"]["status"], "finalized", "{later}");
    assert_eq!(later["retraction"], Value::Null);
}

/// After a restart, before its loop said a word: what is held is told.
#[tokio::test]
async fn a_chain_that_was_not_heard_of_yet_shows_what_is_held() {
    let world = World::small(unlimited());
    world.status.update(world.key(), |view| (view.head, view.finalized) = (None, None));
    let status = world.get("/api/v1/status").await.good();
    let chain = &status["chains"][0];
    assert_eq!((&chain["head"]["number"], &chain["finalized"]["number"]), (&json!(33), &json!(32)));
}

/// A service whose nodes were never there is not starting for ever.
#[tokio::test]
async fn where_every_chain_stands_still_nobody_waits_for_the_first_super_root() {
    let world = World::empty(unlimited(), 0);
    world.status.update(world.key(), |view| {
        (view.state, view.advanced_at) = (ChainStage::Starting, Some(UnixSeconds(NOW)));
    });
    world.clock.set(UnixSeconds(NOW + 241));
    for path in ["/finality/1", "/v5/superroot", "/v5/proof/1/7", "/v5/checkpoint"] {
        let reply = world.get(path).await;
        let problem = reply.problem(503, "chain_unavailable");
        assert_eq!((&problem["state"], reply.header("retry-after")), (&json!("stalled"), "30"));
    }
}
