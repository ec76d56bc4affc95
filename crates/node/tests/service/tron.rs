//! Tron the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another process, and
//! recording -> `superroot replay` -> `superroot serve` that asks it as a node. The first block of the
//! chain is always at hand; real blocks with `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot, verify};
use serde_json::{Value, json};
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock};
use superroot_proof::bundle::Bundle;
use superroot_proof::ledger::tron::{Transaction, TronFieldValue, TronFields};
use superroot_types::{BlockNumber, Hash};

const BLOCK_FILE: &str = "tron_blockext_raw_79072107_\
                          860981c986ef3c0313916283483e6e0f8614686b2c011c31d68d42e8efff6601.json";
const HEADERS_FILE: &str = "headers_78000000_78000066.json";

/// A file of Tron's data; `None`, said loudly, without data.
fn file(name: &str) -> Option<Value> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, {name} is not proven");
        return None;
    };
    let text = fs::read(Path::new(&data).join("other/tron").join(name)).expect("the file");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

fn bytes(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn all(message: &[u8], number: u32) -> Vec<&[u8]> {
    let fields: Option<Vec<_>> = TronFields::of(message).collect();
    let bytes = fields.unwrap().into_iter().filter_map(|(other, value)| match value {
        TronFieldValue::Bytes(bytes) if other == number => Some(bytes),
        _ => None,
    });
    bytes.collect()
}

/// The block as gRPC gave it: `BlockExtention`.
fn real_block() -> Option<RawTronBlock> {
    let message = bytes(&file(BLOCK_FILE)?["blockExtention"]);
    let transactions = all(&message, 1).into_iter().map(|one| all(one, 1)[0].to_vec()).collect();
    Some(RawTronBlock {
        number: BlockNumber(79_072_107),
        hash: Hash(all(&message, 3)[0].try_into().unwrap()),
        header: all(all(&message, 2)[0], 1)[0].to_vec(),
        signature: None,
        transactions: Some(transactions),
        run: Vec::new(),
    })
}

fn first_block() -> RawTronBlock {
    let text = include_str!("../../../source/tests/tron/genesis.json");
    serde_json::from_str::<HttpBlock>(text).unwrap().into_raw(true).unwrap()
}

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, blocks: &[RawTronBlock]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for raw in blocks {
        let file = format!("{}.json", raw.number);
        let hex = |bytes: &Vec<u8>| const_hex::encode(bytes);
        let mut block =
            json!({ "number": raw.number, "hash": raw.hash, "header": hex(&raw.header) });
        if let Some(list) = &raw.transactions {
            block["transactions"] = list.iter().map(hex).collect();
        }
        let capture = json!({ "chainId": 728_126_428, "network": "tron", "block": block });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": 728_126_428, "network": "tron", "block": raw.number,
            "hash": raw.hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

fn serve(from: &Path, work: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "tron", "--data"]);
    Service::start(command.arg(work.join("data")).arg("--replay").arg(from), "listening on")
}

/// A route's answer, and what another process says of it and of its binary form.
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

/// The block, its transactions at these places, that there is no more, and that no event is proven.
async fn check_block(service: &Service, work: &Path, raw: &RawTronBlock, at: &[usize]) {
    let (number, hash) = (raw.number, raw.hash);
    let plain = |hash: &Hash| const_hex::encode(hash.0);
    let (body, screen, _) = check(service, work, &format!("/v5/proof/tron/{number}")).await;
    assert_eq!(body["blockHash"], hash.to_string());
    assert_eq!(body["header"]["explorerHash"], plain(&hash));
    assert_eq!((&body["numberBound"], &body["family"]), (&json!(true), &json!("tron")));
    assert!(screen.contains(&plain(&hash)), "{screen}");
    let Some(list) = &raw.transactions else { return };
    for tx_index in at.iter().copied() {
        let leaf = &list[tx_index];
        let read = Transaction::decode(leaf).unwrap();
        let txid = plain(&read.hash());
        for path in [
            format!("/v5/tx/tron/{txid}"),
            format!("/v5/tx/728126428/0x{txid}"),
            format!("/v5/proof/tx/trx/{txid}"),
        ] {
            let (body, screen, length) = check(service, work, &path).await;
            assert_eq!(body["transactionHash"], format!("0x{txid}"));
            assert_eq!((&body["txid"], &body["transaction"]["txid"]), (&json!(txid), &json!(txid)));
            assert_eq!(body["transactionIndex"], tx_index);
            assert_eq!(body["rawTransaction"], const_hex::encode_prefixed(leaf));
            assert_eq!((&body["receiptRoot"], &body["receipt"]), (&Value::Null, &Value::Null));
            assert!(body["receiptRootReason"].as_str().unwrap().contains("contractRet"));
            let said = read.contract_ret.map(|_| "SUCCESS");
            assert_eq!(body["transaction"]["contractRet"], json!(said));
            assert!(screen.contains(&txid), "{screen}");
            println!("{path}: {length} bytes");
        }
        let event = format!("/v5/event/tron/{txid}/0");
        for path in [event, format!("/v5/proof/event/tron/{number}/{tx_index}/0")] {
            let (status, body) = service.answer(&path).await;
            assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{path}: {body}");
            let said = body.to_string();
            assert!(said.contains("no header of Tron commits to logs"), "{said}");
            assert!(said.contains("/v5/proof/tx"), "{said}");
        }
    }
    let count = list.len();
    let path = format!("/v5/proof/absence/tron/{number}/{count}");
    assert_eq!(check(service, work, &path).await.0["transactionCount"], count);
    if count > 0 {
        let there = format!("/v5/proof/absence/tron/{number}/{}", count - 1);
        let (status, body) = service.answer(&there).await;
        assert_eq!((status, &body["code"]), (404, &json!("not_provable")));
    }
    let past = format!("/v5/proof/event/tron/{number}/{count}/0");
    assert_eq!(service.answer(&past).await.0, 404);
}

/// The routes of other shapes, and those about the chain.
async fn check_other_routes(service: &Service, raw: &RawTronBlock) {
    let (number, hash) = (raw.number, raw.hash.to_string());
    for route in
        ["/kv/proof/tron", "/api/lambda/proof-bundle/block/tron", "/api/v5/proof/blob/tron"]
    {
        let body = service.json(&format!("{route}/{number}")).await;
        assert_eq!(body["block_hash"], hash, "{route}");
        assert!(body.get("receipts_root").is_none(), "{route}");
    }
    let list = raw.transactions.as_ref().unwrap();
    let txid = const_hex::encode(Transaction::decode(&list[0]).unwrap().hash().0);
    let items = json!({ "items": [
        { "chain": "tron", "txHash": txid }, { "chain": "tron", "block": number },
        { "chain": "tron", "block": number, "txIndex": list.len(), "absent": true },
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
    let (status, body) = service.answer(&format!("/v5/tx/tron/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
    for odd in [&unknown[2..], "0x12", "xyz"] {
        assert_eq!(service.get(&format!("/v5/tx/tron/{odd}")).await.0, 400, "{odd}");
    }
}

/// `superroot prove` writes a file that `superroot verify` takes.
fn check_prove(service: &Service, work: &Path, leaf: &[u8]) {
    let txid = const_hex::encode(Transaction::decode(leaf).unwrap().hash().0);
    for name in [txid.clone(), format!("0x{txid}")] {
        let file = work.join("cli.srproof");
        let mut command = superroot();
        command.args(["prove", "--url", &service.url]);
        let output = command.args(["tx", "tron", &name, "-o"]).arg(&file).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success() && text.contains(&txid), "{text}");
        fs::remove_file(file).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_block_is_proven_from_a_recording() {
    let work = tempfile::tempdir().unwrap();
    let raw = first_block();
    let folder = recordings(work.path(), std::slice::from_ref(&raw));
    let service = serve(&folder, work.path());
    service.ready().await;
    check_block(&service, work.path(), &raw, &[0, 1, 2]).await;
    check_other_routes(&service, &raw).await;
    check_prove(&service, work.path(), &raw.transactions.as_ref().unwrap()[2]);
}

/// The whole real block and 67 real headers; places where the way to the root has no peaks, one, and all.
#[tokio::test(flavor = "multi_thread")]
async fn a_real_block_of_619_transactions_and_67_headers_are_proven_from_a_recording() {
    let Some(raw) = real_block() else { return };
    let file = file(HEADERS_FILE).unwrap();
    let headers = file["blockHeaderRawBytes"].as_array().unwrap().iter();
    let headers = headers.zip(file["blockIds"].as_array().unwrap());
    let headers = (78_000_000..).zip(headers).map(|(number, (header, id))| RawTronBlock {
        number: BlockNumber(number),
        hash: Hash(bytes(id).try_into().unwrap()),
        header: bytes(header),
        signature: None,
        transactions: None,
        run: Vec::new(),
    });
    let headers: Vec<RawTronBlock> = headers.collect();
    assert_eq!(headers.len(), 67);
    let work = tempfile::tempdir().unwrap();
    let folder = recordings(work.path(), &[headers.clone(), vec![raw.clone()]].concat());
    let service = serve(&folder, work.path());
    service.ready().await;
    for header in headers.iter().step_by(11) {
        check_block(&service, work.path(), header, &[]).await;
    }
    check_block(&service, work.path(), &raw, &[0, 296, 511, 512, 618]).await;
    check_other_routes(&service, &raw).await;
    check_prove(&service, work.path(), &raw.transactions.as_ref().unwrap()[296]);
    let absence = format!("/v5/proof/absence/tron/{}/9", headers[0].number);
    let (status, body) = service.answer(&absence).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")), "of a header alone: {body}");
}

/// `superroot replay` answers as a node of Tron, `superroot record` asks it, and what it writes is the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_replayed_node_is_recorded_again() {
    let work = tempfile::tempdir().unwrap();
    let raw = real_block().unwrap_or_else(first_block);
    let folder = recordings(work.path(), std::slice::from_ref(&raw));
    let mut command = superroot();
    command.args(["replay", "--listen", "127.0.0.1:0"]).arg(&folder);
    let node = Service::start(&mut command, "http://");
    let url = format!("{}/tron", node.url.trim_end_matches("/728126428"));
    let (copy, number) = (work.path().join("copy"), raw.number.to_string());
    let mut command = superroot();
    command.args(["record", "--chain", "tron", "--url", &url, "--numbers", &number]);
    let output = command.arg("--output").arg(&copy).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    let service = serve(&copy, work.path());
    service.ready().await;
    check_block(&service, work.path(), &raw, &[2]).await;
}
