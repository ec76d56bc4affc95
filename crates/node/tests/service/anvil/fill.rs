//! `record`, `backfill`, `repair`, `resume` on a data folder that followed a real node.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::anvil::{Anvil, Mining, creation_code, quantity, until};
use crate::support::contract::{call, encode};
use crate::support::operator;
use crate::support::world::{World, anchored, no_gap, same_blocks};
use crate::support::{Service, superroot};
use serde_json::{Value, json};

const CHAIN: u64 = 31_337;

fn command(world: &World, words: &[&str]) -> Command {
    let mut command = world.superroot();
    command.args(words).arg("--data").arg(world.path("data"));
    if words[0] != "resume" {
        command.arg("--endpoints").arg(world.path("endpoints.toml"));
    }
    command.env("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000");
    command
}

fn run(world: &World, words: &[&str]) -> (i32, String) {
    operator::run(&mut command(world, words))
}

async fn start_of(service: &Service) -> u64 {
    let root = service.json("/v5/superroot").await;
    let references = root["blockReferences"].as_array().unwrap().clone();
    let of_chain = references.iter().find(|one| one["chainId"] == CHAIN).unwrap();
    of_chain["start"].as_u64().unwrap()
}

/// Nor is anybody left in silence before them.
fn nodes_that_are_gone_are_not_waited_for(world: &World, act: &[&str]) {
    let nodes = world.path("dead.toml");
    let node = "[[endpoint]]\nchain = \"31337\"\nurl = \"http://127.0.0.1:9\"\n";
    std::fs::write(&nodes, node).unwrap();
    let begun = std::time::Instant::now();
    for (more, expected) in [
        (&[][..], "can be asked: http://127.0.0.1:9 (cannot be reached"),
        (&["--timeout", "1"], "asked within the 1 s of --timeout"),
    ] {
        let mut command = world.superroot();
        command.args(act).arg("--data").arg(world.path("data"));
        let output = command.arg("--endpoints").arg(&nodes).args(more).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}

/// Two twigs below the one that the service began with, fetched by a process that is killed once, and
/// then part of the same log.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_filled_backwards_through_a_kill() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(4_200).await;
    let service = world.serve(&[("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000")]);
    anchored(&service, CHAIN, 4_198).await;
    assert_eq!(start_of(&service).await, 4_096);
    let (status, body) = service.get(&format!("/v5/proof/{CHAIN}/100")).await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &problem["code"]), (404, &"not_indexed".into()), "{problem}");
    let before = service.json("/v5/superroot").await;
    let backfill = ["backfill", "--chain", "31337", "--to", "100"];
    let (code, text) = run(&world, &backfill);
    assert_eq!(code, 2, "a running service has nodes of its own");
    assert!(text.contains("goes by what it was started with"), "{text}");
    assert!(service.stop().success());

    nodes_that_are_gone_are_not_waited_for(&world, &backfill);
    let mut killed = command(&world, &backfill);
    killed.env("SUPERROOT__COLLECT__BLOCKS_PER_STEP_MAX", "50");
    let mut killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (code, text) = run(&world, &backfill);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Anvil 31337 begins at block 0 now"), "{text}");
    let (code, text) = run(&world, &backfill);
    assert_eq!(code, 0, "nothing is left to do: {text}");

    let service = world.serve(&[]);
    node.mine(1).await;
    anchored(&service, CHAIN, 4_199).await;
    assert_eq!(start_of(&service).await, 0);
    no_gap(&service, CHAIN).await;
    for number in [0, 100, 2_047, 2_048, 4_095, 4_096] {
        let proof = world.prove(&service, &format!("/v5/proof/{CHAIN}/{number}")).await;
        assert_eq!(proof["blockHash"], node.hash_at(number).await);
    }
    let old = service.json(&format!("/v5/superroot/{}", before["sequence"])).await;
    assert_eq!(old["superRootHash"], before["superRootHash"], "older SuperRoots stay");
    drop(service);
    let checked = world.superroot().arg("recompute").arg("--data").arg(world.path("data")).output();
    let checked = checked.unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// What was followed by its headers alone is kept whole later, without another hash.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_watched_is_kept_after_a_repair() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    let code = [creation_code("v2-core", "ERC20"), encode(&[1_000.into()])].concat();
    let receipt = node.execute(None, &code).await;
    let token = receipt["contractAddress"].as_str().unwrap().to_owned();
    let account = node.account().await;
    let transfer = call("transfer(address,uint256)", &[account.as_str().into(), 7.into()]);
    let receipt = node.execute(Some(&token), &transfer).await;
    let (hash, number) = (receipt["transactionHash"].as_str().unwrap(), &receipt["blockNumber"]);
    node.mine(4).await;
    let headers_only = ("SUPERROOT__CHAIN__31337__WATCH", "none");
    let service = world.serve_watching(&[], &[headers_only]);
    anchored(&service, CHAIN, quantity(number)).await;
    let event = format!("/v5/event/{CHAIN}/{hash}/0");
    let (status, body) = service.get(&event).await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(status, 404, "{problem}");
    world.prove(&service, &format!("/v5/proof/{CHAIN}/{}", quantity(number))).await;
    let coverage = service.json(&format!("/api/v1/coverage/{CHAIN}")).await;
    assert_eq!(coverage["ranges"][0]["held"], "header_only", "{coverage}");
    let by_number = format!("/v5/proof/event/{CHAIN}/{}/0/0", quantity(number));
    let (_, body) = service.get(&by_number).await;
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem["code"], "not_indexed", "{problem}");
    assert!(service.stop().success());

    let repair = ["repair", "--chain", "31337", "--watch", "all"];
    nodes_that_are_gone_are_not_waited_for(&world, &repair);
    let (code, text) = run(&world, &repair);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("0 left as they are"), "{text}");
    let (code, again) = run(&world, &repair);
    assert_eq!(code, 0, "{again}");
    assert!(again.contains("0 blocks, 0 left"), "nothing is left to do: {again}");

    let service = world.serve(&[]);
    anchored(&service, CHAIN, quantity(number)).await;
    world.prove(&service, &event).await;
    same_blocks(&service, &node).await;
    no_gap(&service, CHAIN).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_is_not_halted_has_nothing_to_resume() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(5).await;
    let service = world.serve(&[]);
    anchored(&service, CHAIN, 3).await;
    let (code, text) = run(&world, &["resume", "31337"]);
    assert_eq!((code, text.trim()), (0, "Anvil 31337 is not halted"), "asked of the service");
    assert!(service.stop().success());
    let (code, text) = run(&world, &["resume", "31337"]);
    assert_eq!((code, text.trim()), (0, "Anvil 31337 is not halted"));
    let (code, text) = run(&world, &["resume", "atlantis"]);
    assert!(code == 2 && text.contains("no such chain"), "{text}");
}

/// Waits until the chain is halted; the status then.
async fn halted(service: &Service) -> Value {
    until("the chain is halted", async || {
        let status = service.json("/api/v1/status").await;
        let chains = status["chains"].as_array()?;
        let is_halted = |one: &Value| one["chain_id"] == CHAIN && one["state"] == "halted";
        chains.iter().any(is_halted).then_some(status)
    })
    .await
}

/// Below what was final nothing changes silently: another chain under the same number halts the
/// chain, for good, until a person says otherwise; the contradiction is published.
#[tokio::test(flavor = "multi_thread")]
async fn a_reorganisation_below_finalized_halts_the_chain_and_is_published() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(12).await;
    let service = world.serve(&[]);
    anchored(&service, CHAIN, 10).await;
    let (first, held) = (node.hash_at(5).await, node.hash_at(10).await);
    node.call("anvil_reorg", json!([8, []])).await; // blocks 5 to 12 are others now
    node.mine(4).await;
    let status = halted(&service).await;
    let retraction = &status["retractions"][0];
    assert_eq!((&retraction["number"], &retraction["held_hash"]), (&json!(5), &json!(first)));
    assert_eq!(retraction["other_hash"], json!(node.hash_at(5).await));
    let proof = world.prove(&service, &format!("/v5/proof/{CHAIN}/10")).await;
    assert_eq!(proof["blockHash"], held, "what was committed stays provable");
    assert_eq!(proof["finality"]["status"], "retracted", "and is not called final");
    service.kill();
    let service = world.serve(&[]);
    halted(&service).await;
    assert!(service.stop().success());
    let (code, text) = run(&world, &["resume", "31337"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("contradicted") && text.contains("cleared"), "{text}");
    let service = world.serve(&[]);
    halted(&service).await;
    assert_eq!(service.anchored(CHAIN).await, Some(10), "its nodes still contradict what is held");
}

/// Recorded from a node, resumed, and served: the same blocks, of a recorded network.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_node_has_is_recorded_and_served_without_it() {
    let Some(node) = Anvil::start(1, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    let code = [creation_code("v2-core", "ERC20"), encode(&[1_000.into()])].concat();
    let receipt = node.execute(None, &code).await;
    node.mine(20).await;
    let recordings = world.path("recordings");
    let record = |from: &str, to: &str| {
        let mut record = world.superroot();
        record.args([
            "record", "--chain", "ethereum", "--url", &node.url, "--from", from, "--to", to,
        ]);
        let output = record.arg("-o").arg(&recordings).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code().unwrap(), text)
    };
    let (code, text) = record("0", "9");
    assert!(code == 0 && text.contains("10 blocks of Ethereum"), "{text}");
    let (code, text) = record("0", "15");
    assert!(code == 0 && text.contains("6 blocks") && text.contains("10 were there"), "{text}");
    let (code, text) = record("15", "40");
    assert!(code == 2 && text.contains("block 40: the node has no such block"), "{text}");
    let (code, text) = record("9", "1");
    assert!(code == 2 && text.contains("--from 9 is above --to 1"), "{text}");
    let blocks = [node.hash_at(1).await, node.hash_at(15).await];
    drop(node);

    let mut serve = world.superroot();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(world.path("recorded"));
    serve.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(serve.arg("--replay").arg(&recordings), "listening on");
    service.ready().await;
    for (number, hash) in [1, 15].into_iter().zip(blocks) {
        let proof = world.prove(&service, &format!("/v5/proof/1/{number}")).await;
        assert_eq!((&proof["blockHash"], &proof["network"]), (&hash.into(), &"recorded".into()));
    }
    let deployed = receipt["transactionHash"].as_str().unwrap();
    world.prove(&service, &format!("/v5/tx/1/{deployed}")).await;
}

/// A recording of a chain by rows of one's own brings those rows along, and is served by them alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_recording_by_own_rows_is_served_by_the_rows_beside_it() {
    let Some(node) = Anvil::start(CHAIN, Mining::OnDemand, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(9).await;
    let recordings = world.path("recordings");
    let mut record = world.superroot();
    record.args(["record", "--chain", "31337", "--url", &node.url, "--from", "0", "--to", "5"]);
    let output = record.arg("-o").arg(&recordings).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let hash = node.hash_at(5).await;
    drop(node);

    let mut serve = superroot();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(world.path("recorded"));
    let service = Service::start(serve.arg("--replay").arg(&recordings), "listening on");
    service.ready().await;
    let proof = world.prove(&service, &format!("/v5/proof/{CHAIN}/5")).await;
    assert_eq!((&proof["blockHash"], &proof["network"]), (&hash.into(), &"recorded".into()));
    drop(service);

    // the same through JSON-RPC, from one process to another
    let mut replay = superroot();
    replay.args(["replay", "--listen", "127.0.0.1:0"]).arg(&recordings);
    let node = Service::start(&mut replay, "http://");
    let again = world.path("again");
    let mut record = world.superroot();
    let url = format!("{}/{CHAIN}", node.url.trim_end_matches(&format!("/{CHAIN}")));
    record.args(["record", "--chain", "31337", "--url", &url, "--from", "0", "--to", "5"]);
    let output = record.arg("-o").arg(&again).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
