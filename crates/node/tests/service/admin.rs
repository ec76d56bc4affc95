//! What an operator does to a data folder while a service runs on it.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::anvil::{Anvil, until};
use crate::support::gateway::Gateway;
use crate::support::operator::{self, exchange, journal, post, run};
use crate::support::world::{World, anchored, no_gap};
use crate::support::{Service, superroot};
use serde_json::{Value, json};

const CHAIN: u64 = 31_337;

fn on(mut command: Command, words: &[&str], data: &Path) -> (i32, String) {
    run(command.args(words).arg("--data").arg(data))
}

fn demo(data: &Path) -> Service {
    let mut command = operator::demo(data);
    Service::start(command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0"), "ready")
}

/// Commands work through the service that holds the folder, and each is noted with who and why.
#[tokio::test(flavor = "multi_thread")]
async fn a_running_service_takes_orders_and_notes_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = demo(&data);
    let socket = std::fs::metadata(data.join("admin.sock")).unwrap();
    assert_eq!(socket.permissions().mode() & 0o777, 0o600);

    let why = "the auditor asked";
    let repair = ["repair", "--chain", "base", "--why", why];
    let (code, text) = on(superroot(), &repair, &data);
    assert!(code == 0 && text.contains("0 blocks, 0 left as they are"), "{text}");
    let (code, text) = on(superroot(), &["repair"], &data);
    assert!(code == 0 && text.contains("0 blocks, 0 left as they are"), "{text}");
    let (code, text) = on(superroot(), &["backfill", "--chain", "1", "--to", "5"], &data);
    assert!(
        code == 0 && text.contains("nothing was to do: Ethereum is held from block 0"),
        "{text}"
    );
    assert!(!text.contains("filled"), "{text}");
    let (code, text) = on(superroot(), &["backfill", "--chain", "1", "--to", "9999999"], &data);
    let above = "block 9999999 of Ethereum is above the newest final one that is held";
    assert!(code == 2 && text.contains(above), "{text}");
    let (code, text) = on(superroot(), &["resume", "unichain"], &data);
    assert_eq!((code, text.trim()), (0, "Unichain is not halted"));
    let (code, text) = on(superroot(), &["backfill", "--chain", "linea", "--to", "5"], &data);
    assert!(code == 2 && text.contains("does not follow Linea"), "{text}");
    let (code, text) = on(superroot(), &["repair", "--watch", "all"], &data);
    assert!(code == 2 && text.contains("goes by what it was started with"), "{text}");
    let long = "x".repeat(501);
    let (code, text) = on(superroot(), &["resume", "1", "--why", &long], &data);
    assert!(code == 2 && text.contains("at most 500"), "{text}");

    let copy = folder.path().join("copies/today");
    let to = copy.to_str().unwrap();
    let backup = ["backup", "--with-key", "--to", to, "--why", "each night"];
    assert_eq!(on(superroot(), &backup, &data).0, 0);
    let (code, text) = on(superroot(), &["backup", "--to", to], &data);
    assert!(code == 2 && text.contains("is not empty"), "{text}");

    let lines = journal(&data);
    assert_eq!(lines.len(), 14, "{lines:?}");
    let told = |at: usize| (&lines[at]["act"], &lines[at]["outcome"], &lines[at]["to"]);
    for (at, outcome) in [(10, "begun"), (11, "done"), (12, "begun"), (13, "failed")] {
        assert_eq!(told(at), (&json!("backup"), &json!(outcome), &json!(to)));
    }
    assert_eq!((&lines[11]["with_key"], &lines[11]["why"]), (&json!(true), &json!("each night")));
    assert_eq!(
        (&lines[11]["who"]["through"], &lines[13]["with_key"]),
        (&json!("socket"), &json!(false))
    );
    let (begun, done) = (&lines[0], &lines[1]);
    assert_eq!((&begun["outcome"], &done["outcome"]), (&json!("begun"), &json!("done")));
    assert_eq!((&begun["id"], &begun["act"]), (&done["id"], &json!("repair")));
    assert_eq!((&begun["chain"], &begun["why"]), (&json!("base"), &json!(why)));
    let who = &begun["who"];
    let uid = std::fs::metadata(&data).unwrap().uid();
    assert_eq!((&who["uid"], &who["through"]), (&json!(uid), &json!("socket")));
    assert!(who["pid"].as_u64() > Some(0), "{who}");

    // a simulated chain has no block below its first: nothing is tried again
    let (code, text) = on(superroot(), &["backfill", "--chain", "icp", "--to", "5"], &data);
    assert!(code != 0 && text.contains("has no block") && !text.contains("next try"), "{text}");

    assert!(service.stop().success());
    assert!(!data.join("admin.sock").exists(), "the socket goes with the service");
    let (code, text) = on(superroot(), &["resume", "1", "--why", "once more"], &data);
    assert_eq!((code, text.trim()), (0, "Ethereum is not halted"));
    let last = journal(&data).pop().unwrap();
    assert_eq!((&last["why"], &last["who"]["through"]), (&json!("once more"), &json!("folder")));
    let tomorrow = copy.with_file_name("tomorrow");
    let backup = ["backup", "--to", tomorrow.to_str().unwrap()];
    assert_eq!(on(superroot(), &backup, &data).0, 0);
    let last = journal(&data).pop().unwrap();
    assert_eq!((&last["act"], &last["outcome"]), (&json!("backup"), &json!("done")));
    assert_eq!(last["who"]["through"], "folder");
}

/// What is no request is refused in words, and the service goes on.
#[tokio::test(flavor = "multi_thread")]
async fn bad_bytes_on_the_socket_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = demo(&data);
    let huge = format!("{{\"chain\":\"{}\"}}", "x".repeat(70_000));
    for (path, body, status, word) in [
        ("/v1/backfill", "", 400, "the body"),
        ("/v1/backfill", "{}", 400, "to is missing"),
        ("/v1/backfill", r#"{"to":5}"#, 400, "chain is missing"),
        ("/v1/backfill", r#"{"chain":"atlantis","to":5}"#, 400, "no such chain"),
        ("/v1/backfill", r#"{"chain":"1","to":-5}"#, 400, "the body"),
        ("/v1/backfill", r#"{"chain":"1","from":1,"to":5}"#, 400, "has no from"),
        ("/v1/backfill", r#"{"chain":"1","to":5,"force":true}"#, 400, "unknown field"),
        ("/v1/backfill", r#"{"chain":"linea","to":5}"#, 409, "does not follow"),
        ("/v1/repair", r#"{"from":5}"#, 400, "of one chain"),
        ("/v1/resume", r#"{"chain":"1","to":5}"#, 400, "as a whole"),
        ("/v1/resume", &huge, 413, ""),
        ("/v1/backup", r#"{"to":"/x"}"#, 400, "missing field"),
        ("/v1/nothing", "{}", 404, "no route"),
        ("/v1/accounts", "{}", 400, "missing field"),
        (
            "/v1/accounts",
            r#"{"order":{"account":{"open":{}}},"name":"ana"}"#,
            400,
            "why is missing",
        ),
        (
            "/v1/accounts",
            r#"{"order":{"account":{"burn":{}}},"name":"ana"}"#,
            400,
            "unknown variant",
        ),
        ("/v5/superroot", "{}", 404, "no route"),
    ] {
        let (got, text) = post(&data, path, body);
        assert_eq!(got, status, "{path}: {text}");
        assert!(text.contains(word), "{path}: {text}");
    }
    let long = json!({ "chain": "1", "why": "x".repeat(501) }).to_string();
    assert_eq!(post(&data, "/v1/resume", &long).0, 400);
    let long = json!({ "to": "/x", "with_key": true, "why": "x".repeat(501) }).to_string();
    assert_eq!(post(&data, "/v1/backup", &long).0, 400);
    assert!(journal(&data).is_empty(), "nothing of that was begun");
    assert_eq!(exchange(&data, "\x16\x03\x01\x02\r\n\r\n").0, 400);
    assert_eq!(service.get("/health/ready").await.0, 200);
}

/// A folder that something else holds has no socket, and one that a killed service left is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn a_socket_without_a_service_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    demo(&data).kill();
    assert!(data.join("admin.sock").exists(), "a killed service leaves it");
    let (code, text) = on(superroot(), &["resume", "1"], &data);
    assert_eq!((code, text.trim()), (0, "Ethereum is not halted"), "nobody holds the folder");
    let lock = std::fs::File::open(data.join("lock")).unwrap();
    lock.lock().unwrap();
    let (code, text) = on(superroot(), &["resume", "1"], &data);
    assert!(code == 2 && text.contains("in use by another process"), "{text}");
    drop(lock);
    let service = demo(&data);
    let (code, text) = on(superroot(), &["resume", "1"], &data);
    assert_eq!(code, 0, "{text}");
    drop(service);
}

/// Two twigs are filled by a service that follows its head all the while, through a client that is
/// killed; the status says so, and nothing is lost or doubled.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_filled_backwards_while_its_head_is_followed() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let world = World::of(&[&node]);
    node.mine(4_200).await;
    let service = world.serve(&[("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000")]);
    anchored(&service, CHAIN, 4_198).await;
    let data = world.path("data");
    let mut backfill = world.superroot();
    backfill.args(["backfill", "--chain", "31337", "--to", "7", "--data"]).arg(&data);
    let mut killed = backfill.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let seen = until("the status says that it is filled", async || {
        let chain = service.chain(CHAIN).await;
        (chain["state"] == "backfilling").then_some(chain)
    })
    .await;
    let filling = &seen["backfill"];
    assert_eq!((&filling["to"], &filling["total_blocks"]), (&json!(0), &json!(4_096)), "{seen}");
    node.mine(5).await;
    anchored(&service, CHAIN, 4_203).await;
    let page = String::from_utf8(service.get("/status").await.1).unwrap();
    let store = service.json("/api/v1/status").await["store"]["bytes"].as_u64();
    assert!(page.contains("backfilling") && store > Some(0), "{page}");
    killed.kill().unwrap();
    killed.wait().unwrap();
    until("the work of a killed client ends", async || {
        (service.chain(CHAIN).await["state"] == "following").then_some(())
    })
    .await;

    let (code, text) = on(world.superroot(), &["backfill", "--chain", "31337", "--to", "7"], &data);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Anvil 31337 begins at block 0 now"), "{text}");
    assert_eq!(service.chain(CHAIN).await["backfill"], Value::Null);
    node.mine(5).await;
    anchored(&service, CHAIN, 4_208).await;
    no_gap(&service, CHAIN).await;
    for number in [0, 2_047, 2_048, 4_095, 4_096, 4_208] {
        let proof = world.prove(&service, &format!("/v5/proof/{CHAIN}/{number}")).await;
        assert_eq!(proof["blockHash"], node.hash_at(number).await);
    }
    let outcomes: Vec<_> =
        journal(&data).iter().map(|line| line["outcome"].as_str().unwrap().to_owned()).collect();
    assert_eq!(outcomes, ["begun", "stopped", "begun", "done"]);
    assert!(service.stop().success());
    let (code, text) = on(world.superroot(), &["recompute"], &data);
    assert_eq!(code, 0, "{text}");
}

/// A halted chain goes on in the service that halted it, as soon as somebody says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_halted_chain_is_resumed_without_a_restart() {
    let Some(node) = Anvil::start(CHAIN, 1) else { return };
    let other = Anvil::start(CHAIN, 1).unwrap();
    let world = World::of(&[&node]);
    let gateway = Gateway::to(&node.url).await;
    let url = &gateway.url;
    let endpoint = format!("[[endpoint]]\nchain = \"{CHAIN}\"\nurl = \"{url}\"\n");
    std::fs::write(world.path("endpoints.toml"), endpoint).unwrap();
    node.mine(12).await;
    other.call("anvil_mine", json!(["0x10", "0x3"])).await; // of other times, so of other hashes
    assert_ne!(node.hash_at(10).await, other.hash_at(10).await);
    let service = world.serve(&[]);
    anchored(&service, CHAIN, 10).await;
    gateway.turn_to(&other.url);
    let halted = async || (service.chain(CHAIN).await["state"] == "halted").then_some(());
    until("the chain is halted", halted).await;
    let resume = ["resume", "31337", "--why", "looked at both"];
    let (code, text) = on(world.superroot(), &resume, &world.path("data"));
    assert!(code == 0 && text.contains("contradicted") && text.contains("cleared"), "{text}");
    until("it halts again, as its node still contradicts", halted).await;
    gateway.turn_to(&node.url);
    node.mine(4).await;
    let (code, text) = on(world.superroot(), &resume, &world.path("data"));
    assert_eq!(code, 0, "{text}");
    anchored(&service, CHAIN, 14).await;
    assert_eq!(service.chain(CHAIN).await["state"], "following");
}
