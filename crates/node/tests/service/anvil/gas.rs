//! What gas costs where no header decides it: what the node says, under its name.

use std::time::Duration;

use crate::support::anvil::Anvil;
use crate::support::world::{World, anchored};
use serde_json::Value;

const CHAIN: u64 = 31_337;

#[tokio::test(flavor = "multi_thread")]
async fn a_price_that_no_header_decides_is_the_nodes_word() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    let service = world.serve(&[]);
    node.mine(5).await;
    anchored(&service, CHAIN, 3).await;
    let mut asked = Value::Null;
    for _ in 0..50 {
        let (status, body) = service.answer(&format!("/search-api/v5/gas?chain_id={CHAIN}")).await;
        assert_eq!(status, 200, "{body}");
        asked = body["chains"][0].clone();
        if asked["node_price"].is_object() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // a chain of one's own has no rule that this build knows
    assert!(asked["next_base_fee"].is_null(), "{asked}");
    let said = node.call("eth_gasPrice", serde_json::json!([])).await;
    let said = u64::from_str_radix(said.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    let price = &asked["node_price"];
    assert_eq!(price["gas_price"]["wei"], said.to_string(), "{asked}");
    assert_eq!(
        (&price["evidence"], price["nodes"].as_array().unwrap().len()),
        (&"one_node".into(), 1)
    );
}
