//! Proofs that nobody asked for before: random events, transactions and blocks of blocks as main networks have them, asked
//! of the built service over one connection. No response is cached; bodies of blocks are, as far as there is room.
//!
//! Processor time of the service for each answer, against the time in which a client checks it. `SUPERROOT_PROOFS_BLOCKS`
//! says of how many blocks (300). With `SUPERROOT_DATA` the recorded blocks of real chains are asked about as well.

#[path = "../../../chain/benches/fixture/mod.rs"]
mod fixture;
#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/service/support/mod.rs"]
mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use fixture::Shape;
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::Policy;
use superroot_wire::check_json;
use support::{Service, expected_blocks, load_of, recordings, superroot};

/// Answers of each kind that are asked for.
const ANSWERS: usize = 2_000;
/// Answers of each kind that are checked as a client would.
const CHECKED: usize = 200;
/// Longest answer in bytes: an event of a receipt with hundreds of logs is mostly that receipt.
const ANSWER_BYTES_MAX: usize = 32 << 10;
/// Distance of two blocks: most stand in a twig of their own.
const STRIDE: u64 = 1_999;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes a minute
    }
    let blocks = std::env::var("SUPERROOT_PROOFS_BLOCKS").ok();
    let blocks = blocks.and_then(|text| text.parse().ok()).unwrap_or(300);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let paths = record(folder.path(), blocks);
        run("made up", folder.path(), paths).await;
        if let Some(recordings) = recordings() {
            let paths = Paths::of_recordings(&recordings);
            run("real", &recordings, paths).await;
        }
    });
}

/// What is asked for, by kind.
#[derive(Default)]
struct Paths {
    events: Vec<String>,
    transactions: Vec<String>,
    blocks: Vec<String>,
}

impl Paths {
    fn add(&mut self, chain: u64, number: u64, receipts: &Value) {
        self.blocks.push(format!("/v5/proof/{chain}/{number}"));
        for (place, receipt) in receipts.as_array().into_iter().flatten().enumerate() {
            let hash = receipt["transactionHash"].as_str().unwrap_or_default();
            self.transactions.push(format!("/v5/proof/tx/{chain}/{hash}"));
            let logs = receipt["logs"].as_array().map_or(0, Vec::len);
            let event = |log| format!("/v5/proof/event/{chain}/{number}/{place}/{log}");
            self.events.extend((0..logs).map(event));
        }
    }

    /// Blocks of which everything is held.
    fn of_recordings(folder: &Path) -> Self {
        let (blocks, _) = expected_blocks(&[folder.to_owned()]);
        let mut paths = Self::default();
        for block in blocks.iter().filter(|block| block.transactions && block.receipts) {
            paths.add(block.chain_id, block.number, &block.capture["receipts"]);
        }
        paths
    }
}

/// Made-up blocks as a recording.
fn record(folder: &Path, count: u64) -> Paths {
    let (mut rows, mut paths) = (Vec::new(), Paths::default());
    let numbers = (0..count).map(|place| 20_000_000 + place * STRIDE);
    for block in fixture::numbered(Shape::main_network(), numbers) {
        let (number, hash) = (block.block.number, block.block.hash);
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Value>(&bytes).unwrap();
        let whole = read(fixture::block_json(&block, true));
        let receipts = read(fixture::receipts_json(&block));
        paths.add(1, number, &receipts);
        let file = format!("{number}.json");
        let capture =
            json!({ "chainId": 1, "network": "ethereum", "block": whole, "receipts": receipts });
        std::fs::write(folder.join(&file), capture.to_string()).unwrap();
        let row = json!({
            "chainId": 1, "network": "ethereum", "block": number, "hash": hash, "file": file,
        });
        rows.push(row);
    }
    std::fs::write(folder.join("index.json"), Value::from(rows).to_string()).unwrap();
    paths
}

async fn run(what: &str, recording: &Path, paths: Paths) {
    let data = tempfile::tempdir().unwrap();
    let mut command = superroot();
    command.env("SUPERROOT__API__REMEMBERED_BYTES_MAX", "0");
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.arg("serve").arg("--replay").arg(recording).arg("--data").arg(data.path());
    command.args(["--listen", "127.0.0.1:0"]);
    let service = Service::start(&mut command, "listen");
    service.ready().await;
    let Paths { events, transactions, blocks } = paths;
    let client = reqwest::Client::builder().build().unwrap();
    let mut asker = Asker { client, service: &service, random: 1 };
    for (kind, paths) in [("event", events), ("transaction", transactions), ("block", blocks)] {
        let paths = asker.answered(paths).await;
        if paths.is_empty() {
            println!("{what}: no {kind} is proven");
            continue;
        }
        asker.time(what, kind, &paths).await;
    }
}

struct Asker<'a> {
    client: reqwest::Client,
    service: &'a Service,
    random: u64,
}

impl Asker<'_> {
    fn pick<'p>(&mut self, paths: &'p [String]) -> &'p str {
        // xorshift64
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let place = self.random % paths.len() as u64;
        &paths[place as usize]
    }

    async fn get(&self, path: &str) -> Option<Vec<u8>> {
        let request = self.client.get(format!("{}{path}", self.service.url));
        // to compress an answer costs more than to make it
        let answer = request.header("accept-encoding", "identity").send().await.unwrap();
        let is_good = answer.status() == 200;
        let bytes = answer.bytes().await.unwrap();
        is_good.then(|| bytes.to_vec())
    }

    /// Those of a sample that are answered in the length that is looked at.
    async fn answered(&mut self, mut paths: Vec<String>) -> Vec<String> {
        let mut sample = Vec::new();
        while sample.len() < 2 * ANSWERS && !paths.is_empty() {
            self.pick(&paths);
            let place = self.random % paths.len() as u64;
            let path = paths.swap_remove(place as usize);
            let bytes = self.get(&path).await;
            if bytes.is_some_and(|bytes| bytes.len() <= ANSWER_BYTES_MAX) {
                sample.push(path);
            }
        }
        sample
    }

    async fn time(&mut self, what: &str, kind: &str, paths: &[String]) {
        let process = self.service.id();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (before, begun) = (load_of(process).0, Instant::now());
        tokio::time::sleep(Duration::from_secs(2)).await;
        let idle = (load_of(process).0 - before) / begun.elapsed().as_secs_f64();
        let (before, begun) = (load_of(process).0, Instant::now());
        let mut byte_count = 0;
        for _ in 0..ANSWERS {
            let path = self.pick(paths).to_owned();
            byte_count += self.get(&path).await.expect("it was answered before").len();
        }
        let wall = begun.elapsed().as_secs_f64();
        let busy = load_of(process).0 - before - idle * wall;
        let each = |seconds: f64, count: usize| seconds / count as f64 * 1e6;
        let check = self.check(paths).await;
        println!(
            "proofs/{what} {kind}: {:.0} us of processor, {:.0} us until it is there, {} bytes; {:.2} times its check by a client \
             ({check:.0} us)",
            each(busy, ANSWERS),
            each(wall, ANSWERS),
            byte_count / ANSWERS,
            each(busy, ANSWERS) / check,
        );
    }

    /// Microseconds in which a client reads and checks such an answer.
    async fn check(&mut self, paths: &[String]) -> f64 {
        let mut answers = Vec::new();
        for _ in 0..CHECKED {
            let path = self.pick(paths).to_owned();
            answers.push(self.get(&path).await.expect("it was answered before"));
        }
        let policy = Policy::strict(ChainRegistry::builtin().proof_registry());
        let begun = Instant::now();
        for answer in &answers {
            let body: Value = serde_json::from_slice(answer).unwrap();
            check_json(&body, &policy, None).unwrap();
        }
        begun.elapsed().as_secs_f64() / CHECKED as f64 * 1e6
    }
}
