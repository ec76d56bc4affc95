//! What owners of keys watch, against what a real node says of its events.

use std::path::Path;

use serde_json::{Value, json};

use super::one::deploy;
use crate::support::anvil::{Anvil, quantity, until};
use crate::support::contract::{call, topic};
use crate::support::world::{World, anchored};
use crate::support::{Service, http, operator};

const CHAIN: u64 = 31_337;
const PATH: &str = "/api/v1/watches";

/// A key of an account of tier Builder.
pub(super) fn builder(data: &Path) -> String {
    let opened = operator::printed(&mut operator::admin(data, "account open", Some("a test")));
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let account = opened["account"].as_str().unwrap();
    let grant = format!("tier grant {account} builder");
    operator::printed(&mut operator::admin(data, &grant, Some("a test")));
    opened["api_key"].as_str().unwrap().to_owned()
}

async fn ask(
    service: &Service,
    key: &str,
    method: reqwest::Method,
    path: &str,
    body: Option<&Value>,
) -> (u16, Value) {
    let request = http().request(method, format!("{}{path}", service.url)).header("x-api-key", key);
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

pub(super) async fn get(service: &Service, key: &str, path: &str) -> (u16, Value) {
    ask(service, key, reqwest::Method::GET, path, None).await
}

/// Waits until a watch is active.
async fn active(service: &Service, key: &str, id: &str) -> Value {
    until("the watch is active", async || {
        let (status, watch) = get(service, key, &format!("{PATH}/{id}")).await;
        assert_eq!(status, 200, "{watch}");
        (watch["state"] == "active").then_some(watch)
    })
    .await
}

/// The events that the service has, and those that the node has, up to a block.
async fn both(
    service: &Service,
    key: &str,
    node: &Anvil,
    (query, filter): (&str, Value),
    (from, to): (u64, u64),
) -> [Vec<(u64, String)>; 2] {
    let path = format!(
        "/v5/logs?chain={CHAIN}&{query}&fromBlock={from}&toBlock={to}&finality=head&limit=1000"
    );
    let (status, found) = get(service, key, &path).await;
    assert_eq!((status, &found["gaps"]), (200, &json!([])), "{found}");
    let ours = found["logs"].as_array().unwrap().iter();
    let ours = ours.map(|log| {
        (log["blockNumber"].as_u64().unwrap(), log["transactionHash"].as_str().unwrap().to_owned())
    });
    let mut filter = filter;
    filter["fromBlock"] = json!(format!("{from:#x}"));
    filter["toBlock"] = json!(format!("{to:#x}"));
    let theirs = node.call("eth_getLogs", json!([filter])).await;
    let theirs = theirs.as_array().unwrap().iter().map(|log| {
        (quantity(&log["blockNumber"]), log["transactionHash"].as_str().unwrap().to_owned())
    });
    [ours.collect(), theirs.collect()]
}

/// A service that keeps headers alone has every event of an address once an owner of a key watches it: of blocks
/// that are held already and of those to come, final or not; through a kill; for its owner alone.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_key_watches_is_all_there() {
    let Some(node) = Anvil::start(CHAIN, 4) else { return };
    let world = World::of(&[&node]);
    let settings = [("SUPERROOT__WATCH__APPLY_MS", "100")];
    let supply = 1_000_000_u128;
    let [token, other] = [
        deploy(&node, "v2-core", "ERC20", &[supply.into()]).await,
        deploy(&node, "v2-core", "ERC20", &[supply.into()]).await,
    ];
    let account = node.account().await;
    let transfer = call("transfer(address,uint256)", &[account.as_str().into(), 1_u128.into()]);
    for round in 0..30 {
        node.execute(Some(&token), &transfer).await;
        if round % 3 == 0 {
            node.execute(Some(&other), &transfer).await;
        }
        node.mine(1).await;
    }
    let head = node.head().await;
    let service = world.serve_watching(&[], &settings);
    anchored(&service, CHAIN, head - 20).await;
    let data = world.path("data");
    let (key, stranger) = (builder(&data), builder(&data));

    let of_token = (format!("address={token}"), json!({ "address": token }));
    let path = format!("/v5/logs?chain={CHAIN}&{}", of_token.0);
    let (status, problem) = get(&service, &key, &path).await;
    assert_eq!((status, &problem["code"]), (404, &json!("not_indexed")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("POST /api/v1/watches"), "{problem}");

    let wish = json!({ "chain": CHAIN, "address": token, "from_block": 0, "label": "ours" });
    let (status, made) = ask(&service, &key, reqwest::Method::POST, PATH, Some(&wish)).await;
    assert_eq!(status, 201, "{made}");
    let (status, again) = ask(&service, &key, reqwest::Method::POST, PATH, Some(&wish)).await;
    assert_eq!((status, &again["id"]), (200, &made["id"]), "the same is not watched twice");
    let id = made["id"].as_str().unwrap();
    let watch = active(&service, &key, id).await;
    assert_eq!(watch["progress"]["held_blocks"], watch["progress"]["total_blocks"], "{watch}");
    let to = watch["progress"]["to_block"].as_u64().unwrap();
    let query = (of_token.0.as_str(), of_token.1.clone());
    let [ours, theirs] = both(&service, &key, &node, query, (0, to)).await;
    assert!(ours.len() > 25 && ours == theirs, "{ours:?} {theirs:?}");
    // nobody else sees it, and nothing else is claimed
    let (status, problem) = get(&service, &stranger, &format!("{PATH}/{id}")).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_watch")), "{problem}");
    assert_eq!(get(&service, &stranger, PATH).await.1["watches"], json!([]));
    let of_other = format!("/v5/logs?chain={CHAIN}&address={other}");
    assert_eq!(get(&service, &key, &of_other).await.0, 404);

    // a watch that was answered outlives a kill
    let signature = "Transfer(address,address,uint256)";
    let wish = json!({ "chain": "31337", "topic": signature, "from_block": 3 });
    let (status, made) = ask(&service, &stranger, reqwest::Method::POST, PATH, Some(&wish)).await;
    assert_eq!(status, 201, "{made}");
    service.kill();
    node.execute(Some(&other), &transfer).await;
    node.mine(2).await;
    let service = world.serve_watching(&[], &settings);
    let watch = active(&service, &stranger, made["id"].as_str().unwrap()).await;
    assert_eq!(watch["from_block"], 3);
    let newest = node.head().await;
    until("the head is followed", async || {
        let (_, watch) = get(&service, &key, &format!("{PATH}/{id}")).await;
        (watch["progress"]["to_block"].as_u64()? >= newest).then_some(())
    })
    .await;
    for query in [
        (of_token.0.as_str(), of_token.1),
        ("topic0=Transfer(address,address,uint256)", json!({ "topics": [topic(signature)] })),
    ] {
        let [ours, theirs] = both(&service, &stranger, &node, query, (3, newest)).await;
        assert!(ours.len() > 25 && ours == theirs, "{ours:?} {theirs:?}");
    }

    let (status, ended) =
        ask(&service, &key, reqwest::Method::DELETE, &format!("{PATH}/{id}"), None).await;
    assert_eq!((status, &ended["id"]), (200, &json!(id)), "{ended}");
    assert_eq!(get(&service, &key, &format!("{PATH}/{id}")).await.0, 404);
    assert_eq!(get(&service, &stranger, PATH).await.1["count"], 1);
}
