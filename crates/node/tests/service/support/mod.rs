//! The built binary as a user runs it, on loopback and free ports.
#![allow(unreachable_pub)]

pub mod anvil;
pub mod auditor;
pub mod contract;
mod described;
pub mod front;
pub mod gateway;
pub mod operator;
pub mod world;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use superroot_chain::{ChainRegistry, UnprovablePart};
use superroot_types::{BlockNumber, ChainId};

/// The binary under test.
pub fn superroot() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_superroot"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SUPERROOT_")) {
        command.env_remove(name);
    }
    // nobody is sent elsewhere: tests do not wait for that
    command.env("SUPERROOT__SERVER__DRAIN_MS", "0");
    command
}

/// Captures of real chains; `None`, said loudly, when they are not at hand.
pub fn recordings() -> Option<PathBuf> {
    let data = std::env::var_os("SUPERROOT_DATA").filter(|data| !data.is_empty());
    let folder = data.map(|data| Path::new(&data).join("evm")).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("SKIPPED: real blocks are not at hand, set SUPERROOT_DATA");
    }
    folder
}

/// A client of HTTP; plain loopback needs no TLS, but building a client asks for a provider. It keeps
/// no connection, as each would belong to one test's runtime.
pub fn http() -> reqwest::Client {
    static CLIENT: std::sync::OnceLock<reqwest::Client> = std::sync::OnceLock::new();
    let build = || {
        // fails only when another test of this process has installed it
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder().pool_max_idle_per_host(0).timeout(RUN_LIMIT).build().unwrap()
    };
    CLIENT.get_or_init(build).clone()
}

/// Longest wait for an event: somewhat less than a test may run (`.config/nextest.toml`), so that it says what it waited
/// for.
pub const RUN_LIMIT: std::time::Duration = std::time::Duration::from_secs(540);

/// A service of its own process; it is ended with the value.
pub struct Service {
    child: Child,
    pub url: String,
    pub screen: Arc<Mutex<String>>,
}

impl Service {
    /// Starts `superroot` with these arguments and waits for a line that holds `marker` and an
    /// address behind it.
    pub fn start(command: &mut Command, marker: &str) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let (found, address) = std::sync::mpsc::channel();
        let pipes: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let (screen, sender, marker) = (screen.clone(), found.clone(), marker.to_owned());
            std::thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let found = |at: usize| {
                        let all = ["http://", "https://"].map(|scheme| line[at..].find(scheme));
                        all.into_iter().flatten().min().map(|behind| at + behind)
                    };
                    let at = line.find(&marker).and_then(found);
                    if let Some(at) = at {
                        let url: String =
                            line[at..].chars().take_while(|c| !c.is_whitespace()).collect();
                        let _ = sender.send(url.trim_end_matches('/').to_owned());
                    }
                    let mut screen = screen.lock().unwrap();
                    screen.push_str(&line);
                    screen.push('\n');
                }
            });
        }
        drop(found);
        let url = address.recv_timeout(RUN_LIMIT);
        let url = url.unwrap_or_else(|_| {
            let _ = child.kill();
            panic!("no address: {}", screen.lock().unwrap())
        });
        Self { child, url, screen }
    }

    /// Waits until `/health/ready` says so.
    pub async fn ready(&self) {
        let begun = std::time::Instant::now();
        while begun.elapsed() < RUN_LIMIT {
            if let Ok(answer) = http().get(format!("{}/health/ready", self.url)).send().await
                && answer.status() == 200
            {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("not ready: {}", self.screen.lock().unwrap());
    }

    /// Whether this text comes on the screen: each pipe is read by itself, so a line may come a
    /// moment after the one that says ready.
    pub fn shows(&self, text: &str) -> bool {
        let begun = std::time::Instant::now();
        while begun.elapsed().as_secs() < 20 {
            if self.screen.lock().unwrap().contains(text) {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        false
    }

    /// Status and body of a GET.
    pub async fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let answer = http().get(format!("{}{path}", self.url)).send().await.unwrap();
        let (status, body) = (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec());
        described::check("get", path, status, &body);
        (status, body)
    }

    /// Status and body of a GET, as JSON.
    pub async fn answer(&self, path: &str) -> (u16, Value) {
        let (status, body) = self.get(path).await;
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// What `POST /kv/verify` says of a file whose indexes were overwritten, asked for these members with
    /// those same indexes: valid without them, and each of them not shown.
    pub async fn assert_not_shown(&self, file: &[u8], names: &[&str]) {
        use superroot_proof::bundle::{Bundle, ProofSubject};
        const INDEX: u32 = 4_000_000_000;
        let mut bundle = Bundle::decode(file).unwrap();
        if let ProofSubject::Transaction { tx_index } = &mut bundle.statement.subject {
            *tx_index = INDEX;
        }
        let proof_blob = const_hex::encode_prefixed(bundle.encode());
        let body = serde_json::json!({ "proof_blob": proof_blob });
        let (_, answer) = self.post("/kv/verify", "", &body).await;
        assert_eq!(answer["valid"], true, "{answer}");
        for name in names {
            let expected = match *name {
                "tx_index" => bundle.statement.subject.tx_index(),
                "log_index" => bundle.statement.subject.log_index(),
                _ => u32::try_from(bundle.statement.number.0).ok(),
            };
            let body =
                serde_json::json!({ "proof_blob": proof_blob, "expected": { *name: expected } });
            let (_, answer) = self.post("/kv/verify", "", &body).await;
            let checks = answer["checks"].as_array().unwrap();
            // a level may have the same name
            let is_it = |check: &&Value| check["name"] == *name && check["level"].is_null();
            let check = checks.iter().find(is_it).unwrap();
            let detail = check["detail"].as_str().unwrap();
            assert!(detail.starts_with("not_shown"), "{answer}");
            assert!(check["ok"] == false && answer["valid"] == false, "{answer}");
        }
    }

    /// Status and body of a POST, with a key where one is given.
    pub async fn post(&self, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let request = http().post(format!("{}{path}", self.url)).json(body);
        let request = if key.is_empty() { request } else { request.header("x-api-key", key) };
        let answer = request.send().await.unwrap();
        let (status, body) = (answer.status().as_u16(), answer.bytes().await.unwrap());
        described::check("post", path, status, &body);
        (status, serde_json::from_slice(&body).unwrap())
    }

    /// What the status says of a chain; `null` where it names none.
    pub async fn chain(&self, id: u64) -> Value {
        let status = self.json("/api/v1/status").await;
        let chains = status["chains"].as_array().unwrap();
        chains.iter().find(|one| one["chain_id"] == id).cloned().unwrap_or_default()
    }

    /// Body of a GET with a key that succeeds, as JSON.
    pub async fn keyed(&self, path: &str, key: &str) -> Value {
        let request = http().get(format!("{}{path}", self.url)).header("x-api-key", key);
        let answer = request.send().await.unwrap();
        let (status, body) = (answer.status().as_u16(), answer.bytes().await.unwrap());
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Body of a GET that succeeds, as JSON.
    pub async fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Asks the process to stop, as a service manager does, and waits until it has.
    pub fn stop(self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.ended()
    }

    /// Waits until the process has ended by itself.
    pub fn ended(mut self) -> ExitStatus {
        let begun = std::time::Instant::now();
        while begun.elapsed().as_secs() < 120 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("it does not end: {}", self.screen.lock().unwrap());
    }

    /// Of the process.
    #[allow(dead_code)] // of benches/load
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Processor time so far, in seconds, and memory in MiB.
    #[allow(dead_code)] // of benches/load
    pub fn load(&self) -> (f64, f64) {
        load_of(self.child.id())
    }

    /// The most memory that it had at one time, in MiB.
    pub fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
    }

    /// Number of the newest block of a chain that is anchored.
    pub async fn anchored(&self, chain: u64) -> Option<u64> {
        let (status, root) = self.answer("/v5/superroot").await;
        let references = root["blockReferences"].as_array().filter(|_| status == 200)?;
        references.iter().find(|one| one["chainId"] == chain)?["number"].as_u64()
    }

    /// Ends the process without a word.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `superroot verify` in another process: its exit code and what it printed.
pub fn verify(file: &Path, super_root: &str) -> (i32, String) {
    operator::run(superroot().arg("verify").arg(file).args(["--superroot", super_root]))
}

/// Processor time of a process so far, in seconds, and its memory in MiB.
#[allow(dead_code)]
pub fn load_of(process: u32) -> (f64, f64) {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| after_name.get(at).and_then(|text| text.parse::<f64>().ok());
    let seconds = (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    (seconds, kib.unwrap_or(0.0) / 1024.0)
}

/// A recorded block that a log of all recordings must hold, and which parts of it.
#[derive(Debug)]
pub struct Expected {
    pub chain_id: u64,
    pub number: u64,
    pub hash: String,
    pub transactions: bool,
    pub receipts: bool,
    pub capture: Value,
}

/// What must become of every recorded block of a chain of the registry's EVM family, by the index
/// of the recordings: those to be held, and the others with the reason.
pub fn expected_blocks(folders: &[PathBuf]) -> (Vec<Expected>, Vec<(u64, u64, &'static str)>) {
    let mut rows = Vec::new();
    for folder in folders {
        let index = std::fs::read(folder.join("index.json")).unwrap();
        let index: Vec<Value> = serde_json::from_slice(&index).unwrap();
        rows.extend(index.into_iter().map(|row| (folder, row)));
    }
    rows.sort_by_key(|(_, row)| (row["chainId"].as_u64(), row["block"].as_u64()));
    let (mut held, mut left_out): (Vec<Expected>, _) = (Vec::new(), Vec::new());
    for (folder, row) in rows {
        let (chain_id, number) = (row["chainId"].as_u64().unwrap(), row["block"].as_u64().unwrap());
        let Some(chain) = ChainRegistry::builtin().by_id(ChainId(chain_id)) else { continue };
        let file = std::fs::File::open(folder.join(row["file"].as_str().unwrap())).unwrap();
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut text).unwrap();
        let capture: Value = serde_json::from_slice(&text).unwrap();
        let last = held.last().filter(|last| last.chain_id == chain_id);
        let parent = last.filter(|last| last.number + 1 == number).map(|last| last.hash.clone());
        let is_linked = parent.is_none_or(|parent| capture["block"]["parentHash"] == *parent);
        if row["checks"]["header"] != "ok" {
            left_out.push((chain_id, number, "no hash to check the header with"));
            continue;
        } else if is_foreign(&capture, chain_id) {
            left_out.push((chain_id, number, "signed for another chain"));
            continue;
        } else if !is_linked {
            left_out.push((chain_id, number, "not the child of its neighbour"));
            continue;
        }
        let is_withheld = chain.ledger.unprovable().iter().any(|range| {
            range.holds_at(BlockNumber(number)) && matches!(range.what, UnprovablePart::Body)
        });
        let holds = |check: &str| row["checks"][check] == "ok" && !is_withheld;
        held.push(Expected {
            chain_id,
            number,
            hash: row["hash"].as_str().unwrap().to_owned(),
            // those of a simulated call are signed by nobody
            transactions: holds("txs")
                && !matches!((chain_id, number), (1, 21_000_002 | 21_000_003)),
            receipts: holds("receipts"),
            capture,
        });
    }
    (held, left_out)
}

/// Captured under another network's name.
fn is_foreign(capture: &Value, chain_id: u64) -> bool {
    let listed = capture["block"]["transactions"].as_array().into_iter().flatten();
    let claimed = listed.filter_map(|entry| quantity(entry["chainId"].as_str()?));
    claimed.into_iter().any(|claimed| claimed != chain_id)
}

/// A quantity as captures spell it: hex, or plain decimal from some nodes.
pub fn quantity(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    hex.unwrap_or_else(|| text.parse()).ok()
}
