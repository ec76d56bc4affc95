//! The demo with contracts, and its example, run as it stands.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::anvil::until;
use crate::support::{Service, http, superroot};

/// `cast` of Foundry, as `make contracts` brings it.
fn cast() -> Option<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contracts/node_modules/@foundry-rs/cast-linux-amd64/bin/cast");
    let names = [own.display().to_string(), "cast".to_owned()];
    let is_there = |name: &String| Command::new(name).arg("--version").output().is_ok();
    let found = names.into_iter().find(is_there);
    if found.is_none() {
        eprintln!("SKIPPED: the example of contracts; cast is not at hand (make contracts)");
    }
    found
}

async fn rpc(service: &Service, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let url = format!("{}/rpc/84532", service.url);
    let answer = http().post(url).body(body.to_string()).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].clone()
}

/// A wallet registers, pays by USDC and ETH, and both payments, an event of another chain on-chain, and a bill are checked;
/// after a restart the chain has what it had, and nothing is paid, published or written twice.
#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_contracts_comes_to_its_end_and_a_restart_keeps_all_of_it() {
    let Some(cast) = cast() else { return };
    let data = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = superroot();
        command.args(["demo", "--contracts", "--listen", "127.0.0.1:0", "--seed", "11", "--data"]);
        command.arg(data.path()).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        Service::start(&mut command, "ready")
    };
    let service = start();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/contracts.sh");
    let run = Command::new("bash")
        .arg(script)
        .args([&service.url, data.path().to_str().unwrap()])
        .env("SUPERROOT", env!("CARGO_BIN_EXE_superroot"))
        .env("CAST", cast)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[&run.stdout[..], &run.stderr].concat()).into_owned();
    assert!(run.status.success(), "{text}");
    assert_eq!(text.matches("TRUE: ").count(), 2, "{text}");
    let blocks = json!([{ "fromBlock": "0x0" }]);
    let logs = rpc(&service, "eth_getLogs", blocks.clone()).await;
    let before = logs.as_array().unwrap().len();
    assert!(before > 8, "{logs}");
    service.kill();
    let service = start();
    let after = rpc(&service, "eth_getLogs", blocks).await;
    assert_eq!(&after.as_array().unwrap()[..before], &logs.as_array().unwrap()[..]);
    let anchored = service.json("/api/v1/status").await["anchors"][0]["sequence"].as_u64();
    until("SuperRoots are published again", async || {
        let status = service.json("/api/v1/status").await;
        (status["anchors"][0]["sequence"].as_u64() > anchored).then_some(())
    })
    .await;
    let status = service.json("/api/v1/status").await;
    for sender in [&status["anchors"][0], &status["registries"][0]] {
        assert_eq!(sender["last_error"], Value::Null, "{status}");
    }
}
