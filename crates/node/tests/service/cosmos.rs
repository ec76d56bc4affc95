//! The Cosmos family the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another
//! process, and recording -> `superroot replay` -> `superroot record`, which asks it as a node. Blocks of the
//! Cosmos Hub are made by the rules here, since none of it is at hand; headers and blocks of other chains
//! of `CometBFT` are real, with `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot};
use serde_json::{Value, json};
use superroot_chain::ledger::cosmos::RawCosmosBlock;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_proof::bundle::Bundle;
use superroot_types::{BlockNumber, Hash};

const FIRST: u64 = 5_200_791;

/// The first blocks of the Cosmos Hub, as they could have been: of 0, 1, 7 and 300 transactions.
fn made_up() -> Vec<RawCosmosBlock> {
    let mut parent_hash = Hash::ZERO;
    let made = (FIRST..).zip([0_u16, 1, 7, 300]).map(|(number, count)| {
        let raw = block(&CosmosBlockPlan {
            chain_id: "cosmoshub-4".to_owned(),
            number: BlockNumber(number),
            parent_hash,
            time: (1_613_628_000 + number - FIRST, 500),
            app_hash: Hash([1; 32]),
            proposer_address: [0xab; 20],
            transactions: (0..count)
                .map(|at| [&at.to_be_bytes()[..], &[7; 300]].concat())
                .collect(),
        });
        parent_hash = raw.hash;
        raw
    });
    made.collect()
}

/// Rows of the chains whose data are real, for `--chains`.
const ROWS: &str = r#"
[[chain]]
id = 118001
name = "Celestia Mocha"
slug = "celestia-mocha"
family = "cosmos"
caip2 = "cosmos:mocha-4"
aliases = []
evidence = "node_quorum"
block_time_ms = 12000
rules = [{ from = 1, code = 0x0801 }]
unprovable = [
  { from = 1, what = "body", why = "data_hash is the root of Celestia's square of shares, not of a tree of transactions" },
]

[[chain]]
id = 118002
name = "Celestia private"
slug = "celestia-private"
family = "cosmos"
caip2 = "cosmos:private"
aliases = []
evidence = "node_quorum"
block_time_ms = 1000
rules = [{ from = 1, code = 0x0801 }]
unprovable = [
  { from = 1, what = "body", why = "data_hash is the root of Celestia's square of shares, not of a tree of transactions" },
]

[[chain]]
id = 118003
name = "Gaia local"
slug = "gaia-local"
family = "cosmos"
caip2 = "cosmos:ibc-0"
aliases = []
evidence = "node_quorum"
block_time_ms = 1000
rules = [{ from = 1, code = 0x0801 }]

[[chain]]
id = 118004
name = "CometBFT local"
slug = "cometbft-local"
family = "cosmos"
caip2 = "cosmos:dockerchain"
aliases = []
evidence = "node_quorum"
block_time_ms = 1000
rules = [{ from = 1, code = 0x0801 }]
"#;

/// A block of a chain of that id.
type Recorded = (u64, RawCosmosBlock);

/// The real blocks; `None`, said loudly, without data.
fn real() -> Option<Vec<Recorded>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!(
            "SKIPPED: SUPERROOT_DATA is not set, no real block of the Cosmos family is proven"
        );
        return None;
    };
    let folder = Path::new(&data).join("other/cometbft");
    let read = |file: &Path| -> Value {
        serde_json::from_slice(&fs::read(folder.join(file)).expect("the file")).expect("JSON")
    };
    let raw = |header: &Value, hash: &Value, txs: Option<&Value>| {
        let hash: [u8; 32] = const_hex::decode_to_array(hash.as_str().unwrap()).unwrap();
        let txs = txs.map(|txs| serde_json::from_value(txs.clone()).unwrap());
        RawCosmosBlock {
            hash: Hash(hash),
            header: serde_json::from_value(header.clone()).unwrap(),
            txs,
            commit: None,
        }
    };
    let mut blocks = Vec::new();
    for entry in fs::read_dir(folder.join("mocha-4")).unwrap() {
        let answer = &read(&entry.unwrap().path())["result"];
        let hash = &answer["commit"]["block_id"]["hash"];
        blocks.push((118_001, raw(&answer["header"], hash, Some(&answer["data"]["txs"]))));
    }
    let headers = read(Path::new("celestia-private/extended_headers_1_64.json"));
    for one in headers.as_array().unwrap() {
        let hash = &one["commit"]["block_id"]["hash"];
        blocks.push((118_002, raw(&one["header"], hash, None)));
    }
    for (chain_id, folder) in [(118_003, "rpc/gaia"), (118_004, "rpc/kvstore/v0_38/incoming")] {
        let answer = &read(&Path::new(folder).join("block_at_height_10.json"))["result"];
        let (header, txs) = (&answer["block"]["header"], &answer["block"]["data"]["txs"]);
        blocks.push((chain_id, raw(header, &answer["block_id"]["hash"], Some(txs))));
    }
    Some(blocks)
}

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, blocks: &[Recorded]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for (chain_id, raw) in blocks {
        let number: u64 = raw.header.height.parse().unwrap();
        let file = format!("{chain_id}-{number}.json");
        let mut block = serde_json::to_value(raw).unwrap();
        block["number"] = json!(number);
        let capture = json!({ "chainId": chain_id, "network": "cosmos", "block": block });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": chain_id, "network": "cosmos", "block": number,
            "hash": raw.hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

fn serve(from: &Path, work: &Path, chains: &[&str], more: &[&str]) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(work.join("data")).args(more);
    for chain in chains {
        command.args(["--chain", chain]);
    }
    Service::start(command.arg("--replay").arg(from), "listening on")
}

/// What another process says, which is given the rows of the log where these are not the built-in ones.
fn verify(file: &Path, root: &str) -> (i32, String) {
    let rows = file.with_file_name("rows.toml");
    let mut command = superroot();
    command.arg("verify").arg(file).args(["--superroot", root]);
    if rows.exists() {
        command.arg("--chains").arg(rows);
    }
    crate::support::operator::run(&mut command)
}

/// A route's answer, and what another process says of it and of its binary form, whose length is given.
async fn check(service: &Service, work: &Path, path: &str) -> (Value, String, usize) {
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    let body = service.json(path).await;
    let file = work.join("proof");
    fs::write(&file, body.to_string()).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    let mut binary = superroot_wire::proof::parse(&body).unwrap().encode();
    fs::write(&file, &binary).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    // one bit bent in the middle, and it is no proof any more
    let (length, middle) = (binary.len(), binary.len() / 2);
    binary[middle] ^= 1;
    fs::write(&file, &binary).unwrap();
    assert_ne!(verify(&file, &root).0, 0, "{path}");
    (body, screen, length)
}

fn upper(hash: &Hash) -> String {
    const_hex::encode_upper(hash.0)
}

fn transaction_hash(raw: &[u8]) -> Hash {
    superroot_proof::ledger::cosmos::transaction_hash(raw)
}

fn transactions(raw: &RawCosmosBlock) -> Vec<Vec<u8>> {
    use base64::Engine;
    let decode = |text: &String| base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    raw.txs.iter().flatten().map(decode).collect()
}

/// The block, its transactions at these places, that there is no more, and that no event is proven.
async fn check_block(service: &Service, work: &Path, raw: &RawCosmosBlock, at: &[usize]) {
    let number: u64 = raw.header.height.parse().unwrap();
    let (body, screen, _) = check(service, work, &format!("/v5/proof/118/{number}")).await;
    let header = &body["header"];
    assert_eq!((&body["blockHash"], &header["hash"]), (&json!(raw.hash), &json!(raw.hash)));
    assert_eq!(header["explorerHash"], upper(&raw.hash));
    assert_eq!((&body["numberBound"], &body["family"]), (&json!(true), &json!("cosmos")));
    assert_eq!((&header["chainId"], &header["number"]), (&json!("cosmoshub-4"), &json!(number)));
    assert!(header["proposer"]["bech32"].as_str().unwrap().starts_with("cosmosvalcons1"));
    assert!(screen.contains(&upper(&raw.hash)), "{screen}");
    let list = transactions(raw);
    for tx_index in at.iter().copied() {
        let hash = transaction_hash(&list[tx_index]);
        for name in [upper(&hash), upper(&hash).to_lowercase(), hash.to_string()] {
            let path = format!("/v5/tx/cosmoshub/{name}");
            let (body, screen, length) = check(service, work, &path).await;
            assert_eq!(
                (&body["transactionHash"], &body["explorerTransactionHash"]),
                (&json!(hash), &json!(upper(&hash)))
            );
            assert_eq!(body["transactionIndex"], tx_index);
            assert_eq!(body["rawTransaction"], const_hex::encode_prefixed(&list[tx_index]));
            assert!(body["receiptRoot"].is_null() && body["receiptRootReason"].is_string());
            assert!(screen.contains(&upper(&hash)), "{screen}");
            println!("transaction {tx_index} of {}: a proof of {length} bytes", list.len());
        }
        let event = format!("/v5/proof/event/cosmoshub/{number}/{tx_index}/0");
        let (status, body) = service.answer(&event).await;
        assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{body}");
        let told = body["detail"].as_str().unwrap();
        assert!(told.contains("last_results_hash") && told.contains("/v5/proof/tx"), "{told}");
    }
    let count = list.len();
    for past in [count, count + 100] {
        let path = format!("/v5/proof/absence/cosmoshub/{number}/{past}");
        let (body, ..) = check(service, work, &path).await;
        assert_eq!(
            (&body["transactionCount"], &body["transaction"]),
            (&json!(count), &Value::Null)
        );
    }
    if let Some(last) = count.checked_sub(1) {
        let path = format!("/v5/proof/absence/cosmoshub/{number}/{last}");
        let (status, body) = service.answer(&path).await;
        assert_eq!((status, &body["code"]), (404, &json!("not_provable")));
    }
}

/// The routes of other shapes, and those about the chain.
async fn check_other_routes(service: &Service, raw: &RawCosmosBlock) {
    let number = &raw.header.height;
    for route in
        ["/kv/proof/atom", "/api/lambda/proof-bundle/block/atom", "/api/v5/proof/blob/atom"]
    {
        let body = service.json(&format!("{route}/{number}")).await;
        assert_eq!(body["block_hash"], raw.hash.to_string(), "{route}");
    }
    let hash = transaction_hash(&transactions(raw)[0]);
    let items = json!({ "items": [
        { "chain": "cosmos", "txHash": upper(&hash) }, { "chain": "cosmos", "block": number },
        { "chain": "cosmos", "block": number, "txIndex": 9_999, "absent": true },
    ] });
    let (_, answer) = service.post("/v5/proof/batch", "", &items).await;
    let bundles: Vec<Bundle> = superroot_wire::proof::parse_batch(&answer).unwrap();
    assert_eq!(bundles.len(), 3);
    for bundle in bundles {
        let policy = superroot_chain::ChainRegistry::builtin().proof_registry();
        let policy = superroot_proof::bundle::Policy::strict(policy);
        superroot_proof::bundle::verify(&bundle, &policy).unwrap();
    }
    let unknown = "00".repeat(32);
    let (status, body) = service.answer(&format!("/v5/tx/cosmoshub/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
    for odd in [&unknown[2..], "0x12", "xyz"] {
        assert_eq!(service.get(&format!("/v5/tx/cosmoshub/{odd}")).await.0, 400, "{odd}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_blocks_of_the_hub_are_proven_from_a_recording() {
    let work = tempfile::tempdir().unwrap();
    let blocks = made_up();
    let recorded: Vec<Recorded> = blocks.iter().map(|raw| (118, raw.clone())).collect();
    let folder = recordings(work.path(), &recorded);
    let service = serve(&folder, work.path(), &["cosmoshub"], &[]);
    service.ready().await;
    for (raw, at) in blocks.iter().zip([&[][..], &[0], &[0, 4, 6], &[0, 255, 256, 299]]) {
        check_block(&service, work.path(), raw, at).await;
    }
    check_other_routes(&service, &blocks[3]).await;
    let (_, finality) = service.answer("/finality/cosmoshub").await;
    assert_eq!(finality["finalized"]["hash"], blocks[3].hash.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn real_blocks_of_other_chains_are_proven_by_rows_of_ones_own() {
    let Some(blocks) = real() else { return };
    let work = tempfile::tempdir().unwrap();
    let rows = work.path().join("rows.toml");
    fs::write(&rows, ROWS).unwrap();
    let folder = recordings(work.path(), &blocks);
    let chains = ["celestia-mocha", "celestia-private", "gaia-local", "cometbft-local"];
    let service = serve(&folder, work.path(), &chains, &["--chains", rows.to_str().unwrap()]);
    service.ready().await;
    for (chain_id, raw) in &blocks {
        let number = &raw.header.height;
        let path = format!("/v5/proof/{chain_id}/{number}");
        let (body, screen, length) = check(&service, work.path(), &path).await;
        assert_eq!(body["blockHash"], raw.hash.to_string());
        assert!(screen.contains(&upper(&raw.hash)), "{screen}");
        if number == "10000" {
            println!("block 10000 of mocha-4: a proof of {length} bytes");
        }
        let path = format!("/v5/proof/absence/{chain_id}/{number}/0");
        if *chain_id > 118_002 {
            let (body, ..) = check(&service, work.path(), &path).await;
            assert_eq!(body["transactionCount"], 0);
        } else {
            let (status, body) = service.answer(&path).await;
            assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{body}");
            assert!(body["detail"].as_str().unwrap().contains("square of shares"), "{body}");
        }
    }
    assert_eq!(blocks.len(), 11 + 64 + 2);
}

/// `superroot replay` answers as a node, `superroot record` asks it, and what it writes is the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_node_is_recorded_again() {
    let work = tempfile::tempdir().unwrap();
    let blocks = made_up();
    let recorded: Vec<Recorded> = blocks.iter().map(|raw| (118, raw.clone())).collect();
    let folder = recordings(work.path(), &recorded);
    let mut command = superroot();
    command.args(["replay", "--listen", "127.0.0.1:0"]).arg(&folder);
    let node = Service::start(&mut command, "http://");
    let url = format!("{}/cosmoshub", node.url.trim_end_matches("/118"));
    let (copy, from, to) = (work.path().join("copy"), FIRST.to_string(), (FIRST + 3).to_string());
    let mut command = superroot();
    command.args(["record", "--chain", "cosmoshub", "--url", &url, "--from", &from, "--to", &to]);
    let output = command.arg("--output").arg(&copy).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    let service = serve(&copy, work.path(), &["cosmoshub"], &[]);
    service.ready().await;
    check_block(&service, work.path(), &blocks[2], &[6]).await;
    let hash = upper(&transaction_hash(&transactions(&blocks[2])[3]));
    let file = work.path().join("cli.srproof");
    let mut command = superroot();
    command.args(["prove", "--url", &service.url, "tx", "cosmoshub", &hash, "-o"]);
    let output = command.arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains(&hash), "{text}");
}
