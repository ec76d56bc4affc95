//! A real node: anvil, told when to make a block.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{RUN_LIMIT, http};

/// Where `make anvil` puts it, below the build folder.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    target.unwrap_or_else(|| workspace.join("target")).join("anvil/node_modules")
}

/// The binary, of whatever platform's package; `None`, said loudly, when it is not at hand.
fn binary() -> Option<PathBuf> {
    let packages = std::fs::read_dir(folder().join("@foundry-rs")).into_iter().flatten();
    let binaries = packages.flatten().map(|package| package.path().join("bin/anvil"));
    let found = binaries.into_iter().find(|binary| binary.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: anvil is not at hand, run `make anvil` (it wants npm)");
    }
    found
}

/// The creation code of a contract of an npm package.
pub fn creation_code(package: &str, contract: &str) -> Vec<u8> {
    code_in(&format!("@uniswap/{package}/build/{contract}.json"))
}

/// The creation code in a file of a compiler's output.
pub fn code_in(file: &str) -> Vec<u8> {
    let file = folder().join(file);
    let text = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let build: Value = serde_json::from_slice(&text).unwrap();
    const_hex::decode(build["bytecode"].as_str().unwrap()).unwrap()
}

/// A node of its own process; it is ended with the value.
pub struct Anvil {
    child: Child,
    pub url: String,
    pub chain_id: u64,
    /// Old states, which a node that is killed leaves behind.
    _states: tempfile::TempDir,
}

impl Anvil {
    /// Starts one on a free port that makes blocks when told to; they become final `2 * epoch` blocks
    /// later.
    pub fn start(chain_id: u64, epoch: u64) -> Option<Self> {
        let (mut command, states) = (Command::new(binary()?), tempfile::tempdir().unwrap());
        command.arg("--cache-path").arg(states.path());
        command.args(["--port", "0", "--threads", "1", "--accounts", "2", "--chain-id"]);
        command.arg(chain_id.to_string());
        command.arg("--slots-in-an-epoch").arg(epoch.to_string());
        command.arg("--no-mining");
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("anvil starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.ok()?;
            line.strip_prefix("Listening on ").map(str::to_owned)
        });
        // what it says later is read, so that it never waits for a reader
        std::thread::spawn(move || lines.for_each(drop));
        let url = format!("http://{}", address.expect("an address"));
        Some(Self { child, url, chain_id, _states: states })
    }

    /// Result of a call that succeeds.
    pub async fn call(&self, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = http().post(&self.url).json(&body).send().await.unwrap();
        let mut answer: Value = answer.json().await.unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Makes so many blocks.
    pub async fn mine(&self, blocks: u64) {
        self.call("anvil_mine", json!([format!("{blocks:#x}")])).await;
    }

    pub async fn head(&self) -> u64 {
        quantity(&self.call("eth_blockNumber", json!([])).await)
    }

    /// Hash of the block that the node has under that number.
    pub async fn hash_at(&self, number: u64) -> String {
        let block = self.call("eth_getBlockByNumber", json!([format!("{number:#x}"), false])).await;
        block["hash"].as_str().unwrap().to_owned()
    }

    /// An account with money, which the node signs for.
    pub async fn account(&self) -> String {
        self.call("eth_accounts", json!([])).await[0].as_str().unwrap().to_owned()
    }

    /// Sends a transaction, to be in the next block; its hash.
    pub async fn send(&self, to: Option<&str>, data: &[u8]) -> String {
        let data = const_hex::encode_prefixed(data);
        let from = self.account().await;
        let mut transaction = json!({"from": from, "data": data, "gas": "0x7a1200"});
        if let Some(to) = to {
            transaction["to"] = json!(to);
        }
        let hash = self.call("eth_sendTransaction", json!([transaction])).await;
        hash.as_str().unwrap().to_owned()
    }

    /// Receipt of a transaction that succeeded.
    pub async fn receipt(&self, hash: &str) -> Value {
        let receipt = self.call("eth_getTransactionReceipt", json!([hash])).await;
        assert_eq!(receipt["status"], "0x1", "{hash}: {receipt}");
        receipt
    }

    /// Sends a transaction, makes a block of it, and gives its receipt.
    pub async fn execute(&self, to: Option<&str>, data: &[u8]) -> Value {
        let hash = self.send(to, data).await;
        self.mine(1).await;
        self.receipt(&hash).await
    }

    /// Stops the process where it is: it takes calls, and answers none.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A `0x` quantity.
pub fn quantity(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// Rows for these chain ids, with Ethereum's rules.
pub fn rows(chain_ids: impl IntoIterator<Item = u64>) -> String {
    let row = |id: u64| {
        format!(
            "[[chain]]\nid = {id}\nname = \"Anvil {id}\"\nslug = \"anvil-{id}\"\nfamily = \"evm\"\n\
             caip2 = \"eip155:{id}\"\naliases = []\n\
             encodings = [{{ from = 0, name = \"ethereum\" }}]\nevidence = \"node_quorum\"\nblock_time_ms = 1000\n\
             rules = [{{ from = 0, code = 0x0001 }}]\n\n"
        )
    };
    chain_ids.into_iter().map(row).collect()
}

/// Waits for something to come true, and fails with `what` when it does not before the run's limit.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < RUN_LIMIT {
        if let Some(found) = look().await {
            return found;
        }
        // who asks a service all the time is soon refused
        let pause = if begun.elapsed() < Duration::from_secs(5) { 50 } else { 1_000 };
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    panic!("not within {} s: {what}", RUN_LIMIT.as_secs());
}
