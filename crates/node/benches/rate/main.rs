//! The built service with every chain at its own rate: Ethereum, 18 chains with its rules at the block times
//! of the other EVM rows, and one of each other family but Bitcoin, whose next block is minutes away. Their
//! blocks are made and recorded before, then a replay server shows them one by one, over each ledger's own
//! protocol.
//!
//! `SUPERROOT_RATE_SECONDS` says for how long (300). Lags are from when a block was there at the nodes. A client
//! listens to every event of every chain.

mod listen;
#[allow(dead_code)] // the catch-up benchmark uses all of it
mod made;
#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/service/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use made::{AT_START, Chain};
use serde_json::Value;
use support::{Service, superroot};

/// Time between looks at the service's status.
const LOOK: Duration = Duration::from_millis(250);
/// Longest that the first blocks are waited for.
const WARM_UP_MAX: Duration = Duration::from_secs(120);

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let seconds = std::env::var("SUPERROOT_RATE_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(300);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run(seconds));
}

async fn run(seconds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("chains.toml");
    std::fs::write(&rows, made::own_rows()).unwrap();
    let begun = Instant::now();
    let chains = made::record(&folder.path().join("recordings"), seconds).await;
    let (transactions, bytes) = chains.iter().fold((0.0, 0), |(rate, bytes), chain| {
        (rate + chain.transactions_per_second(), bytes + chain.bytes)
    });
    println!(
        "rate: {} chains, {:.1} blocks/s, {transactions:.0} transactions/s, {} MB of recordings, made in {:.0} s",
        chains.len(),
        chains.iter().map(|chain| 1_000.0 / chain.block_time_ms as f64).sum::<f64>(),
        bytes / 1_000_000,
        begun.elapsed().as_secs_f64(),
    );

    let mut command = superroot();
    command.arg("--chains").arg(&rows).args(["replay", "--listen", "127.0.0.1:0", "--paced"]);
    command.arg(AT_START.to_string()).arg(folder.path().join("recordings"));
    let nodes = Service::start(&mut command, "http://");
    let began = Instant::now();
    let root = nodes.url.rsplit_once('/').unwrap().0.to_owned();
    let line = |chain: &Chain| {
        format!("  {{ chain = \"{}\", url = \"{root}/{}\" }},\n", chain.id, chain.id)
    };
    let endpoints = folder.path().join("endpoints.toml");
    let text: String = chains.iter().map(line).collect();
    std::fs::write(&endpoints, format!("endpoint = [\n{text}]\n")).unwrap();
    let mut command = superroot();
    command.arg("--chains").arg(&rows).args(["serve", "--listen", "127.0.0.1:0", "--watch", "all"]);
    command.arg("--data").arg(folder.path().join("data")).arg("--endpoints").arg(&endpoints);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__SOURCE__REPLAY_SERVERS", "true");
    let service = Service::start(&mut command, "listening on");

    let mut lags = Lags::default();
    while lags.anchored.len() < chains.len() {
        let late: Vec<_> =
            chains.iter().filter(|chain| !lags.anchored.contains_key(&chain.id)).collect();
        assert!(began.elapsed() < WARM_UP_MAX, "not anchored: {late:?}");
        lags.look(&service, &chains, began).await;
    }
    println!("rate: every chain is anchored after {:.1} s", began.elapsed().as_secs_f64());
    (lags.held.all, lags.indexed.all, lags.newest.all) = Default::default();
    let listening = listen::begin(&service, &folder.path().join("data"), &chains, began).await;
    let (measured, cpu_before, nodes_before) = (Instant::now(), service.load().0, nodes.load().0);
    let mut memory_max = 0.0_f64;
    while began.elapsed() < Duration::from_secs(seconds) {
        lags.look(&service, &chains, began).await;
        memory_max = memory_max.max(service.load().1);
    }
    let elapsed = measured.elapsed().as_secs_f64();
    let share = |before: f64, now: f64| (now - before) / elapsed * 50.0;
    println!(
        "rate: {:.1} % of two cores (the nodes {:.1} %), at most {memory_max:.0} MiB; appeared to held {}; to \
         indexed {}; to anchored {}; {elapsed:.0} s",
        share(cpu_before, service.load().0),
        share(nodes_before, nodes.load().0),
        lags.held,
        lags.indexed,
        lags.newest,
    );
    let told = listening.end().await;
    println!("rate: {} events, appeared to told {told}", told.all.len());
    let status: Value = service.json("/api/v1/status").await;
    for chain in status["chains"].as_array().unwrap() {
        let trouble = chain["last_error"].as_object().is_some() || chain["state"] == "stalled";
        if trouble && chains.iter().any(|one| chain["chain_id"] == one.id) {
            println!("rate: {}: {}, {}", chain["name"], chain["state"], chain["last_error"]);
        }
    }
    service.stop();
}

/// The newest number of each chain that was seen to have come through a stage, and how late each was.
#[derive(Default)]
pub(crate) struct Stage {
    newest: HashMap<u64, u64>,
    /// Of each block or event its chain, and by how many milliseconds it was late.
    pub(crate) all: Vec<(u64, u64)>,
}

impl Stage {
    fn note(&mut self, chain: &Chain, number: Option<u64>, began: Instant) {
        let Some(number) = number else { return };
        let before = *self.newest.entry(chain.id).or_insert(number);
        let late = |number| {
            let at = chain.appeared(number, began)?;
            Some((chain.id, at.elapsed().as_millis() as u64))
        };
        self.all.extend((before + 1..=number).filter_map(late));
        self.newest.insert(chain.id, number.max(before));
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut all = self.all.clone();
        all.sort_unstable_by_key(|(_, late)| *late);
        let at = |share: usize| all.get(all.len() * share / 100).map_or(0, |(_, late)| *late);
        let (chain, most) = all.last().copied().unwrap_or_default();
        write!(f, "p50 {} ms, p99 {} ms, most {most} ms on chain {chain}", at(50), at(99))
    }
}

#[derive(Default)]
struct Lags {
    held: Stage,
    indexed: Stage,
    newest: Stage,
    /// Chains of which a block is anchored.
    anchored: HashMap<u64, u64>,
}

impl Lags {
    async fn look(&mut self, service: &Service, chains: &[Chain], began: Instant) {
        tokio::time::sleep(LOOK).await;
        let status: Value = service.json("/api/v1/status").await;
        for shown in status["chains"].as_array().into_iter().flatten() {
            let Some(chain) = chains.iter().find(|chain| shown["chain_id"] == chain.id) else {
                continue;
            };
            self.held.note(chain, shown["head"]["number"].as_u64(), began);
            self.indexed.note(chain, shown["indexed"].as_u64(), began);
            let anchored = shown["anchored"]["number"].as_u64();
            self.newest.note(chain, anchored, began);
            self.anchored.extend(anchored.map(|number| (chain.id, number)));
        }
    }
}
