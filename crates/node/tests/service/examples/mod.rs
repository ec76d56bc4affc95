//! The examples of the page on which routes are tried out, taken from a demo: every operation has one, and what
//! an operation answered is what the document says of it. `make examples` takes them anew.

mod further;
mod left;
mod recorder;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;

use crate::support::anvil::until;
use crate::support::{Service, http, operator, superroot};
use recorder::{Recorder, ask};

/// A contract that is watched.
const USDC: &str = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
/// Across on Base, and its event of an order that is filled.
const SPOKE_POOL: &str = "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64";
const FILLED: &str = "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,\
    bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))";
/// An address that nobody of the demo uses.
const NOBODY: &str = "0x00000000000000000000000000000000000000aa";

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src/openapi/examples.json")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_an_example_that_a_demo_answers() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = operator::demo(&data);
    command.args(["--seed", "7"]).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "500");
    command.env("SUPERROOT__WEBHOOK__GIVE_UP_SECONDS", "1");
    // no facilitator: the example of a pass is that of its terms
    command.env("SUPERROOT__PASS__PAY_TO", format!("\"{NOBODY}\""));
    command.env("SUPERROOT__PASS__ASSET", format!("8453={USDC}@0"));
    command.env("SUPERROOT__WEBHOOK__RETRY_FIRST_MS", "100");
    let service = Service::start(&mut command, "ready");
    service.ready().await;
    while service.json("/v5/superroot").await["sequence"].as_u64() < Some(2) {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let document = service.json("/openapi.json").await;
    let mut recorder = Recorder::new(&service, &document);
    record(&mut recorder, &data).await;
    assert!(recorder.faults.is_empty(), "{:#?}", recorder.faults);

    let operations: BTreeSet<String> = operations(&document).map(|(id, _)| id.to_owned()).collect();
    let taken: BTreeSet<String> = recorder.examples.keys().cloned().collect();
    assert_eq!(taken, operations, "an operation without a request here, or a request of none");
    check(&document, &json!(recorder.examples));
    if std::env::var("SUPERROOT_EXAMPLES").as_deref() == Ok("write") {
        // a line for each, so that what changed is seen
        let lines = recorder.examples.iter().map(|(id, example)| format!("{:?}: {example}", id));
        let text = format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"));
        std::fs::write(file(), text).unwrap();
        return; // the page of the next build has them
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(file()).unwrap()).unwrap();
    let of_kept: BTreeSet<String> = kept.as_object().unwrap().keys().cloned().collect();
    assert_eq!(of_kept, operations, "take the examples anew: make examples");
    check(&document, &kept);
    for (id, example) in &recorder.examples {
        let same = |name: &str| kept[id][name] == example[name];
        assert!(same("status") && same("media"), "{id}: take the examples anew: make examples");
    }
    shown_on_the_page(&service, &kept).await;
    left::check(&service, &recorder.gets).await;
    assert!(service.stop().success());
}

/// Every operation of a document with its id.
fn operations(document: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    let all =
        paths.flat_map(|methods| methods.as_object().into_iter().flat_map(|all| all.values()));
    all.map(|operation| (operation["operationId"].as_str().unwrap(), operation))
}

/// What stands behind a reference.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// That each request and answer is of the form that the document says.
fn check(document: &Value, examples: &Value) {
    let check = |id: &str, schema: &Value, value: &Value| {
        if schema.is_null() {
            return; // bytes
        }
        let whole = json!({ "components": document["components"], "allOf": [schema] });
        let validator = jsonschema::draft202012::new(&whole).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(value)
            .map(|fault| format!("{} at {}", fault, fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{id}: {faults:?}: {value}");
    };
    for (id, operation) in operations(document) {
        let example = &examples[id];
        let (status, media) = (example["status"].to_string(), example["media"].as_str().unwrap());
        let response = resolved(document, &operation["responses"][&status]);
        assert!(response.is_object(), "{id}: {status} is not in the document");
        let content = &response["content"][media];
        assert!(content.is_object(), "{id}: {status} as {media} is not in the document");
        check(id, &content["schema"], &example["answer"]);
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if let Some(given) = example.get("body") {
            check(id, body, given);
        } else {
            assert!(operation["requestBody"]["required"] != true, "{id}: a body is required");
        }
        if let Some(given) = example["more"].get("body") {
            check(id, body, given);
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(document, parameter);
            let (place, name) =
                (parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap());
            match example[place].get(name) {
                Some(value) => check(id, &parameter["schema"], value),
                None => assert!(parameter["required"] != true, "{id}: {name} is required"),
            }
            if let Some(value) = example["more"][place].get(name) {
                check(id, &parameter["schema"], value);
            }
        }
    }
}

/// The page, its document with every example, and the files it is made of come from this service.
async fn shown_on_the_page(service: &Service, examples: &Value) {
    let (status, page) = service.get("/docs/try").await;
    let page = String::from_utf8(page).unwrap();
    assert_eq!(status, 200);
    for part in page.split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
        assert_eq!(service.get(part).await.0, 200, "{part}");
    }
    let (_, start) = service.get("/docs/start.js").await;
    let start = String::from_utf8(start).unwrap();
    assert!(start.contains("/docs/openapi-with-examples.json"), "{start}");
    let document = service.json("/docs/openapi-with-examples.json").await;
    for (id, operation) in operations(&document) {
        let example = &examples[id];
        let response = &operation["responses"][example["status"].to_string()];
        let shown = &response["content"][example["media"].as_str().unwrap()]["example"];
        assert_eq!(shown, &example["answer"], "{id}");
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        assert_eq!(body, &example["body"], "{id}");
        // a member that is there is no null
        assert!(operation.as_object().unwrap().values().all(|part| !part.is_null()), "{id}");
    }
}

/// Key of the demo's account of that tier.
fn key_of(data: &Path, tier: &str) -> String {
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
    let key = keys.iter().find(|key| key["tier"] == tier).unwrap();
    key["api_key"].as_str().unwrap().to_owned()
}

async fn record(recorder: &mut Recorder<'_>, data: &Path) {
    let key = key_of(data, "builder");
    pages(recorder).await;
    proofs(recorder, &key).await;
    markets(recorder, &key).await;
    streams(recorder, &key).await;
    pushed(recorder, &key).await;
    accounts(recorder, data, &key).await;
    order(recorder, &key).await;
    checkpoints(recorder, &key).await;
    further::record(recorder, &key).await;
}

async fn pages(recorder: &mut Recorder<'_>) {
    for operation in ["index", "docs", "statusPage", "health", "live", "ready", "checkpoint"] {
        recorder.call(ask(operation)).await;
    }
    for operation in ["openapi", "asyncapi"] {
        recorder.call(ask(operation)).await;
        // the document itself is no example of itself
        let example = recorder.examples.get_mut(operation).unwrap();
        let whole = &example["answer"];
        example["answer"] = json!({ operation: whole[operation], "info": whole["info"] });
    }
    recorder.call(ask("docsFile").path("file", "try")).await;
    recorder.call(ask("webFile").path("asset", "dom.js")).await;
    for operation in ["status", "chains", "plans", "finalityOfAll"] {
        recorder.call(ask(operation).shortened()).await;
    }
    let month = Command::new("date").args(["-u", "+%Y-%m"]).output().unwrap();
    let month = String::from_utf8(month.stdout).unwrap();
    recorder.call(ask("availability").query("month", month.trim())).await;
    recorder.call(ask("coverage").path("chain", "ethereum").shortened()).await;
    recorder.call(ask("gas").query("chain_id", "ethereum").shortened()).await;
    recorder.call(ask("finality").path("chain_id", "ethereum")).await;
}

async fn proofs(recorder: &mut Recorder<'_>, key: &str) {
    let root = recorder.call(ask("superRoot").shortened()).await;
    recorder.call(ask("superRootKv").shortened()).await;
    recorder.call(ask("superRootBySequence").path("sequence", 0).shortened()).await;
    let hash = root["superRootHash"].as_str().unwrap();
    recorder.call(ask("superRootBlob").path("superroot_hash", hash)).await;
    recorder.call(ask("consistency").query("from", 0)).await;
    recorder.call(ask("twigs").path("family", "evm").query("from", 0).query("count", 2)).await;
    recorder.call(ask("tile").path("level", 0).path("index", "000.p/1")).await;
    recorder.call(ask("tileEntries").path("index", "000.p/1")).await;
    for (operation, block) in [
        ("proveBlock", "block"),
        ("proveBlockKv", "block_number"),
        ("proveBlockLambda", "block"),
        ("proveBlockBlob", "block"),
        ("finalityProof", "block"),
        ("finalityProofApi", "block"),
    ] {
        let chain = if operation == "proveBlock" { "chain" } else { "chain_id" };
        let asked = ask(operation).path(chain, "ethereum").path(block, "latest");
        let proof = recorder.call(asked).await;
        if operation == "proveBlockKv" {
            recorder.call(ask("verifyProof").body(json!({ "proof": proof }))).await;
        }
    }
    recorder.call(ask("lightClient").path("chain", "sui")).await;
    recorder.call(ask("lightClientSet").path("chain", "sui").path("set", 130)).await;
    recorder.call(ask("lightClientSteps").path("chain", "sui").query("from", 130)).await;
    recorder.call(ask("lightClientConflict").path("chain", "sui")).await;
    let of_all = ask("logs").key(key).query("chain", "ethereum").query("finality", "anchored");
    let found = recorder.call(of_all.query("limit", 1)).await;
    let event = &found["logs"][0];
    let (block, tx) = (event["blockNumber"].to_string(), event["transactionHash"].clone());
    let (tx_index, log_index) = (event["transactionIndex"].clone(), event["logIndex"].clone());
    let transaction = ask("proveTransaction").path("chain_id", "ethereum");
    recorder.call(transaction.path("tx_hash", tx.clone())).await;
    recorder.call(ask("find").path("hash", tx.clone())).await;
    let short = ask("proveTransactionShort").path("chain", "ethereum");
    recorder.call(short.path("hash", tx.clone())).await;
    let short = ask("proveEventShort").path("chain", "ethereum").path("tx", tx.clone());
    recorder.call(short.path("log_index", log_index.clone())).await;
    let long = ask("proveEvent").path("chain_id", "ethereum").path("block_number", block.clone());
    let sequence = &found["v5Anchor"]["sequence"];
    let place = [sequence, &json!(1), &event["blockNumber"], &tx_index, &log_index];
    let asked = crate::ccip::call(place.map(|word| word.as_u64().unwrap()));
    recorder.call(ask("gateway").path("sender", NOBODY).path("data", asked)).await;
    recorder.call(long.path("tx_index", tx_index).path("log_index", log_index)).await;
    let absent = ask("proveAbsence").path("chain_id", "ethereum").path("block", block.clone());
    recorder.call(absent.path("tx_index", 5_000)).await;
    let items = json!([
        { "chain": "ethereum", "block": block },
        { "chain": "ethereum", "txHash": tx },
    ]);
    recorder.call(ask("proveBatch").body(json!({ "items": items }))).await;
    let scan = ask("scan").key(key).path("chain", "ethereum").query("address", NOBODY);
    recorder.call(scan.query("fromBlock", 0).query("toBlock", 3)).await;
    let body = json!({ "address": NOBODY, "chain_ids": ["ethereum", "base"] });
    recorder.call(ask("bloomQuery").key(key).body(body)).await;
}

async fn markets(recorder: &mut Recorder<'_>, key: &str) {
    let price = ask("price").key(key).path("chain", "ethereum").path("token", "WETH");
    recorder.call(price.query("block", "latest").shortened()).await;
    recorder.call(ask("arbitrage").key(key).shortened()).await;
    recorder.call(ask("arbitrageStream").key(key)).await;
    let launches = ask("launches").key(key).query("format", "json").query("limit", 500);
    let found = recorder.call(launches.shortened()).await;
    // the oldest launch is anchored before any other
    let oldest = found["launches"].as_array().unwrap().last().unwrap();
    let behind = ask("proofByHash").path("proof_hash", oldest["proofHash"].clone());
    recorder.call(behind).await;
}

async fn streams(recorder: &mut Recorder<'_>, key: &str) {
    recorder.call(ask("stream").key(key).query("topics", "superroot,finality")).await;
    let token = recorder.call(ask("streamToken").key(key)).await;
    let token = token["token"].as_str().unwrap();
    let address = recorder.service.url.trim_start_matches("http://");
    let socket = tokio::net::TcpStream::connect(address).await.unwrap();
    let url = format!("ws://{address}/v5/ws?token={token}");
    let asked = ask("webSocket").query("token", token);
    let (mut socket, answer) = tokio_tungstenite::client_async(url, socket).await.unwrap();
    let subscribe = json!({ "op": "subscribe", "id": "a", "topics": ["superroot"] }).to_string();
    let mut said = format!("> {subscribe}\n");
    socket.send(Message::text(subscribe)).await.unwrap();
    while said.lines().count() < 4 {
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            said += &format!("< {text}\n");
        }
    }
    recorder.keep(ask("webSocket"), answer.status().as_u16(), "text/plain", said.into());
    recorder.keep_more(asked);
}

async fn pushed(recorder: &mut Recorder<'_>, key: &str) {
    let watched = json!({ "chain": "base", "address": USDC, "label": "USDC on Base" });
    let made = recorder.call(ask("createWatch").key(key).body(watched)).await;
    let of = |operation| ask(operation).key(key).path("id", made["id"].clone());
    recorder.call(ask("watches").key(key)).await;
    recorder.call(of("watch")).await;
    recorder.call(of("changeWatch").body(json!({ "label": "USDC" }))).await;
    recorder.call(of("deleteWatch")).await;

    let receiver = receiver().await;
    let hook = json!({
        "url": receiver, "topics": ["logs"], "chain": ["base"], "address": USDC,
        "topic0": "Transfer(address,address,uint256)", "finality": "finalized",
    });
    let made = recorder.call(ask("createWebhook").key(key).body(hook)).await;
    let of = |operation| ask(operation).key(key).path("id", made["webhook"]["id"].clone());
    recorder.call(ask("webhooks").key(key)).await;
    recorder.call(of("webhook")).await;
    recorder.call(of("changeWebhook").body(json!({ "enabled": true }))).await;
    recorder.call(of("testWebhook")).await;
    recorder.call(of("rotateWebhook").body(json!({ "grace_seconds": 3_600 }))).await;
    recorder.call(of("deleteWebhook")).await;

    // an address that takes nothing has dead letters soon
    let hook = json!({ "url": "http://127.0.0.1:1/hook", "topics": ["finality"], "chain": ["base"],
        "finality": "head" });
    let (_, made) = recorder.service.post("/api/v1/webhooks", key, &hook).await;
    let id = made["webhook"]["id"].as_str().unwrap();
    let webhook = format!("{}/api/v1/webhooks/{id}", recorder.service.url);
    until("dead letters", async || {
        let asked = http().get(&webhook).header("x-api-key", key).send().await.unwrap();
        let webhook: Value = asked.json().await.unwrap();
        webhook["dead_letters"].as_array().filter(|runs| !runs.is_empty()).map(|_| ())
    })
    .await;
    recorder.call(ask("replayWebhook").key(key).path("id", json!(id))).await;
}

/// Where webhooks are sent to: it takes whatever comes.
async fn receiver() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut bytes = [0; 4096];
            let _ = socket.read(&mut bytes).await;
            let good = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
            let _ = socket.write_all(good).await;
        }
    });
    format!("http://{address}/hook")
}

async fn accounts(recorder: &mut Recorder<'_>, data: &Path, key: &str) {
    let wallet = data.join("wallet.key");
    let with_key = |verb: &str| {
        let mut command = superroot();
        command.args(["wallet", verb, "--key-file"]).arg(&wallet);
        command
    };
    let address = operator::printed(&mut with_key("new")).trim().to_owned();
    let registered =
        recorder.call(ask("register").body(json!({ "wallet_address": address }))).await;
    let challenge = recorder.call(ask("challenge").query("wallet_address", address)).await;
    let message = challenge["message"].as_str().unwrap();
    let mut signing =
        with_key("sign").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    signing.stdin.take().unwrap().write_all(message.as_bytes()).unwrap();
    let signature = String::from_utf8(signing.wait_with_output().unwrap().stdout).unwrap();
    let own = registered["api_key"].as_str().unwrap();
    let proven = json!({ "message": message, "signature": signature.trim() });
    recorder.call(ask("wallet").key(own).body(proven)).await;
    for operation in ["verifyKey", "usage", "usageHistory", "invoices"] {
        recorder.call(ask(operation).key(key).shortened()).await;
    }
    let month = Command::new("date").args(["-u", "+%Y-%m"]).output().unwrap();
    let month = String::from_utf8(month.stdout).unwrap();
    recorder.call(ask("invoice").key(key).path("invoice", month.trim())).await;
    let wanted =
        json!({ "label": "indexer", "chains": ["ethereum", "base"], "routes": ["G1", "G3"] });
    let made = recorder.call(ask("createKey").key(key).body(wanted)).await;
    let of = |operation, id: &Value| ask(operation).key(key).path("id", id.clone());
    recorder.call(ask("keys").key(key)).await;
    let id = &made["key"]["id"];
    recorder.call(of("changeKey", id).body(json!({ "label": "indexer of Base" }))).await;
    let rotated = recorder.call(of("rotateKey", id).body(json!({ "grace_seconds": 3_600 }))).await;
    recorder.call(of("revokeKey", &rotated["key"]["id"])).await;

    let opened = operator::printed(&mut operator::admin(data, "account open", Some("an example")));
    let opened: Value = serde_json::from_str(&opened).unwrap();
    let agree =
        format!("agreement set {} integrator --fee 99", opened["account"].as_str().unwrap());
    operator::printed(&mut operator::admin(data, &agree, Some("an example")));
    let key = opened["api_key"].as_str().unwrap();
    let wanted = json!({ "label": "customer 7" });
    let sub = recorder.call(ask("createSubAccount").key(key).body(wanted)).await;
    let of = |operation| ask(operation).key(key).path("account_id", sub["user_id"].clone());
    recorder.call(ask("subAccounts").key(key)).await;
    let next = ask("subAccounts").key(key).query("cursor", sub["user_id"].clone());
    recorder.also(next.query("limit", 10)).await;
    recorder.call(of("subAccountUsage")).await;
    let wanted = json!({ "label": "second key" });
    let made = recorder.call(of("createSubAccountKey").body(wanted)).await;
    recorder.call(of("subAccountKeys")).await;
    let id = &made["key"]["id"];
    let change = json!({ "label": "key of the app" });
    recorder.call(of("changeSubAccountKey").path("id", id.clone()).body(change)).await;
    let rotate = of("rotateSubAccountKey").path("id", id.clone());
    let rotated = recorder.call(rotate.body(json!({ "grace_seconds": 3_600 }))).await;
    let revoke = of("revokeSubAccountKey").path("id", rotated["key"]["id"].clone());
    recorder.call(revoke).await;
}

async fn checkpoints(recorder: &mut Recorder<'_>, key: &str) {
    recorder.call(ask("usageCheckpoints").key(key).query("before", "2026-02-28")).await;
    recorder.call(ask("usageCheckpoint").key(key).path("checkpoint", "2026-02-27")).await;
    recorder.call(ask("pass").body(json!({ "tokens": 100_000 }))).await;
    recorder.call(ask("passes").key(key)).await;
}

/// An order that was filled on a simulated Base, found by the transaction that filled it.
async fn order(recorder: &mut Recorder<'_>, key: &str) {
    let path = format!("/v5/logs?chain=base&address={SPOKE_POOL}&topic0={FILLED}&limit=50");
    let get = async |path: &str| -> Value {
        let url = format!("{}{path}", recorder.service.url);
        let found = http().get(url).header("x-api-key", key).send().await.unwrap();
        found.json().await.unwrap()
    };
    // the first fills may be of deposits from before the demo
    let filled = async || {
        let found = get(&path).await;
        for log in found["logs"].as_array()? {
            let tx = log["transactionHash"].as_str()?.to_owned();
            if get(&format!("/events/{tx}")).await["state"] == "filled" {
                return Some(tx);
            }
        }
        None
    };
    let tx = until("an order is filled", filled).await;
    let found = recorder.call(ask("order").key(key).path("order_id", tx.clone())).await;
    assert_eq!(found["state"], "filled", "{found}");
    recorder.also(ask("order").key(key).path("order_id", tx).query("wait", 5)).await;
}
