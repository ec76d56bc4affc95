//! Bitcoin the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another
//! process. The first block of the chain is always at hand; a real block of 2,500 transactions with
//! `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot, verify};
use bitcoin::consensus::{deserialize, serialize};
use serde_json::{Value, json};
use superroot_proof::bundle::Bundle;
use superroot_types::{Family, Hash};
use superroot_wire::proof::spelled_hash;

const RAW_FILE: &str =
    "mainnet_block_000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae.raw";
const RAW_NUMBER: u64 = 702_861;

/// The real block, as it was found; `None`, said loudly, without data.
fn real_block() -> Option<Vec<u8>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, the block {RAW_NUMBER} is not proven");
        return None;
    };
    let file = Path::new(&data).join("other/bitcoin/btc").join(RAW_FILE);
    Some(fs::read(file).expect("the raw block"))
}

fn internal(hash: &impl AsRef<[u8; 32]>) -> Hash {
    Hash(*hash.as_ref())
}

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, blocks: &[(u64, &bitcoin::Block)]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for (number, block) in blocks {
        let (hash, file) = (internal(&block.block_hash()), format!("{number}.json"));
        let raw = const_hex::encode(serialize(*block));
        let capture = json!({ "chainId": 21_000_000, "network": "bitcoin",
            "block": { "number": number, "hash": hash, "raw": raw } });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": 21_000_000, "network": "bitcoin", "block": number,
            "hash": hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

fn serve(from: &Path, work: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "bitcoin", "--data"]);
    Service::start(command.arg(work.join("data")).arg("--replay").arg(from), "listening on")
}

/// A route's answer, and what another process says of its binary form.
async fn check(service: &Service, work: &Path, path: &str) -> (Value, String) {
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    let body = service.json(path).await;
    let file = work.join("proof");
    fs::write(&file, body.to_string()).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    let mut binary = superroot_wire::proof::parse(&body).unwrap().encode();
    println!("{path}: {} bytes", binary.len());
    fs::write(&file, &binary).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    // one byte bent in the middle, and it is no proof any more
    let middle = binary.len() / 2;
    binary[middle] ^= 1;
    fs::write(&file, &binary).unwrap();
    assert_ne!(verify(&file, &root).0, 0, "{path}");
    (body, screen)
}

/// The block, its transactions at these places with their outputs, and that there is no more.
async fn check_block(
    service: &Service,
    work: &Path,
    number: u64,
    block: &bitcoin::Block,
    at: &[usize],
) {
    let hash = internal(&block.block_hash());
    let (body, screen) = check(service, work, &format!("/v5/proof/bitcoin/{number}")).await;
    assert_eq!(body["blockHash"], hash.to_string());
    assert_eq!(body["header"]["explorerHash"], explorer_hash(&hash));
    assert_eq!((&body["numberBound"], &body["family"]), (&json!(false), &json!("bitcoin")));
    assert!(screen.contains(&explorer_hash(&hash)), "{screen}");
    assert!(screen.contains("the block's number: its hash does not bind it"));
    for tx_index in at.iter().copied() {
        let transaction = &block.txdata[tx_index];
        let txid = internal(&transaction.compute_txid());
        let shown = explorer_hash(&txid);
        let mut bodies = Vec::new();
        for name in [shown.clone(), format!("0x{shown}"), txid.to_string()] {
            let (body, screen) = check(service, work, &format!("/v5/tx/bitcoin/{name}")).await;
            assert_eq!(body["transactionHash"], txid.to_string());
            let txids = (&body["txid"], &body["transaction"]["txid"]);
            assert_eq!(txids, (&json!(shown), &json!(shown)));
            assert_eq!(body["transactionIndex"], tx_index);
            assert!(screen.contains(&shown), "{screen}");
            bodies.push(body);
        }
        assert!(bodies.iter().all(|body| body["rawTransaction"] == bodies[0]["rawTransaction"]));
        let (log_index, output) = transaction.output.iter().enumerate().next_back().unwrap();
        let value = output.value.to_sat().to_string();
        let script = const_hex::encode_prefixed(output.script_pubkey.as_bytes());
        for path in [
            format!("/v5/proof/event/21000000/{number}/{tx_index}/{log_index}"),
            format!("/v5/event/btc/{shown}/{log_index}"),
        ] {
            let (body, screen) = check(service, work, &path).await;
            let event = &body["event"];
            let output = (&event["valueSats"], &event["scriptPubKey"]);
            assert_eq!(output, (&json!(value), &json!(script)));
            assert_eq!((&event["logIndex"], &body["bloom"]), (&json!(log_index), &Value::Null));
            assert!(screen.contains(&value), "{screen}");
        }
        let count = transaction.output.len();
        let (status, body) = service.answer(&format!("/v5/event/btc/{shown}/{count}")).await;
        assert_eq!((status, &body["output_count"]), (404, &json!(count)));
    }
    let count = block.txdata.len();
    let path = format!("/v5/proof/absence/bitcoin/{number}/{count}");
    assert_eq!(check(service, work, &path).await.0["transactionCount"], count);
    let (status, body) =
        service.answer(&format!("/v5/proof/absence/bitcoin/{number}/{}", count - 1)).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_provable")));
    let past = format!("/v5/proof/event/bitcoin/{number}/{count}/0");
    assert_eq!(service.answer(&past).await.0, 404);
}

/// The routes of other shapes, and those about the chain.
async fn check_other_routes(service: &Service, number: u64, block: &bitcoin::Block) {
    let hash = internal(&block.block_hash()).to_string();
    for route in [
        "/kv/proof/bitcoin",
        "/api/lambda/proof-bundle/block/bitcoin",
        "/api/v5/proof/blob/bitcoin",
    ] {
        let body = service.json(&format!("{route}/{number}")).await;
        assert_eq!(body["block_hash"], hash, "{route}");
        assert!(body.get("receipts_root").is_none(), "{route}");
    }
    let finality = service.json("/finality/bitcoin").await;
    assert_eq!(
        (&finality["finalized"]["hash"], &finality["rule"]),
        (&json!(hash), &json!("as recorded"))
    );
    let txid = explorer_hash(&internal(&block.txdata[0].compute_txid()));
    let items = json!({ "items": [
        { "chain": "bitcoin", "txHash": txid }, { "chain": "bitcoin", "block": number },
        { "chain": "bitcoin", "block": number, "txIndex": 0, "logIndex": 0 },
        { "chain": "bitcoin", "block": number, "txIndex": 9_999, "absent": true },
    ] });
    let (_, answer) = service.post("/v5/proof/batch", "", &items).await;
    let bundles: Vec<Bundle> = superroot_wire::proof::parse_batch(&answer).unwrap();
    assert_eq!(bundles.len(), 4);
    for bundle in bundles {
        let policy = superroot_chain::ChainRegistry::builtin().proof_registry();
        let policy = superroot_proof::bundle::Policy::strict(policy);
        superroot_proof::bundle::verify(&bundle, &policy).unwrap();
    }
    let unknown = "00".repeat(32);
    let (status, body) = service.answer(&format!("/v5/tx/bitcoin/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
    for odd in [&unknown[2..], "0x12", "xyz"] {
        assert_eq!(service.get(&format!("/v5/tx/bitcoin/{odd}")).await.0, 400, "{odd}");
    }
    assert_eq!(service.get(&format!("/v5/tx/ethereum/{unknown}")).await.0, 400);
}

/// `superroot prove` writes a file that `superroot verify` takes; another transaction is no answer.
fn check_prove(service: &Service, work: &Path, block: &bitcoin::Block) {
    let txid = explorer_hash(&internal(&block.txdata[0].compute_txid()));
    for name in [txid.clone(), format!("0x{txid}")] {
        let file = work.join("cli.srproof");
        let mut command = superroot();
        command.args(["prove", "--url", &service.url]);
        let output =
            command.args(["event-by-tx", "btc", &name, "0", "-o"]).arg(&file).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{text}");
        assert!(text.contains("output 0 of transaction 0") && text.contains(&txid), "{text}");
        fs::remove_file(file).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_block_is_proven_from_a_recording() {
    let work = tempfile::tempdir().unwrap();
    let genesis = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    let folder = recordings(work.path(), &[(0, &genesis)]);
    let service = serve(&folder, work.path());
    service.ready().await;
    check_block(&service, work.path(), 0, &genesis, &[0]).await;
    check_other_routes(&service, 0, &genesis).await;
    check_prove(&service, work.path(), &genesis);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_block_of_2500_transactions_is_proven_from_a_recording() {
    let Some(raw) = real_block() else { return };
    let work = tempfile::tempdir().unwrap();
    let genesis = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    let block: bitcoin::Block = deserialize(&raw).unwrap();
    let folder = recordings(work.path(), &[(0, &genesis), (RAW_NUMBER, &block)]);
    let service = serve(&folder, work.path());
    service.ready().await;
    check_block(&service, work.path(), RAW_NUMBER, &block, &[0, 1, 1_234, 2_499]).await;
    check_other_routes(&service, RAW_NUMBER, &block).await;
}

/// Blocks of a recording that do not hold are told in one line with their count, and what holds is served.
#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_hold_of_a_recording_is_told_in_one_line() {
    let work = tempfile::tempdir().unwrap();
    let genesis = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    let without_work = |more: u32| {
        let mut block = genesis.clone();
        block.header.nonce += more;
        block
    };
    let bad: Vec<bitcoin::Block> = (1..=5).map(without_work).collect();
    let mut blocks = vec![(0_u64, &genesis)];
    blocks.extend((1_u64..).zip(&bad));
    let service = serve(&recordings(work.path(), &blocks), work.path());
    service.ready().await;
    assert!(service.shows("do not hold"), "{}", service.screen.lock().unwrap());
    service.json("/v5/proof/bitcoin/0").await;
    let left_out = service.chain(21_000_000).await["left_out"].clone();
    assert_eq!(left_out.as_array().map(Vec::len), Some(5), "{left_out}");
    let screen = service.screen.clone();
    assert!(service.stop().success());
    let screen = screen.lock().unwrap();
    let told: Vec<&str> = screen.lines().filter(|line| line.contains("not hold")).collect();
    assert_eq!(told.len(), 1, "{screen}");
    for part in ["WARN 5 blocks of 1 recorded chains do not hold and are left out", "count=5"] {
        assert!(told[0].contains(part), "{}", told[0]);
    }
}

fn explorer_hash(hash: &Hash) -> String {
    spelled_hash(Family::Bitcoin, hash).unwrap()
}
