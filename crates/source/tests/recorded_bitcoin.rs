//! Bitcoin's blocks out of a recordings folder, directly and as a node answers them.

use crate::support;

use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash as _;
use serde_json::{Value, json};
use superroot_chain::{ChainRegistry, ChainSpec, verify};
use superroot_source::{BlockSource, Budget, EndpointConfig, LiveConfig, LiveSource, Recordings};
use superroot_types::{BlockNumber, Hash};
use support::{Folder, Running};

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("bitcoin").unwrap()
}

fn genesis() -> (Hash, String, String) {
    let block = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    let hash = Hash(block.block_hash().to_byte_array());
    (hash, block.block_hash().to_string(), const_hex::encode(serialize(&block)))
}

/// The first block of the main network, and what else a test puts beside it.
fn folder(others: &[(&str, Value)]) -> Folder {
    let mut folder = Folder::new();
    let (hash, _, raw) = genesis();
    let mut put = |file: &str, number: u64, hash: &Hash, block: Value| {
        let capture = json!({ "chainId": 21_000_000, "network": "bitcoin", "block": block });
        folder.file(file, &capture.to_string());
        folder.row(json!({ "chainId": 21_000_000, "block": number, "hash": hash, "file": file }));
    };
    put("0.json.gz", 0, &hash, json!({ "number": 0, "hash": hash, "raw": raw }));
    for (number, (file, block)) in (1..).zip(others) {
        put(file, number, &Hash([number as u8; 32]), block.clone());
    }
    folder.write_index();
    folder
}

#[tokio::test]
async fn a_recorded_block_is_given_out_and_verifies() {
    let folder = folder(&[]);
    let source = std::sync::Arc::new(folder.open()).source(row().key()).unwrap();
    let (hash, ..) = genesis();
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number, tip.finalized.hash), (BlockNumber(0), hash));
    let block = source.fetch_whole(BlockNumber(0)).await.unwrap().unwrap();
    assert_eq!(verify(row(), &block).unwrap().hash(), hash);
    assert_eq!(source.fetch_whole(BlockNumber(1)).await.unwrap(), None);
}

#[tokio::test]
async fn a_recording_that_is_none_is_an_error_of_its_file() {
    let hash = |byte: u8| Hash([byte; 32]);
    let folder = folder(&[
        ("1.json", json!({ "number": 1, "hash": hash(1) })),
        ("2.json", json!({ "number": 2, "hash": hash(2), "raw": "0x00" })),
        ("3.json", json!({ "number": 3, "hash": hash(3), "raw": 7 })),
        ("4.json", json!({ "number": 5, "hash": hash(4), "raw": "00" })),
        ("5.json", json!({ "number": 5, "hash": hash(5), "raw": "00" })),
    ]);
    let source = std::sync::Arc::new(folder.open()).source(row().key()).unwrap();
    for number in 1..=4 {
        let error = source.fetch_whole(BlockNumber(number)).await.unwrap_err().to_string();
        assert!(error.contains(&format!("{number}.json")), "{error}");
    }
    // what is hex is passed on, and refused by the gate
    let block = source.fetch_whole(BlockNumber(5)).await.unwrap().unwrap();
    assert!(verify(row(), &block).is_err());
}

async fn call(server: &Running, method: &str, params: Value) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = http.post(format!("{}/bitcoin", server.url)).body(body.to_string());
    let text = answer.send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn methods_answer_as_a_node_would() {
    let folder = folder(&[]);
    let server = Running::start(folder.open()).await;
    let (_, shown, raw) = genesis();
    let result = async |method: &str, params| call(&server, method, params).await["result"].take();
    assert_eq!(result("getblockcount", json!([])).await, 0);
    assert_eq!(result("getblockhash", json!([0])).await, shown.as_str());
    assert_eq!(result("getblock", json!([shown, 0])).await, raw.as_str());
    assert_eq!(result("getblockheader", json!([shown, false])).await, raw[..160]);
    let info = result("getblockchaininfo", json!([])).await;
    assert_eq!((&info["blocks"], &info["bestblockhash"]), (&json!(0), &json!(shown)));
    let info = result("getnetworkinfo", json!([])).await;
    assert!(info["subversion"].as_str().unwrap().starts_with("superroot-replay/"));
    let header = result("getblockheader", json!([shown])).await;
    let merkleroot = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
    assert_eq!((&header["merkleroot"], &header["bits"]), (&json!(merkleroot), &json!("1d00ffff")));
    assert_eq!((&header["confirmations"], &header["time"]), (&json!(1), &json!(1_231_006_505)));
    assert!(header.get("previousblockhash").is_none() && header.get("tx").is_none());
    for params in [json!([shown, 1]), json!([shown])] {
        assert_eq!(result("getblock", params).await["tx"], json!([merkleroot]));
    }
}

#[tokio::test]
async fn what_a_node_would_refuse_is_refused_with_its_codes() {
    let folder = folder(&[("1.json", json!({ "number": 1, "hash": Hash([1; 32]), "raw": "00" }))]);
    let server = Running::start(folder.open()).await;
    let (hash, shown, _) = genesis();
    for (method, params, code) in [
        ("getblockhash", json!([7]), -8),
        ("getblockhash", json!(["0x0"]), -32602),
        ("getblockhash", json!([]), -32602),
        ("getblock", json!(["00".repeat(32), 0]), -5),
        ("getblockheader", json!(["00".repeat(32)]), -5),
        ("getblock", json!([hash, 0]), -32602),
        ("getblock", json!([shown, 2]), -32602),
        ("getblock", json!([shown, 0, 0]), -32602),
        ("getblockheader", json!([shown, 0]), -32602),
        ("getblockcount", json!([1]), -32602),
        ("eth_chainId", json!([]), -32601),
        ("getblock", json!(["01".repeat(32), 1]), -32603),
        ("getblockheader", json!(["01".repeat(32)]), -32603),
    ] {
        let answer = call(&server, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
}

/// What was recorded of a node reads back as the same block.
#[tokio::test]
async fn a_block_recorded_from_a_node_reads_back_the_same() {
    let folder = folder(&[]);
    let server = Running::start(folder.open()).await;
    let url = format!("{}/bitcoin", server.url);
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let source =
        LiveSource::new(&Budget::default(), row(), vec![EndpointConfig::at(&url)], config).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = superroot_source::Recorder::open(copy.path(), row()).unwrap();
    let mut steps = Vec::new();
    recorder.record(&source, [BlockNumber(0)], |step| steps.push(step)).await.unwrap();
    assert!(matches!(steps[..], [superroot_source::RecordStep::Written { .. }]), "{steps:?}");
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let recordings = std::sync::Arc::new(recordings);
    let read = recordings.source(row().key()).unwrap();
    let (again, first) =
        (read.fetch_whole(BlockNumber(0)).await, source.fetch_whole(BlockNumber(0)).await);
    assert_eq!(again.unwrap().unwrap(), first.unwrap().unwrap());
}
