//! The service on loopback, with and without the layers of accounts, in short rounds by turns. The
//! clients are a process of their own that does as little as it can, so that the service's time is
//! what is seen.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memmem;
use superroot_api::{Api, serve, serve_without_accounts};
use superroot_store::MemoryStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::world::{Kept, api, keys, runtime};

/// The role of the process that asks.
pub(crate) const CLIENT: &str = "client";
/// Connections that ask at one time.
const CONNECTIONS: usize = 32;
/// Accounts that ask.
const ACCOUNTS: usize = 1_000;
/// Time of a round.
const ROUND: Duration = Duration::from_secs(1);
/// Rounds of each side.
const ROUNDS: usize = 15;
/// How an answer says how long it is.
const LENGTH: &[u8] = b"\r\ncontent-length: ";
/// The aim: requests per second with the layers, of those without.
const BOUND: f64 = 0.9;
/// From next to nothing to a proof.
const PATHS: [&str; 4] = ["/", "/v5/checkpoint", "/v5/superroot", "/v5/proof/ethereum/20"];

/// Requests a second, and the processors' time that one costs the service and the clients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    pub(crate) service_us: f64,
    client_us: f64,
}

impl Round {
    /// Both sides. Where they fill the machine, requests a second are one over this; unlike those
    /// it is told well on a machine that is busy with other things.
    fn both_us(&self) -> f64 {
        self.service_us + self.client_us
    }
}

pub(crate) fn run() {
    let runtime = runtime(2);
    let api = api(Arc::new(MemoryStore::new()), 1 << 16);
    let keys = keys(&api.accounts, ACCOUNTS);
    let _kept = Kept::of(&api.accounts);
    let (with, without) = runtime.block_on(listen(&api));
    let rounds = rounds(ROUNDS);
    for path in PATHS {
        _ = (round(with, path, &keys), round(without, path, &keys)); // nothing is cold after
        let mut pairs = Vec::new();
        for number in 0..rounds {
            // who goes first changes by turns
            let first = (number % 2 == 0).then(|| round(with, path, &keys));
            let second = round(without, path, &keys);
            pairs.push((first.unwrap_or_else(|| round(with, path, &keys)), second));
        }
        report(path, &pairs);
    }
    drop(runtime);
}

/// Rounds of each side: as the caller of the benchmark says, or as usual.
pub(crate) fn rounds(usual: usize) -> usize {
    let rounds = std::env::var("SUPERROOT_BENCH_ROUNDS").ok();
    rounds.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Both services, each at its address.
async fn listen(api: &Api) -> (SocketAddr, SocketAddr) {
    let bind = || async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        (listener, address)
    };
    let ((with, at_with), (without, at_without)) = (bind().await, bind().await);
    let never = std::future::pending::<()>;
    tokio::spawn(serve(with, api.clone(), never()));
    tokio::spawn(serve_without_accounts(without, api.clone(), never()));
    (at_with, at_without)
}

fn report(path: &str, pairs: &[(Round, Round)]) {
    let of = |take: &dyn Fn(&(Round, Round)) -> f64| median(pairs.iter().map(take).collect());
    let (with, without) = (of(&|it| it.0.per_second), of(&|it| it.1.per_second));
    let ratio = of(&|it| it.0.per_second / it.1.per_second);
    let by_time = of(&|it| it.1.both_us() / it.0.both_us());
    println!(
        "api/socket{path}: {with:.0} requests/s with accounts, {without:.0} without, medians of {} \
         rounds; ratio {ratio:.3} (median of pairs), by processors' time {by_time:.3}; a request \
         costs the service {:.1} µs and {:.1} µs, the client {:.1} µs and {:.1} µs; bound {BOUND}: {}",
        pairs.len(),
        of(&|it| it.0.service_us),
        of(&|it| it.1.service_us),
        of(&|it| it.0.client_us),
        of(&|it| it.1.client_us),
        ratio >= BOUND
    );
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Lets a client ask for the length of a round.
pub(crate) fn round(address: SocketAddr, path: &str, keys: &[String]) -> Round {
    let program = std::env::current_exe().expect("this program");
    let mut client = Command::new(program);
    client.arg(CLIENT).arg(address.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut client = client.spawn().expect("a client");
    let mut orders = client.stdin.take().expect("it listens");
    let before = cpu_us();
    write!(orders, "{path}\n{}", keys.join("\n")).expect("it takes its orders");
    drop(orders);
    let told = client.wait_with_output().expect("it ends");
    let service_us = cpu_us() - before;
    let told = String::from_utf8(told.stdout).expect("it tells three numbers");
    let told: Vec<f64> =
        told.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [count, seconds, client_us] = told[..] else { panic!("three numbers: {told:?}") };
    let per_second = count / seconds;
    Round { per_second, service_us: service_us / count, client_us: client_us / count }
}

/// Time of this process's threads on the processors so far, in microseconds.
fn cpu_us() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |task: std::fs::DirEntry| {
        let told = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        told.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0)
    };
    tasks.map(of_task).sum::<f64>() / 1_000.0
}

/// The request of a path, or of a path and the JSON that is sent there, with a space between.
pub(crate) fn request(what: &str, address: &str, key: &str, more: &str) -> String {
    let (method, path, body) = match what.split_once(' ') {
        Some((path, body)) => ("POST", path, body),
        None => ("GET", what, ""),
    };
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nx-api-key: {key}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n{body}"
    )
}

/// What the process does that asks: reads a path and keys, asks, prints how often, how
/// long, and with how much of the processors' time.
pub(crate) fn client(address: &str) {
    let orders = std::io::read_to_string(std::io::stdin()).expect("orders");
    let mut lines = orders.lines();
    let path = lines.next().expect("a path");
    let requests = lines.map(|key| request(path, address, key, "").into_bytes());
    let requests: Arc<[Vec<u8>]> = requests.collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let before = cpu_us();
    let (count, time) = runtime.expect("a runtime").block_on(ask(address, requests));
    println!("{count} {} {}", time.as_secs_f64(), cpu_us() - before);
}

async fn ask(address: &str, requests: Arc<[Vec<u8>]>) -> (usize, Duration) {
    let mut streams = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        streams.push(stream);
    }
    let began = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for (number, mut stream) in streams.into_iter().enumerate() {
        let requests = Arc::clone(&requests);
        tasks.spawn(async move {
            let (mut buffer, mut count) = (vec![0; 1 << 20], 0);
            while began.elapsed() < ROUND {
                let request = &requests[(number + count * CONNECTIONS) % requests.len()];
                stream.write_all(request).await.expect("a request goes out");
                let status = read(&mut stream, &mut buffer).await;
                assert_eq!(status, Some(200), "the answer is good, and the connection goes on");
                count += 1;
            }
            count
        });
    }
    let count = tasks.join_all().await.into_iter().sum();
    (count, began.elapsed())
}

/// Reads one whole answer, and gives its status; none where the connection was closed.
pub(crate) async fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> Option<u16> {
    let mut held = 0;
    loop {
        let read = stream.read(&mut buffer[held..]).await.ok().filter(|read| *read > 0)?;
        held += read;
        let Some(end) = memmem::find(&buffer[..held], b"\r\n\r\n") else { continue };
        let head = &buffer[..end];
        let status = str::from_utf8(head.get(9..12)?).ok()?.parse().ok();
        let begins = memmem::find(head, LENGTH).expect("a length") + LENGTH.len();
        let digits = head[begins..].iter().take_while(|byte| byte.is_ascii_digit());
        let length = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
        while held < end + 4 + length {
            let read = stream.read(&mut buffer[held..]).await.ok().filter(|read| *read > 0)?;
            held += read;
        }
        return status;
    }
}
