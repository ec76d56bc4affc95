//! `record`, `backfill`, `repair`, `resume` on a data folder that followed a real node.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::anvil::{Anvil, creation_code, quantity, until};
use crate::support::contract::{call, encode};
use crate::support::operator;
use crate::support::world::{World, anchored, no_gap, same_blocks};
use crate::support::{Service, superroot};
use serde_json::json;

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

/// Two twigs below the one that the service began with, fetched by a process that is killed once, and
/// then part of the same log.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_filled_backwards_through_a_kill() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(4_200).await;
    let service = world.serve(&[("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000")]);
    anchored(&service, CHAIN, 4_198).await;
    assert_eq!(start_of(&service).await, 4_096);
    let (status, problem) = service.answer(&format!("/v5/proof/{CHAIN}/100")).await;
    assert_eq!((status, &problem["code"]), (404, &"not_indexed".into()), "{problem}");
    let before = service.json("/v5/superroot").await;
    let backfill = ["backfill", "--chain", "31337", "--to", "100"];
    assert!(service.stop().success());

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
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
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
    assert_eq!(service.get(&event).await.0, 404);
    world.prove(&service, &format!("/v5/proof/{CHAIN}/{}", quantity(number))).await;
    let coverage = service.json(&format!("/api/v1/coverage/{CHAIN}")).await;
    assert_eq!(coverage["ranges"][0]["held"], "header_only", "{coverage}");
    let by_number = format!("/v5/proof/event/{CHAIN}/{}/0/0", quantity(number));
    assert_eq!(service.answer(&by_number).await.1["code"], "not_indexed");
    assert!(service.stop().success());

    let repair = ["repair", "--chain", "31337", "--watch", "all"];
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

/// Waits until the chain is halted.
async fn halted(service: &Service) {
    until("the chain is halted", async || {
        (service.chain(CHAIN).await["state"] == "halted").then_some(())
    })
    .await;
}

/// Below what was final nothing changes silently: another chain under the same number halts the
/// chain, for good, until a person says otherwise; the contradiction is published.
#[tokio::test(flavor = "multi_thread")]
async fn a_reorganisation_below_finalized_halts_the_chain_and_is_published() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(12).await;
    let service = world.serve(&[]);
    anchored(&service, CHAIN, 10).await;
    let (first, held) = (node.hash_at(5).await, node.hash_at(10).await);
    node.call("anvil_reorg", json!([8, []])).await; // blocks 5 to 12 are others now
    node.mine(4).await;
    halted(&service).await;
    let status = service.json("/api/v1/status").await;
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

/// A recording of a chain by rows of one's own brings those rows along, and is served by them alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_recording_by_own_rows_is_served_by_the_rows_beside_it() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(9).await;
    let recordings = world.path("recordings");
    let record = |url: &str, folder: &str, to: &str| {
        let mut record = world.superroot();
        record.args(["record", "--chain", "31337", "--url", url, "--from", "0", "--to", to]);
        operator::run(record.arg("-o").arg(world.path(folder)))
    };
    let (code, text) = record(&node.url, "recordings", "3");
    assert!(code == 0 && text.contains("4 blocks of Anvil 31337"), "{text}");
    let (code, text) = record(&node.url, "recordings", "5");
    assert!(code == 0 && text.contains("2 blocks") && text.contains("4 were there"), "{text}");
    let (code, text) = record(&node.url, "recordings", "12");
    assert!(code == 2 && text.contains("block 12: the node has no such block"), "{text}");
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
    let url = format!("{}/{CHAIN}", node.url.trim_end_matches(&format!("/{CHAIN}")));
    let (code, text) = record(&url, "again", "5");
    assert_eq!(code, 0, "{text}");
}
