//! What `/search-api/v5/gas` says, against the blocks it says it of.

use crate::support;

use serde_json::{Value, json};
use superroot_account::Tier;
use superroot_proof::ledger::Header;
use superroot_store::layout::KeptEntries;
use superroot_types::UnixSeconds;
use support::*;

const PATH: &str = "/search-api/v5/gas";

fn of_chain(body: &Value, id: u64) -> &Value {
    let chains = body["chains"].as_array().unwrap();
    chains.iter().find(|chain| chain["chain_id"] == id).unwrap()
}

fn why<'a>(chain: &'a Value, figure: &str) -> &'a str {
    let missing = chain["missing"].as_array().unwrap();
    let found = missing.iter().find(|one| one["figure"] == figure);
    found.and_then(|one| one["why"].as_str()).unwrap_or_else(|| panic!("{figure}: {chain}"))
}

/// Base fee and gas used of a block.
fn header(world: &World, number: u64) -> (u64, u64) {
    let block = world.block(number);
    let rule = superroot_chain::ChainRegistry::builtin().find("ethereum").unwrap();
    let rule = rule.rule_at(block.number()).unwrap();
    let Header::Evm(header) = Header::decode(rule, block.header()).unwrap() else { panic!() };
    (header.base_fee_per_gas.unwrap(), header.gas_used)
}

#[tokio::test]
async fn figures_are_those_of_the_newest_block_and_of_the_next() {
    let world = World::small(unlimited());
    let body = world.get(&format!("{PATH}?chain_id=1")).await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "Gas", &body);
    assert_eq!(body["chains"].as_array().unwrap().len(), 1);
    let chain = of_chain(&body, 1);
    let block = world.block(33);
    assert_eq!(chain["unit"], "wei per gas");
    let expected = json!({
        "number": 33, "hash": block.hash(), "timestamp": block.timestamp().0, "finality": "head",
        "age_seconds": NOW - block.timestamp().0, "proof_url": "/v5/proof/1/33",
    });
    assert_eq!(chain["block"], expected);
    assert_eq!(chain["base_fee"]["wei"], header(&world, 33).0.to_string());
    assert_eq!(chain["next_base_fee"]["wei"], header(&world, 34).0.to_string());
    assert_eq!(chain["next_base_fee"]["confirmed_steps"], 19);
    assert_eq!(chain["next_base_fee"]["rule"], "EIP-1559, elasticity 2, denominator 8");
    let tips = &chain["priority_fee"];
    let wei = |name: &str| tips[name]["wei"].as_str().unwrap().parse::<u128>().unwrap();
    assert!(wei("slow") <= wei("standard") && wei("standard") <= wei("fast") && wei("fast") > 0);
    let counts: usize = (14..34).map(|number| world.block(number).tx_count().unwrap()).sum();
    assert_eq!((&tips["block_count"], &tips["tx_count"]), (&json!(20), &json!(counts)));
    let used: u64 = (14..34).map(|number| header(&world, number).1).sum();
    let mean = chain["utilisation"]["mean"].as_f64().unwrap();
    assert!((mean - used as f64 / (20.0 * 30e6)).abs() < 1e-4, "{chain}");
    let (oldest, newest) = (header(&world, 14).0 as f64, header(&world, 33).0 as f64);
    let change = chain["trend"]["change_percent"].as_f64().unwrap();
    assert!((change - (newest / oldest - 1.0) * 100.0).abs() < 0.01, "{chain}");
    for figure in ["blob_base_fee", "l1_data_fee", "extra_data_price", "fee_rate"] {
        assert_eq!(chain[figure], Value::Null, "{figure}");
        assert!(why(chain, figure).len() > 10);
    }
    // the real Ethereum takes blobs: of a simulated one nothing else is known than that it has none
    for figure in ["blob_base_fee", "l1_data_fee"] {
        assert_eq!(why(chain, figure), "blocks of simulated chains carry no such data");
    }
    // what the figures are of can be proven
    let proof = world.get("/v5/proof/1/33?level=2").await.good();
    assert_eq!(proof["blockHash"], chain["block"]["hash"]);
}

/// Every chain is there; a figure is a figure or null with a reason, never both and never neither.
#[tokio::test]
async fn every_chain_is_listed_and_no_figure_is_silent() {
    let world = World::small(unlimited());
    let body = world.get(PATH).await.good();
    assert_eq!(body["chains"].as_array().unwrap().len(), 27);
    const FIGURES: [&str; 10] = [
        "base_fee",
        "next_base_fee",
        "priority_fee",
        "blob_base_fee",
        "l1_data_fee",
        "extra_data_price",
        "node_price",
        "fee_rate",
        "utilisation",
        "trend",
    ];
    for chain in body["chains"].as_array().unwrap() {
        let missing = chain["missing"].as_array().unwrap();
        for figure in FIGURES {
            let reasons = missing.iter().filter(|one| one["figure"] == figure).count();
            assert_eq!(reasons, usize::from(chain[figure].is_null()), "{figure} {chain}");
        }
        assert!(chain["unit"].is_string());
    }
    let bitcoin = of_chain(&body, 21_000_000);
    assert_eq!((&bitcoin["unit"], &bitcoin["block"]), (&json!("sat/vB"), &Value::Null));
    assert_eq!(why(bitcoin, "fee_rate"), "no block of it is held");
}

#[tokio::test]
async fn a_new_head_brings_new_figures_and_the_same_head_the_same() {
    let world = World::small(unlimited());
    let path = format!("{PATH}?chain_id=ethereum");
    let first = without_anchor(&world.get(&path).await.good());
    world.clock.set(UnixSeconds(NOW + 5));
    let mut later = without_anchor(&world.get(&path).await.good());
    assert_eq!(
        later["chains"][0]["block"]["age_seconds"],
        first["chains"][0]["block"]["age_seconds"].as_u64().unwrap() + 5
    );
    later["chains"][0]["block"]["age_seconds"] = first["chains"][0]["block"]["age_seconds"].clone();
    assert_eq!(later, first);
    world.extend(34..35, false);
    let next = world.get(&path).await.good();
    assert_eq!(next["chains"][0]["block"]["number"], 34);
    assert_eq!(
        next["chains"][0]["base_fee"],
        json!({
            "wei": first["chains"][0]["next_base_fee"]["wei"], "gwei": first["chains"][0]["next_base_fee"]["gwei"],
        })
    );
    assert_eq!(next["chains"][0]["next_base_fee"]["wei"], header(&world, 35).0.to_string());
}

#[tokio::test]
async fn the_finality_of_the_block_is_told() {
    let mut world = World::empty(unlimited(), 0);
    for (numbers, is_final, step, expected) in [
        (0..3, true, Some(100), "anchored"),
        (3..4, true, None, "finalized"),
        (4..5, false, None, "head"),
    ] {
        world.extend(numbers, is_final);
        if let Some(now) = step {
            world.step(now);
        }
        let body = world.get(&format!("{PATH}?chain_id=1")).await.good();
        assert_eq!(of_chain(&body, 1)["block"]["finality"], expected);
    }
}

/// What is withdrawn or taken back is shown by nobody.
#[tokio::test]
async fn figures_are_never_of_blocks_that_were_taken_back() {
    let mut world = World::small(unlimited());
    world.withdraw(20);
    world.step(200);
    let body = world.get(&format!("{PATH}?chain_id=1")).await.good();
    let chain = of_chain(&body, 1);
    assert_eq!(chain["block"]["number"], 19);
    assert_eq!(chain["next_base_fee"]["wei"], header(&world, 20).0.to_string());
}

/// Where transactions are not all held there are no tips, and the headers still decide the base fee.
#[tokio::test]
async fn tips_need_every_transaction() {
    let mut world = World::empty(unlimited(), 0);
    world.kept = KeptEntries::Some(vec![]);
    world.extend(0..5, true);
    let body = world.get(&format!("{PATH}?chain_id=1")).await.good();
    let chain = of_chain(&body, 1);
    assert_eq!(chain["priority_fee"], Value::Null);
    assert!(why(chain, "priority_fee").contains("every transaction"), "{chain}");
    assert_eq!(chain["next_base_fee"]["wei"], header(&world, 5).0.to_string());
    assert_eq!(chain["next_base_fee"]["confirmed_steps"], 4);
}

#[tokio::test]
async fn unknown_chains_and_malformed_ones_are_refused() {
    let world = World::small(unlimited());
    world.get(&format!("{PATH}?chain_id=424242")).await.problem(404, "unknown_chain");
    for wrong in ["-1", "%00", "1&chain_id=10"] {
        let problem =
            world.get(&format!("{PATH}?chain_id={wrong}")).await.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], "chain_id");
    }
}

/// Without a key, and with one of any tier.
#[tokio::test]
async fn anyone_may_ask() {
    let world = World::small(unlimited());
    let keyless = without_anchor(&world.get(PATH).await.good());
    for tier in [Tier::Explorer, Tier::Builder] {
        let key = world.key_of_tier(tier);
        let keyed = world.ask(&key, "GET", PATH, None).await.good();
        assert_eq!(without_anchor(&keyed), keyless);
    }
}
