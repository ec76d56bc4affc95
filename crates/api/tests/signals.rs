//! What `/signals/arb` and the proofs behind signals say.

use crate::support;

use serde_json::{Value, json};
use superroot_account::Tier;
use superroot_market::TokenBook;
use superroot_market::launch::{LaunchKind, load_newest};
use superroot_types::{BlockNumber, Hash, UnixSeconds};
use support::*;

async fn ask(world: &World, path: &str) -> Reply {
    let key = world.key_of_tier(Tier::Builder);
    world.get_with(path, &[("x-api-key", &key)]).await
}

#[tokio::test]
async fn differences_of_prices_are_those_of_the_pools() {
    let world = World::small(unlimited());
    world.tell();
    let head = world.block(33).timestamp();
    world.clock.set(UnixSeconds(head.0 + 30));
    let body = ask(&world, "/signals/arb?min_net_usd=0").await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Opportunities", &body);
    let found = body["opportunities"].as_array().unwrap();
    assert!(!found.is_empty(), "two pools of one coin are never of one price: {body}");
    let number = |value: &Value| value.as_f64().unwrap();
    for one in found {
        let costs = &one["costs"];
        let net = number(&one["grossProfitUsd"]) - number(&costs["gas"]) - number(&costs["bridge"]);
        assert!((net - number(&one["netProfitUsd"])).abs() < 0.02, "{one}");
        assert_eq!(costs["bridge"], 0.0, "one chain");
        let price = |side: &str| one[side]["priceUsd"].as_str().unwrap().parse::<f64>().unwrap();
        assert!(price("buy") < price("sell"));
        let spread = (price("sell") / price("buy") - 1.0) * 100.0;
        assert!((spread - number(&one["spreadPct"])).abs() < 0.02);
        for proof in one["proofs"].as_array().unwrap() {
            world.get(&format!("{}?level=2", proof.as_str().unwrap())).await.good();
        }
    }
    let most = number(&found[0]["netProfitUsd"]);
    let above = ask(&world, &format!("/signals/arb?min_net_usd={}", most as u64 + 1)).await.good();
    assert_eq!(above["opportunities"].as_array().unwrap().len(), 0);
    ask(&world, "/signals/arb?min_net_usd=x").await.problem(400, "invalid_parameter");
    world.get("/signals/arb").await.problem(401, "api_key_required");
    // 20 block times and no block more: prices of then are none of now
    assert_eq!((&body["chainIds"], &body["staleChainIds"]), (&json!([1]), &json!([])));
    assert!(found.iter().all(|one| one["buy"]["blockTimestamp"] == head.0), "{body}");
    world.clock.set(UnixSeconds(head.0 + 241));
    let late = ask(&world, "/signals/arb?min_net_usd=0").await.good();
    assert_eq!((&late["opportunities"], &late["chainIds"]), (&json!([]), &json!([])));
    assert_eq!(late["staleChainIds"], json!([1]));
}

#[tokio::test]
async fn a_proof_hash_leads_to_the_proofs_of_both_events() {
    let mut world = World::small(unlimited());
    world.extend(34..260, true);
    world.step(NOW);
    world.tell();
    let chain = world.key();
    let found = load_newest(&*world.store, chain, BlockNumber(u64::MAX), 100).unwrap();
    assert!(!found.is_empty(), "a token is launched in forty blocks or so");
    for launch in found.iter().filter(|one| one.kind == LaunchKind::Launched) {
        assert!(!market::SomeTokens.is_known(chain, launch.token));
        let hash = launch.proof_hash(chain);
        let body = world.get(&format!("/v5/proof/hash/{hash}")).await.good();
        assert_eq!(body["proofHash"], hash.to_string());
        // what the hash is of, word for word
        let mut statements = Vec::new();
        for (event, role) in
            body["events"].as_array().unwrap().iter().zip(["creation", "liquidity"])
        {
            assert_eq!(event["role"], role);
            let bytes = const_hex::decode(event["proofBlob"].as_str().unwrap()).unwrap();
            let verifier = superroot_client::Verifier::builtin();
            let facts = verifier.check(&bytes, None).unwrap().facts.into_inner();
            statements.push(facts.statement.chain.family as u8);
            statements.extend(facts.statement.chain.id.0.to_be_bytes());
            statements.extend(facts.block_hash.unwrap().0);
            statements.extend(facts.statement.subject.tx_index().unwrap().to_be_bytes());
            let superroot_proof::bundle::ProofSubject::Log { log_index, .. } =
                facts.statement.subject
            else {
                panic!("of an event")
            };
            statements.extend(log_index.to_be_bytes());
        }
        assert_eq!(superroot_proof::hash::keccak256(&statements), hash);
        let verifier = superroot_client::Verifier::builtin();
        let checked = verifier.check_signal(body.to_string().as_bytes()).unwrap();
        assert_eq!((checked.proof_hash, &checked.protocol), (hash, &launch.dex));
        let refused = |change: &dyn Fn(&mut Value)| {
            let mut bent = body.clone();
            change(&mut bent);
            verifier.check_signal(bent.to_string().as_bytes()).unwrap_err()
        };
        use superroot_client::SignalCheckError as Error;
        let other = Value::from(Hash([7; 32]).to_string());
        assert!(matches!(refused(&|it| it["proofHash"] = other.clone()), Error::Hash { .. }));
        let swap = |it: &mut Value| it["events"].as_array_mut().unwrap().reverse();
        assert!(matches!(refused(&swap), Error::Hash { .. }));
        let cut = |it: &mut Value| _ = it["events"].as_array_mut().unwrap().pop();
        assert!(matches!(refused(&cut), Error::NoSignal(_)));
        let none = |it: &mut Value| it["events"][1]["proofBlob"] = "0x53".into();
        assert!(matches!(refused(&none), Error::Proof("liquidity", _)));
    }
    let unknown = Hash([7; 32]);
    world.get(&format!("/v5/proof/hash/{unknown}")).await.problem(404, "not_found");
    world.get("/v5/proof/hash/0x00").await.problem(400, "invalid_parameter");
}

#[tokio::test]
async fn the_newest_launches_are_listed_by_chain_and_value() {
    let world = World::small(unlimited());
    world.extend(33..260, true);
    world.tell();
    let body = ask(&world, "/signals/launches?format=json").await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Launches", &body);
    let launches = body["launches"].as_array().unwrap();
    assert!(!launches.is_empty());
    assert_eq!(body["chainIds"], serde_json::json!([1]));
    let value = |launch: &Value| launch["liquidityUSD"].as_f64().unwrap();
    for launch in launches {
        assert_eq!(launch["chainId"], 1);
        assert!(value(launch) >= 1_000.0);
        assert_eq!(
            launch["proofUrl"],
            format!("/v5/proof/hash/{}", launch["proofHash"].as_str().unwrap())
        );
        assert!(launch["checks"]["owner"].is_null());
        let missing = launch["checks"]["missing"].as_array().unwrap();
        assert!(missing.iter().any(|one| one["check"] == "owner" && one["why"] != ""));
        // the first liquidity of a simulated pool goes to who gave it, but for what is locked
        assert_eq!(launch["checks"]["liquidityBurnedPercent"], 0);
        // of each new token a fifth is not in its pool
        assert_eq!(launch["checks"]["topHoldersPercent"], 20.0, "{}", launch["checks"]);
    }
    let most = launches.iter().map(value).fold(0.0, f64::max);
    let path = format!("/signals/launches?format=json&min_liquidity_usd={}", most as u64 + 1);
    assert_eq!(ask(&world, &path).await.good()["launches"].as_array().unwrap().len(), 0);
    let one = ask(&world, "/signals/launches?format=json&limit=1").await.good();
    assert_eq!(one["launches"].as_array().unwrap().len(), 1);
    for (query, status, code) in [
        ("format=xml", 400, "invalid_parameter"),
        ("format=json&limit=0", 400, "invalid_parameter"),
        ("format=json&limit=501", 400, "invalid_parameter"),
        ("format=json&chain_id=99999", 404, "unknown_chain"),
        ("limit=5", 400, "invalid_parameter"),
        ("finality=soon", 400, "invalid_parameter"),
        ("since=x", 400, "invalid_parameter"),
        ("min_liquidity_usd=-1", 400, "invalid_parameter"),
    ] {
        ask(&world, &format!("/signals/launches?{query}")).await.problem(status, code);
    }
    world.get("/signals/launches").await.problem(401, "api_key_required");
}
