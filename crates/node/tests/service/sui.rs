//! Sui the whole way: recording -> replay server -> gRPC -> recording -> service -> HTTP -> file -> `superroot
//! verify` in another process. Synthetic checkpoints with events are always at hand; the real one of a
//! private network with `SUPERROOT_DATA`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Service, operator, superroot};
use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::Bundle;
use superroot_types::{Family, Hash};
use superroot_wire::proof::{parse_spelled_hash, spelled_hash};

/// Row of a network that is not the main one.
fn row(id: u64, slug: &str, genesis: &Hash, committee: Option<&[u8]>) -> String {
    let committee = committee.map_or_else(String::new, |bytes| {
        format!("committee = \"{}\"\n", const_hex::encode(bytes))
    });
    format!(
        "[[chain]]\nid = {id}\nname = \"Own {slug}\"\nslug = \"{slug}\"\nfamily = \"sui\"\n\
         caip2 = \"sui:{}\"\naliases = []\ngenesis = \"{}\"\n{committee}\
         evidence = \"consensus\"\nblock_time_ms = 250\nrules = [{{ from = 0, code = 0x0601 }}]\n",
        const_hex::encode(&genesis.0[..4]),
        base58(genesis),
    )
}

fn base58(hash: &Hash) -> String {
    spelled_hash(Family::Sui, hash).unwrap()
}

fn hash_of(text: &Value) -> Hash {
    parse_spelled_hash(Family::Sui, text.as_str().unwrap()).unwrap()
}

/// Checkpoints as `vectors/sui` has them: `{digest, summary, contents, transactions}`, parts in hex.
fn synthetic() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../../vectors/sui/synthetic.json")).unwrap()
}

/// The real checkpoint in the same form with its signature, and its committee; `None`, said loudly,
/// without data.
fn real() -> Option<(Value, Vec<u8>)> {
    let Some(data) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, checkpoint 1137 is not proven");
        return None;
    };
    let folder = Path::new(&data).join("other/sui");
    let file = fs::read(folder.join("1137.chk")).expect("the checkpoint");
    let all: sui_sdk_types::CheckpointData = bcs::from_bytes(&file).unwrap();
    let transactions = all.transactions.iter().map(|one| {
        json!({
            "digest": one.transaction.transaction.digest().to_base58(),
            "transaction": hex(&one.transaction.transaction),
            "effects": hex(&one.effects),
            "events": one.events.as_ref().map(hex),
            "types": [],
        })
    });
    let signed = &all.checkpoint_summary;
    let signers = bcs::to_bytes(&signed.signature.bitmap).unwrap();
    let checkpoint = json!({
        "digest": signed.checkpoint.digest().to_base58(),
        "summary": hex(&signed.checkpoint),
        "contents": hex(&all.checkpoint_contents),
        "transactions": transactions.collect::<Vec<_>>(),
        "signature": {
            "epoch": signed.signature.epoch,
            "signature": const_hex::encode(signed.signature.signature.inner()),
            "signers": const_hex::encode(&signers[1..]),
        },
    });
    Some((checkpoint, fs::read(folder.join("committee.bcs")).unwrap()))
}

fn hex(value: &impl Serialize) -> String {
    const_hex::encode(bcs::to_bytes(value).unwrap())
}

/// A recordings folder with an index, as the operations page describes it.
fn recordings(folder: &Path, chain_id: u64, checkpoints: &[(u64, Value)]) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let mut index = Vec::new();
    for (number, checkpoint) in checkpoints {
        let mut block = checkpoint.clone();
        let (hash, file) = (hash_of(&checkpoint["digest"]), format!("{number}.json"));
        block["number"] = json!(number);
        block["hash"] = json!(hash);
        let capture = json!({ "chainId": chain_id, "network": "sui", "block": block });
        fs::write(folder.join(&file), capture.to_string()).unwrap();
        index.push(json!({ "chainId": chain_id, "block": number, "hash": hash, "file": file }));
    }
    fs::write(folder.join("index.json"), json!(index).to_string()).unwrap();
    folder.to_path_buf()
}

/// One network: its row, and a folder.
struct Shop {
    work: tempfile::TempDir,
    slug: &'static str,
}

impl Shop {
    fn of(slug: &'static str, row: &str) -> Self {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join("rows.toml"), row).unwrap();
        Self { work, slug }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.work.path().join(name)
    }

    fn superroot(&self) -> std::process::Command {
        let mut command = superroot();
        command.arg("--chains").arg(self.path("rows.toml"));
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command
    }

    /// A replay server of those recordings, and its address of the chain.
    fn replay(&self, from: &Path) -> (Service, String) {
        let mut command = self.superroot();
        command.args(["replay", "--listen", "127.0.0.1:0"]).arg(from);
        let node = Service::start(&mut command, "http://");
        let (scheme, rest) = node.url.split_at("http://".len());
        let host = rest.split('/').next().unwrap();
        let url = format!("{scheme}{host}/{}", self.slug);
        (node, url)
    }

    fn record(&self, url: &str, numbers: &[&str], to: &Path) -> (i32, String) {
        let mut command = self.superroot();
        command.args(["record", "--chain", self.slug, "--url", url]).args(numbers);
        operator::run(command.arg("-o").arg(to))
    }

    async fn serve(&self, more: &[&str]) -> Service {
        let mut command = self.superroot();
        command.args(["serve", "--listen", "127.0.0.1:0", "--chain", self.slug, "--data"]);
        command.arg(self.path("data")).args(more);
        let service = Service::start(&mut command, "listening on");
        service.ready().await;
        service
    }

    fn verify(&self, file: &Path, root: &str) -> (i32, String) {
        let mut command = self.superroot();
        operator::run(command.arg("verify").arg(file).args(["--superroot", root]))
    }

    /// A route's answer, held in both forms by another process; one changed bit is refused. Gives the
    /// size of the file as well.
    async fn check(&self, service: &Service, path: &str) -> (Value, String, usize) {
        let root =
            service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
        let body = service.json(path).await;
        let file = self.path("proof");
        fs::write(&file, body.to_string()).unwrap();
        let (code, screen) = self.verify(&file, &root);
        assert_eq!(code, 0, "{path}: {screen}");
        let mut binary = superroot_wire::proof::parse(&body).unwrap().encode();
        fs::write(&file, &binary).unwrap();
        let (code, screen) = self.verify(&file, &root);
        assert_eq!(code, 0, "{path}: {screen}");
        let size = binary.len();
        binary[size / 2] ^= 1;
        fs::write(&file, &binary).unwrap();
        assert_ne!(self.verify(&file, &root).0, 0, "{path}");
        (body, screen, size)
    }

    /// The checkpoint, all its transactions with all their events, and that there is no more.
    async fn check_checkpoint(
        &self,
        service: &Service,
        number: u64,
        checkpoint: &Value,
    ) -> Vec<usize> {
        let slug = self.slug;
        let hash = hash_of(&checkpoint["digest"]);
        let (body, screen, size) = self.check(service, &format!("/v5/proof/{slug}/{number}")).await;
        let mut sizes = vec![size];
        assert_eq!(body["blockHash"], hash.to_string());
        assert_eq!(body["header"]["explorerHash"], checkpoint["digest"]);
        assert_eq!((&body["numberBound"], &body["family"]), (&json!(true), &json!("sui")));
        assert!(screen.contains(checkpoint["digest"].as_str().unwrap()), "{screen}");
        let all = checkpoint["transactions"].as_array().unwrap();
        for (tx_index, one) in all.iter().enumerate() {
            let (digest, hash) = (one["digest"].as_str().unwrap(), hash_of(&one["digest"]));
            for name in [digest.to_owned(), hash.to_string()] {
                let path = format!("/v5/tx/{slug}/{name}");
                let (body, screen, size) = self.check(service, &path).await;
                sizes.push(size);
                assert_eq!(body["transactionHash"], hash.to_string());
                assert_eq!(body["transactionDigest"], digest);
                assert_eq!(body["transactionIndex"], tx_index);
                assert_eq!(body["transactionCount"], all.len());
                let raw = format!("0x{}", one["transaction"].as_str().unwrap());
                assert_eq!(body["rawTransaction"], raw);
                // behind the version's byte
                let is_success = one["effects"].as_str().unwrap().as_bytes()[3] == b'0';
                let status = if is_success { "success" } else { "failure" };
                assert_eq!(body["effects"]["status"], status);
                assert!(body["receiptRoot"].is_null() && body["receiptRootReason"].is_string());
                assert!(screen.contains(digest) && screen.contains(status), "{screen}");
            }
            let types = one["types"].as_array().unwrap();
            for (log_index, type_name) in types.iter().enumerate() {
                let path = format!("/v5/proof/event/{slug}/{number}/{tx_index}/{log_index}");
                let (body, screen, size) = self.check(service, &path).await;
                sizes.push(size);
                let event = &body["event"];
                assert_eq!((&event["type"], &event["logIndex"]), (type_name, &json!(log_index)));
                assert_eq!(event["transactionHash"], hash.to_string());
                assert_eq!((&event["module"], &body["bloom"]), (&json!("pool"), &Value::Null));
                // what is long is cut
                let shown: String = type_name.as_str().unwrap().chars().take(100).collect();
                assert!(screen.contains(&shown), "{screen}");
                let same = service.json(&format!("/v5/event/{slug}/{digest}/{log_index}")).await;
                assert_eq!(same["event"], *event);
            }
            let past = format!("/v5/event/{slug}/{digest}/{}", types.len());
            let (status, body) = service.answer(&past).await;
            assert_eq!((status, &body["event_count"]), (404, &json!(types.len())), "{body}");
        }
        let count = all.len();
        let path = format!("/v5/proof/absence/{slug}/{number}/{count}");
        assert_eq!(self.check(service, &path).await.0["transactionCount"], count);
        let past = format!("/v5/proof/event/{slug}/{number}/{count}/0");
        assert_eq!(service.answer(&past).await.0, 404);
        sizes
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn synthetic_checkpoints_go_through_grpc_and_are_proven_with_their_events() {
    let all = synthetic();
    let shop = Shop::of("sui-made", &row(1_900_784, "sui-made", &hash_of(&all[0]["digest"]), None));
    let numbered: Vec<_> = (0..).zip(all).collect();
    let from = recordings(&shop.path("first"), 1_900_784, &numbered);
    let (node, url) = shop.replay(&from);
    let again = shop.path("again");
    let (code, text) = shop.record(&url, &["--from", "0", "--to", "4"], &again);
    assert!(code == 0 && text.contains("5 blocks of Own sui-made"), "{text}");
    let (code, text) = shop.record(&url, &["--from", "4", "--to", "5"], &again);
    assert!(code == 2 && text.contains("block 5: the node has no such block"), "{text}");

    let service = shop.serve(&["--replay", again.to_str().unwrap()]).await;
    for (number, checkpoint) in &numbered {
        shop.check_checkpoint(&service, *number, checkpoint).await;
    }
    check_other_routes(&service, &numbered[2].1).await;
    check_prove(&shop, &service, &numbered[2].1);
    service.stop();
    live(&shop, &url, &from, &numbered[4].1).await;
    drop(node);
}

/// The routes of other shapes, and those about the chain.
async fn check_other_routes(service: &Service, checkpoint: &Value) {
    let hash = hash_of(&checkpoint["digest"]).to_string();
    for route in [
        "/kv/proof/sui-made",
        "/api/lambda/proof-bundle/block/sui-made",
        "/api/v5/proof/blob/sui-made",
    ] {
        let body = service.json(&format!("{route}/2")).await;
        assert_eq!(body["block_hash"], hash, "{route}");
        assert!(body.get("receipts_root").is_none(), "{route}");
    }
    let digest = &checkpoint["transactions"][1]["digest"];
    let items = json!({ "items": [
        { "chain": "sui-made", "txHash": digest }, { "chain": "sui-made", "block": 2 },
        { "chain": "sui-made", "block": 2, "txIndex": 1, "logIndex": 4 },
        { "chain": "sui-made", "block": 3, "txIndex": 0, "absent": true },
    ] });
    let (_, answer) = service.post("/v5/proof/batch", "", &items).await;
    let bundles: Vec<Bundle> = superroot_wire::proof::parse_batch(&answer).unwrap();
    assert_eq!(bundles.len(), 4);
    let unknown = base58(&Hash([9; 32]));
    let (status, body) = service.answer(&format!("/v5/tx/sui-made/{unknown}")).await;
    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
    for odd in [&unknown[4..], "0x12", "0OIl"] {
        assert_eq!(service.get(&format!("/v5/tx/sui-made/{odd}")).await.0, 400, "{odd}");
    }
}

/// `superroot prove` writes a file that `superroot verify` takes.
fn check_prove(shop: &Shop, service: &Service, checkpoint: &Value) {
    let one = &checkpoint["transactions"][1];
    let (digest, type_name) = (one["digest"].as_str().unwrap(), one["types"][3].as_str().unwrap());
    let file = shop.path("cli.srproof");
    let mut command = shop.superroot();
    command.args(["prove", "--url", &service.url, "event-by-tx", "sui-made", digest, "3", "-o"]);
    let (code, text) = operator::run(command.arg(&file));
    assert!(code == 0 && text.contains("event 3 of the 5") && text.contains(type_name), "{text}");
}

/// Two nodes that agree, asked over gRPC by a service that follows them.
async fn live(shop: &Shop, url: &str, from: &Path, newest: &Value) {
    let (_second, other) = shop.replay(from);
    let node = |url: &str, operator: &str| {
        format!("  {{ chain = \"sui-made\", url = \"{url}\", operator = \"{operator}\" }},\n")
    };
    let list = format!("endpoint = [\n{}{}]\n", node(url, "one"), node(&other, "two"));
    fs::write(shop.path("endpoints.toml"), list).unwrap();
    fs::remove_dir_all(shop.path("data")).unwrap();
    let endpoints = shop.path("endpoints.toml");
    let config = shop.path("superroot.toml");
    fs::write(&config, "[source]\nreplay_servers = true\n").unwrap();
    let (endpoints, config) = (endpoints.to_str().unwrap(), config.to_str().unwrap());
    let more = ["--endpoints", endpoints, "--config", config, "--watch", "all"];
    let service = shop.serve(&more).await;
    shop.check_checkpoint(&service, 4, newest).await;
    let finality = service.json("/finality/sui-made").await;
    assert_eq!(finality["finalized"]["hash"], hash_of(&newest["digest"]).to_string());
    assert_eq!(finality["rule"], "latest block");
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_checkpoint_is_proven_with_its_committee_known() {
    let Some((checkpoint, committee)) = real() else { return };
    // the network's first checkpoint is not known: this is its name in the test alone
    let genesis = Hash([0x51; 32]);
    let shop = Shop::of("sui-own", &row(1_900_785, "sui-own", &genesis, Some(&committee)));
    let from = recordings(&shop.path("first"), 1_900_785, &[(1137, checkpoint.clone())]);
    let (node, url) = shop.replay(&from);
    let again = shop.path("again");
    let (code, text) = shop.record(&url, &["--numbers", "1137"], &again);
    assert!(code == 0 && text.contains("1 blocks of Own sui-own"), "{text}");
    drop(node);
    let service = shop.serve(&["--replay", again.to_str().unwrap()]).await;
    let sizes = shop.check_checkpoint(&service, 1137, &checkpoint).await;
    eprintln!("checkpoint 1137: files of {sizes:?} bytes");

    // without the signature of the committee it is not taken
    let mut bare = checkpoint;
    bare["signature"]["epoch"] = json!(1);
    let forged = recordings(&shop.path("forged"), 1_900_785, &[(1137, bare)]);
    let (_node, url) = shop.replay(&forged);
    let (code, text) = shop.record(&url, &["--numbers", "1137"], &shop.path("never"));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("signature is one of epoch 1, where the committee is of 0"), "{text}");
}
