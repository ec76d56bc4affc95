//! What `/price` says, against the pools that it says it of; and whoever asks it wrongly.

use crate::support;

use serde_json::Value;
use superroot_account::Tier;
use superroot_client::{PriceCheckError, Verifier};
use superroot_types::Hash;
use support::*;

/// A service whose events are indexed, and a key that may ask.
fn served() -> (World, String) {
    let world = World::small(unlimited());
    world.tell();
    let key = world.key_of_tier(Tier::Builder);
    (world, key)
}

async fn ask(world: &World, key: &str, path: &str) -> Reply {
    world.get_with(path, &[("x-api-key", key)]).await
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap_or_else(|| panic!("{value}")).parse().unwrap()
}

#[tokio::test]
async fn a_price_names_the_events_that_it_follows_from() {
    let (world, key) = served();
    let price = ask(&world, &key, "/price/1/weth").await.good();
    assert_documented(&world.get("/openapi.json").await.json(), "TokenPrice", &price);
    assert_eq!(price["token"]["symbol"], "WETH");
    let usd = number(&price["price_usd"]);
    assert!((2_000.0..4_000.0).contains(&usd), "{usd}");
    assert_eq!(price["price_native"], "1");
    assert_eq!(price["block"]["number"], 33);
    assert_eq!(price["block"]["finality"], "head");
    for pool in price["pools"].as_array().unwrap() {
        assert_eq!(pool["protocol"], "uniswap_v2");
        let [reserve0, reserve1] = [0, 1].map(|at| number(&pool["reserves"][at]));
        let base = pool["base"].as_str().unwrap();
        let whole = if base == pool["pair"][0] {
            let digits = if base.starts_with("0xa0b8") { 6 } else { 18 };
            reserve0 / 10_f64.powi(digits) / (reserve1 / 1e18)
        } else {
            panic!("USDC and DAI are the lower ones: {pool}");
        };
        // what is taken for a dollar is one, or is priced itself
        let bases = price["bases"].as_array().unwrap();
        let of = bases.iter().find(|one| one["token"]["address"] == base).unwrap();
        let whole = whole * number(&of["price_usd"]);
        assert!((number(&pool["price_usd"]) / whole - 1.0).abs() < 1e-9, "{pool}");
        let event = &pool["last_event"];
        let proven = world.get(&format!("{}?level=2", event["proof_url"].as_str().unwrap())).await;
        assert_eq!(proven.good()["event"]["address"], pool["address"]);
    }
    let weight: f64 = price["pools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pool| pool["weight"].as_f64().unwrap())
        .sum();
    assert!((weight - 1.0).abs() < 1e-3, "{weight}");
    let confidence = price["confidence"]["value"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&confidence));
    // through the coin: the base has pools of its own
    let wbtc = ask(&world, &key, "/price/ethereum/0x2260fac5e5542a773aa44fbcfedf7c193bc2c599")
        .await
        .good();
    let bases = wbtc["bases"].as_array().unwrap();
    let by_pools = bases.iter().find(|base| base["evidence"] == "pools").unwrap();
    assert_eq!(by_pools["token"]["symbol"], "WETH");
    assert!(!by_pools["pools"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_price_of_a_block_is_the_same_for_ever() {
    let (world, key) = served();
    let path = "/price/1/weth?block=30";
    let mut before = ask(&world, &key, path).await.good();
    world.extend(34..50, false);
    world.tell();
    let mut after = ask(&world, &key, path).await.good();
    for price in [&mut before, &mut after] {
        price.as_object_mut().unwrap().remove("v5_anchor");
        price["block"].as_object_mut().unwrap().remove("finality");
    }
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_price_with_proofs_is_computed_again_by_whoever_has_it() {
    let (world, key) = served();
    let path = "/price/1/0x2260fac5e5542a773aa44fbcfedf7c193bc2c599?block=latest&proof=1";
    let price = ask(&world, &key, path).await.good();
    let verifier = Verifier::builtin();
    let checked = verifier.check_price(price.to_string().as_bytes(), &[]).unwrap();
    let root: Hash = price["v5_anchor"]["super_root_hash"].as_str().unwrap().parse().unwrap();
    assert_eq!(checked.super_root_hash(), Some(root));
    assert!(checked.pools >= 3, "{}", checked.pools);
    assert!(
        checked.said.iter().any(|said| said.contains("worth one US dollar")),
        "{:?}",
        checked.said
    );
    // whatever of it is changed, it is refused, or it is the service's word
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut bent = price.clone();
        change(&mut bent);
        verifier.check_price(bent.to_string().as_bytes(), &[]).unwrap_err()
    };
    use PriceCheckError as Error;
    let too_large = serde_json::json!(superroot_types::SAFE_INTEGER_MAX + 1);
    for place in ["/block/number", "/pools/0/last_event/block_number", "/chain_id"] {
        let bend = |price: &mut Value| *price.pointer_mut(place).unwrap() = too_large.clone();
        assert!(matches!(refused(&bend), Error::NoPrice(_)), "{place}");
    }
    assert!(matches!(refused(&|price| price["price_usd"] = "1".into()), Error::Price { .. }));
    assert!(matches!(
        refused(&|price| price["bases"][0]["price_usd"] = "2".into()),
        Error::Price { .. }
    ));
    for member in
        ["reserves", "sqrt_price_x96", "liquidity", "tick", "price_base", "price_usd", "depth_usd"]
            .into_iter()
            .chain(["liquidity_usd", "weight"])
    {
        let error = refused(&|price| {
            let pool = &mut price["pools"][0];
            pool[member] = match &pool[member] {
                Value::Array(_) => serde_json::json!(["1", "2"]),
                Value::String(_) | Value::Null if member != "tick" => "7".into(),
                Value::Null => 7.into(),
                Value::Number(number) if number.is_f64() => 0.123.into(),
                _ => 8.into(),
            };
            if member == "reserves" {
                pool[member] = serde_json::json!(["1", "2"]);
            }
        });
        assert!(matches!(error, Error::Shown { member: of, .. } if of == member), "{error}");
    }
    assert!(matches!(refused(&|price| price["proof"] = Value::Null), Error::NoProof));
    assert!(matches!(
        refused(&|price| _ = price["proof"].as_array_mut().unwrap().pop()),
        Error::Pool { .. }
    ));
    assert!(matches!(
        refused(&|price| price["pools"][0]["pair"][0] = price["pools"][0]["pair"][1].clone()),
        Error::Pool { .. }
    ));
    assert!(matches!(
        refused(&|price| price["pools"][0]["last_event"]["log_index"] = 99.into()),
        Error::Pool { .. }
    ));
    assert!(matches!(
        refused(&|price| _ = price["pools"].as_array_mut().unwrap().remove(0)),
        Error::Price { .. } | Error::Shown { .. }
    ));
    let blob = price["proof"][0]["proof_blob"].as_str().unwrap().to_owned();
    for at in [20, blob.len() / 2, blob.len() - 9] {
        let mut bytes = blob.clone().into_bytes();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        let bent = String::from_utf8(bytes).unwrap();
        let error = refused(&|price| price["proof"][0]["proof_blob"] = bent.clone().into());
        assert!(
            matches!(error, Error::Proof(..) | Error::SuperRoots | Error::Pool { .. }),
            "{at}: {error}"
        );
    }
    // a pool is of a factory that the client knows itself, whatever the answer says of it
    let dai = "0x6b175474e89094c44da98b954eedeac495271d0f";
    let forged = |pool: &mut Value| {
        pool["pair"] = serde_json::json!(["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", dai]);
        pool["base"] = dai.into();
    };
    let error = refused(&|price| {
        let mut base = price["bases"][0].clone();
        (base["token"]["address"], base["token"]["decimals"]) = (dai.into(), 18.into());
        (base["evidence"], base["price_usd"]) = ("configured".into(), "1".into());
        base["token"]["symbol"] = "DAI".into();
        price["bases"].as_array_mut().unwrap().push(base);
        forged(&mut price["pools"][0]);
    });
    assert!(error.to_string().contains("no factory known here"), "{error}");
    // a pool that counts twice would weigh twice
    let error = refused(&|price| {
        let again = price["pools"][0].clone();
        price["pools"].as_array_mut().unwrap().push(again);
    });
    assert!(error.to_string().contains("it is listed twice"), "{error}");
    // what is well known of a token is not the service's to say
    for (member, wrong) in [("decimals", Value::from(7)), ("symbol", "BTC".into())] {
        let error = refused(&|price| price["bases"][0]["token"][member] = wrong.clone());
        assert!(error.to_string().contains("digits behind the point"), "{error}");
        let error = refused(&|price| price["token"][member] = wrong.clone());
        assert!(error.to_string().contains("digits behind the point"), "{error}");
    }
    // the chain's own coin stands for the wrapped one, and for no other token
    let error = refused(&|price| {
        let pool = &mut price["pools"][0];
        pool["pool_id"] = Hash([1; 32]).to_string().into();
        pool["pair"] =
            serde_json::json!(["0x0000000000000000000000000000000000000000", pool["base"]]);
    });
    assert!(error.to_string().contains("it is of other tokens"), "{error}");
    // above what is anchored there are no proofs yet
    let early = ask(&world, &key, "/price/1/weth?proof=1&block=33").await;
    let problem = early.problem(409, "not_yet_anchored");
    assert_eq!(problem["parameter"], "block", "{problem}");
    let newest = ask(&world, &key, "/price/1/weth?proof=1").await.good();
    assert_eq!(newest["block"]["finality"], "anchored");
}

#[tokio::test]
async fn whoever_asks_wrongly_is_told_what_is_wrong() {
    let (world, key) = served();
    for (path, status, code) in [
        ("/price/1/0x12", 400, "invalid_parameter"),
        ("/price/1/weth?window=59", 400, "invalid_parameter"),
        ("/price/1/weth?window=3601", 400, "invalid_parameter"),
        ("/price/1/weth?block=x", 400, "invalid_parameter"),
        ("/price/1/weth?proof=2", 400, "invalid_parameter"),
        ("/price/1/USDC", 400, "invalid_parameter"),
        ("/price/1/nobody", 404, "not_found"),
        ("/price/99999/weth", 404, "unknown_chain"),
        ("/price/1/weth?block=9999", 404, "not_found"),
        ("/price/bitcoin/btc", 404, "no_price"),
        ("/price/1/0x0101010101010101010101010101010101010101", 404, "no_price"),
        ("/price/1/0x0202020202020202020202020202020202020202", 404, "no_price"),
    ] {
        ask(&world, &key, path).await.problem(status, code);
    }
    let ambiguous = ask(&world, &key, "/price/1/USDC").await.json();
    assert_eq!(ambiguous["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(ambiguous["parameter"], "token");
    // the chain's own coin is no token: the refusal names the one that stands for it
    let coin = ask(&world, &key, "/price/1/eth").await.problem(404, "not_found");
    assert!(coin["detail"].as_str().unwrap().contains("priced as WETH"), "{coin}");
    world.get("/price/1/weth").await.problem(401, "api_key_required");
    let explorer = world.key_of_tier(Tier::Explorer);
    ask(&world, &explorer, "/price/1/weth").await.problem(403, "tier_required");
}
