//! What a contract returns, as several nodes of a chain execute it. Time is paused.

use crate::support;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use superroot_source::{
    CallAgreement, ContractCall, LiveConfig, LiveNodes, LiveSource, SourceError,
};
use superroot_types::{Address, BlockNumber, ErrorKind};
use tokio::time::Instant;

use support::nodes::{Mode, Node, View, config, live, state_of};

fn question() -> ContractCall {
    let data = vec![0xab, 0xcd];
    ContractCall { from: Address([1; 20]), to: None, data, gas: 100_000, code: None }
}

async fn ask(source: &LiveSource) -> Result<CallAgreement, SourceError> {
    source.call_contract(&question()).await
}

/// Nodes whose contracts return these bytes.
fn returning(bytes: &[u8]) -> Vec<Arc<Node>> {
    let node = |(index, returns): (usize, &u8)| {
        let view = View { returns: *returns, ..View::at(100) };
        Node::new(&format!("n{index}"), view, Mode::Good)
    };
    bytes.iter().enumerate().map(node).collect()
}

#[tokio::test(start_paused = true)]
async fn nodes_that_agree_are_named_with_the_block_they_executed_after() {
    let nodes = returning(&[7, 7, 7]);
    let called = ask(&live(&nodes, config())).await.unwrap();
    assert_eq!((called.returned, called.block), (vec![7], BlockNumber(98)));
    assert_eq!(called.sources, ["n0", "n1", "n2"]);
}

#[tokio::test(start_paused = true)]
async fn the_call_goes_out_as_it_was_given() {
    let nodes = returning(&[7]);
    let source = live(&nodes, config());
    ask(&source).await.unwrap();
    let to = Some(Address([2; 20]));
    source.call_contract(&ContractCall { to, ..question() }).await.unwrap();
    let code = Some(vec![0xfe]);
    source.call_contract(&ContractCall { to, code, ..question() }).await.unwrap();
    let state = nodes[0].state();
    let calls: Vec<_> = state.calls.iter().filter(|call| call["method"] == "eth_call").collect();
    let from = format!("0x{}", "01".repeat(20));
    let mut expected = json!({ "from": from, "gas": "0x186a0", "data": "0xabcd" });
    assert_eq!(calls[0]["params"], json!([expected, "0x62"]));
    expected["to"] = json!(format!("0x{}", "02".repeat(20)));
    assert_eq!(calls[1]["params"], json!([expected, "0x62"]));
    let stands = json!({ "code": "0xfe", "balance": "0x1000000000000000000000000" });
    let overridden = json!({ expected["to"].as_str().unwrap(): stands });
    assert_eq!(calls[2]["params"], json!([expected, "0x62", overridden]));
}

#[tokio::test(start_paused = true)]
async fn one_node_that_differs_decides_nothing_and_is_not_blamed() {
    let nodes = returning(&[7, 7, 7, 9]);
    let source = live(&nodes, config());
    let called = ask(&source).await.unwrap();
    assert_eq!((called.returned, called.sources.len()), (vec![7], 3));
    assert_eq!(state_of(&source, "n3"), "healthy", "a contract may look at what is the node's own");
}

#[tokio::test(start_paused = true)]
async fn as_many_liars_as_must_agree_win_nothing_while_an_honest_node_is_heard() {
    for (bytes, expected) in [(&[9, 9, 7][..], 2), (&[9, 9, 7, 7], 2), (&[9, 7], 1)] {
        let error = ask(&live(&returning(bytes), config())).await.unwrap_err();
        let SourceError::TooFewAgree { got, .. } = error else { panic!("{error}") };
        assert_eq!(got, expected);
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
    // however slow it is, within its time
    let nodes = returning(&[9, 9, 7]);
    nodes[2].set(Mode::Slow(2_000));
    let error = ask(&live(&nodes, config())).await.unwrap_err();
    assert!(matches!(error, SourceError::TooFewAgree { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn too_few_that_answer_is_no_answer() {
    let nodes = returning(&[7, 7, 7]);
    nodes[1].set(Mode::Broken);
    nodes[2].set(Mode::MethodError("eth_call", -32000, "header not found"));
    let error = ask(&live(&nodes, config())).await.unwrap_err();
    assert!(matches!(error, SourceError::TooFewAgree { got: 1, expected: 2, .. }), "{error}");
    for node in &nodes {
        node.set(Mode::Broken);
    }
    let error = ask(&live(&nodes, config())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

#[tokio::test(start_paused = true)]
async fn silent_nodes_are_waited_for_a_bounded_time() {
    for quorum in [1, 2] {
        let nodes = returning(&[7, 7]);
        nodes.iter().for_each(|node| node.set(Mode::Silent));
        let start = Instant::now();
        let error = ask(&live(&nodes, LiveConfig { quorum, ..config() })).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(start.elapsed() <= Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_that_one_node_alone_names_moves_nothing() {
    let nodes = returning(&[7, 7, 7]);
    nodes[0].state().view.head = 100_000;
    nodes[1].state().view.head = 99;
    nodes[2].state().view.head = 50;
    let called = ask(&live(&nodes, config())).await.unwrap();
    assert_eq!(called.block, BlockNumber(97), "two of three have it");
    assert_eq!(called.sources, ["n0", "n1"], "who lacks the block is not asked");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_answer_of_a_contract_is_not_used() {
    let long = format!("\"0x{}\"", "00".repeat(70_000));
    for result in ["null", "7", "\"\"", "\"0x1\"", "\"0xzz\"", "\"abcd\"", "{}", &long] {
        let nodes = returning(&[7, 7]);
        for node in &nodes {
            node.set(Mode::Result("eth_call", serde_json::from_str(result).unwrap()));
        }
        let error = ask(&live(&nodes, config())).await.unwrap_err();
        assert_ne!(error.kind(), ErrorKind::Bug, "{result:.40}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn gas_costs_what_half_of_the_nodes_say_at_most() {
    let gwei = |count: u64| count * 1_000_000_000;
    for (bytes, median, [lowest, highest]) in [
        (&[7, 9, 8][..], 8, [7, 9]),
        (&[7, 8], 7, [7, 8]),
        // one that lies moves it no further than to what another said
        (&[7, 8, 255], 8, [7, 255]),
        (&[7, 8, 0], 7, [0, 8]),
    ] {
        let prices = live(&returning(bytes), config()).gas_prices().await.unwrap();
        assert_eq!((prices.median, prices.lowest), (gwei(median), gwei(lowest)));
        assert_eq!((prices.highest, prices.sources.len()), (gwei(highest), bytes.len()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_price_of_gas_is_not_told_by_fewer_nodes_than_the_quorum() {
    let nodes = returning(&[7, 7]);
    nodes[1].set(Mode::Result("eth_gasPrice", json!("a lot")));
    let error = live(&nodes, config()).gas_prices().await.unwrap_err();
    let SourceError::TooFewAgree { got, .. } = error else { panic!("{error}") };
    assert_eq!(got, 1);
    nodes[1].set(Mode::Result("eth_gasPrice", json!("0x1ffffffffffffffff")));
    assert!(live(&nodes, config()).gas_prices().await.is_err());
    for node in &nodes {
        node.set(Mode::Silent);
    }
    assert!(live(&nodes, config()).gas_prices().await.is_err());
}
