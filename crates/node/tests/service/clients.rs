//! Clients that other people's generators make of the running service's OpenAPI document, by `openapi-typescript`
//! and, without a warning, by `openapi-python-client`: what `examples/clients/` does with them typechecks and runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Service, http, operator};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clients");

/// Folder of the generators and checkers of a language, where `make clients` puts them; `None`, said
/// loudly, where they are not at hand.
pub(crate) fn installed(language: &str, list: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let folder = target.join("clients").join(language);
    if !folder.join(list).is_file() {
        eprintln!("SKIPPED: no generator of {language} is at hand, run `make clients`");
        return None;
    }
    Some(std::path::absolute(folder).unwrap())
}

/// The key of that tier of a demo.
pub(crate) fn key(data: &Path, tier: &str) -> String {
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
    let key = keys.iter().find(|key| key["tier"] == tier).unwrap();
    key["api_key"].as_str().unwrap().to_owned()
}

/// A demo, a key of it, and the hash of a transaction of it whose proof can be had.
async fn demo(data: &Path) -> (Service, String, String) {
    let mut command = operator::demo(data);
    let service = Service::start(command.args(["--seed", "7"]), "ready");
    service.ready().await;
    assert!(service.shows("/v5/proof/tx/ethereum/0x"));
    let screen = service.screen.lock().unwrap().clone();
    let hash = screen.split_once("/v5/proof/tx/ethereum/").unwrap().1;
    let key = key(data, "explorer");
    (service, key, hash.split_whitespace().next().unwrap().to_owned())
}

/// A folder with these files of an example, and the document of the service.
async fn folder(work: &Path, service: &Service, language: &str, files: &[&str]) -> PathBuf {
    let folder = work.join(language);
    std::fs::create_dir(&folder).unwrap();
    for file in files {
        let from = Path::new(EXAMPLES).join(language).join(file);
        std::fs::copy(from, folder.join(file)).unwrap();
    }
    let (status, document) = service.get("/openapi.json").await;
    assert_eq!(status, 200);
    std::fs::write(folder.join("openapi.json"), document).unwrap();
    folder
}

/// What a command prints that succeeds in a folder.
fn run(folder: &Path, command: &mut Command) -> String {
    let (code, said) = operator::run(command.current_dir(folder));
    assert_eq!(code, 0, "{command:?}: {said}");
    said
}

/// Both uses print the same: what they have asked for has come, as the types say.
fn check(said: &str) {
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    for (line, start, end) in [
        (lines[0], "SuperRoot ", ""),
        (lines[1], "checkpoint of ", "simulated/demo-7"),
        (lines[2], "block 0x", ": anchored, level 5"),
        (lines[3], "mined by 0x", ""),
        (lines[4], "transaction ", " trie nodes"),
        (lines[5], "Ethereum: next base fee ", " wei per gas"),
    ] {
        assert!(line.starts_with(start) && line.ends_with(end), "{said}");
    }
    assert!(!said.contains("undefined") && !said.contains("None"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_generated_for_typescript_typechecks_in_use() {
    let Some(installed) = installed("typescript", "installed.json") else { return };
    let work = tempfile::tempdir().unwrap();
    let (service, key, hash) = demo(&work.path().join("data")).await;
    let files = ["package.json", "tsconfig.json", "use.ts", "logs.ts", "ccip.ts"];
    let folder = folder(work.path(), &service, "typescript", &files).await;
    let modules = installed.join("node_modules");
    std::os::unix::fs::symlink(&modules, folder.join("node_modules")).unwrap();
    let node = |script: &str| {
        let mut command = Command::new("node");
        command.arg(modules.join(script));
        command
    };
    let mut generate = node("openapi-typescript/bin/cli.js");
    run(&folder, generate.args(["openapi.json", "--output", "schema.d.ts"]));
    // checks what was generated too
    run(&folder, node("typescript/bin/tsc").args(["--project", "."]));
    let mut asks = Command::new("node");
    asks.env("SUPERROOT_API_KEY", key).args(["use.js", &service.url, &hash]);
    let said = run(&folder, &mut asks);
    check(&said);
    let hash = moved(&service, &work.path().join("data")).await;
    let mut reads = Command::new("node");
    let said = run(&folder, reads.args(["logs.js", &service.url, &hash]));
    check_transfers(&service, &hash, &said).await;
    assert!(service.stop().success());
}

/// `Transfer` of ERC-20.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/// The hash of a transaction that moved tokens.
async fn moved(service: &Service, data: &Path) -> String {
    let url = format!("{}/v5/logs?chain=1&topic0={TRANSFER}&limit=1", service.url);
    let key = key(data, "builder");
    let found = http().get(url).header("x-api-key", key).send().await.unwrap();
    let found: Value = found.json().await.unwrap();
    found["logs"][0]["transactionHash"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned()
}

/// What viem and ethers have read is what the logs say.
async fn check_transfers(service: &Service, hash: &str, said: &str) {
    let proof = service.json(&format!("/v5/tx/ethereum/{hash}")).await;
    let mut expected = [String::new(), String::new()];
    for log in proof["receipt"]["logs"].as_array().unwrap() {
        let topics = log["topics"].as_array().unwrap();
        if topics.len() != 3 || topics[0] != TRANSFER {
            continue;
        }
        let address = |at: usize| format!("0x{}", &topics[at].as_str().unwrap()[26..]);
        let value = log["data"].as_str().unwrap().trim_start_matches("0x").trim_start_matches('0');
        let value = u128::from_str_radix(value, 16).unwrap_or_default();
        let number = proof["blockNumber"].as_u64().unwrap();
        let index = log["logIndex"].as_str().unwrap().trim_start_matches("0x");
        let index = u64::from_str_radix(index, 16).unwrap();
        let moved = format!("{} -> {}: {value}", address(1), address(2));
        let place = format!("block {number}, log {index} of {hash}");
        expected[0] += &format!("viem: {moved} in {place}\n");
        expected[1] += &format!("ethers: {moved}\n");
    }
    assert!(!expected[1].is_empty(), "{proof}");
    // both spell addresses with their checksum
    assert_eq!(said.to_lowercase(), expected.concat());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_generated_for_python_typechecks_in_use() {
    let Some(installed) = installed("python", "installed.txt") else { return };
    let work = tempfile::tempdir().unwrap();
    let (service, key, hash) = demo(&work.path().join("data")).await;
    let folder = folder(work.path(), &service, "python", &["use.py"]).await;
    // the generator looks for a formatter there
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(installed.join("bin")).chain(std::env::split_paths(&path)),
    );
    let path = path.unwrap();
    let program = |name: &str| {
        let mut command = Command::new(installed.join("bin").join(name));
        command.env("PATH", &path).env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    let mut generate = program("openapi-python-client");
    generate.args(["generate", "--path", "openapi.json", "--meta", "none"]);
    run(&folder, generate.args(["--output-path", "superroot_client", "--fail-on-warning"]));
    let mut check_types = program("mypy");
    run(&folder, check_types.args(["--strict", "--follow-imports=silent", "use.py"]));
    let mut asks = program("python");
    asks.env("SUPERROOT_API_KEY", key).args(["use.py", &service.url, &hash]);
    let said = run(&folder, &mut asks);
    check(&said);
    assert!(service.stop().success());
}
