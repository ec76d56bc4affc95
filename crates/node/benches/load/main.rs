//! The built service under load: twenty chains at two blocks a second, 200 transactions and 400
//! events a block, from nodes on loopback. Then the same blocks as fast as it goes.
//!
//! `SUPERROOT_LOAD_SECONDS` says how long it is followed (300; 0: not at all), `SUPERROOT_LOAD_BLOCKS`
//! how many blocks of each chain there are at least when it catches up (240), `SUPERROOT_LOAD_WATCH`
//! what is kept: `all`, or `some` (every tenth block is the watched contract's), or both by default.
//! With `SUPERROOT_LOAD_SET="SUPERROOT__COLLECT__FETCHES_MAX=4 .."` the service is configured otherwise.

#[path = "../../../chain/benches/fixture/mod.rs"]
mod fixture;
mod lags;
mod nodes;
#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/service/support/mod.rs"]
mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use lags::Lags;
use nodes::{BLOCK_MS, Blocks, FINALITY_BLOCKS, WATCHED_EVERY};
use serde_json::Value;
use support::{Service, anvil, load_of, superroot};

/// Chains of the run's own; the log has a slot for each.
const OWN_CHAINS: std::ops::Range<u64> = 40_001..40_019;
/// Chains of the build that have Ethereum's rules and a short block time.
const BUILTIN_CHAINS: [u64; 2] = [56, 59_144];
/// Chains in all.
const CHAINS: u64 = 20;
/// Transactions of a block; each has two events.
const TRANSACTIONS: usize = 200;
/// Time between looks at the service's status.
const LOOK: Duration = Duration::from_millis(250);
/// Longest that blocks which are there are waited for.
const CATCH_UP_MAX: Duration = Duration::from_secs(1_200);

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let number = |name: &str, default: u64| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let seconds = number("SUPERROOT_LOAD_SECONDS", 300);
    let blocks = number("SUPERROOT_LOAD_BLOCKS", 240);
    let watch = std::env::var("SUPERROOT_LOAD_WATCH").unwrap_or_else(|_| "all some".to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        for watch in watch.split(' ') {
            run(seconds, blocks, watch).await;
        }
    });
}

async fn run(seconds: u64, blocks: u64, watch: &str) {
    let live = seconds * 1_000 / BLOCK_MS + nodes::FIRST_HEAD + 1;
    let blocks = Arc::new(Blocks::render(live.max(blocks), TRANSACTIONS));
    let world = World::of(nodes::serve(blocks.clone()));
    println!(
        "load: {CHAINS} chains, {} blocks/s, {} tx/s, {} kB of JSON a block, watch {watch}",
        CHAINS * 1_000 / BLOCK_MS,
        CHAINS * 1_000 / BLOCK_MS * TRANSACTIONS as u64,
        blocks.bytes_each() / 1_000,
    );
    if seconds > 0 {
        followed(&world, &blocks, watch, seconds).await;
    }
    blocks.reveal();
    caught_up(&world, &blocks, watch).await;
}

/// As time goes: what it costs, and how long blocks take.
async fn followed(world: &World, blocks: &Blocks, watch: &str, seconds: u64) {
    let service = world.serve("live", watch, &[]);
    let (mut lags, mut memory_max) = (Lags::default(), 0.0_f64);
    let warm = Instant::now();
    while lags.indexed_at(nodes::FIRST_HEAD - FINALITY_BLOCKS) < CHAINS as usize {
        assert!(warm.elapsed() < CATCH_UP_MAX, "{}", service.screen.lock().unwrap());
        look(&service, blocks, &mut lags).await;
    }
    blocks.begin();
    let bodies_before = blocks.bodies.load(Ordering::Relaxed);
    let (begun, cpu_before) = (Instant::now(), service.load().0);
    while begun.elapsed() < Duration::from_secs(seconds) {
        look(&service, blocks, &mut lags).await;
        memory_max = memory_max.max(service.load().1);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let cpu = (service.load().0 - cpu_before) / elapsed;
    let bodies = blocks.bodies.load(Ordering::Relaxed) - bodies_before;
    println!(
        "load/live watch={watch}: {:.1} % of two cores ({:.1} % of one), at most {memory_max:.0} MiB; \
         {lags}; {bodies} bodies fetched; {elapsed:.0} s",
        cpu * 50.0,
        cpu * 100.0,
    );
    service.stop();
    sizes("live", &world.data("live"), blocks.count(), watch);
}

/// Everything that is there, from nothing.
async fn caught_up(world: &World, blocks: &Blocks, watch: &str) {
    let last = blocks.head() - FINALITY_BLOCKS;
    let bodies_before = blocks.bodies.load(Ordering::Relaxed);
    let (begun, nodes_before) = (Instant::now(), load_of(std::process::id()).0);
    // as many calls as the nodes take: public ones would refuse them
    let unlimited = [
        ("SUPERROOT__SOURCE__CALLS_PER_SECOND_MAX", "100000"),
        ("SUPERROOT__ACCUMULATE__BEAT_MS", "500"),
    ];
    let service = world.serve("catch-up", watch, &unlimited);
    let (mut lags, mut memory_max, mut indexed) = (Lags::default(), 0.0_f64, None);
    while lags.anchored_at(last) < CHAINS as usize {
        assert!(begun.elapsed() < CATCH_UP_MAX, "{}", service.screen.lock().unwrap());
        look(&service, blocks, &mut lags).await;
        memory_max = memory_max.max(service.load().1);
        if lags.indexed_at(last) == CHAINS as usize {
            indexed.get_or_insert_with(|| begun.elapsed().as_secs_f64());
        }
    }
    let (anchored, indexed) = (begun.elapsed().as_secs_f64(), indexed.unwrap_or_default());
    let blocks_all = (CHAINS * (last + 1)) as f64;
    let real_time = (last + 1) as f64 * BLOCK_MS as f64 / 1_000.0;
    let (cpu, bodies) = (service.load().0, blocks.bodies.load(Ordering::Relaxed) - bodies_before);
    let nodes = load_of(std::process::id()).0 - nodes_before;
    println!(
        "load/catch-up watch={watch}: {blocks_all} blocks indexed in {indexed:.1} s ({:.0} blocks/s, \
         {:.1} times real time), anchored in {anchored:.1} s; of two cores the service had {:.0} %, \
         {:.2} ms a block, the nodes {:.0} %, {:.2} ms a block; at most {memory_max:.0} MiB; {bodies} \
         bodies fetched",
        blocks_all / indexed,
        real_time / indexed,
        cpu / anchored * 50.0,
        cpu / blocks_all * 1_000.0,
        nodes / anchored * 50.0,
        nodes / blocks_all * 1_000.0,
    );
    service.stop();
    sizes("catch-up", &world.data("catch-up"), last + 1, watch);
}

async fn look(service: &Service, blocks: &Blocks, lags: &mut Lags) {
    tokio::time::sleep(LOOK).await;
    let status: Value = service.json("/api/v1/status").await;
    lags.note(blocks, &status, Instant::now());
}

fn sizes(what: &str, data: &Path, blocks: u64, watch: &str) {
    let bytes = folder_bytes(data);
    let block_count = CHAINS * blocks;
    let indexed_blocks = if watch == "some" { block_count / WATCHED_EVERY } else { block_count };
    println!(
        "load/{what} watch={watch}: {:.0} MB on disk, journals among them; {} bytes a block, {} an \
         indexed event",
        bytes as f64 / 1e6,
        bytes / block_count,
        bytes / indexed_blocks / (2 * TRANSACTIONS as u64),
    );
}

/// What a folder takes on the disk, in bytes.
fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => folder_bytes(&entry.path()),
        Ok(data) => std::os::unix::fs::MetadataExt::blocks(&data) * 512,
        Err(_) => 0,
    });
    bytes.sum()
}

/// A folder with what the service needs to know of the nodes.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn of(nodes: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chains.toml"), anvil::rows(OWN_CHAINS)).unwrap();
        let lines = OWN_CHAINS.chain(BUILTIN_CHAINS).map(|chain| {
            format!("  {{ chain = \"{chain}\", url = \"http://{nodes}/{chain}\" }},\n")
        });
        let text = format!("endpoint = [\n{}]\n", lines.collect::<String>());
        std::fs::write(folder.path().join("endpoints.toml"), text).unwrap();
        Self { folder }
    }

    fn data(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self, data: &str, watch: &str, settings: &[(&str, &str)]) -> Service {
        let mut command = superroot();
        command.arg("--chains").arg(self.data("chains.toml"));
        let watch = match watch {
            "some" => nodes::watched().to_string(),
            other => other.to_owned(),
        };
        command.args(["serve", "--listen", "127.0.0.1:0", "--watch", &watch]);
        command.arg("--data").arg(self.data(data));
        command.arg("--endpoints").arg(self.data("endpoints.toml"));
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.envs(settings.iter().copied());
        let more = std::env::var("SUPERROOT_LOAD_SET").unwrap_or_default();
        command.envs(more.split(' ').filter_map(|one| one.split_once('=')));
        Service::start(&mut command, "listening on")
    }
}
