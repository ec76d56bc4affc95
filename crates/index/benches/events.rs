//! How fast the index of events answers: a search at 10 million events (`SUPERROOT_EVENTS` for another count), in a store
//! on disk.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_index::{BlockEvent, EventFilter, EventQuery, find, put_events};
use superroot_store::{EmbeddedConfig, EmbeddedStore, ScanOrder, Store, WriteBatch};
use superroot_types::{BlockNumber, ChainKey, Hash};

/// Events of a block in the large store.
const BLOCK_EVENTS: usize = 200;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    searches();
}

fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated()
}

fn open(folder: &Path) -> Arc<dyn Store> {
    Arc::new(EmbeddedStore::open(folder, &EmbeddedConfig::default()).unwrap())
}

fn query(chain: ChainKey, filter: EventFilter, limit: usize) -> EventQuery {
    EventQuery {
        chain,
        filter,
        from: BlockNumber(0),
        to: BlockNumber(u64::MAX),
        direction: ScanOrder::Rising,
        at: None,
        limit,
        examined_max: 20_000.max(limit),
        data_bytes_max: usize::MAX,
    }
}

/// An event as a busy chain has them: few contracts emit most, most are transfers.
fn some_event(random: &mut StdRng, ordinal: usize) -> BlockEvent {
    let skewed = |random: &mut StdRng, count: f64| (random.random::<f64>().powi(4) * count) as u64;
    let (contract, kind) = (skewed(random, 20_000.0), skewed(random, 400.0));
    let padded = |value: u64| {
        let mut word = [0; 32];
        word[12..20].copy_from_slice(&value.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        Hash(word)
    };
    let mut topics = vec![superroot_index::event::topic_of(&kind.to_string())];
    topics.extend((0..2).map(|_| padded(random.random_range(0..1_000_000))));
    let mut data = vec![0; 32];
    data[24..].copy_from_slice(&random.random::<u64>().to_be_bytes());
    BlockEvent {
        tx_index: (ordinal / 4) as u32,
        log_index: (ordinal % 4) as u32,
        transaction_hash: Some(padded((ordinal / 4) as u64 + (random.random::<u64>() >> 1))),
        addresses: vec![address(contract)],
        topics,
        data: Some(data),
    }
}

fn address(contract: u64) -> Vec<u8> {
    superroot_index::event::topic_of(&format!("contract {contract}")).0[..20].to_vec()
}

/// Searches of each kind in a store of many events.
fn searches() {
    let count = std::env::var("SUPERROOT_EVENTS").ok();
    let count: usize = count.map_or(10_000_000, |count| count.parse().unwrap());
    let (folder, chain) = (tempfile::tempdir().unwrap(), row().key());
    let store = open(folder.path());
    let mut random = StdRng::seed_from_u64(3);
    let begun = Instant::now();
    let blocks = (count / BLOCK_EVENTS).max(1);
    let numbers: Vec<u64> = (0..blocks as u64).collect();
    for numbers in numbers.chunks(64) {
        let mut batch = WriteBatch::new();
        for number in numbers {
            let events: Vec<BlockEvent> =
                (0..BLOCK_EVENTS).map(|ordinal| some_event(&mut random, ordinal)).collect();
            put_events(&mut batch, chain, BlockNumber(*number), Hash([1; 32]), &events);
        }
        store.commit(batch).unwrap();
    }
    let written = begun.elapsed().as_secs_f64();
    let bytes = bytes_of(folder.path()) as f64 / (blocks * BLOCK_EVENTS) as f64;
    println!(
        "index/store: {} events in {written:.0} s, {bytes:.0} bytes an event on disk",
        blocks * BLOCK_EVENTS
    );
    settle(folder.path());
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for round in 0..4_000 {
        let contract = (random.random::<f64>().powi(4) * 20_000.0) as u64;
        let kind = (random.random::<f64>().powi(4) * 400.0) as u64;
        let topic = superroot_index::event::topic_of(&kind.to_string());
        let mut filter = EventFilter::default();
        let name = match round % 4 {
            0 => {
                filter.addresses = vec![address(contract)];
                "address"
            }
            1 => {
                filter.topics[0] = vec![topic];
                "topic0"
            }
            2 => {
                filter.addresses = vec![address(contract)];
                filter.topics[0] = vec![topic];
                "address and topic0"
            }
            _ => {
                filter.addresses = (0..10).map(|more| address(contract + more)).collect();
                "ten addresses"
            }
        };
        let direction = if round % 8 < 4 { ScanOrder::Rising } else { ScanOrder::Falling };
        let from = random.random_range(0..blocks as u64);
        let query = EventQuery { from: BlockNumber(from), direction, ..query(chain, filter, 100) };
        let begun = Instant::now();
        find(&*store, &query).unwrap();
        times.entry(name).or_default().push(begun.elapsed().as_secs_f64() * 1e3);
    }
    for (name, mut times) in times {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "index/search by {name}: p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
}

/// Waits until the store has put in order what was written in one go, which no chain does: searches are measured at rest.
fn settle(folder: &Path) {
    let (mut bytes, mut quiet) = (0, 0);
    while quiet < 5 {
        std::thread::sleep(Duration::from_secs(1));
        let now = bytes_of(folder);
        quiet = if now == bytes { quiet + 1 } else { 0 };
        bytes = now;
    }
}

fn bytes_of(folder: &Path) -> u64 {
    // a file may go while it is looked at
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => bytes_of(&entry.path()),
        data => data.map_or(0, |data| data.len()),
    });
    each.sum()
}
