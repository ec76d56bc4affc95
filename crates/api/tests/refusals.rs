//! Refusals say what is true, and whether asking again helps.

use crate::support;

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use superroot_account::Tier;
use superroot_api::ChainStage;
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::layout::{HeaderWhy, HeldRun, KeptEntries, RefusedRow};
use superroot_store::{WriteBatch, write};
use superroot_types::{BlockNumber, Hash};
use support::{World, assert_documented, unlimited};

/// A recorded log: blocks 2046 to 2050, one twig sealed.
fn recorded() -> World {
    let mut world = World::of("ethereum", "recorded/api-tests", unlimited(), 2040);
    world.extend(2046..2051, true);
    world.step(100);
    world
}

#[tokio::test]
async fn a_recorded_log_never_says_that_a_block_does_not_exist() {
    let world = recorded();
    for path in ["/v5/proof/1/2000", "/v5/proof/event/1/2000/0/0", "/finality/1/proof/2000"] {
        let problem = world.get(path).await.problem(404, "not_indexed");
        assert_eq!(problem["scanned"], json!({ "from": 0, "to": 2050 }), "{path}");
        assert!(problem["detail"].as_str().unwrap().contains("no recording"), "{problem}");
    }
    // within a block that is held there is nothing more to come
    world.get("/v5/proof/event/1/2050/999/0").await.problem(404, "not_found");
    let body = json!({ "items": [{ "chain": 1, "block": 2000 }] });
    world.post("/v5/proof/batch", &body).await.problem(404, "not_indexed");
}

/// Why a recording was left out is said of its own block, and of no other: neither of its neighbour nor of
/// a block of another chain with the same number, nor of one that is held.
#[tokio::test]
async fn a_recording_that_was_left_out_is_named_for_its_own_block_alone() {
    let world = recorded();
    let base = superroot_chain::ChainRegistry::builtin().find("base").unwrap().key();
    let mut batch = WriteBatch::new();
    for (chain, number, reason) in [
        (world.key(), 2000, "its hash differs"),
        (base, 2001, "signed for another chain"),
        (world.key(), 2002, "its parent differs"),
        (world.key(), 2050, "another copy of it is cut short"),
    ] {
        let row = RefusedRow { reason: reason.to_owned(), source: "capture".to_owned() };
        write::put_refused(&mut batch, chain, BlockNumber(number), &row);
    }
    world.store.commit(batch).unwrap();
    for (number, why) in
        [(2000, Some("its hash differs")), (2001, None), (2002, Some("its parent differs"))]
    {
        let mut problems = Vec::new();
        for path in [
            format!("/v5/proof/1/{number}"),
            format!("/kv/proof/1/{number}"),
            format!("/finality/1/proof/{number}"),
            format!("/v5/proof/event/1/{number}/0/0"),
            format!("/v5/proof/absence/1/{number}/0"),
        ] {
            problems.push(world.get(&path).await.problem(404, "not_indexed"));
        }
        let body = json!({ "items": [{ "chain": 1, "block": number }] });
        problems.push(world.post("/v5/proof/batch", &body).await.problem(404, "not_indexed"));
        for problem in problems {
            let detail = problem["detail"].as_str().unwrap();
            let Some(why) = why else {
                assert!(detail.contains("no recording of the block was taken"), "{problem}");
                assert!(!detail.contains("left out"), "{problem}");
                continue;
            };
            let expected = format!(": the recording of block {number} was left out: {why}");
            assert!(detail.ends_with(&expected), "{problem}");
            assert_eq!(problem["retryable"], false, "{problem}");
        }
    }
    assert_eq!(world.get("/v5/proof/1/2050").await.status, 200);
    let past = world.get("/v5/proof/event/1/2050/999/0").await.problem(404, "not_found");
    assert!(!past["detail"].as_str().unwrap().contains("left out"), "{past}");
}

#[tokio::test]
async fn past_the_last_recording_nothing_is_to_be_waited_for() {
    let world = recorded();
    let problem = world.get("/v5/proof/1/2051").await.problem(404, "not_indexed");
    assert!(problem["detail"].as_str().unwrap().contains("end at block 2050"), "{problem}");
    // while recordings are still being read it may come
    world.ready.store(false, Ordering::SeqCst);
    let problem = world.get("/v5/proof/1/2051").await.problem(409, "not_yet_anchored");
    assert_eq!(problem["retryable"], true);
}

#[tokio::test]
async fn a_named_super_root_never_gains_a_block() {
    let world = World::small(unlimited());
    let older = world.get("/v5/superroot/0").await.good()["superRootHash"].clone();
    let older = older.as_str().unwrap();
    for path in [
        "/v5/proof/1/30?sequence=0".to_owned(),
        format!("/v5/proof/1/30?root={older}"),
        "/v5/proof/1/33?sequence=0".to_owned(),
        "/v5/proof/event/1/30/0/0?sequence=0".to_owned(),
        "/kv/proof/1/999?sequence=0".to_owned(),
    ] {
        let problem = world.get(&path).await.problem(409, "not_yet_anchored");
        let told = [&problem["retryable"], &problem["sequence"], &problem["anchored"]];
        assert_eq!(told, [&json!(false), &json!(0), &json!(27)], "{path}");
    }
    assert_eq!(world.get("/v5/proof/1/30?sequence=1").await.status, 200);
    let pending = world.get("/v5/proof/1/30?sequence=0&level=2").await.good();
    assert_eq!(pending["anchorStatus"], "pending");
    let body = json!({ "items": [{ "chain": 1, "block": 30 }], "sequence": 0 });
    let problem = world.post("/v5/proof/batch", &body).await.problem(409, "not_yet_anchored");
    assert_eq!((&problem["retryable"], &problem["parameter"]), (&json!(false), &json!("items[0]")));
}

#[tokio::test]
async fn a_withdrawn_block_is_gone_for_good() {
    let mut world = World::small(unlimited());
    world.withdraw(20);
    let gone = ["/v5/proof/1/20", "/v5/proof/1/31", "/kv/proof/1/20", "/finality/1/proof/25"];
    for announced in [false, true] {
        for path in gone.into_iter().chain(["/v5/proof/1/20?sequence=1"]) {
            let problem = world.get(path).await.problem(410, "withdrawn");
            assert_eq!(problem["retryable"], false, "{path}, announced: {announced}");
        }
        assert_eq!(world.get("/v5/proof/1/19").await.status, 200);
        // the log says so with its next SuperRoot, for which no chain needs to move
        world.step(200);
    }
    assert_eq!(world.get("/v5/superroot").await.good()["sequence"], 2);
}

/// Its nodes go on, and may have halted it before: what decides is that the log has done with it.
#[tokio::test]
async fn a_withdrawn_chain_says_so_on_every_route_and_sends_nobody_to_wait() {
    let mut world = World::small(unlimited());
    world.halt(30);
    world.withdraw(20);
    let document = world.get("/openapi.json").await.json();
    for announced in [false, true] {
        // not anchored, not held, far above the head; and what asks for the newest
        for path in [
            "/v5/proof/1/32",
            "/v5/proof/1/33?level=2",
            "/v5/proof/1/1000000",
            "/v5/proof/1/1000000?sequence=1",
            "/v5/proof/event/1/33/0/0",
            "/v5/proof/absence/1/33/9",
            "/v5/proof/1/latest",
            "/kv/proof/1/latest",
            "/finality/1",
        ] {
            let reply = world.get(path).await;
            let problem = reply.problem(410, "withdrawn");
            let told = (&problem["retryable"], reply.has("retry-after"));
            assert_eq!(told, (&json!(false), false), "{path}, announced: {announced}");
            let text = problem.to_string();
            assert!(!text.contains("temporarily") && !text.contains("halted"), "{path}: {text}");
        }
        let detail = world.get("/finality/1").await.json()["detail"].to_string();
        assert!(detail.contains("withdrawn from block 20 on"), "{detail}");
        assert!(detail.contains("up to block 19, can still be proven"), "{detail}");
        let unknown = format!("/v5/tx/1/{}", Hash([7; 32]));
        let unknown = world.get(&unknown).await.problem(404, "not_indexed")["detail"].to_string();
        assert!(unknown.contains("withdrawn from block 20 on, nothing widens it"), "{unknown}");
        for (path, schema) in [("/api/v1/status", "Status"), ("/finality", "FinalityList")] {
            let body = world.get(path).await.good();
            assert_documented(&document, schema, &body);
            let chain = &body["chains"][0];
            assert_eq!(chain["state"], "withdrawn", "{path}");
            assert_eq!(chain["why"], "it is withdrawn from block 20 on", "{path}");
            assert_eq!(chain["finalized"]["number"], 19, "{path}");
        }
        let coverage = world.get("/api/v1/coverage/1").await.good();
        let range = &coverage["ranges"][0];
        assert_eq!((&range["from"], &range["to"]), (&json!(0), &json!(19)), "{coverage}");
        let gaps = json!([{ "from": 20, "to": null, "reason": "withdrawn",
            "detail": "it is withdrawn from block 20 on" }]);
        assert_eq!(coverage["gaps"], gaps);
        let retraction = world.get("/finality/1").await.json()["retraction"]["number"].clone();
        assert_eq!(retraction, 30);
        for path in ["/api/v1/status", "/api/v1/chains"] {
            let anchored = world.get(path).await.good()["chains"][0]["anchored"].clone();
            let expected = (json!(19), json!(world.block(19).hash()));
            assert_eq!((anchored["number"].clone(), anchored["hash"].clone()), expected, "{path}");
        }
        let page = world.get("/status").await;
        let page = String::from_utf8_lossy(&page.bytes).into_owned();
        assert!(page.contains("it is withdrawn from block 20 on"), "{page}");
        assert_eq!(world.get("/v5/proof/1/19").await.status, 200);
        world.step(200);
    }
}

#[tokio::test]
async fn a_chain_of_which_nothing_is_anchored_yet_is_to_be_asked_again() {
    let mut world = World::of("base", support::ORIGIN, unlimited(), 0);
    world.extend(0..3, true);
    world.step(100);
    assert_eq!(world.get("/v5/proof/base/latest").await.status, 200);
    let ethereum = superroot_chain::ChainRegistry::builtin().find("ethereum").unwrap().key();
    world.status.update(ethereum, |view| view.state = ChainStage::Starting);
    for path in ["/finality/1", "/v5/proof/1/latest", "/v5/proof/1/5", "/kv/proof/1/0"] {
        let problem = world.get(path).await.problem(503, "chain_unavailable");
        assert_eq!(problem["retryable"], true, "{path}");
    }
    let problem = world.get("/v5/proof/1/5?sequence=0").await.problem(409, "not_yet_anchored");
    assert_eq!((&problem["retryable"], &problem["anchored"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn the_pause_grows_with_the_distance_to_the_head() {
    let world = World::small(unlimited());
    for (number, seconds) in [(34_u64, 12), (43, 120), (1_000_000, 3600), ((1 << 53) - 1, 3600)] {
        let path = format!("/v5/proof/1/{number}");
        let problem = world.get(&path).await.problem(409, "not_yet_anchored");
        assert_eq!(problem["retry_after"], seconds, "{number}");
    }
}

#[tokio::test]
async fn a_misspelt_member_of_a_body_is_refused() {
    let world = World::small(unlimited());
    let proof = world.get("/v5/proof/1/20").await.good();
    let item = json!({ "chain": 1, "block": 20 });
    for (path, body, parameter) in [
        ("/kv/verify", json!({ "proof": proof, "expect": { "block": 7 } }), "expect"),
        ("/kv/verify", json!({ "proof": proof, "proof_blob": "0x" }), "proof_blob"),
        ("/kv/verify", json!({ "proof": proof, "expected": { "blok": 7 } }), "expected.blok"),
        ("/kv/verify", json!({}), "proof"),
        ("/kv/verify", json!({ "proof": { "items": [], "nodes": [] } }), "proof"),
        ("/v5/proof/batch", json!({ "items": [item], "sequnce": 0 }), "sequnce"),
    ] {
        let problem = world.post(path, &body).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{problem}");
    }
}

#[tokio::test]
async fn an_expectation_that_no_proof_can_meet_is_400() {
    let world = World::small(unlimited());
    let proof = world.get("/v5/proof/1/20").await.good();
    let long = vec![Hash([1; 32]); 5];
    for (name, value) in [
        ("super_root_hash", json!("0x12")),
        ("super_root_hash", json!(5)),
        ("block", json!("0x14")),
        ("block", json!(-1)),
        ("block", json!(1.5)),
        ("block_number", Value::Null),
        ("tx_index", json!(1_u64 << 32)),
        ("log_index", json!("one")),
        ("address", json!("0x12")),
        ("topics", json!("0x12")),
        ("topics", json!([1])),
        ("topics", json!(long)),
        ("chain", json!("no/chain")),
    ] {
        let body = json!({ "proof": proof, "expected": { name: value } });
        let problem = world.post("/kv/verify", &body).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], format!("expected.{name}"), "{value}");
    }
    for expected in [Value::Null, json!([]), json!("x")] {
        let body = json!({ "proof": proof, "expected": expected });
        let problem = world.post("/kv/verify", &body).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "expected");
    }
    let padded = json!({ "proof": proof, "expected": { "block": "0020", "chain": "Ethereum" } });
    assert_eq!(world.post("/kv/verify", &padded).await.good()["valid"], true);
}

/// What the levels of a proof do not show is not said to be proven.
#[tokio::test]
async fn a_number_needs_the_header_and_a_chain_the_block_leaf() {
    let world = World::small(unlimited());
    let (number, _, hash) = world.eventful(0..32);
    for (level, block, chain) in [(1, false, false), (2, true, false), (3, true, true)] {
        let proof = world.get(&format!("/v5/tx/1/{hash}?level={level}")).await.good();
        for (expected, shown) in
            [(json!({ "block": number }), block), (json!({ "chain": 1 }), chain)]
        {
            let body = json!({ "proof": proof, "expected": expected });
            let answer = world.post("/kv/verify", &body).await.good();
            let name = expected.as_object().unwrap().keys().next().unwrap();
            let checks = answer["checks"].as_array().unwrap();
            let check = checks.iter().rfind(|check| check["name"] == *name).unwrap();
            assert_eq!(check["ok"], shown, "level {level}, {expected}: {answer}");
            assert_eq!(answer["valid"], false, "it leads to no SuperRoot");
            assert_eq!(answer["level_reached"], level);
        }
    }
}

/// A ledger without a bloom is said to have none, and not that the answer may come with another build.
#[tokio::test]
async fn a_bloom_proof_of_bitcoin_is_not_provable() {
    let world = recorded();
    let key = world.key_of_tier(superroot_account::Tier::Builder);
    let address = format!("0x{}", "ab".repeat(20));
    let ask = |chains: Value| json!({ "address": address, "chain_ids": chains });
    for chains in [json!(["bitcoin"]), json!(["btc", "bitcoin"])] {
        let problem = world
            .ask(&key, "POST", "/bloom/query", Some(&ask(chains)))
            .await
            .problem(404, "not_provable");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("no bloom") && detail.contains("/v5/proof/absence"), "{detail}");
    }
    for (chains, left_out) in [(json!([1]), 0), (json!(["bitcoin", 1]), 1)] {
        let reply = world.ask(&key, "POST", "/bloom/query", Some(&ask(chains))).await;
        assert_eq!(reply.status, 200);
        let answer = reply.json();
        assert_eq!(answer["results"][0]["chain_id"], 1, "{answer}");
        assert_eq!(answer["left_out"].as_array().unwrap().len(), left_out, "{answer}");
    }
    let twice = world.ask(&key, "POST", "/bloom/query", Some(&ask(json!([1, "ethereum"])))).await;
    assert_eq!(twice.good()["results"].as_array().unwrap().len(), 1);
    for chains in [json!([]), json!(7)] {
        let reply = world.ask(&key, "POST", "/bloom/query", Some(&ask(chains))).await;
        assert_eq!(reply.problem(400, "invalid_parameter")["parameter"], "chain_ids");
    }
    world
        .ask(&key, "POST", "/bloom/query", Some(&ask(json!(["atlantis"]))))
        .await
        .problem(404, "unknown_chain");
}

/// Questions about all chains at one time wait for one another, and hold up nobody who asks for less.
#[tokio::test(flavor = "multi_thread")]
async fn many_questions_about_every_chain_get_one_answer_each() {
    let mut settings = unlimited();
    settings.api.proofs_at_once_max = 2;
    let world = World::small(settings);
    let key = world.key_of_tier(superroot_account::Tier::Enterprise);
    let body = json!({ "topic": "Transfer(address,address,uint256)" });
    let asked = (0..64).map(|_| world.ask(&key, "POST", "/bloom/query", Some(&body)));
    let asked = futures_util::future::join_all(asked);
    let (answers, live) = tokio::join!(asked, world.get("/health/live"));
    assert_eq!(live.good()["status"], "live");
    let answers: Vec<_> = answers.into_iter().map(|reply| reply.good()).collect();
    assert!(answers.iter().all(|answer| answer["results"] == answers[0]["results"]));
}

/// Where no chain is named, each is either answered for or left out with its reason.
#[tokio::test]
async fn a_question_about_every_chain_is_silent_about_none() {
    let ask = json!({ "topic": "Transfer(address,address,uint256)" });
    for (world, held) in [(World::small(unlimited()), 1), (World::empty(unlimited(), 0), 0)] {
        let key = world.key_of_tier(superroot_account::Tier::Builder);
        let answer = world.ask(&key, "POST", "/bloom/query", Some(&ask)).await.good();
        let topic = answer["query"]["topics"][0].as_str().unwrap();
        assert!(topic.starts_with("0xddf252ad"), "{topic}");
        assert_eq!(answer["results"].as_array().unwrap().len(), held);
        let left_out = answer["left_out"].as_array().unwrap();
        assert_eq!(left_out.len(), 27 - held, "{answer}");
        let why = |id: u64| {
            let one = left_out.iter().find(|one| one["chain_id"] == id).unwrap();
            one["why"].as_str().unwrap()
        };
        assert_eq!(why(137), "no final block of it is held");
        assert!(why(21_000_000).contains("no bloom"), "{}", why(21_000_000));
    }
}

/// Everything that needs a body which is withheld is refused with the reason, and who looks for a transaction in vain is
/// told where it may be.
#[tokio::test]
async fn what_needs_a_withheld_body_is_refused_with_the_reason() {
    let mut world = World::empty(unlimited(), 0);
    world.extend(0..5, true);
    world.kept = KeptEntries::Some(Vec::new());
    world.extend(5..6, true);
    world.kept = KeptEntries::All;
    world.extend(6..9, true);
    let (store, chain, number, mut batch) =
        (&*world.store, world.key(), BlockNumber(5), WriteBatch::new());
    let held = HeldRun::HeaderOnly { why: HeaderWhy::NoBody };
    let run = CoverageRun { from: number, to: number, held };
    coverage::put_coverage(&mut batch, store, chain, &[run]).unwrap();
    let reason = "transactions: type 9 is not read".to_owned();
    let row = RefusedRow { reason: reason.clone(), source: "alpha, beta".to_owned() };
    write::put_refused(&mut batch, chain, number, &row);
    store.commit(batch).unwrap();
    world.step(100);
    world.tell();
    let hash = Hash([7; 32]);
    for path in [
        "/v5/proof/event/1/5/0/0".to_owned(),
        "/v5/proof/absence/1/5/200".to_owned(),
        format!("/v5/proof/tx/1/{hash}?block=5"),
        format!("/v5/event/1/{hash}/0?block=5"),
        "/v5/logs?chain=1&fromBlock=4&toBlock=6".to_owned(),
    ] {
        let key = world.key_of_tier(Tier::Builder);
        let reply = world.ask(&key, "GET", &path, None).await;
        let problem = reply.problem(404, "not_provable");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(&reason) && detail.contains("block 5 is withheld"), "{detail}");
    }
    for (path, code) in [
        (format!("/v5/proof/tx/1/{hash}"), "not_indexed"),
        (format!("/v5/find/{hash}"), "not_found"),
    ] {
        let problem = world.get(&path).await.problem(404, code);
        let detail = problem["detail"].as_str().unwrap();
        let hint = "of blocks of Ethereum the bodies are withheld, of which block 5 is the newest";
        assert!(detail.contains(hint) && detail.contains(&reason), "{detail}");
    }
    let other = world.get("/v5/proof/event/1/6/200/0").await.problem(404, "not_found");
    assert!(!other["detail"].as_str().unwrap().contains(&reason));
}
