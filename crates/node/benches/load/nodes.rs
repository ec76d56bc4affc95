//! Twenty chains as JSON-RPC nodes on loopback. What they answer was rendered before, so that they
//! cost little; all have the same blocks, signed for no chain in particular.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use superroot_types::Address;

use crate::fixture::{self, CONTRACTS, Shape};

/// Time between blocks of one chain.
pub(crate) const BLOCK_MS: u64 = 500;
/// Blocks from the head down to the finalized one.
pub(crate) const FINALITY_BLOCKS: u64 = 4;
/// Blocks that are there before time begins.
pub(crate) const FIRST_HEAD: u64 = 8;
/// Of so many blocks one is the watched contract's, and no other has an event of it.
pub(crate) const WATCHED_EVERY: u64 = 10;

/// The contract that the watch list names.
pub(crate) fn watched() -> Address {
    fixture::contract(CONTRACTS - 1)
}

fn contracts(number: u64) -> Range<u64> {
    let is_watched = number.is_multiple_of(WATCHED_EVERY);
    if is_watched { CONTRACTS - 1..CONTRACTS } else { 0..CONTRACTS - 1 }
}

/// One block as the methods answer it.
struct Rendered {
    hash: String,
    whole: Bytes,
    with_hashes: Bytes,
    receipts: Bytes,
}

/// What every node answers from.
pub(crate) struct Blocks {
    rendered: Vec<Rendered>,
    by_hash: HashMap<String, usize>,
    /// When block [`FIRST_HEAD`] appeared; before that nothing moves.
    began: std::sync::OnceLock<Instant>,
    /// All blocks are there, whatever the time.
    is_all: AtomicBool,
    /// Blocks asked for with their receipts.
    pub(crate) bodies: AtomicU64,
}

impl Blocks {
    /// So many blocks with so many transactions each.
    pub(crate) fn render(count: u64, transactions: usize) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let first_ms = now.map_or(0, |now| now.as_millis() as u64);
        let shape = Shape {
            chain_id: None,
            transactions,
            contracts,
            logs: |_, _| 2,
            first_ms,
            block_ms: BLOCK_MS,
        };
        let render = |block| Rendered {
            hash: json!(block_hash(&block)).as_str().unwrap_or_default().to_owned(),
            whole: fixture::block_json(&block, true).into(),
            with_hashes: fixture::block_json(&block, false).into(),
            receipts: fixture::receipts_json(&block).into(),
        };
        let rendered: Vec<Rendered> =
            fixture::chain(shape, count).into_iter().map(render).collect();
        let by_hash = rendered.iter().enumerate().map(|(at, block)| (block.hash.clone(), at));
        Self {
            by_hash: by_hash.collect(),
            rendered,
            began: std::sync::OnceLock::new(),
            is_all: AtomicBool::new(false),
            bodies: AtomicU64::new(0),
        }
    }

    /// Bytes of the JSON of an average block with its receipts.
    pub(crate) fn bytes_each(&self) -> usize {
        let bytes = self.rendered.iter().map(|block| block.whole.len() + block.receipts.len());
        bytes.sum::<usize>() / self.rendered.len().max(1)
    }

    pub(crate) fn count(&self) -> u64 {
        self.rendered.len() as u64
    }

    /// Lets time begin.
    pub(crate) fn begin(&self) {
        self.began.get_or_init(Instant::now);
    }

    /// Lets all blocks be there.
    pub(crate) fn reveal(&self) {
        self.is_all.store(true, Ordering::Relaxed);
    }

    /// When a block appears; none of the first do, and none before time began.
    pub(crate) fn appears_at(&self, number: u64) -> Option<Instant> {
        let after = number.checked_sub(FIRST_HEAD).filter(|after| *after > 0)?;
        Some(*self.began.get()? + std::time::Duration::from_millis(after * BLOCK_MS))
    }

    pub(crate) fn head(&self) -> u64 {
        if self.is_all.load(Ordering::Relaxed) {
            return self.count() - 1;
        }
        let elapsed = self.began.get().map_or(0, |began| began.elapsed().as_millis() as u64);
        (FIRST_HEAD + elapsed / BLOCK_MS).min(self.count() - 1)
    }

    fn number(&self, asked: &Value) -> Option<u64> {
        let text = asked.as_str()?;
        let head = self.head();
        match text {
            "latest" => Some(head),
            "safe" => Some(head.saturating_sub(FINALITY_BLOCKS / 2)),
            "finalized" => Some(head.saturating_sub(FINALITY_BLOCKS)),
            hash if hash.len() == 66 => self.by_hash.get(hash).map(|at| *at as u64),
            number => u64::from_str_radix(number.strip_prefix("0x")?, 16).ok(),
        }
    }

    /// The parts of one call's answer.
    fn answer(&self, chain_id: u64, call: &Value) -> [Bytes; 3] {
        let params = &call["params"];
        let block = || {
            let number = self.number(&params[0]).filter(|number| *number <= self.head())?;
            self.rendered.get(number as usize)
        };
        let result = match call["method"].as_str().unwrap_or_default() {
            "eth_chainId" => Some(format!("\"{chain_id:#x}\"").into()),
            "web3_clientVersion" => Some(Bytes::from_static(b"\"made-up/1\"")),
            "eth_getBlockByNumber" | "eth_getBlockByHash" => {
                let is_whole = params[1] == true;
                let of = |block: &Rendered| match is_whole {
                    true => block.whole.clone(),
                    false => block.with_hashes.clone(),
                };
                Some(block().map_or(Bytes::from_static(b"null"), of))
            }
            "eth_getBlockReceipts" => {
                self.bodies.fetch_add(1, Ordering::Relaxed);
                Some(block().map_or(Bytes::from_static(b"null"), |block| block.receipts.clone()))
            }
            _ => None,
        };
        let id = &call["id"];
        let (name, value) = match result {
            Some(result) => ("result", result),
            None => ("error", Bytes::from_static(br#"{"code":-32601,"message":"no such method"}"#)),
        };
        let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"{name}":"#).into();
        [head, value, Bytes::from_static(b"}")]
    }
}

fn block_hash(block: &superroot_chain::ledger::evm::raw::RawEvmBlock) -> superroot_types::Hash {
    block.block.hash.expect("made-up blocks have their hash")
}

/// Serves the blocks as nodes of any chain id, at `/<chain id>`, from a thread of its own.
pub(crate) fn serve(blocks: Arc<Blocks>) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    listener.set_nonblocking(true).expect("a listener that does not block");
    let address = listener.local_addr().expect("its address");
    let router = Router::new().route("/{chain}", post(answer)).with_state(blocks);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            axum::serve(listener, router).await.expect("nodes that serve");
        });
    });
    address
}

async fn answer(
    State(blocks): State<Arc<Blocks>>,
    Path(chain_id): Path<u64>,
    body: Bytes,
) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut parts: Vec<Bytes> = Vec::new();
    match &asked {
        Value::Array(calls) => {
            for (at, call) in calls.iter().enumerate() {
                parts.push(Bytes::from_static(if at == 0 { b"[" } else { b"," }));
                parts.extend(blocks.answer(chain_id, call));
            }
            parts.push(Bytes::from_static(b"]"));
        }
        call => parts.extend(blocks.answer(chain_id, call)),
    }
    let parts = parts.into_iter().map(Ok::<Bytes, std::convert::Infallible>);
    let body = Body::from_stream(futures_util::stream::iter(parts));
    Response::builder().header("content-type", "application/json").body(body).expect("a response")
}
