//! Watches over HTTP: made, shown, changed and ended by their owner alone.

use crate::support;

use serde_json::{Value, json};
use superroot_account::Tier;
use support::*;

const PATH: &str = "/api/v1/watches";
const ADDRESS: &str = "0xdac17f958d2ee523a2206206994597c13d831ec7";

fn wish() -> Value {
    json!({ "chain": 1, "address": ADDRESS, "from_block": 3, "label": "tether" })
}

#[tokio::test]
async fn a_watch_is_made_shown_changed_and_ended() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    let made = world.ask(&key, "POST", PATH, Some(&wish())).await.created();
    world.check_members("Watch", &made).await;
    assert_eq!((&made["chain_id"], &made["address"]), (&json!(1), &json!(ADDRESS)));
    assert_eq!((&made["from_block"], &made["topic"]), (&json!(3), &Value::Null));
    assert!(made["logs_url"].as_str().unwrap().contains(ADDRESS), "{made}");
    let id = made["id"].as_str().unwrap();
    let one = format!("{PATH}/{id}");
    let again = world.ask(&key, "POST", PATH, Some(&wish())).await.good();
    assert_eq!(again["id"], made["id"]);
    let topic = json!({ "chain": "ethereum", "topic": "Transfer(address,address,uint256)" });
    let other = world.ask(&key, "POST", PATH, Some(&topic)).await.created();
    assert!(other["topic"].as_str().unwrap().starts_with("0xddf252ad"), "{other}");
    let listed = world.ask(&key, "GET", PATH, None).await.good();
    assert_eq!((&listed["count"], &listed["next_cursor"]), (&json!(2), &Value::Null));
    let first = world.ask(&key, "GET", &format!("{PATH}?limit=1"), None).await.good();
    let cursor = first["next_cursor"].as_str().unwrap();
    let path = format!("{PATH}?limit=1&cursor={cursor}");
    let second = world.ask(&key, "GET", &path, None).await.good();
    assert_ne!(first["watches"][0]["id"], second["watches"][0]["id"]);
    assert_eq!(second["next_cursor"], Value::Null);
    let change = json!({ "from_block": null, "label": null });
    let changed = world.ask(&key, "PATCH", &one, Some(&change)).await.good();
    assert_eq!((&changed["from_block"], &changed["label"]), (&Value::Null, &Value::Null));
    // nobody else sees it
    let stranger = world.key_of_tier(Tier::Protocol);
    for (method, body) in [("GET", None), ("DELETE", None), ("PATCH", Some(json!({})))] {
        world.ask(&stranger, method, &one, body.as_ref()).await.problem(404, "unknown_watch");
    }
    assert_eq!(world.ask(&stranger, "GET", PATH, None).await.good()["watches"], json!([]));
    let ended = world.ask(&key, "DELETE", &one, None).await.good();
    assert_eq!(ended["id"], id);
    world.ask(&key, "GET", &one, None).await.problem(404, "unknown_watch");
    let free = world.key_of_tier(Tier::Explorer);
    world.ask(&free, "GET", PATH, None).await.problem(403, "tier_required");
}

#[tokio::test]
async fn what_is_wrong_with_a_watch_is_named() {
    let world = World::small(unlimited());
    let key = world.key_of_tier(Tier::Builder);
    for (body, parameter) in [
        (json!({}), "chain"),
        (json!({ "chain": [1], "address": ADDRESS }), "chain"),
        (json!({ "chain": 1 }), "address"),
        (json!({ "chain": 1, "address": "0x12" }), "address"),
        (json!({ "chain": 1, "topic": "Transfer" }), "topic"),
        (json!({ "chain": 1, "address": ADDRESS, "topic": "A()" }), "topic"),
        (json!({ "chain": 1, "address": ADDRESS, "from_block": -1 }), "from_block"),
        (json!({ "chain": 1, "address": ADDRESS, "from_block": "3" }), "from_block"),
        (json!({ "chain": 1, "address": ADDRESS, "label": 7 }), "label"),
        (json!({ "chain": 1, "address": ADDRESS, "to_block": 7 }), "to_block"),
    ] {
        let reply = world.ask(&key, "POST", PATH, Some(&body)).await;
        let problem = reply.problem(400, "invalid_parameter");
        assert_eq!(problem["parameter"], parameter, "{body}: {problem}");
    }
    let above = json!({ "chain": 1, "address": ADDRESS, "from_block": 34 });
    let problem =
        world.ask(&key, "POST", PATH, Some(&above)).await.problem(400, "invalid_parameter");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.starts_with("from_block is \"34\", expected at most 33"), "{detail}");
    let at_head = json!({ "chain": 1, "address": ADDRESS, "from_block": 33 });
    let made = world.ask(&key, "POST", PATH, Some(&at_head)).await.created();
    let one = format!("{PATH}/{}", made["id"].as_str().unwrap());
    let change = json!({ "from_block": 34 });
    let problem = world.ask(&key, "PATCH", &one, Some(&change)).await;
    assert_eq!(problem.problem(400, "invalid_parameter")["parameter"], "from_block");
    let unknown = json!({ "chain": 424_242, "address": ADDRESS });
    world.ask(&key, "POST", PATH, Some(&unknown)).await.problem(404, "unknown_chain");
    let solana = json!({ "chain": "bitcoin", "address": ADDRESS });
    world.ask(&key, "POST", PATH, Some(&solana)).await.problem(404, "not_provable");
    let path = format!("{PATH}?limit=0");
    let problem = world.ask(&key, "GET", &path, None).await.problem(400, "invalid_parameter");
    assert_eq!(problem["parameter"], "limit");
    world.ask(&key, "GET", &format!("{PATH}/7"), None).await.problem(400, "invalid_parameter");
}
