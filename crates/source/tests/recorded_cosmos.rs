//! Blocks of the Cosmos family out of a recordings folder, directly and as a node answers them.

use crate::support;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use superroot_chain::ledger::cosmos::RawCosmosBlock;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_chain::{ChainRegistry, ChainSpec, verify};
use superroot_source::{BlockSource, Budget, EndpointConfig, LiveConfig, LiveSource, Recordings};
use superroot_types::{BlockNumber, Hash};
use support::{Folder, Running};

const FIRST: u64 = 5_200_791;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("cosmoshub").unwrap()
}

/// The first blocks, of 0 to 4 transactions.
fn blocks() -> Vec<RawCosmosBlock> {
    let mut parent_hash = Hash::ZERO;
    let made = (0..5_u64).map(|place| {
        let plan = CosmosBlockPlan {
            chain_id: "cosmoshub-4".to_owned(),
            number: BlockNumber(FIRST + place),
            parent_hash,
            time: (1_613_628_000 + place, 0),
            app_hash: Hash([1; 32]),
            proposer_address: [3; 20],
            transactions: (0..place).map(|at| vec![u8::try_from(at).unwrap(); 40]).collect(),
        };
        let raw = block(&plan);
        parent_hash = raw.hash;
        raw
    });
    made.collect()
}

/// The blocks, and what else a test puts beside them.
fn folder(others: &[(&str, u64, Value)]) -> Folder {
    let mut folder = Folder::new();
    let mut put = |file: &str, number: u64, block: Value| {
        let capture = json!({ "chainId": 118, "network": "cosmoshub", "block": block });
        folder.file(file, &capture.to_string());
        let hash = &block["hash"];
        folder.row(json!({ "chainId": 118, "block": number, "hash": hash, "file": file }));
    };
    for (number, raw) in (FIRST..).zip(blocks()) {
        let mut block = serde_json::to_value(raw).unwrap();
        block["number"] = json!(number);
        put(&format!("{number}.json.gz"), number, block);
    }
    for (file, number, block) in others {
        put(file, *number, block.clone());
    }
    folder.write_index();
    folder
}

#[tokio::test]
async fn recorded_blocks_are_given_out_and_verify() {
    let folder = folder(&[]);
    let source = std::sync::Arc::new(folder.open()).source(row().key()).unwrap();
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.hash), (FIRST + 4, blocks()[4].hash));
    for (number, raw) in (FIRST..).zip(blocks()) {
        let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let verified = verify(row(), &block).unwrap();
        let tx_count = usize::try_from(number - FIRST).unwrap();
        assert_eq!((verified.hash(), verified.tx_count()), (raw.hash, Some(tx_count)));
    }
}

#[tokio::test]
async fn a_recording_that_is_none_is_an_error_of_its_file() {
    let mut good = serde_json::to_value(&blocks()[4]).unwrap();
    good["number"] = json!(FIRST + 4);
    let bent = |place: u64, bend: &dyn Fn(&mut Value)| {
        let mut block = good.clone();
        block["hash"] = json!(Hash([u8::try_from(place).unwrap(); 32]));
        block["number"] = json!(FIRST + place);
        block["header"]["height"] = json!((FIRST + place).to_string());
        bend(&mut block);
        block
    };
    let folder = folder(&[
        ("a.json", FIRST + 5, bent(5, &|block| block["header"]["height"] = json!("7"))),
        ("b.json", FIRST + 6, bent(6, &|block| block["txs"] = json!([7]))),
        ("c.json", FIRST + 7, bent(7, &|block| block["header"] = json!({}))),
        ("d.json", FIRST + 8, bent(8, &|block| block["txs"] = json!(["*"]))),
    ]);
    let source = std::sync::Arc::new(folder.open()).source(row().key()).unwrap();
    for (place, file, member) in [
        (5, "a.json", "block.header.height is another than block.number"),
        (6, "b.json", "txs[0]"),
        (7, "c.json", "header"),
    ] {
        let error = source.fetch_whole(BlockNumber(FIRST + place)).await.unwrap_err().to_string();
        assert!(error.contains(file) && error.contains(member), "{error}");
    }
    // what has the shape is passed on, and refused by the gate
    let block = source.fetch_whole(BlockNumber(FIRST + 8)).await.unwrap().unwrap();
    assert!(verify(row(), &block).is_err());
}

async fn call(server: &Running, method: &str, params: Value) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = http.post(format!("{}/cosmoshub", server.url)).body(body.to_string());
    let text = answer.send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn methods_answer_as_a_node_would() {
    let folder = folder(&[]);
    let server = Running::start(folder.open()).await;
    let result = async |method: &str, params| call(&server, method, params).await["result"].take();
    let blocks = blocks();
    let shown = |at: usize| const_hex::encode_upper(blocks[at].hash.0);
    let status = result("status", json!([])).await;
    assert_eq!(status["node_info"]["network"], "cosmoshub-4");
    assert!(status["node_info"]["version"].as_str().unwrap().starts_with("superroot-replay/"));
    let sync = &status["sync_info"];
    assert_eq!(
        (&sync["latest_block_height"], &sync["latest_block_hash"]),
        (&json!("5200795"), &json!(shown(4)))
    );
    assert_eq!(sync["earliest_block_height"], "5200791");
    let newest = result("block", json!([])).await;
    assert_eq!(newest, result("block", json!(["5200795"])).await);
    assert_eq!(newest["block_id"]["hash"], json!(shown(4)));
    assert_eq!(newest["block"]["data"]["txs"].as_array().unwrap().len(), 4);
    assert_eq!(newest["block"]["header"], json!(blocks[4].header));
    let by_hash = json!([STANDARD.encode(blocks[2].hash.0)]);
    assert_eq!(result("block_by_hash", by_hash).await["block_id"]["hash"], json!(shown(2)));
    assert_eq!(result("header", json!([5_200_792])).await["header"], json!(blocks[1].header));
    let by_hash = result("header_by_hash", json!([shown(1)])).await;
    assert_eq!(by_hash["header"], json!(blocks[1].header));
    let unknown = result("block_by_hash", json!([STANDARD.encode([7; 32])])).await;
    assert_eq!((&unknown["block"], &unknown["block_id"]["hash"]), (&Value::Null, &json!("")));
    let metas = result("blockchain", json!(["5200792", "5200793"])).await;
    let hashes = [
        &metas["block_metas"][0]["block_id"]["hash"],
        &metas["block_metas"][1]["block_id"]["hash"],
    ];
    assert_eq!(hashes, [&json!(shown(2)), &json!(shown(1))]);
    let all = result("blockchain", json!(["0", "0"])).await;
    assert_eq!(all["block_metas"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn what_a_node_would_refuse_is_refused_with_its_codes_and_words() {
    let folder = folder(&[]);
    let server = Running::start(folder.open()).await;
    for (method, params, code, words) in [
        (
            "block",
            json!(["5200796"]),
            -32603,
            "must be less than or equal to the current blockchain height 5200795",
        ),
        ("block", json!(["5200790"]), -32603, "is not available, lowest height is 5200791"),
        ("header", json!(["9"]), -32603, "lowest height is"),
        ("blockchain", json!(["5200799", "5200799"]), -32603, "can't be greater than max height"),
        ("block", json!(["x"]), -32602, "params[0] is no height"),
        ("block", json!(["1", "2"]), -32602, "expected a height"),
        ("blockchain", json!(["1"]), -32602, "expected 2 params"),
        ("block_by_hash", json!(["AB"]), -32602, "no hash in base64"),
        ("header_by_hash", json!(["AB"]), -32602, "no hash"),
        ("status", json!([1]), -32602, "expected 0 params"),
        ("commit", json!(["5200791"]), -32601, "does not exist"),
        ("eth_chainId", json!([]), -32601, "does not exist"),
    ] {
        let answer = call(&server, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
    }
}

/// What was recorded of a node reads back as the same block.
#[tokio::test]
async fn blocks_recorded_from_a_node_read_back_the_same() {
    let folder = folder(&[]);
    let server = Running::start(folder.open()).await;
    let url = format!("{}/cosmoshub", server.url);
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let source =
        LiveSource::new(&Budget::default(), row(), vec![EndpointConfig::at(&url)], config).unwrap();
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.finalized.number.0, tip.finalized.hash), (FIRST + 4, blocks()[4].hash));
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = superroot_source::Recorder::open(copy.path(), row()).unwrap();
    let mut steps = Vec::new();
    let numbers = (FIRST..FIRST + 6).map(BlockNumber);
    recorder.record(&source, numbers, |step| steps.push(step)).await.unwrap();
    assert_eq!(steps.len(), 6);
    assert!(matches!(steps[5], superroot_source::RecordStep::Absent { .. }), "{steps:?}");
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let read = std::sync::Arc::new(recordings).source(row().key()).unwrap();
    for number in (FIRST..FIRST + 5).map(BlockNumber) {
        let (again, first) = (read.fetch_whole(number).await, source.fetch_whole(number).await);
        assert_eq!(again.unwrap().unwrap(), first.unwrap().unwrap());
    }
}

/// `txs: []` would say that the block has none: of a header alone that is not known.
#[tokio::test]
async fn a_header_alone_is_replayed_as_a_header_and_not_as_a_block_without_transactions() {
    let mut alone = serde_json::to_value(&blocks()[4]).unwrap();
    alone.as_object_mut().unwrap().remove("txs");
    alone["number"] = json!(FIRST + 4);
    let folder = Folder::new();
    folder.file("a.json", &json!({ "chainId": 118, "block": alone }).to_string());
    let hash = &alone["hash"];
    let rows = json!([{ "chainId": 118, "block": FIRST + 4, "hash": hash, "file": "a.json" }]);
    folder.file("index.json", &rows.to_string());
    let server = Running::start(folder.open()).await;
    let by_hash = json!([STANDARD.encode(blocks()[4].hash.0)]);
    for (method, params) in [("block", json!([])), ("block_by_hash", by_hash)] {
        let answer = call(&server, method, params).await;
        assert_eq!((&answer["result"], &answer["error"]["code"]), (&Value::Null, &json!(-32_001)));
    }
    let header = call(&server, "header", json!([])).await;
    assert_eq!(header["result"]["header"], json!(blocks()[4].header));
    let at = vec![EndpointConfig::at(&format!("{}/cosmoshub", server.url))];
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let source = LiveSource::new(&Budget::default(), row(), at, config).unwrap();
    let block = source.fetch_whole(BlockNumber(FIRST + 4)).await.unwrap().unwrap();
    let verified = verify(row(), &block).unwrap();
    assert_eq!((verified.hash(), verified.extent().transactions), (blocks()[4].hash, false));
    server.stop().await;
}
