//! `superroot audit` over the network: a whole log from its first SuperRoot, twice.
//!
//! ```text
//! long    100,000 SuperRoots, ten twigs each      deep    two SuperRoots, the second of 1,000,000 twigs
//! ```
//! Both are logs as a service keeps them: blocks that nobody recorded between two that somebody did
//! make the twigs. `SUPERROOT_AUDIT_SUPER_ROOTS` says how many SuperRoots the long one has.

#[path = "../../../accumulate/tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use superroot_account::wallet::NoNodes;
use superroot_account::{AccountConfig, AccountService};
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_api::{Api, ApiConfig, StatusBoard, serve};
use superroot_billing::BillingLedger;
use superroot_chain::ChainRegistry;
use superroot_proof::hash::node;
use superroot_proof::note::{KeyKind, Signer};
use superroot_proof::twig::twig_leaf;
use superroot_store::layout::{BlockTip, block_key};
use superroot_store::{MemoryStore, Store, Table, WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, SystemClock, TWIG_BLOCKS, TwigIndex};
use support::{Chain, Log, chain};
use tokio::net::TcpListener;

const ORIGIN: &str = "recorded/audit";
/// Twigs of each SuperRoot of the long log.
const TWIGS_EACH: u64 = 10;
/// Twigs of the deep log.
const TWIGS_AT_ONCE: u64 = 1_000_000;
/// The aim: memory of an audit, in kilobytes.
const BOUND_KB: u64 = 200 << 10;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes minutes
    }
    let super_roots = std::env::var("SUPERROOT_AUDIT_SUPER_ROOTS").ok();
    let super_roots = super_roots.and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(audit("deep", 2, TWIGS_AT_ONCE));
    runtime.block_on(audit("long", super_roots, TWIGS_EACH));
}

/// Lets the built program audit a log of that many SuperRoots, each but the first of so many twigs.
async fn audit(name: &str, super_roots: u64, twigs_each: u64) {
    let (log, key) = tokio::task::spawn_blocking(move || grown(super_roots, twigs_each))
        .await
        .expect("a log grows");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    // the most that it had is counted from here on (proc(5), clear_refs)
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux");
    let before = peak_kb("self");
    let served = tokio::spawn(serve(listener, api(&log), std::future::pending::<()>()));
    let (began, twigs) = (Instant::now(), (super_roots - 1) * twigs_each);
    let mut auditor = Command::new(env!("CARGO_BIN_EXE_superroot"));
    auditor.args(["audit", "--url", &url, "--key", &key]);
    let auditor = auditor.stdout(Stdio::piped()).spawn().expect("it runs");
    let (said, audit_kb) = tokio::task::spawn_blocking(|| watched(auditor)).await.expect("it ends");
    let time = began.elapsed();
    assert!(said.contains("TRUE"), "{said}");
    let bare = bare_hashes(twigs);
    let rate = |count: u64| count as f64 / time.as_secs_f64();
    println!(
        "audit/{name}/super_roots={super_roots}/twigs={twigs}: {:.0} SuperRoots/s, {:.0} twigs/s",
        rate(super_roots),
        rate(twigs)
    );
    println!(
        "audit/{name}: {:.1}x the bare hashes of the same leaves ({bare:?})",
        time.as_secs_f64() / bare.as_secs_f64()
    );
    println!(
        "audit/{name}: {} MB of memory, bound {} MB: {}; the service {} MB more than before it",
        audit_kb >> 10,
        BOUND_KB >> 10,
        audit_kb < BOUND_KB,
        peak_kb("self").saturating_sub(before) >> 10
    );
    served.abort();
}

/// A log that skips that many twigs before each SuperRoot but the first, and its key.
fn grown(super_roots: u64, twigs_each: u64) -> (Log, String) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let registry = ChainRegistry::builtin().proof_registry().clone();
    let accumulator = Accumulator::open(store.clone(), registry, ORIGIN).expect("a log opens");
    let signer = Signer::new(ORIGIN, KeyKind::Log, &[1; 32]).expect("a key");
    let key = signer.verifier().to_string();
    let accumulator = accumulator.signed_by(vec![signer]).expect("it is signed");
    let (mut log, ethereum) = (Log { store, accumulator }, chain("ethereum", 0));
    log.extend(&ethereum, [5]);
    log.step(100);
    for sequence in 1..super_roots {
        skip(&log, &ethereum, sequence * twigs_each);
        log.step(100 + sequence);
    }
    (log, key)
}

/// The chain's next block is far above the one before.
fn skip(log: &Log, chain: &Chain, twigs: u64) {
    let (store, key, mut batch) = (&*log.store, chain.key(), WriteBatch::new());
    let number = BlockNumber(twigs * TWIG_BLOCKS + 3);
    let row = store.get(Table::Block, &block_key(key, BlockNumber(5)));
    batch.put(Table::Block, block_key(key, number), row.expect("it reads").expect("block 5"));
    let state = read::load_chain_state(store, key).expect("it reads");
    let mut state = state.expect("the chain is there");
    let tip = BlockTip { number, hash: state.head.expect("a head").hash };
    (state.head, state.indexed, state.checked_to) = (Some(tip), Some(tip), Some(number));
    write::put_chain_state(&mut batch, key, &state);
    store.commit(batch).expect("it is written");
}

fn api(log: &Log) -> Api {
    let mut config = AccountConfig::default();
    config.limit.keyless_per_minute = 0;
    config.routes = superroot_api::metered_routes();
    let rows: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let accounts = AccountService::open(rows, Arc::new(SystemClock), &config);
    let accounts = accounts.expect("the accounts open");
    accounts.refresh().expect("a look at changes");
    let prover = Prover::new(log.store.clone(), log.accumulator.board());
    Api {
        hub: superroot_stream::Hub::open(prover.clone()).expect("the log of streams is read"),
        prover,
        registry: Arc::new(ChainRegistry::builtin().clone()),
        blooms: Arc::default(),
        status: Arc::new(StatusBoard::new()),
        billing: BillingLedger::new(accounts.clone()),
        webhooks: superroot_webhook::Webhooks::new(
            accounts.clone(),
            superroot_webhook::WebhookConfig::default(),
        ),
        watches: superroot_watch::Watches::open(
            accounts.clone(),
            superroot_watch::WatchConfig::default(),
        )
        .unwrap(),
        accounts,
        market: superroot_api::Markets::default(),
        contracts: Arc::new(NoNodes),
        price_nodes: Arc::new(superroot_gas::NoPriceNodes),
        clock: Arc::new(SystemClock),
        config: ApiConfig::default(),
        ready: Arc::new(AtomicBool::new(true)),
        rpc: None,
        passes: None,
    }
}

/// What it says, and the most memory that it had, in kilobytes.
fn watched(mut child: Child) -> (String, u64) {
    let (id, mut peak) = (child.id().to_string(), 0);
    while child.try_wait().expect("a child").is_none() {
        peak = peak.max(peak_kb(&id));
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = child.wait_with_output().expect("its words");
    (String::from_utf8_lossy(&out.stdout).into_owned(), peak)
}

/// Most memory that a process had, as Linux tells it, in kilobytes.
fn peak_kb(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A leaf more is a node more.
fn bare_hashes(twigs: u64) -> Duration {
    let (chain, began) = (chain("ethereum", 0).key(), Instant::now());
    for index in 0..twigs {
        let leaf = twig_leaf(chain, TwigIndex(index), &Hash([7; 32]));
        black_box(node(&leaf, &leaf));
    }
    began.elapsed()
}
