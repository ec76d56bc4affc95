//! Solana the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another process;
//! and over the calls of its nodes, out of servers that replay the recording. Synthetic slots are always
//! at hand; the first 20 of the main network with `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot, verify};
use serde_json::{Value, json};

/// Slots in the form of the data, as (slot, hash, block of a recording, signatures).
struct Slot {
    number: u64,
    blockhash: String,
    hash: String,
    block: Value,
    signatures: Vec<String>,
}

fn base58(text: &str) -> Vec<u8> {
    bs58::decode(text).into_vec().unwrap()
}

fn slots(json: &str) -> Vec<Slot> {
    let slots: Vec<Value> = serde_json::from_str(json).unwrap();
    slots.iter().map(slot).collect()
}

/// None of them was skipped, so heights are slots.
fn slot(json: &Value) -> Slot {
    let (number, blockhash) = (json["slot"].as_u64().unwrap(), json["blockhash"].as_str().unwrap());
    let hash = const_hex::encode_prefixed(base58(blockhash));
    let parent = json["previous_last_entry_hash"].as_str().filter(|_| number > 0);
    let raw = json["entries"].as_array().unwrap().iter();
    let raw = raw.flat_map(|entry| entry["transactions_base64"].as_array().unwrap());
    let signature = |raw: &Value| {
        use base64::Engine;
        let raw = base64::prelude::BASE64_STANDARD.decode(raw.as_str().unwrap()).unwrap();
        bs58::encode(&raw[1..65]).into_string()
    };
    Slot {
        number,
        blockhash: blockhash.to_owned(),
        signatures: raw.map(signature).collect(),
        block: json!({
            "number": number, "hash": hash, "slot": number, "parent_slot": number.saturating_sub(1),
            "previous_blockhash": parent.unwrap_or("11111111111111111111111111111111"),
            "entries": json["entries"],
        }),
        hash,
    }
}

/// The real slots; `None`, said loudly, without data.
fn real() -> Option<Vec<Slot>> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no slot of Solana is proven");
        return None;
    };
    let folder = Path::new(&data).join("other/solana");
    let files = ["slots_0_9.json", "slots_10_19.json"];
    Some(
        files
            .iter()
            .flat_map(|file| slots(&fs::read_to_string(folder.join(file)).unwrap()))
            .collect(),
    )
}

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, slots: &[Slot]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for Slot { number, hash, block, .. } in slots {
        let file = format!("{number}.json");
        let capture = json!({ "chainId": 200, "network": "solana", "block": block });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": 200, "network": "solana", "block": number, "hash": hash,
            "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

fn serve(from: &Path, work: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "solana", "--data"]);
    Service::start(command.arg(work.join("data")).arg("--replay").arg(from), "listening on")
}

/// A route's answer, and what another process says of it and of its binary form, which is given back
/// in bytes; of the first transaction of a block the answer itself too.
async fn check(
    service: &Service,
    work: &Path,
    path: &str,
    is_first: bool,
) -> (Value, String, usize) {
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    let body = service.json(path).await;
    let file = work.join("proof");
    if is_first {
        fs::write(&file, body.to_string()).unwrap();
        let (code, screen) = verify(&file, &root);
        assert_eq!(code, 0, "{path}: {screen}");
    }
    let mut binary = superroot_wire::proof::parse(&body).unwrap().encode();
    fs::write(&file, &binary).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    // one bit bent in the middle, and it is no proof any more
    let (length, middle) = (binary.len(), binary.len() / 2);
    println!("{path}: {length} bytes");
    binary[middle] ^= 1;
    fs::write(&file, &binary).unwrap();
    assert_ne!(verify(&file, &root).0, 0, "{path}");
    (body, screen, length)
}

async fn check_slot(service: &Service, work: &Path, slot: &Slot) -> usize {
    let number = slot.number;
    let path = format!("/v5/proof/solana/{number}");
    let (body, screen, _) = check(service, work, &path, true).await;
    assert_eq!((&body["blockHash"], &body["blockHeader"]), (&json!(slot.hash), &json!(slot.hash)));
    assert_eq!(body["header"]["blockhash"], slot.blockhash);
    assert_eq!((&body["numberBound"], &body["family"]), (&json!(false), &json!("solana")));
    assert!(screen.contains(&slot.blockhash), "{screen}");
    assert!(screen.contains("the block's number: its hash does not bind it"), "{screen}");
    let mut longest = 0;
    for (tx_index, signature) in slot.signatures.iter().enumerate() {
        let path = format!("/v5/tx/solana/{signature}");
        let (body, screen, length) = check(service, work, &path, tx_index == 0).await;
        assert_eq!(body["transactionSignature"], json!(signature));
        assert_eq!(body["transaction"]["signatures"][0], json!(signature));
        assert_eq!((&body["indexBound"], &body["receiptRoot"]), (&json!(false), &Value::Null));
        assert!(screen.contains(signature), "{screen}");
        assert!(screen.contains("the transaction's position in the block"), "{screen}");
        // epoch 0: the slot has 800,000 hashes, and synthetic ones are of the same row
        assert!(screen.contains(&format!("a transaction of block {number} of Solana")), "{screen}");
        let file = superroot_wire::proof::parse(&body).unwrap().encode();
        service.assert_not_shown(&file, &["tx_index"]).await;
        longest = longest.max(length);
        assert_eq!(
            (&body["block"]["blockHash"], &body["transactionIndex"]),
            (&json!(slot.hash), &json!(tx_index))
        );
        if tx_index == 0 {
            let hash = body["transactionHash"].as_str().unwrap();
            let (named, ..) = check(service, work, &format!("/v5/tx/solana/{hash}"), false).await;
            assert_eq!(named["rawTransaction"], body["rawTransaction"]);
        }
    }
    longest
}

/// What the ledger does not commit to is refused with the reason and what can be had instead.
async fn check_refusals(service: &Service, number: u64, count: usize) {
    for (path, why) in [
        (format!("/v5/proof/event/solana/{number}/0/0"), "signatures alone"),
        (format!("/v5/proof/absence/solana/{number}/{count}"), "number of transactions"),
    ] {
        let (status, body) = service.answer(&path).await;
        assert_eq!((status, &body["code"]), (404, &json!("not_provable")), "{path}: {body}");
        let detail = body["detail"].as_str().unwrap();
        assert!(detail.contains(why) && detail.contains("/v5/tx"), "{detail}");
    }
    let unknown = bs58::encode([7; 64]).into_string();
    let (status, body) = service.answer(&format!("/v5/tx/solana/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")), "{body}");
    for odd in [&unknown[3..], "0x12", "xyz", "0OIl"] {
        assert_eq!(service.get(&format!("/v5/tx/solana/{odd}")).await.0, 400, "{odd}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn real_slots_are_proven_from_a_recording() {
    let Some(slots) = real() else { return };
    let work = tempfile::tempdir().unwrap();
    let folder = recordings(work.path(), &slots);
    let service = serve(&folder, work.path());
    service.ready().await;
    let mut longest = 0;
    for slot in &slots {
        longest = longest.max(check_slot(&service, work.path(), slot).await);
    }
    assert!(longest > 0 && longest < 6_000, "{longest} bytes");
    check_refusals(&service, 1, slots[1].signatures.len()).await;
    let file = work.path().join("cli.srproof");
    let mut command = superroot();
    command.args(["prove", "--url", &service.url, "tx", "solana", &slots[1].signatures[0], "-o"]);
    let output = command.arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains(&slots[1].signatures[0]), "{text}");
}

/// The calls of its nodes, answered by servers that replay the recording: with the entries, and of one
/// block without them, whose header alone is held.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_come_over_the_calls_of_its_nodes() {
    let Some(mut slots) = real() else { return };
    let work = tempfile::tempdir().unwrap();
    slots[19].block["entries"] = Value::Null;
    let folder = recordings(work.path(), &slots);
    let replay = || {
        let mut command = superroot();
        command.args(["replay", "--listen", "127.0.0.1:0"]).arg(&folder);
        Service::start(&mut command, "http://")
    };
    let (one, other) = (replay(), replay());
    let endpoint = |name: &str, node: &Service| {
        let url = node.url.trim_end_matches("/200");
        format!("[[endpoint]]\nchain = \"solana\"\nurl = \"{url}/200\"\noperator = \"{name}\"\n")
    };
    let config = work.path().join("config.toml");
    let text = "[source]\nreplay_servers = true\n[live]\nchains = [\"solana\"]\nwatch = \"all\"\n";
    let text = [text, &endpoint("one", &one), &endpoint("other", &other)].concat();
    fs::write(&config, text).unwrap();
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(work.path().join("data"));
    let service = Service::start(command.arg("--config").arg(&config), "listening on");
    service.ready().await;
    check_slot(&service, work.path(), &slots[1]).await;
    let path = format!("/v5/tx/solana/{}", slots[19].signatures[0]);
    assert_eq!(service.answer(&path).await.0, 404, "its entries are not there");
    service.json("/v5/proof/solana/19").await;
}
