//! Contracts that read events of other chains by EIP-3668, through unmodified ethers and viem.

use std::path::Path;
use std::process::Command;

use axum::Router;
use axum::extract::Path as UrlPath;
use serde_json::{Value, json};

use crate::clients::{installed, key};
use crate::support::anvil::until;
use crate::support::{Service, http, operator, superroot};

/// What a gateway does to its answers.
const LIES: [&str; 4] = ["other", "bent", "short", "empty"];
const SENDER: &str = "0x00000000000000000000000000000000000000aa";

/// Gateways that ask the service and answer otherwise, each under the name of its lie.
async fn liars(service: &Service) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let honest = service.url.clone();
    let answer = async move |UrlPath((lie, sender, data)): UrlPath<(String, String, String)>| {
        let mut data = const_hex::decode(data).unwrap();
        if lie == "other" {
            // the log before it, or behind it
            *data.last_mut().unwrap() ^= 1;
        }
        let path = format!("{honest}/ccip/{sender}/{}", const_hex::encode_prefixed(data));
        let answer = http().get(path).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.unwrap();
        let mut proof = const_hex::decode(answer["data"].as_str().unwrap()).unwrap();
        let middle = proof.len() / 2;
        match &*lie {
            "bent" => proof[middle] ^= 1,
            "short" => drop(proof.pop()),
            "empty" => proof.clear(),
            _ => {}
        }
        axum::Json(json!({ "data": const_hex::encode_prefixed(proof) }))
    };
    let route = axum::routing::get(answer);
    let router = Router::new().route("/{lie}/ccip/{sender}/{data}", route);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Two logs of one receipt, anchored at the contract: block, transaction, both indices, and the first log.
async fn logs(service: &Service, data: &Path) -> (u64, u64, Value) {
    let url = format!("{}/v5/logs?chain=1&fromBlock=2048&toBlock=2100&limit=200", service.url);
    let found = http().get(url).header("x-api-key", key(data, "builder")).send().await.unwrap();
    let found: Value = found.json().await.unwrap();
    let logs = found["logs"].as_array().unwrap_or_else(|| panic!("{found}"));
    let second = logs.iter().find(|log| log["logIndex"] == 1).unwrap();
    let is_first =
        |log: &&Value| log["transactionHash"] == second["transactionHash"] && log["logIndex"] == 0;
    let log = logs.iter().find(is_first).unwrap().clone();
    let block = log["blockNumber"].as_u64().unwrap();
    until("the block is under an anchored SuperRoot", async || {
        let status = service.json("/api/v1/status").await;
        status["anchors"][0]["sequence"].as_u64()
    })
    .await;
    (block, log["transactionIndex"].as_u64().unwrap(), log)
}

#[tokio::test(flavor = "multi_thread")]
async fn ethers_and_viem_read_an_event_through_a_contract_and_no_gateway_can_lie_to_them() {
    let Some(installed) = installed("typescript", "installed.json") else { return };
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let mut command = superroot();
    command.args(["demo", "--contracts", "--listen", "127.0.0.1:0", "--seed", "11", "--data"]);
    command.arg(&data).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(&mut command, "ready");
    let (block, tx_index, log) = logs(&service, &data).await;
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clients/typescript");
    for file in ["package.json", "ccip.ts"] {
        std::fs::copy(example.join(file), work.path().join(file)).unwrap();
    }
    let modules = installed.join("node_modules");
    std::os::unix::fs::symlink(&modules, work.path().join("node_modules")).unwrap();
    let mut compile = Command::new("node");
    compile.arg(modules.join("typescript/bin/tsc")).arg("ccip.ts").current_dir(work.path());
    compile.args(["--target", "es2022", "--module", "nodenext", "--strict"]);
    let (code, said) = operator::run(&mut compile);
    assert_eq!(code, 0, "{said}");
    let artifact = example.join("../../../contracts/artifacts/SuperRootReader.json");
    let read = |gateway: &str| {
        let mut command = Command::new("node");
        command.arg("ccip.js").arg(&service.url).arg(&data).arg(&artifact);
        command.args(["1", &block.to_string(), &tx_index.to_string(), "0"]);
        let (code, said) = operator::run(command.env("GATEWAY", gateway).current_dir(work.path()));
        assert_eq!(code, 0, "{said}");
        said
    };
    let text = |member: &str| log[member].as_str().unwrap().to_owned();
    let topics: Vec<_> =
        log["topics"].as_array().unwrap().iter().map(|topic| topic.as_str().unwrap()).collect();
    let event = format!("{} {} {}", text("address"), topics.join(" "), text("data"));
    let said = read(&service.url);
    // both spell addresses with their checksum
    assert_eq!(said.to_lowercase(), format!("ethers: {event}\nviem: {event}\n").to_lowercase());
    let liars = liars(&service).await;
    for lie in LIES {
        let said = read(&format!("{liars}/{lie}"));
        for library in ["ethers", "viem"] {
            assert!(said.contains(&format!("{library} refused: ")), "{lie}: {said}");
        }
    }
    refusals(&service).await;
    assert!(service.stop().success());
}

/// Call of `eventProof` with these words.
pub(crate) fn call(words: [u64; 5]) -> String {
    let selector =
        &alloy_primitives::keccak256("eventProof(uint64,uint64,uint64,uint32,uint32)")[..4];
    let words = words.map(|word| [[0; 24].as_slice(), &word.to_be_bytes()].concat()).concat();
    const_hex::encode_prefixed([selector, &words].concat())
}

async fn refusals(service: &Service) {
    let asked = call([0, 1, 2_050, 0, 0]);
    let mut high = const_hex::decode(&asked).unwrap();
    high[4] = 1;
    for (sender, data, status, code, parameter) in [
        ("0xaa", asked.clone(), 400, "invalid_parameter", "sender"),
        (SENDER, "0x".to_owned(), 400, "invalid_parameter", "data"),
        (SENDER, asked[2..].to_owned(), 400, "invalid_parameter", "data"),
        (SENDER, format!("{asked}00"), 400, "invalid_parameter", "data"),
        (SENDER, asked.replacen("0x", "0xz", 1), 400, "invalid_parameter", "data"),
        (SENDER, const_hex::encode_prefixed([0; 164]), 400, "invalid_parameter", "data"),
        (SENDER, const_hex::encode_prefixed(high), 400, "invalid_parameter", "data"),
        (SENDER, call([0, 1, 2_050, 1 << 32, 0]), 400, "invalid_parameter", "data"),
        (SENDER, call([0, 7_777_777, 2_050, 0, 0]), 404, "unknown_chain", "data"),
        (SENDER, call([u64::MAX, 1, 2_050, 0, 0]), 404, "unknown_superroot", ""),
        (SENDER, call([0, 1, 2_050, 60_000, 0]), 404, "not_found", ""),
        (SENDER, call([0, 1, u64::MAX, 0, 0]), 409, "not_yet_anchored", ""),
    ] {
        let (got, body) = service.get(&format!("/ccip/{sender}/{data}")).await;
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((got, &body["code"]), (status, &json!(code)), "{data}: {body}");
        if !parameter.is_empty() {
            assert_eq!(body["parameter"], parameter, "{data}: {body}");
        }
    }
}
