//! From a block that the service holds to the launch in it that a client reads, on a demo: how late. The same of blocks
//! alone (topic `finality`) stands beside, which is what the way through log, stream and socket takes.
//!
//! `SUPERROOT_LAUNCH_SECONDS` says for how long (60). A block counts as held when `/finality/{chain}` shows it, which is
//! asked every four milliseconds; what that takes is in the figures.
#![allow(missing_docs, clippy::print_stdout)]

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/service/support/mod.rs"]
mod support;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{Service, http, operator};

/// Chains of the demo that have pools.
const CHAINS: [u64; 3] = [1, 130, 8_453];
const LOOK: Duration = Duration::from_millis(4);

/// Chain and number of blocks, and when each was first seen.
type Seen = Arc<Mutex<HashMap<(u64, u64), Instant>>>;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes a minute
    }
    let seconds = std::env::var("SUPERROOT_LAUNCH_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(60);
    tokio::runtime::Runtime::new().expect("a runtime").block_on(run(seconds));
}

async fn run(seconds: u64) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = operator::demo(&data);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(&mut command, "ready");
    service.ready().await;
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<Value> = serde_json::from_slice(&keys).unwrap();
    let key = keys.iter().find(|key| key["tier"] == "builder").unwrap();
    let key = key["api_key"].as_str().unwrap().to_owned();
    let [held, blocks, launches] = [Seen::default(), Seen::default(), Seen::default()];
    for chain in CHAINS {
        tokio::spawn(look(format!("{}/finality/{chain}", service.url), chain, held.clone()));
    }
    let url = format!("{}/v5/stream?topics=finality&finality=head", service.url);
    tokio::spawn(listen(url, key.clone(), blocks.clone(), |event| {
        Some(event["fromBlock"].as_u64()?..=event["toBlock"].as_u64()?)
    }));
    let url = format!("{}/signals/launches", service.url);
    tokio::spawn(listen(url, key, launches.clone(), |event| {
        let number = event["block"].as_u64()?;
        Some(number..=number)
    }));
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let blocks = late(&blocks, &held);
    let launches = late(&launches, &held);
    println!(
        "launches: held to told: blocks {blocks}; launches {launches} (aim: p50 under 100 ms)"
    );
    service.stop();
}

/// Notes each block as it is held.
async fn look(url: String, chain: u64, held: Seen) {
    let mut last = None;
    loop {
        // the service has stopped
        let Ok(answer) = http().get(&url).send().await else { return };
        let body: Value = answer.json().await.unwrap();
        let now = Instant::now();
        if let Some(number) = body["head"]["number"].as_u64() {
            // what was held before is not new
            let new = last.unwrap_or(number) + 1..=number;
            let mut held = held.lock().unwrap();
            new.for_each(|number| _ = held.entry((chain, number)).or_insert(now));
            last = Some(number);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Notes the blocks that events are about.
async fn listen(
    url: String,
    key: String,
    seen: Seen,
    blocks: impl Fn(&Value) -> Option<std::ops::RangeInclusive<u64>>,
) {
    let mut stream = http().get(url).header("x-api-key", key).send().await.unwrap();
    assert_eq!(stream.status(), 200, "{:?}", stream.text().await);
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = stream.chunk().await {
        let now = Instant::now();
        text.extend_from_slice(&chunk);
        let Some(end) = text.iter().rposition(|byte| *byte == b'\n') else { continue };
        let lines: Vec<u8> = text.drain(..=end).collect();
        for line in lines.split(|byte| *byte == b'\n') {
            let Some(data) = line.strip_prefix(b"data: ") else { continue };
            let event: Value = serde_json::from_slice(data).unwrap();
            let (Some(chain), Some(numbers)) = (event["chainId"].as_u64(), blocks(&event)) else {
                continue;
            };
            let mut seen = seen.lock().unwrap();
            numbers.for_each(|number| _ = seen.entry((chain, number)).or_insert(now));
        }
    }
}

fn late(told: &Seen, held: &Seen) -> String {
    let (told, held) = (told.lock().unwrap(), held.lock().unwrap());
    let late =
        told.iter().filter_map(|(block, at)| Some(at.saturating_duration_since(*held.get(block)?)));
    let mut late: Vec<f64> = late.map(|late| late.as_secs_f64() * 1e3).collect();
    late.sort_by(f64::total_cmp);
    let at = |part: usize| late.get((late.len() * part / 100).min(late.len().saturating_sub(1)));
    let at = |part| at(part).copied().unwrap_or(f64::NAN);
    format!("p50 {:.0} ms, p99 {:.0} ms, {} of them", at(50), at(99), late.len())
}
