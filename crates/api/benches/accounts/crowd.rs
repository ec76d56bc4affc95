//! What another client waits for its answer beside a hundred connections that send bodies to be checked
//! as fast as they are answered: of many small values, too many of them, and many bytes, against bodies of
//! two bytes. The crowd is a process of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream as Blocking};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use superroot_api::serve;
use superroot_store::MemoryStore;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::socket::{median, read, request};
use crate::world::{Kept, api, keys, runtime};

/// The role of the process that sends the bodies.
pub(crate) const CROWD: &str = "crowd";
/// Connections that send at one time.
const CONNECTIONS: usize = 100;
/// Accounts that send: of one the limit would be used up.
const ACCOUNTS: usize = 1_000;
/// Time until all are at work.
const WARM: Duration = Duration::from_millis(700);
/// How long the other client asks, and its time between two requests.
const ROUND: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);
/// The aim: what the other client waits at most, in milliseconds, for half of its answers.
const BOUND_MS: f64 = 10.0;
/// The crowd tells each so many answers that it got.
const TOLD: usize = 8;
/// Bodies: two bytes; as many values as are read; more than are read; as many bytes as are read.
const BODIES: [&str; 4] = ["none", "values", "countless", "bytes"];

fn body(name: &str) -> String {
    let objects = |count: usize| vec![r#"{"a":1}"#; count].join(",");
    match name {
        "values" => format!(r#"{{"proof":[{}]}}"#, objects(8_000)),
        "countless" => format!("[{}]", objects(130_000)),
        "bytes" => format!("{}{{}}", " ".repeat((1 << 20) - 2)),
        _ => "{}".to_owned(),
    }
}

pub(crate) fn run() {
    let runtime = runtime(2);
    let api = api(Arc::new(MemoryStore::new()), 1 << 16);
    let keys = keys(&api.accounts, ACCOUNTS);
    let _kept = Kept::of(&api.accounts);
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let service = listener.local_addr().expect("its address");
    runtime.spawn(serve(listener, api, std::future::pending::<()>()));
    let alone = wait_of_another(service, &keys[0]);
    println!("api/crowd/nobody: p50 {:.2} ms, p99 {:.2} ms", alone.0, alone.1);
    let mut least = f64::NAN;
    for name in BODIES {
        let mut crowd = send(service, name, &keys);
        std::thread::sleep(WARM);
        let began = Instant::now();
        let (p50, p99) = wait_of_another(service, &keys[0]);
        crowd.kill().expect("it is there");
        let told = crowd.wait_with_output().expect("it ends").stdout.len();
        let answered = (told * TOLD) as f64 / (WARM + began.elapsed()).as_secs_f64();
        if name == BODIES[0] {
            least = p50;
        }
        println!(
            "api/crowd/{name}: another client's p50 {p50:.2} ms, p99 {p99:.2} ms beside {CONNECTIONS} \
             connections, which get {answered:.0} answers/s; ratio to bodies of two bytes {:.2}; bound p50 {BOUND_MS} ms: {}",
            p50 / least,
            p50 <= BOUND_MS
        );
    }
}

/// What this process was answered.
static ANSWERS: AtomicUsize = AtomicUsize::new(0);

/// A process that sends these bodies until it is killed.
fn send(service: SocketAddr, name: &str, keys: &[String]) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut crowd = Command::new(program);
    crowd.args([CROWD, &service.to_string(), name, &keys[1..].join(",")]);
    crowd.stdout(Stdio::piped()).spawn().expect("a crowd")
}

/// What that process does.
pub(crate) fn crowd(address: &str, name: &str, keys: &str) {
    let what = format!("/kv/verify {}", body(name));
    let requests: Vec<Vec<u8>> = keys
        .split(',')
        .take(CONNECTIONS)
        .map(|key| request(&what, address, key, "").into_bytes())
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for request in requests {
            let address = address.to_owned();
            tasks.spawn(async move {
                let mut buffer = vec![0; 1 << 16];
                loop {
                    let Ok(mut stream) = TcpStream::connect(&address).await else { continue };
                    while stream.write_all(&request).await.is_ok() {
                        if read(&mut stream, &mut buffer).await.is_none() {
                            break; // closed: another connection takes its place
                        }
                        if ANSWERS.fetch_add(1, Ordering::Relaxed) % TOLD == TOLD - 1 {
                            std::io::stdout().write_all(b".").expect("it is heard");
                            std::io::stdout().flush().expect("it is heard");
                        }
                    }
                }
            });
        }
        tasks.join_all().await;
    });
}

/// Half and 99 of a hundred answers that another client gets come within these milliseconds.
fn wait_of_another(service: SocketAddr, key: &str) -> (f64, f64) {
    let mut stream = Blocking::connect(service).expect("a connection");
    let request = request("/v5/superroot", &service.to_string(), key, "");
    let (began, mut waits, mut buffer) = (Instant::now(), Vec::new(), vec![0; 1 << 16]);
    while began.elapsed() < ROUND {
        let asked = Instant::now();
        stream.write_all(request.as_bytes()).expect("a request goes out");
        let read = stream.read(&mut buffer).expect("an answer");
        assert!(buffer[..read].starts_with(b"HTTP/1.1 200 "), "it is served");
        waits.push(asked.elapsed().as_secs_f64() * 1_000.0);
        // the rest of the answer, if it came in parts
        std::thread::sleep(PAUSE);
        stream.set_nonblocking(true).expect("it can be looked at");
        while matches!(stream.read(&mut buffer), Ok(1..)) {}
        stream.set_nonblocking(false).expect("it can be waited for");
    }
    waits.sort_by(f64::total_cmp);
    let p99 = waits[waits.len() * 99 / 100];
    (median(waits), p99)
}
