//! Proofs that are asked for again and again, and the same where no answer is remembered, against a handler that answers
//! a constant body of the same size, in short rounds by turns.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use superroot_api::serve;
use superroot_store::MemoryStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::socket::{Round, median, request, round, rounds};
use crate::world::{Kept, api, keys, runtime, some_transaction};

/// Accounts that ask: of one the limit would be used up.
const ACCOUNTS: usize = 1_000;
/// Rounds of each side.
const ROUNDS: usize = 7;
/// The aim: requests per second, of those of the constant.
const BOUND: f64 = 0.5;
/// The same where the answer is not remembered.
const COLD_BOUND: f64 = 0.25;
/// The aim of a batch of twenty: the processor's time that one costs the service.
const BATCH_US: f64 = 600.0;
const PATHS: [&str; 5] = [
    "/v5/checkpoint",
    "/v5/superroot",
    "/v5/proof/ethereum/20",
    "/v5/proof/event/ethereum/20/0/0",
    "/api/v1/status",
];

/// What the service remembers of what was asked for before.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The answer.
    Hot,
    /// Parts of the proof that another SuperRoot leaves as they are.
    Cold,
    /// What proofs of other entries share, the sender of the transaction and the block's way in its twig.
    First,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Cold => "cold",
            Self::First => "first",
        }
    }
}

pub(crate) fn run() {
    [State::Hot, State::Cold, State::First].into_iter().for_each(of);
}

/// All paths, of a service that remembers so much.
fn of(state: State) {
    let runtime = runtime(2);
    let mut api = api(Arc::new(MemoryStore::new()), 1 << 16);
    if state != State::Hot {
        api.config.remembered_bytes_max = 0;
    }
    if state == State::First {
        api.prover = api.prover.without_bases();
    }
    let keys = keys(&api.accounts, ACCOUNTS);
    let _kept = Kept::of(&api.accounts);
    let bind = || runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let listener = bind();
    let service = listener.local_addr().expect("its address");
    runtime.spawn(serve(listener, api, std::future::pending::<()>()));
    let (transaction, batch) = (format!("/v5/proof/tx/ethereum/{}", some_transaction()), batch());
    let proof = runtime.block_on(get(service, PATHS[2], &keys[0]));
    let verify = format!("/kv/verify {}", String::from_utf8(proof).expect("JSON"));
    let others = [transaction.as_str(), verify.as_str(), batch.as_str()];
    let only = std::env::var("SUPERROOT_BENCH_ONLY").unwrap_or_default();
    let is_wanted = |path: &&str| format!("{}{path}", state.name()).contains(&only);
    for path in PATHS.into_iter().chain(others).filter(is_wanted) {
        let body = Bytes::from(runtime.block_on(get(service, path, &keys[0])));
        let (length, listener) = (body.len(), bind());
        let constant = listener.local_addr().expect("its address");
        let answer = move || async move { ([(header::CONTENT_TYPE, "application/json")], body) };
        let router = Router::new().fallback(answer);
        let server = runtime.spawn(async move { axum::serve(listener, router).await });
        _ = (round(service, path, &keys), round(constant, path, &keys));
        let pairs = (0..rounds(ROUNDS))
            .map(|_| (round(service, path, &keys), round(constant, path, &keys)));
        report(path, length, state, &pairs.collect::<Vec<_>>());
        server.abort();
    }
}

/// A batch of twenty blocks.
fn batch() -> String {
    let items: Vec<String> =
        (1..=20).map(|block| format!(r#"{{"chain":"ethereum","block":{block}}}"#)).collect();
    format!(r#"/v5/proof/batch {{"items":[{}]}}"#, items.join(","))
}

fn report(path: &str, length: usize, state: State, pairs: &[(Round, Round)]) {
    let of = |take: &dyn Fn(&(Round, Round)) -> f64| median(pairs.iter().map(take).collect());
    let ratio = of(&|it| it.0.per_second / it.1.per_second);
    let path = path.split_once(' ').map_or(path, |(path, _)| path);
    let path = path.split("/0x").next().unwrap_or(path);
    // of a batch the aim is a time, and a check and the status have none
    let (bound, is_met) = match path {
        "/v5/proof/batch" => (format!("{BATCH_US} µs"), of(&|it| it.0.service_us) <= BATCH_US),
        "/kv/verify" | "/api/v1/status" => ("none".to_owned(), true),
        _ => {
            let bound = if state == State::Hot { BOUND } else { COLD_BOUND };
            (bound.to_string(), ratio >= bound)
        }
    };
    let state = state.name();
    println!(
        "api/{state}{path}: {length} bytes, {:.0} requests/s, the constant {:.0}; ratio {ratio:.3}; a request \
         costs the service {:.1} µs, the constant {:.1} µs; bound {bound}: {is_met}",
        of(&|it| it.0.per_second),
        of(&|it| it.1.per_second),
        of(&|it| it.0.service_us),
        of(&|it| it.1.service_us),
    );
}

/// The body at a path.
async fn get(address: SocketAddr, path: &str, key: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = request(path, &address.to_string(), key, "connection: close\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request goes out");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let begins = memchr::memmem::find(&answer, b"\r\n\r\n").expect("a head") + 4;
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{path}: {}", answer[..begins].escape_ascii());
    answer.split_off(begins)
}
