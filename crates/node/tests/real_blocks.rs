//! Real blocks the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another
//! process, for every recorded Ethereum block that recomputes.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use superroot_chain::Registry;
use superroot_proof::bundle::Bundle;
use support::{Service, recordings, superroot, verify};

/// Captured with a neighbour that it does not name as its parent: both are made-up blocks on top of
/// 21,000,000 (eth_simulateV1), and at most one of them can be in a log.
const UNLINKED: u64 = 21_000_002;

/// A recorded block: what its capture holds and which checks are said to pass.
struct Recorded {
    number: u64,
    header: bool,
    transactions: bool,
    receipts: bool,
    capture: Value,
}

fn recorded_blocks(folder: &Path) -> Vec<Recorded> {
    let index: Value =
        serde_json::from_slice(&fs::read(folder.join("index.json")).unwrap()).unwrap();
    let rows = index.as_array().unwrap().iter().filter(|row| row["chainId"] == 1);
    rows.map(|row| {
        let file = fs::File::open(folder.join(row["file"].as_str().unwrap())).unwrap();
        let mut text = Vec::new();
        GzDecoder::new(file).read_to_end(&mut text).unwrap();
        let holds = |check: &str| row["checks"][check] == "ok";
        Recorded {
            number: row["block"].as_u64().unwrap(),
            header: holds("header"),
            transactions: holds("txs"),
            receipts: holds("receipts"),
            capture: serde_json::from_slice(&text).unwrap(),
        }
    })
    .collect()
}

/// A quantity as captures spell it: hex, or plain decimal from some nodes.
fn quantity(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    hex.unwrap_or_else(|| text.parse()).ok()
}

/// Counts and sizes of what was proven.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    file_bytes: Vec<usize>,
    json_bytes: Vec<usize>,
}

impl Tally {
    fn add(&mut self, what: &'static str, file: usize, json: usize) {
        *self.counts.entry(what).or_default() += 1;
        self.file_bytes.push(file);
        self.json_bytes.push(json);
    }

    fn print(&mut self) {
        self.file_bytes.sort_unstable();
        self.json_bytes.sort_unstable();
        let at = |sizes: &[usize], part: usize| sizes[(sizes.len() - 1) * part / 100];
        let (file, json) = (&self.file_bytes, &self.json_bytes);
        eprintln!("proven and verified: {:?}", self.counts);
        eprintln!("file bytes: median {}, p99 {}", at(file, 50), at(file, 99));
        eprintln!("JSON bytes: median {}, p99 {}", at(json, 50), at(json, 99));
    }
}

/// The two forms of a proof, each verified in another process; gives the binary one.
async fn check_route(
    service: &Service,
    folder: &Path,
    super_root: &str,
    path: &str,
    must_show: &str,
) -> (Vec<u8>, usize) {
    let (status, body) = service.get(path).await;
    assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    let json_file = folder.join("proof.json");
    fs::write(&json_file, &body).unwrap();
    let (code, screen) = verify(&json_file, super_root);
    assert_eq!(code, 0, "{path}: {screen}");
    assert!(screen.contains(must_show), "{path} must show {must_show}: {screen}");
    let value: Value = serde_json::from_slice(&body).unwrap();
    let file = superroot_wire::proof::parse(&value).unwrap().encode();
    let binary_file = folder.join("proof.srproof");
    fs::write(&binary_file, &file).unwrap();
    let (code, screen) = verify(&binary_file, super_root);
    assert_eq!(code, 0, "{path}: {screen}");
    assert!(screen.contains(must_show), "{path} must show {must_show}: {screen}");
    (file, body.len())
}

fn start(folder: &Path, data: &Path) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--chain", "1", "--data"]).arg(data);
    Service::start(command.arg("--replay").arg(folder), "listening on")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recorded_ethereum_block_is_proven_from_http_to_a_file() {
    let Some(folder) = recordings() else { return };
    let work = tempfile::tempdir().unwrap();
    let service = start(&folder, &work.path().join("data"));
    service.ready().await;
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    let mut tally = Tally::default();
    let mut real = Vec::new();
    for block in recorded_blocks(&folder) {
        let Recorded { number, header, transactions, receipts, capture } = block;
        if number == UNLINKED {
            let (status, _) = service.get(&format!("/v5/proof/1/{number}")).await;
            assert_eq!(status, 404, "block {number} does not name its recorded neighbour");
            continue;
        }
        if !header {
            let (status, _) = service.get(&format!("/v5/proof/1/{number}")).await;
            assert_eq!(status, 404, "block {number} has no checked header");
            continue;
        }
        let mut keep = |shows: &str, file: &[u8]| {
            if [1_150_000, 4_370_006, 12_965_000, 17_034_870, 19_433_903, 13_998_626]
                .contains(&number)
            {
                let source = format!("chain evm:1, block {number}");
                let proof = const_hex::encode(file);
                real.push(
                    json!({"source": source, "shows": shows, "trusted": root, "proof": proof}),
                );
            }
        };
        let hash = capture["block"]["hash"].as_str().unwrap();
        let path = format!("/v5/proof/1/{number}");
        let (file, json) = check_route(&service, work.path(), &root, &path, hash).await;
        keep("block", &file);
        tally.add("blocks", file.len(), json);
        let listed = capture["block"]["transactions"].as_array().cloned().unwrap_or_default();
        // one in the middle: neither the first key of the trie nor the last
        let chosen = listed.get(listed.len() / 2).and_then(|tx| tx["hash"].as_str());
        match chosen.filter(|_| transactions) {
            Some(hash) => {
                let path = format!("/v5/proof/tx/1/{hash}");
                let (file, json) = check_route(&service, work.path(), &root, &path, hash).await;
                keep("transaction", &file);
                tally.add("transactions", file.len(), json);
            }
            None if !transactions => {
                let hash = listed.first().and_then(|tx| tx.as_str().or(tx["hash"].as_str()));
                if let Some(hash) = hash {
                    let (status, body) = service.get(&format!("/v5/proof/tx/1/{hash}")).await;
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!((status, &body["code"]), (404, &json!("not_indexed")));
                }
            }
            None => {}
        }
        let with_logs = capture["receipts"].as_array().into_iter().flatten();
        let mut with_logs = with_logs.filter(|receipt| receipt["logs"][0].is_object());
        if let Some(receipt) = with_logs.next_back().filter(|_| receipts) {
            let logs = receipt["logs"].as_array().unwrap();
            let (log_index, log) = (logs.len() - 1, logs.last().unwrap());
            let tx_index = receipt["transactionIndex"].as_str().and_then(quantity);
            let Some(tx_index) = tx_index else { continue };
            let path = format!("/v5/proof/event/1/{number}/{tx_index}/{log_index}");
            let address = log["address"].as_str().unwrap().to_lowercase();
            let (file, json) = check_route(&service, work.path(), &root, &path, &address).await;
            keep("event", &file);
            tally.add("events", file.len(), json);
        }
    }
    assert_eq!(tally.counts["blocks"], 134);
    assert!(tally.counts["transactions"] >= 110, "{:?}", tally.counts);
    assert!(tally.counts["events"] >= 45, "{:?}", tally.counts);
    tally.print();
    if std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/real");
        fs::create_dir_all(&folder).unwrap();
        let shown = real.iter().find(|one| {
            one["shows"] == "event" && one["source"].as_str().unwrap().ends_with("13998626")
        });
        let file = const_hex::decode(shown.unwrap()["proof"].as_str().unwrap()).unwrap();
        fs::write(folder.join("ethereum-13998626-event.srproof"), file).unwrap();
        let text = serde_json::to_string_pretty(&real).unwrap() + "\n";
        fs::write(folder.join("ethereum.json"), text).unwrap();
    }
    assert!(service.stop().success(), "a service asked to stop ends well");
    let recompute =
        superroot().args(["recompute", "--data"]).arg(work.path().join("data")).output();
    assert!(recompute.unwrap().status.success());
    let fsck = superroot().args(["fsck", "--data"]).arg(work.path().join("data")).output();
    assert!(fsck.unwrap().status.success());
}

/// Killed and begun again: what was acknowledged is there, and nothing is published anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_service_goes_on_with_the_same_super_root() {
    let Some(folder) = recordings() else { return };
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let service = start(&folder, &data);
    service.ready().await;
    let before = service.json("/v5/superroot").await;
    let second = superroot()
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(&data)
        .arg("--replay")
        .arg(&folder)
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(2), "one process holds a data folder");
    service.kill();
    let service = start(&folder, &data);
    service.ready().await;
    let after = service.json("/v5/superroot").await;
    assert_eq!(before["superRootHash"], after["superRootHash"]);
    assert_eq!(after["sequence"], 0);
}

/// The same blocks read back over JSON-RPC, as from a node, give the same SuperRoot tree.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_server_is_read_as_a_node() {
    let Some(folder) = recordings() else { return };
    let work = tempfile::tempdir().unwrap();
    let mut command = superroot();
    command.args(["replay", "--listen", "127.0.0.1:0"]).arg(&folder);
    let node = Service::start(&mut command, "ready");
    let url = node.url.split("/<").next().unwrap().to_owned();
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(work.path().join("data"));
    let service = Service::start(command.arg("--replay").arg(format!("{url}/1")), "listening on");
    service.ready().await;
    let over_rpc = service.json("/v5/superroot").await;
    let direct = start(&folder, &work.path().join("direct"));
    direct.ready().await;
    let in_process = direct.json("/v5/superroot").await;
    assert_eq!(over_rpc["blockReferences"][0]["hash"], in_process["blockReferences"][0]["hash"]);
    assert_eq!(over_rpc["miniMmrs"], in_process["miniMmrs"]);
    assert_eq!(over_rpc["network"], "recorded");
    assert_eq!(Registry::builtin().rows().len(), 27);
    let (status, body) = service.get("/api/v5/proof/blob/1/13998626").await;
    assert_eq!(status, 200);
    let body: Value = serde_json::from_slice(&body).unwrap();
    let blob = const_hex::decode(body["proof_blob"].as_str().unwrap()).unwrap();
    Bundle::decode(&blob).unwrap();
}
