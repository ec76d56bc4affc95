//! The same proof by gRPC and as JSON, on loopback: from the question to a proof in the client's hand,
//! decoded and not yet verified. Each has one connection of HTTP/2 with 32 questions under way at a time;
//! JSON also has 32 connections of HTTP/1.1, as most clients have them.
//!
//! `SUPERROOT_BENCH_ROUNDS` says how many rounds of a second each side has (9).

#[path = "../tests/support/mod.rs"]
mod support;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Client;
use superroot_account::Tier;
use superroot_proof::bundle::Bundle;
use superroot_wire::grpc::proofs_client::ProofsClient;
use superroot_wire::grpc::{ProveBlockRequest, ProveEventRequest};
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use support::{World, unlimited};

/// Questions under way at one time.
const AT_ONCE: usize = 32;
const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: usize = 9;
/// Accounts that ask by turns, so that none comes to its limit.
const ACCOUNTS: usize = 500;

/// What is asked.
#[derive(Clone)]
enum Ask {
    Block { number: u64 },
    Event { number: u64, tx_index: u32 },
}

/// By what.
#[derive(Clone)]
enum Way {
    Grpc(ProofsClient<Channel>),
    Json(Client, String),
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return; // `cargo test` asks whether it runs: it takes a minute
    }
    // the client wants one, though it speaks to nobody by TLS here
    _ = rustls::crypto::ring::default_provider().install_default();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().expect("a runtime");
    let world = World::small(unlimited());
    let keys: Vec<_> = (0..ACCOUNTS).map(|_| world.key_of_tier(Tier::Enterprise)).collect();
    let keys = Arc::<[String]>::from(keys);
    let (number, tx_index, _) = world.eventful(0..28);
    let asks = [("block", Ask::Block { number: 20 }), ("event", Ask::Event { number, tx_index })];
    let rounds = std::env::var("SUPERROOT_BENCH_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    runtime.block_on(async {
        let address = world.listen().await;
        let ways = ways(address).await;
        for (name, ask) in asks {
            let mut of_ways: [Vec<f64>; 3] = Default::default();
            let mut bytes = [0; 3];
            for (way, bytes) in ways.iter().zip(&mut bytes) {
                *bytes = round(way, &ask, &keys).await.1; // nothing is cold after
            }
            for _ in 0..rounds {
                for (way, counted) in ways.iter().zip(&mut of_ways) {
                    counted.push(round(way, &ask, &keys).await.0);
                }
            }
            let [grpc, json, json_1] = of_ways.map(median);
            println!(
                "api/grpc/{name}: {grpc:.0} proofs/s by gRPC ({} bytes each), {json:.0} as JSON by \
                 HTTP/2 ({} bytes), {json_1:.0} by HTTP/1.1, medians of {rounds} rounds; ratio {:.2}",
                bytes[0],
                bytes[1],
                grpc / json.max(json_1),
            );
        }
    });
}

async fn ways(address: SocketAddr) -> [Way; 3] {
    let url = format!("http://{address}");
    let channel = Endpoint::from_shared(url.clone()).expect("an address").connect().await;
    let channel = channel.expect("a connection");
    let http_2 = Client::builder().http2_prior_knowledge().build().expect("a client");
    let http_1 = Client::builder().http1_only().build().expect("a client");
    [Way::Grpc(ProofsClient::new(channel)), Way::Json(http_2, url.clone()), Way::Json(http_1, url)]
}

/// Proofs a second, and the bytes that the body of one has.
async fn round(way: &Way, ask: &Ask, keys: &Arc<[String]>) -> (f64, usize) {
    let began = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..AT_ONCE {
        let (mut way, ask, keys) = (way.clone(), ask.clone(), Arc::clone(keys));
        tasks.spawn(async move {
            let (mut count, mut bytes) = (0_usize, 0);
            while began.elapsed() < ROUND {
                let key = &keys[(number + count * AT_ONCE) % keys.len()];
                bytes = fetch(&mut way, &ask, key).await;
                count += 1;
            }
            (count, bytes)
        });
    }
    let ended = tasks.join_all().await;
    let count: usize = ended.iter().map(|(count, _)| count).sum();
    (count as f64 / began.elapsed().as_secs_f64(), ended[0].1)
}

/// Asks once and decodes the proof; the bytes that it came in.
async fn fetch(way: &mut Way, ask: &Ask, key: &str) -> usize {
    match way {
        Way::Grpc(client) => {
            let proof = match ask.clone() {
                Ask::Block { number } => {
                    let request = ProveBlockRequest {
                        chain: "1".into(),
                        block: Some(number),
                        ..Default::default()
                    };
                    client.prove_block(with_key(request, key)).await
                }
                Ask::Event { number, tx_index } => {
                    let request = ProveEventRequest {
                        chain: "1".into(),
                        block: Some(number),
                        tx_index: Some(tx_index),
                        ..Default::default()
                    };
                    client.prove_event(with_key(request, key)).await
                }
            };
            let proof = proof.expect("a proof").into_inner();
            Bundle::decode(&proof.proof_blob).expect("it decodes");
            prost::Message::encoded_len(&proof)
        }
        Way::Json(client, url) => {
            let path = match ask {
                Ask::Block { number } => format!("{url}/v5/proof/1/{number}"),
                Ask::Event { number, tx_index } => {
                    format!("{url}/v5/proof/event/1/{number}/{tx_index}/0")
                }
            };
            let answer = client.get(path).header("x-api-key", key).send().await.expect("an answer");
            assert_eq!(answer.status(), 200);
            let bytes = answer.bytes().await.expect("the rest of it");
            let body = superroot_wire::parse_json(&bytes).expect("JSON");
            superroot_wire::parse(&body).expect("it decodes");
            bytes.len()
        }
    }
}

fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-api-key", key.parse().expect("a key is ASCII"));
    request
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
