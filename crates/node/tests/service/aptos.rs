//! Aptos the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another process. A
//! block that an independent program made up is always at hand; a real version with `SUPERROOT_DATA`.

use std::fs;
use std::path::Path;

use crate::support::{Service, superroot, verify};
use serde_json::{Value, json};
use superroot_types::Hash;

/// Made by `synthetic.py` beside it; of no network.
const SYNTHETIC: &str = include_str!("../../../chain/tests/aptos/synthetic.json");
/// The last version of a block of the main network, whose number the recording makes up.
const VERSION: u64 = 998_167_816;
const REAL_NUMBER: u64 = 190_000_000;

/// The block that ends in the real version, in the form of a recording; `None`, said loudly, without data.
fn real_block() -> Option<Value> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, version {VERSION} is not proven");
        return None;
    };
    let file = Path::new(&data).join("other/aptos/account_inclusion_data.bcs");
    let bytes = fs::read(file).expect("the file");
    let hash = |at: usize| Hash(bytes[at..at + 32].try_into().unwrap());
    let frozen: Vec<Hash> = (0..30)
        .rev()
        .filter(|height| VERSION >> height & 1 == 1)
        .map(|height| hash(995 + 32 * height))
        .collect();
    let before = superroot_proof::ledger::aptos::Frozen::new(VERSION, frozen.clone()).unwrap();
    let info = const_hex::encode(&bytes[1_955..2_095]);
    Some(json!({
        "number": REAL_NUMBER, "hash": hash(2_152), "parentHash": before.root(),
        "timestampUs": 1_717_757_545_000_000_u64,
        "versions": { "firstVersion": VERSION, "frozen": frozen, "infos": [info], "events": [[]] },
    }))
}

fn serve(work: &Path, blocks: &[Value]) -> Service {
    let folder = work.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let row = |block: &Value| {
        let file = format!("{}.json", block["number"]);
        let capture = json!({ "chainId": 637, "block": block });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        json!({ "chainId": 637, "block": block["number"], "hash": block["hash"], "file": file })
    };
    let index: Vec<Value> = blocks.iter().map(row).collect();
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "aptos", "--data"]);
    Service::start(command.arg(work.join("data")).arg("--replay").arg(folder), "listening on")
}

/// A route's answer, and what another process says of it and of its binary form.
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
    assert_eq!(verify(&file, &root).0, 0, "{path}");
    let middle = binary.len() / 2;
    binary[middle] ^= 1;
    fs::write(&file, &binary).unwrap();
    assert_ne!(verify(&file, &root).0, 0, "{path}: a bit was bent");
    (body, screen)
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_and_events_are_proven_from_a_recording() {
    let work = tempfile::tempdir().unwrap();
    let synthetic: Value = serde_json::from_str::<Value>(SYNTHETIC).unwrap()["block"].take();
    let real = real_block();
    let blocks: Vec<Value> =
        [Some(synthetic.clone()), real.clone()].into_iter().flatten().collect();
    let service = serve(work.path(), &blocks);
    service.ready().await;
    let number = synthetic["number"].as_u64().unwrap();
    let (body, _) = check(&service, work.path(), &format!("/v5/proof/aptos/{number}")).await;
    assert_eq!((&body["blockHash"], &body["numberBound"]), (&synthetic["hash"], &json!(false)));
    assert_eq!(body["header"]["accumulatorRootHash"], synthetic["hash"]);
    let lists = synthetic["versions"]["events"].as_array().unwrap();
    for (tx_index, events) in lists.iter().map(|list| list.as_array().unwrap()).enumerate() {
        let info =
            const_hex::decode(synthetic["versions"]["infos"][tx_index].as_str().unwrap()).unwrap();
        let info = superroot_proof::ledger::aptos::Info::decode(&info).unwrap();
        let path = format!("/v5/proof/tx/aptos/{}", info.transaction_hash);
        let (body, screen) = check(&service, work.path(), &path).await;
        assert_eq!(body["version"], 1_000 + tx_index);
        assert_eq!(body["transaction"]["status"], info.status.name());
        assert_eq!(
            (&body["receiptRoot"], body["receiptRootReason"].is_string()),
            (&Value::Null, true)
        );
        let said = body["notProven"].as_array().unwrap();
        assert!(said.contains(&json!("transactionIndex")), "{said:?}");
        assert!(screen.contains(&info.transaction_hash.to_string()), "{screen}");
        let words = format!("a transaction in the chain by block {number} of Aptos");
        assert!(screen.contains(&words), "{screen}");
        assert!(screen.contains("in which block the transaction is"), "{screen}");
        assert_eq!(body["blockBound"], json!(false));
        let file = superroot_wire::proof::parse(&body).unwrap().encode();
        service.assert_not_shown(&file, &["tx_index", "block"]).await;
        for (log_index, event) in events.iter().enumerate() {
            let path = format!("/v5/proof/event/aptos/{number}/{tx_index}/{log_index}");
            let (body, _) = check(&service, work.path(), &path).await;
            let raw = format!("0x{}", event.as_str().unwrap());
            assert_eq!((&body["event"]["raw"], &body["rawEvent"]), (&json!(raw), &json!(raw)));
        }
        let past = format!("/v5/proof/event/aptos/{number}/{tx_index}/{}", events.len());
        assert_eq!(service.answer(&past).await.0, 404);
    }
    let (status, body) = service.answer(&format!("/v5/proof/absence/aptos/{number}/4")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{body}");
    if let Some(real) = real {
        let info = const_hex::decode(real["versions"]["infos"][0].as_str().unwrap()).unwrap();
        let hash = superroot_proof::ledger::aptos::Info::decode(&info).unwrap().transaction_hash;
        let path = format!("/v5/proof/tx/aptos/{hash}");
        let (body, _) = check(&service, work.path(), &path).await;
        assert_eq!(
            (&body["version"], &body["transaction"]["success"]),
            (&json!(VERSION), &json!(true))
        );
    }
    assert!(service.stop().success());
}
