//! Answers of nodes, through the whole client: whatever a node sends is used or refused within its
//! bounds, never a panic; nobody but a node's own answers can make an error that is ours.
#![no_main]

use std::sync::Arc;
use std::sync::Mutex;

use libfuzzer_sys::fuzz_target;
use superroot_chain::ChainRegistry;
use superroot_fuzz::seeds;
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, LiveConfig, LiveSource, NodeAnswer,
    NodeRequest, SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, ErrorKind};

/// Answers each request with the next part of the input, parts being divided by zero bytes; `#0`,
/// `#1`, .. stand for the ids asked for.
struct Node {
    input: Vec<u8>,
    request_count: Mutex<usize>,
}

impl Node {
    fn answer(&self, request: &[u8]) -> NodeAnswer {
        let parts: Vec<&[u8]> = self.input.split(|byte| *byte == 0).collect();
        let mut count = self.request_count.lock().expect("nothing panics here");
        let mut rest = parts[*count % parts.len()];
        *count += 1;
        let request: serde_json::Value = serde_json::from_slice(request).expect("we wrote it");
        let calls = request.as_array().cloned().unwrap_or_else(|| vec![request.clone()]);
        let ids: Vec<String> = calls.iter().map(|call| call["id"].to_string()).collect();
        let mut body = Vec::new();
        while let [first, tail @ ..] = rest {
            let place = tail.first().filter(|_| *first == b'#');
            let id = place.and_then(|digit| ids.get(usize::from(digit.wrapping_sub(b'0'))));
            match id {
                Some(id) => body.extend_from_slice(id.as_bytes()),
                None => body.push(*first),
            }
            rest = if id.is_some() { &tail[1..] } else { tail };
        }
        NodeAnswer { body }
    }
}

impl Transport for Node {
    fn name(&self) -> &str {
        "fuzzed"
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        Box::pin(std::future::ready(Ok(self.answer(&request.body))))
    }
}

fuzz_target!(init: seeds::plant("node_answers", &seeds::node_answers()), |input: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime of one thread");
    runtime.block_on(ask(input));
});

async fn ask(input: &[u8]) {
    let ethereum = ChainRegistry::builtin().find("ethereum").expect("a row of this build");
    let config = LiveConfig { seed: Some(1), attempts_max: 2, quorum: 1, ..LiveConfig::default() };
    let node = Arc::new(Node { input: input.to_vec(), request_count: Mutex::new(0) });
    let source =
        LiveSource::with_transports(&Budget::default(), ethereum, vec![node.clone()], config)
            .expect("one node is enough");
    let known = |error: &SourceError| assert_ne!(error.kind(), ErrorKind::Bug, "{error}");
    _ = source.fetch_tip().await.inspect_err(known);
    for parts in [BlockParts::Header, BlockParts::Whole] {
        let at = BlockAt::Number(BlockNumber(5));
        if let Ok(Some(fetched)) = source.fetch_block(at, parts, &[]).await.inspect_err(known) {
            _ = superroot_chain::verify(ethereum, &fetched.block);
        }
    }
    _ = source.fetch_agreement(BlockNumber(5)).await.inspect_err(known);
    let requests = *node.request_count.lock().expect("nothing panics here");
    assert!(requests < 1_000, "{requests} requests for one input");
}
