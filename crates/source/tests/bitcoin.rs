//! Nodes of Bitcoin, in memory: their words, their errors, their lies.

use crate::support;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use superroot_chain::{ChainRegistry, ChainSpec, verify};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallFault, ClaimedBlock, FinalityAsk,
    LiveConfig, LiveSource, NodeAnswer, NodeRequest, SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, ChainId, Hash};

use support::nodes::config;

const GENESIS: &str = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
/// The first block's header, as everybody has it.
const GENESIS_HEADER: &str = "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c";

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("bitcoin").unwrap()
}

/// A `bitcoind` of before 28: no member `jsonrpc`, errors with an HTTP status of their own.
struct Node {
    name: &'static str,
    view: Mutex<View>,
}

#[derive(Clone)]
struct View {
    genesis: String,
    head: u64,
    /// The block it has, where it has it, and its number.
    block: Option<(String, Vec<u8>)>,
    height: u64,
}

impl Node {
    fn new(name: &'static str, head: u64) -> Arc<Self> {
        let view = View { genesis: GENESIS.into(), head, block: None, height: 0 };
        Arc::new(Self { name, view: Mutex::new(view) })
    }
}

impl View {
    fn hash_at(&self, number: u64) -> Option<String> {
        match &self.block {
            Some((hash, _)) if number == self.height => Some(hash.clone()),
            _ if number == 0 => Some(self.genesis.clone()),
            _ => (number <= self.head).then(|| format!("{number:064x}")),
        }
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, (i64, &'static str)> {
        match method {
            "getblockhash" => self
                .hash_at(params[0].as_u64().unwrap())
                .map(Value::from)
                .ok_or((-8, "Block height out of range")),
            "getblockchaininfo" => Ok(json!({
                "chain": "main", "blocks": self.head, "bestblockhash": self.hash_at(self.head),
            })),
            "getblock" | "getblockheader" => {
                let (hash, bytes) = self.block.as_ref().ok_or((-5, "Block not found"))?;
                if params[0] != hash.as_str() {
                    return Err((-5, "Block not found"));
                }
                Ok(match (method, &params[1]) {
                    ("getblock", _) => json!(hex(bytes)),
                    (_, Value::Bool(false)) => json!(hex(&bytes[..80])),
                    _ => json!({ "hash": hash, "height": self.height }),
                })
            }
            _ => Err((-32601, "Method not found")),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn internal(shown: &str) -> Hash {
    let mut bytes = bytes(shown);
    bytes.reverse();
    Hash(bytes.try_into().unwrap())
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let request: Value = serde_json::from_slice(&request.body).unwrap();
        let view = self.view.lock().unwrap().clone();
        let one = |call: &Value| {
            let answered = view.answer(call["method"].as_str().unwrap(), &call["params"]);
            match answered {
                Ok(result) => json!({ "result": result, "error": null, "id": call["id"] }),
                Err((code, message)) => {
                    let error = json!({ "code": code, "message": message });
                    json!({ "result": null, "error": error, "id": call["id"] })
                }
            }
        };
        let answer = match &request {
            Value::Array(calls) => Value::Array(calls.iter().map(one).collect()),
            call => one(call),
        };
        let failed = answer.get("error").is_some_and(|error| !error.is_null());
        let text = answer.to_string().into_bytes();
        Box::pin(std::future::ready(if failed {
            Err(TransportError::Status { got: 500, retry_after_ms: None, text })
        } else {
            Ok(NodeAnswer { body: text })
        }))
    }
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    let config = LiveConfig { attempts_max: 4, ..config() };
    LiveSource::with_transports(&Budget::default(), row(), transports, config).unwrap()
}

#[tokio::test(start_paused = true)]
async fn bitcoin_is_final_after_confirmations_that_nodes_agree_on() {
    let nodes = [Node::new("a", 900_000), Node::new("b", 900_001)];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number, tip.safe), (BlockNumber(900_001), None));
    assert_eq!(tip.finalized.number, BlockNumber(899_994));
    assert_eq!(tip.finalized.hash, internal(&format!("{:064x}", 899_994)));
    let agreement = source.fetch_agreement(BlockNumber(899_000)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "6 confirmations"));
    assert_eq!(source.fetch_whole(BlockNumber(900_002)).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn the_first_block_is_read_and_verified_and_another_network_is_refused() {
    let nodes = [Node::new("a", 0)];
    nodes[0].view.lock().unwrap().block = Some((GENESIS.into(), bytes(GENESIS_HEADER)));
    let source = live(&nodes);
    let id = ClaimedBlock { number: BlockNumber(0), hash: internal(GENESIS) };
    for at in [BlockAt::Number(id.number), BlockAt::Id(id)] {
        let fetched = source.fetch_block(at, BlockParts::Header, &[]).await.unwrap().unwrap();
        assert_eq!(verify(row(), &fetched.block).unwrap().hash(), id.hash);
    }
    // it says that the same block stands elsewhere
    let elsewhere = ClaimedBlock { number: BlockNumber(7), ..id };
    let error =
        source.fetch_block(BlockAt::Id(elsewhere), BlockParts::Header, &[]).await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "height", .. }, .. }
        ),
        "{error}"
    );

    let other = [Node::new("a", 9)];
    other[0].view.lock().unwrap().genesis = "00".repeat(32);
    let error = live(&other).fetch_whole(BlockNumber(3)).await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "chain id", .. }, .. }
        ),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn bitcoin_has_no_tags_and_its_other_networks_no_dialect() {
    for (finality, word) in
        [(FinalityAsk::Finalized, "finalized tag"), (FinalityAsk::Latest, "latest block")]
    {
        let config = LiveConfig { finality, ..config() };
        let nodes: Vec<Arc<dyn Transport>> = vec![Node::new("a", 1)];
        let error = LiveSource::with_transports(&Budget::default(), row(), nodes, config)
            .unwrap_err()
            .to_string();
        let said = format!("finality is {word:?}, expected a number of confirmations");
        assert!(error.starts_with(&said), "{error}");
    }
    let other = ChainSpec { id: ChainId(7), ..row().clone() };
    let nodes: Vec<Arc<dyn Transport>> = vec![Node::new("a", 1)];
    let error =
        LiveSource::with_transports(&Budget::default(), &other, nodes, config()).unwrap_err();
    assert!(matches!(error, SourceError::NoDialect(_)), "{error}");
}
