//! The built service that was away: it follows the chains with Ethereum's rules of the rate benchmark, is stopped, and comes
//! back when its nodes have all the blocks of some minutes more. How many times as fast as they were made does it take them?
//!
//! `SUPERROOT_CATCHUP_SECONDS` says how many seconds of blocks (180). The nodes run beside it, on the same cores, and take
//! as many calls as come: by default 25 a second of each node would be the bound.

#[allow(dead_code)] // the rate benchmark uses all of it
#[path = "../rate/made.rs"]
mod made;
#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/service/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use made::{AT_START, Chain};
use serde_json::Value;
use support::{Service, superroot};

/// Time between looks at the service's status.
const LOOK: Duration = Duration::from_millis(100);
/// Longest that is waited for.
const LONGEST: Duration = Duration::from_secs(600);

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let seconds = std::env::var("SUPERROOT_CATCHUP_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(180);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run(seconds));
}

async fn run(seconds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("chains.toml"), made::own_rows()).unwrap();
    let chains = made::record_evm(&folder.join("recordings"), seconds).await;
    let megabytes = chains.iter().map(|chain| chain.bytes).sum::<u64>() / 1_000_000;
    println!("catch-up: {} chains, {seconds} s, {megabytes} MB of recordings", chains.len());

    // the first blocks of each chain alone
    let paced = ["--paced".to_owned(), AT_START.to_string()];
    let nodes = nodes(folder, &paced);
    let service = serve(folder, &nodes, &chains);
    let anchored = |shown: &Value| shown["anchored"]["number"].is_u64();
    let begun = Instant::now();
    until(&service, &chains, |_, shown| anchored(shown)).await;
    let (away, held) = (begun.elapsed(), numbers(&service).await);
    assert!(service.stop().success());
    drop(nodes);

    let nodes = self::nodes(folder, &[]);
    let (service, begun) = (serve(folder, &nodes, &chains), Instant::now());
    let (memory_max, order) = until(&service, &chains, |chain, shown| {
        let indexed = shown["indexed"].as_u64();
        shown["head"]["number"] == chain.last && indexed.is_none_or(|number| number == chain.last)
    })
    .await;
    let elapsed = begun.elapsed().as_secs_f64();
    let blocks: u64 = chains.iter().map(|chain| chain.last - held[&chain.id]).sum();
    let ahead = seconds as f64 - away.as_secs_f64();
    let share = |seconds: f64| seconds / elapsed * 50.0;
    let cpu_seconds = service.load().0;
    println!(
        "catch-up: {blocks} blocks, {ahead:.0} s of them, in {elapsed:.1} s: {:.2}x real time, {:.2}x with both cores for \
         itself; {:.0} % of two cores (the nodes {:.0} %), at most {memory_max:.0} MiB",
        ahead / elapsed,
        ahead / (cpu_seconds / 2.0),
        share(cpu_seconds),
        share(nodes.load().0),
    );
    let last = order.iter().rev().take(4).map(|(id, after)| format!("{id} after {after:.1} s"));
    println!("catch-up: the last chains: {}", last.collect::<Vec<_>>().join(", "));
    service.stop();
}

/// What stands in for the nodes of all chains.
fn nodes(folder: &Path, more: &[String]) -> Service {
    let mut command = superroot();
    command.arg("--chains").arg(folder.join("chains.toml"));
    command.args(["replay", "--listen", "127.0.0.1:0"]).args(more).arg(folder.join("recordings"));
    Service::start(&mut command, "http://")
}

fn serve(folder: &Path, nodes: &Service, chains: &[Chain]) -> Service {
    let root = nodes.url.rsplit_once('/').unwrap().0;
    let line =
        |Chain { id, .. }: &Chain| format!("  {{ chain = \"{id}\", url = \"{root}/{id}\" }},\n");
    let lines: String = chains.iter().map(line).collect();
    let endpoints = folder.join("endpoints.toml");
    std::fs::write(&endpoints, format!("endpoint = [\n{lines}]\n")).unwrap();
    let mut command = superroot();
    command.arg("--chains").arg(folder.join("chains.toml"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--watch", "all"]);
    command.arg("--data").arg(folder.join("data")).arg("--endpoints").arg(&endpoints);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__SOURCE__REPLAY_SERVERS", "true");
    command.env("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "10000");
    Service::start(&mut command, "listening on")
}

/// Waits until that holds of every chain as its status shows it; most memory, in MiB, and the chains in the order in which
/// it came to hold, with the seconds until then.
async fn until(
    service: &Service,
    chains: &[Chain],
    holds: impl Fn(&Chain, &Value) -> bool,
) -> (f64, Vec<(u64, f64)>) {
    let (begun, mut memory_max, mut order) = (Instant::now(), 0.0_f64, Vec::new());
    loop {
        tokio::time::sleep(LOOK).await;
        memory_max = memory_max.max(service.load().1);
        let status: Value = service.json("/api/v1/status").await;
        let shown = status["chains"].as_array().unwrap();
        let of = |chain: &Chain| shown.iter().find(|one| one["chain_id"] == chain.id);
        let (done, late): (Vec<&Chain>, Vec<&Chain>) =
            chains.iter().partition(|chain| of(chain).is_some_and(|one| holds(chain, one)));
        for chain in done {
            if order.iter().all(|(id, _)| *id != chain.id) {
                order.push((chain.id, begun.elapsed().as_secs_f64()));
            }
        }
        if late.is_empty() {
            return (memory_max, order);
        }
        assert!(begun.elapsed() < LONGEST, "not within ten minutes: {late:?}");
    }
}

/// The newest block that is held of each chain.
async fn numbers(service: &Service) -> HashMap<u64, u64> {
    let status: Value = service.json("/api/v1/status").await;
    let shown = status["chains"].as_array().unwrap().iter();
    let number = |one: &Value| Some((one["chain_id"].as_u64()?, one["head"]["number"].as_u64()?));
    shown.filter_map(number).collect()
}
