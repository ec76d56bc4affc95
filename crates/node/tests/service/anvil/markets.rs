//! Prices and launches through what a chain takes back: swaps, liquidity, the filling of a pool, and its emptying.

use serde_json::{Value, json};

use super::prices::{Exchanges, TOKENS};
use super::watch::{builder, get};
use crate::support::Service;
use crate::support::anvil::{Anvil, until};
use crate::support::contract::call;
use crate::support::world::World;

const CHAIN: u64 = 31_337;

/// The price of a token at the node's head, once the service has that block.
async fn at_head(service: &Service, key: &str, exchanges: &Exchanges) -> (u64, Value) {
    let token = &exchanges.tokens[1];
    let path = format!("/price/{CHAIN}/{token}?window=60");
    until("the price is that of the node's head", async || {
        let number = exchanges.node.head().await;
        let hash = exchanges.node.hash_at(number).await;
        let (status, price) = get(service, key, &path).await;
        (status == 200 && price["block"]["hash"] == *hash).then_some((number, price))
    })
    .await
}

/// The launches that are listed, by state.
async fn launches(service: &Service, key: &str) -> Vec<(String, f64)> {
    let path = format!("/signals/launches?format=json&chain_id={CHAIN}");
    let (status, body) = get(service, key, &path).await;
    assert_eq!(status, 200, "{body}");
    let launch = |one: &Value| {
        (one["state"].as_str().unwrap().to_owned(), one["liquidityUSD"].as_f64().unwrap())
    };
    body["launches"].as_array().unwrap().iter().map(launch).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_chain_takes_back_is_in_no_price_and_no_launch() {
    let Some(node) = Anvil::start(CHAIN, 8) else { return };
    let world = World::of(&[&node]);
    let exchanges = Exchanges::deploy(node).await;
    let node = &exchanges.node;
    let service = exchanges.serve(&world);
    let key = builder(&world.path("data"));
    let listed = async || {
        let listed = launches(&service, &key).await;
        (!listed.is_empty()).then_some(listed)
    };

    // the filling of both pools is taken back with their launches, and comes again
    exchanges.fill().await;
    let first = until("the launches are found", &listed).await;
    let (_, body) =
        get(&service, &key, &format!("/signals/launches?format=json&chain_id={CHAIN}")).await;
    let hash = body["launches"][0]["proofHash"].as_str().unwrap();
    let proofs = format!("/v5/proof/hash/{hash}");
    let (status, told) = get(&service, &key, &proofs).await;
    assert!(status == 200 || status == 409, "{told}");
    let blocks = node.head().await;
    node.call("anvil_reorg", json!([4, []])).await;
    let none = async || launches(&service, &key).await.is_empty().then_some(());
    until("launches of blocks that are gone are gone", none).await;
    let (status, told) = get(&service, &key, &proofs).await;
    assert_eq!((status, &told["code"]), (410, &Value::from("withdrawn")), "{told}");
    assert_eq!(node.head().await, blocks, "other blocks of the same numbers");
    exchanges.fill().await;
    assert_eq!(until("they are found again", &listed).await, first);

    // swaps at both exchanges, and liquidity of v3 after them
    for round in 0..4_u128 {
        exchanges.swap(usize::from(round % 2 == 0), TOKENS / 2_000 * (round + 1)).await;
        node.mine(1).await;
    }
    let (number, before) = at_head(&service, &key, &exchanges).await;
    exchanges.same_states(&before, number).await;
    exchanges.swap(0, TOKENS / 900).await;
    node.mine(1).await;
    exchanges.add_range(TOKENS / 50).await;
    node.mine(1).await;
    exchanges.swap(0, TOKENS / 700).await;
    exchanges.add_range(TOKENS / 60).await;
    node.mine(1).await;
    let (number, moved) = at_head(&service, &key, &exchanges).await;
    exchanges.same_states(&moved, number).await;
    assert_ne!(moved["price_usd"], before["price_usd"]);
    // block by block it is all taken back
    for depth in [1, 2, 3] {
        node.call("anvil_reorg", json!([depth, []])).await;
        let (number, price) = at_head(&service, &key, &exchanges).await;
        exchanges.same_states(&price, number).await;
        if depth == 3 {
            for (pool, as_before) in
                price["pools"].as_array().unwrap().iter().zip(before["pools"].as_array().unwrap())
            {
                for member in
                    ["reserves", "sqrt_price_x96", "liquidity", "last_event", "later_events"]
                {
                    assert_eq!(pool[member], as_before[member], "{member}");
                }
            }
            assert_eq!(price["price_usd"], before["price_usd"]);
        }
    }

    // who filled the pool of v2 takes everything out of it: the launch is told as pulled
    let held = exchanges
        .ask(
            &exchanges.pair,
            [call("balanceOf(address)", &[exchanges.account.as_str().into()])].concat(),
        )
        .await;
    let held = u128::from_be_bytes(held[16..32].try_into().unwrap());
    let back = call("transfer(address,uint256)", &[exchanges.pair.as_str().into(), held.into()]);
    node.execute(Some(&exchanges.pair), &back).await;
    node.execute(
        Some(&exchanges.pair),
        &call("burn(address)", &[exchanges.account.as_str().into()]),
    )
    .await;
    let pulled = until("the launch is pulled", async || {
        let listed = launches(&service, &key).await;
        listed.iter().any(|(state, _)| state == "pulled").then_some(listed)
    });
    let pulled = pulled.await;
    let (_, left) = pulled.iter().find(|(state, _)| state == "pulled").unwrap();
    assert!(*left < first[0].1 / 10.0, "{pulled:?}");
    // a reorganisation takes that back as well
    node.call("anvil_reorg", json!([1, []])).await;
    until("the pool is as full as it was", async || {
        (launches(&service, &key).await == first).then_some(())
    })
    .await;
    assert!(service.stop().success());
}
