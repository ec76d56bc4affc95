//! Real blocks the whole way: recording -> service -> HTTP -> file -> `superroot verify` in another
//! process, for every recorded block of every chain of the EVM family.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::operator::run;
use crate::support::{Expected, Service, quantity, recordings, superroot, verify};
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_wire::proof::parse;
use superroot_wire::{check_body, check_json};

/// Of each route and chain this many answers are verified by the command, in another process; the rest by
/// the same library in this one, since starting processes would take most of the time.
const BY_COMMAND: usize = 3;

/// A proof in its JSON and its binary form, verified; gives the binary one.
async fn check_route(
    service: &Service,
    folder: &Path,
    super_root: &str,
    path: &str,
    must_show: &str,
    by_command: bool,
) -> Vec<u8> {
    let (status, body) = service.get(path).await;
    let text = String::from_utf8_lossy(&body);
    assert_eq!(status, 200, "{path}: {text}");
    let value: Value = serde_json::from_slice(&body).unwrap();
    let file = parse(&value).unwrap().encode();
    if by_command {
        for (name, form) in [("proof.json", &*body), ("proof.srproof", &file)] {
            fs::write(folder.join(name), form).unwrap();
            let (code, screen) = verify(&folder.join(name), super_root);
            assert_eq!(code, 0, "{path}, {name}: {screen}");
            assert!(screen.contains(must_show), "{path} must show {must_show}: {screen}");
        }
        return file;
    }
    let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
    let trusted = super_root.parse().unwrap();
    let checked = check_json(&value, &policy, Some(&trusted)).unwrap();
    assert!(text.contains(must_show), "{path} must show {must_show}: {text}");
    let of_file = check_body(&file, &policy, Some(&trusted)).unwrap();
    assert_eq!(*of_file.facts, *checked.facts, "{path}");
    file
}

/// A service of these chains.
fn serve(folders: &[PathBuf], data: &Path, chains: &[&str]) -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    for chain in chains {
        command.args(["--chain", chain]);
    }
    for folder in folders {
        command.arg("--replay").arg(folder);
    }
    Service::start(&mut command, "listening on")
}

/// Whether a node added the entry to the block: it is in no trie.
fn is_added(chain_id: u64, entry: &Value) -> bool {
    let is_zero = |name: &str| entry[name].as_str().and_then(quantity) == Some(0);
    match chain_id {
        137 => is_zero("r"),
        999 => is_zero("gasPrice"),
        _ => false,
    }
}

/// The hash of one in the middle: neither the first key of the trie nor the last.
fn middle(block: &Expected) -> Option<String> {
    let listed = block.capture["block"]["transactions"].as_array().into_iter().flatten();
    let kept: Vec<&Value> = listed.filter(|entry| !is_added(block.chain_id, entry)).collect();
    let chosen = kept.get(kept.len() / 2)?;
    chosen.as_str().or(chosen["hash"].as_str()).map(ToOwned::to_owned)
}

/// The place of the last log, and its address.
fn last_log(block: &Expected) -> Option<(u64, usize, String)> {
    let mut receipts = block.capture["receipts"].as_array().into_iter().flatten();
    let kept = |receipt: &&Value| {
        let gas = receipt["cumulativeGasUsed"].as_str().and_then(quantity);
        receipt["logs"][0].is_object() && (gas != Some(0) || block.chain_id != 137)
    };
    let receipt = receipts.rfind(kept)?;
    let logs = receipt["logs"].as_array().unwrap();
    let tx_index = receipt["transactionIndex"].as_str().and_then(quantity)?;
    let address = logs.last().unwrap()["address"].as_str().unwrap().to_lowercase();
    Some((tx_index, logs.len() - 1, address))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_recorded_block_of_every_chain_is_proven_from_http_to_a_file() {
    let Some(folder) = recordings() else { return };
    let work = tempfile::tempdir().unwrap();
    let folders =
        [folder.join("../evm-added"), folder].map(|folder| folder.canonicalize().unwrap());
    let (expected, left_out) = crate::support::expected_blocks(&folders);
    let mut chains: Vec<String> = expected.iter().map(|block| block.chain_id.to_string()).collect();
    chains.dedup();
    let asked: Vec<&str> = chains.iter().map(String::as_str).collect();
    let service = serve(&folders, &work.path().join("data"), &asked);
    service.ready().await;
    // half a million twigs lie between the blocks, and are written in parts
    let peak = service.peak();
    assert!(peak < 600, "{peak} MiB at the peak");
    let root = service.json("/v5/superroot").await["superRootHash"].as_str().unwrap().to_owned();
    for (chain_id, number, why) in &left_out {
        let (status, _) = service.get(&format!("/v5/proof/{chain_id}/{number}")).await;
        assert_eq!(status, 404, "block {number} of {chain_id} is {why}");
    }
    let mut by_chain = BTreeMap::<u64, [usize; 3]>::new();
    let mut real = Vec::new();
    for block in &expected {
        let Expected { chain_id, number, hash, .. } = block;
        let counts = by_chain.entry(*chain_id).or_default();
        let mut keep = |shows: &str, file: &[u8]| {
            if *chain_id == 1
                && [1_150_000, 4_370_006, 12_965_000, 17_034_870, 19_433_903, 13_998_626]
                    .contains(number)
            {
                let source = format!("chain evm:1, block {number}");
                let proof = const_hex::encode(file);
                real.push(
                    json!({"source": source, "shows": shows, "trusted": root, "proof": proof}),
                );
            }
        };
        let path = format!("/v5/proof/{chain_id}/{number}");
        let by_command = |count: usize| count < BY_COMMAND;
        let commanded = by_command(counts[0]);
        let file = check_route(&service, work.path(), &root, &path, hash, commanded).await;
        keep("block", &file);
        counts[0] += 1;
        if let Some(hash) = middle(block) {
            let path = format!("/v5/proof/tx/{chain_id}/{hash}");
            if block.transactions {
                let commanded = by_command(counts[1]);
                let file = check_route(&service, work.path(), &root, &path, &hash, commanded).await;
                keep("transaction", &file);
                counts[1] += 1;
            } else {
                let (status, body) = service.answer(&path).await;
                assert_eq!((status, &body["code"]), (404, &json!("not_indexed")), "{path}");
            }
        }
        if let Some((tx_index, log_index, address)) = last_log(block).filter(|_| block.receipts) {
            let path = format!("/v5/proof/event/{chain_id}/{number}/{tx_index}/{log_index}");
            let commanded = by_command(counts[2]);
            let file = check_route(&service, work.path(), &root, &path, &address, commanded).await;
            keep("event", &file);
            counts[2] += 1;
        }
    }
    assert!(by_chain.len() >= 18 && expected.len() >= 598);
    println!("blocks, transactions, events by chain: {by_chain:?}");
    let sum = |at: usize| by_chain.values().map(|counts| counts[at]).sum::<usize>();
    assert!(sum(1) >= 450 && sum(2) >= 80, "{by_chain:?}");
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
    let fsck = || run(superroot().args(["fsck", "--data"]).arg(work.path().join("data")));
    assert_eq!(fsck().0, 0);
    // without the name of its log nothing starts on it
    let origin = work.path().join("data/origin");
    let name = fs::read_to_string(&origin).unwrap();
    fs::remove_file(&origin).unwrap();
    let (code, text) = fsck();
    let missing = format!("origin is missing: it holds the line {}", name.trim_end());
    assert!(code == 1 && text.contains(&missing), "{text}");
    fs::write(&origin, name.replacen("recorded/", "recorded/x", 1)).unwrap();
    let (code, text) = fsck();
    assert!(code == 1 && text.contains("origin names the log recorded/x"), "{text}");
}
