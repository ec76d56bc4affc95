//! The ICP ledger the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another
//! process. Block 9840566 of the mainnet, and a made-up chain from the first block on, both from
//! `crates/proof/tests/icp_blocks/`.

#[path = "../../../proof/tests/icp_blocks/mod.rs"]
mod made;

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, superroot, verify};
use made::{Made, real, synthetic};
use serde_json::{Value, json};
use superroot_proof::bundle::Bundle;
use superroot_types::Hash;

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, blocks: &[Made]) -> PathBuf {
    let folder = folder.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    let mut index = Vec::new();
    for block in blocks {
        let (number, hash) = (block.number, block.hash);
        let (raw, file) = (const_hex::encode(&block.bytes), format!("{number}.json"));
        let capture = json!({ "chainId": 223, "network": "icp",
            "block": { "number": number, "hash": hash, "raw": raw } });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": 223, "network": "icp", "block": number,
            "hash": hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder
}

fn serve(from: &Path, work: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "icp", "--data"]);
    Service::start(command.arg(work.join("data")).arg("--replay").arg(from), "listening on")
}

fn plain(hash: &Hash) -> String {
    const_hex::encode(hash.0)
}

/// A route's answer, and what another process says of its binary form.
async fn check(service: &Service, work: &Path, path: &str) -> (Value, String) {
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    let body = service.json(path).await;
    let file = work.join("proof");
    fs::write(&file, body.to_string()).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    let binary = superroot_wire::proof::parse(&body).unwrap().encode();
    fs::write(&file, &binary).unwrap();
    let (code, screen) = verify(&file, &root);
    assert_eq!(code, 0, "{path}: {screen}");
    assert!(binary.len() < 3_000, "{path}: {} bytes", binary.len());
    eprintln!("{path}: {} bytes of proof", binary.len());
    // one bit bent, and it is no proof any more
    for at in [binary.len() / 3, binary.len() / 2, binary.len() - 40] {
        let mut bent = binary.clone();
        bent[at] ^= 1;
        fs::write(&file, &bent).unwrap();
        assert_ne!(verify(&file, &root).0, 0, "{path}, byte {at}");
    }
    (body, screen)
}

async fn check_block(service: &Service, work: &Path, made: &Made) {
    let (number, hash, transaction) = (made.number, made.hash, made.transaction_hash);
    let (body, screen) = check(service, work, &format!("/v5/proof/icp/{number}")).await;
    assert_eq!(body["blockHash"], hash.to_string());
    assert_eq!(body["header"]["explorerHash"], plain(&hash));
    assert_eq!((&body["numberBound"], &body["family"]), (&json!(false), &json!("icp")));
    let time = made.fields["timestamp"].as_u64().unwrap().to_string();
    assert_eq!(body["header"]["timestampNanos"], time);
    let parent = made.fields.get("parent_hash").cloned().unwrap_or_default();
    assert_eq!(body["header"]["explorerParentHash"], parent);
    assert!(screen.contains("the block's number: its hash does not bind it"), "{screen}");
    for name in [plain(&transaction), transaction.to_string()] {
        let (body, screen) = check(service, work, &format!("/v5/tx/icp/{name}")).await;
        assert_eq!(body["transactionHash"], transaction.to_string());
        let hashes = (&body["explorerTransactionHash"], &body["transaction"]["explorerHash"]);
        assert_eq!(hashes, (&json!(plain(&transaction)), &json!(plain(&transaction))));
        assert_eq!(body["encodedBlock"], const_hex::encode_prefixed(&made.bytes));
        assert_eq!((&body["transactionIndex"], &body["transactionCount"]), (&json!(0), &json!(1)));
        assert!(screen.contains(&plain(&transaction)), "{screen}");
    }
    let operation = &made.fields["transaction"]["operation"];
    for path in
        [format!("/v5/proof/event/223/{number}/0/0"), format!("/v5/event/icp/{transaction}/0")]
    {
        let (body, screen) = check(service, work, &path).await;
        let event = &body["event"];
        for member in ["kind", "from", "to", "spender"] {
            assert_eq!(
                event[member],
                operation.get(member).cloned().unwrap_or_default(),
                "{member}"
            );
        }
        for (member, ours) in [
            ("amount", "amountE8s"),
            ("fee", "feeE8s"),
            ("allowance", "allowanceE8s"),
            ("expected_allowance", "expectedAllowanceE8s"),
            ("expires_at", "expiresAtNanos"),
        ] {
            let text = operation.get(member).map(|number| json!(number.to_string()));
            assert_eq!(event[ours], text.unwrap_or_default(), "{member}");
        }
        assert_eq!((&event["logIndex"], &body["bloom"]), (&json!(0), &Value::Null));
        assert!(screen.contains(operation["kind"].as_str().unwrap()), "{screen}");
    }
    let (status, body) = service.answer(&format!("/v5/event/icp/{transaction}/1")).await;
    assert_eq!((status, &body["operation_count"]), (404, &json!(1)), "{body}");
    let absent = check(service, work, &format!("/v5/proof/absence/icp/{number}/1")).await.0;
    assert_eq!((&absent["transactionCount"], absent.get("transaction")), (&json!(1), None));
    let (status, body) = service.answer(&format!("/v5/proof/absence/icp/{number}/0")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_provable")));
    assert_eq!(service.answer(&format!("/v5/proof/event/icp/{number}/1/0")).await.0, 404);
}

/// The routes of other shapes, and those about the chain.
async fn check_other_routes(service: &Service, made: &Made) {
    let (number, hash) = (made.number, made.hash.to_string());
    for route in ["/kv/proof/icp", "/api/lambda/proof-bundle/block/icp", "/api/v5/proof/blob/icp"] {
        let body = service.json(&format!("{route}/{number}")).await;
        assert_eq!(body["block_hash"], hash, "{route}");
    }
    let finality = service.json("/finality/icp").await;
    assert_eq!(finality["rule"], "as recorded");
    let items = json!({ "items": [
        { "chain": "icp", "txHash": plain(&made.transaction_hash) },
        { "chain": "icp", "block": number },
        { "chain": "icp", "block": number, "txIndex": 0, "logIndex": 0 },
        { "chain": "icp", "block": number, "txIndex": 9_999, "absent": true },
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
    let (status, body) = service.answer(&format!("/v5/tx/icp/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
    for odd in [&unknown[2..], "0x12", "xyz"] {
        assert_eq!(service.get(&format!("/v5/tx/icp/{odd}")).await.0, 400, "{odd}");
    }
}

/// `superroot prove` writes a file that `superroot verify` takes.
fn check_prove(service: &Service, work: &Path, made: &Made) {
    let name = plain(&made.transaction_hash);
    let file = work.join("cli.srproof");
    let mut command = superroot();
    command.args(["prove", "--url", &service.url]);
    let output =
        command.args(["event-by-tx", "icp", &name, "0", "-o"]).arg(&file).output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("the operation, a transfer") && text.contains(&name), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_of_the_mainnet_and_a_made_up_chain_are_proven_from_a_recording() {
    let work = tempfile::tempdir().unwrap();
    let mut blocks = synthetic();
    blocks.push(real());
    let folder = recordings(work.path(), &blocks);
    let service = serve(&folder, work.path());
    service.ready().await;
    let real = real();
    check_block(&service, work.path(), &real).await;
    for number in [0, 1, 2, 3, 21] {
        check_block(&service, work.path(), &blocks[number]).await;
    }
    check_other_routes(&service, &real).await;
    check_prove(&service, work.path(), &real);
}
