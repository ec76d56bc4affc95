//! Streams with many listeners: how late an event is, how many are handed out a second, and what a listener
//! takes of memory; beside a server that writes the same bytes to as many sockets and does nothing else.
//!
//! ```text
//! this process ── "tell" ──► child: log, hub, HTTP ──► 5,000 sockets ──► this process reads
//!              └─ "tell" ──► child: the same bytes, written bare ──► ...
//! ```
//! `SUPERROOT_LISTENERS` says how many listen (5,000; each takes a descriptor in both processes, so `ulimit -n`
//! has to allow for them), `SUPERROOT_EVENTS` how many events are told (50). One in a hundred never reads.
#![allow(missing_docs, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use superroot_account::{AccountService, Grant, Operator, Tier};
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_api::{Api, ApiConfig, StatusBoard};
use superroot_billing::BillingLedger;
use superroot_chain::ChainRegistry;
use superroot_store::feed::{Changes, append};
use superroot_store::{MemoryStore, Store, WriteBatch};
use superroot_stream::{Hub, StreamLogWriter};
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Family, SystemClock, UnixSeconds};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };
/// One of so many listeners never reads.
const DEAF: usize = 100;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::main]
async fn main() {
    match std::env::var("SUPERROOT_BENCH_CHILD").as_deref() {
        Ok("streams") => serve_streams().await,
        Ok("bare") => serve_bare().await,
        _ => measure().await,
    }
}

/// Lines of standard input, as they come.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        std::process::exit(0); // the bench has ended
    });
    lines
}

async fn serve_streams() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let chains: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let rows = ChainRegistry::builtin().proof_registry().clone();
    let accumulator = Accumulator::open(chains.clone(), rows, "simulated/bench").expect("a log");
    let prover = Prover::new(chains.clone(), accumulator.board());
    let hub = Hub::open(prover.clone()).expect("a hub");
    let mut config = superroot_account::AccountConfig::default();
    config.limit.keyless_per_minute = 0;
    config.plans.tiers.enterprise.streams_max = 1_000_000;
    config.plans.tiers.enterprise.limit_per_minute = Some(10_000_000);
    config.routes = superroot_api::metered_routes();
    let accounts =
        AccountService::open(Arc::new(MemoryStore::new()), Arc::new(SystemClock), &config);
    let accounts = accounts.expect("accounts");
    accounts.refresh().expect("a look at changes");
    let (account, issued) = accounts.accounts().register(Address([7; 20])).expect("an account");
    let by = Operator { who: "bench".into(), why: "many streams".into() };
    let grant = Grant { limit_per_minute: Some(10_000_000), ..Grant::of(Tier::Enterprise) };
    accounts.accounts().grant(&by, account.id, Some(&grant)).expect("a tier");
    let api = Api {
        prover: prover.clone(),
        hub: hub.clone(),
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
        accounts: accounts.clone(),
        market: superroot_api::Markets::default(),
        contracts: Arc::new(superroot_account::wallet::NoNodes),
        price_nodes: Arc::new(superroot_gas::NoPriceNodes),
        clock: Arc::new(SystemClock),
        config: ApiConfig::default(),
        ready: Arc::new(true.into()),
        rpc: None,
        passes: None,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    println!("{} {}", listener.local_addr().expect("an address"), issued.secret.expose());
    tokio::spawn(superroot_api::serve(listener, api, std::future::pending()));
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(250)).await;
            let _ = accounts.refresh();
        }
    });
    let mut lines = lines();
    let writer = StreamLogWriter::new(chains.clone(), prover, vec![CHAIN], 1 << 30);
    let mut writer = writer.waiting_for_index(Duration::ZERO);
    let mut block = 0;
    while lines.recv().await.is_some() {
        let (mut batch, mut changes) = (WriteBatch::new(), Changes::default());
        changes.made_final(BlockNumber(block));
        block += 1;
        append(&mut batch, &*chains, CHAIN, changes, UnixSeconds(1), 1 << 30).expect("a row");
        chains.commit(batch).expect("a commit");
        writer.step(UnixSeconds(1)).expect("a step");
        hub.take().expect("rows");
    }
}

/// Writes the same bytes to every socket, from one task each, and does nothing else.
async fn serve_bare() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    println!("{} -", listener.local_addr().expect("an address"));
    let (teller, _) = tokio::sync::broadcast::channel::<u64>(1_024);
    let accepting = teller.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut told = accepting.subscribe();
            tokio::spawn(async move {
                let mut head = [0; 1_024];
                let _ = stream.read(&mut head).await;
                let _ = stream.write_all(b"event: ready\n\n").await;
                while let Ok(place) = told.recv().await {
                    if stream.write_all(frame(place).as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    let (mut lines, mut place) = (lines(), 0);
    while lines.recv().await.is_some() {
        let _ = teller.send(place);
        place += 1;
    }
}

/// As long as an event of the service.
fn frame(place: u64) -> String {
    let hash = "0".repeat(64);
    format!(
        "id: 00c0ffee00c0ffee-{place}-0-1\nevent: finality\ndata: {{\"blockHash\":\"0x{hash}\",\
         \"chainId\":1,\"finality\":\"finalized\",\"fromBlock\":{place},\"proofUrl\":\"/v5/proof/1/{place}\",\
         \"toBlock\":{place},\"v5Anchor\":null}}\n\n"
    )
}

struct Server {
    child: Child,
    input: ChildStdin,
    address: SocketAddr,
    key: String,
}

impl Server {
    fn start(kind: &str) -> Self {
        let own = std::env::current_exe().expect("this program");
        let mut child = Command::new(own)
            .env("SUPERROOT_BENCH_CHILD", kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let input = child.stdin.take().expect("its input");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("its address");
        let (address, key) = line.trim().split_once(' ').expect("an address and a key");
        let (address, key) = (address.parse().expect("an address"), key.to_owned());
        Self { child, input, address, key }
    }

    fn tell(&mut self) {
        self.input.write_all(b"tell\n").expect("the child listens");
        self.input.flush().expect("the child listens");
    }

    /// Memory in use, in bytes.
    fn memory(&self) -> usize {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).expect("this is Linux");
        let line = text.lines().find(|line| line.starts_with("VmRSS")).expect("its memory");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<usize>().ok()).unwrap_or(0) * 1_024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Measured {
    memory_per_listener: usize,
    delays: Vec<Duration>,
    per_second: f64,
}

async fn measure() {
    let listeners = number("SUPERROOT_LISTENERS", 5_000);
    let events = number("SUPERROOT_EVENTS", 50);
    println!("{listeners} listeners, 1 in {DEAF} deaf; {events} events one by one, then at once\n");
    let streams = run("streams", listeners, events).await;
    let bare = run("bare", listeners, events).await;
    for (name, measured) in [("superroot", &streams), ("bare sockets", &bare)] {
        println!(
            "{name:<13} p50 {:>8.1?}  p99 {:>8.1?}  {:>9.0} events/s  {:>6} bytes a listener",
            measured.at(50),
            measured.at(99),
            measured.per_second,
            measured.memory_per_listener
        );
    }
    println!(
        "\nratio to bare sockets: p99 delay {:.2}, events a second {:.2}",
        streams.at(99).as_secs_f64() / bare.at(99).as_secs_f64(),
        streams.per_second / bare.per_second
    );
}

impl Measured {
    fn at(&self, percent: usize) -> Duration {
        self.delays[(self.delays.len() - 1) * percent / 100]
    }
}

async fn run(kind: &str, listeners: usize, events: usize) -> Measured {
    let mut server = Server::start(kind);
    server.tell();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let before = server.memory();
    let ready = Arc::new(AtomicUsize::new(0));
    let (sender, mut told) = mpsc::unbounded_channel::<Instant>();
    let mut deaf = Vec::new();
    for place in 0..listeners {
        let mut stream = TcpStream::connect(server.address).await.expect("a connection");
        let request = format!(
            "GET /v5/stream?topics=finality HTTP/1.1\r\nhost: bench\r\nx-api-key: {}\r\n\r\n",
            server.key
        );
        stream.write_all(request.as_bytes()).await.expect("a request");
        if place % DEAF == DEAF - 1 {
            deaf.push(stream);
            ready.fetch_add(1, Ordering::SeqCst);
            continue;
        }
        let (ready, sender) = (Arc::clone(&ready), sender.clone());
        tokio::spawn(listen(stream, ready, sender));
    }
    let begun = Instant::now();
    while ready.load(Ordering::SeqCst) < listeners {
        assert!(begun.elapsed() < Duration::from_secs(120), "not all are ready");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let memory_per_listener = server.memory().saturating_sub(before) / listeners;
    let hearing = listeners - deaf.len();
    let mut delays = Vec::with_capacity(events * hearing);
    for _ in 0..events {
        let begun = Instant::now();
        server.tell();
        for _ in 0..hearing {
            let at = tokio::time::timeout(Duration::from_secs(60), told.recv()).await;
            let at = at.expect("every listener hears in a minute").expect("listeners");
            delays.push(at.saturating_duration_since(begun));
        }
    }
    let begun = Instant::now();
    (0..events).for_each(|_| server.tell());
    for _ in 0..hearing * events {
        let at = tokio::time::timeout(Duration::from_secs(120), told.recv()).await;
        at.expect("every listener hears").expect("listeners");
    }
    let per_second = (hearing * events) as f64 / begun.elapsed().as_secs_f64();
    delays.sort_unstable();
    Measured { memory_per_listener, delays, per_second }
}

/// Tells when an event has come: each ends with an empty line.
async fn listen(
    mut stream: TcpStream,
    ready: Arc<AtomicUsize>,
    told: mpsc::UnboundedSender<Instant>,
) {
    let (mut bytes, mut text) = (vec![0; 16 << 10], String::new());
    let mut is_ready = false;
    loop {
        let Ok(count @ 1..) = stream.read(&mut bytes).await else { return };
        let now = Instant::now();
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        if !is_ready && text.contains("event: ready") && text.contains("\n\n") {
            is_ready = true;
            ready.fetch_add(1, Ordering::SeqCst);
            text.clear();
            continue;
        }
        let events = text.matches("event: finality").count();
        if let Some(end) = text.rfind("\n\n") {
            text.drain(..end + 2);
        } else {
            continue;
        }
        for _ in 0..events {
            if told.send(now).is_err() {
                return;
            }
        }
    }
}
