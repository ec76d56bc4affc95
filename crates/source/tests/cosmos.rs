//! Nodes of `CometBFT`, in memory: their words, their errors, their lies.

use crate::support;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::cosmos::build::{CosmosBlockPlan, block};
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosCommit, RawCosmosHeader};
use superroot_chain::{ChainRegistry, ChainSpec, SignedBlock, UntrustedBlock, verify};
use superroot_proof::finality::{FinalitySet, Verdict, check_evidence};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallFault, ClaimedBlock, EndpointState,
    FetchedBlock, FinalityAsk, LiveConfig, LiveSource, MissingBody, NodeAnswer, NodeRequest,
    SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, Clock, Hash, ManualClock, Network, UnixSeconds};

use support::nodes::config;

/// Where the nodes' blocks begin, and how many they have.
const FIRST: u64 = 20_000_000;
const COUNT: u64 = 6;
const HEAD: u64 = FIRST + COUNT - 1;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("cosmoshub").unwrap()
}

fn blocks(branch: u8) -> Vec<RawCosmosBlock> {
    let mut parent_hash = Hash([branch; 32]);
    let made = (FIRST..=HEAD).map(|number| {
        let plan = CosmosBlockPlan {
            chain_id: "cosmoshub-4".to_owned(),
            number: BlockNumber(number),
            parent_hash,
            time: (1_700_000_000 + number, 7),
            app_hash: Hash([branch; 32]),
            proposer_address: [3; 20],
            transactions: (0..number % 4).map(|at| vec![u8::try_from(at).unwrap(); 40]).collect(),
        };
        let raw = block(&plan);
        parent_hash = raw.hash;
        raw
    });
    made.collect()
}

/// What a node does to an answer.
type Bend = fn(&str, &mut Value);

struct Node {
    name: &'static str,
    view: Mutex<View>,
}

#[derive(Clone)]
struct View {
    network: &'static str,
    blocks: Vec<RawCosmosBlock>,
    head: u64,
    bend: Bend,
}

impl Node {
    fn new(name: &'static str) -> Arc<Self> {
        let bend: Bend = |_, _| {};
        let view = View { network: "cosmoshub-4", blocks: blocks(1), head: HEAD, bend };
        Arc::new(Self { name, view: Mutex::new(view) })
    }

    fn bent(name: &'static str, bend: Bend) -> Arc<Self> {
        let node = Self::new(name);
        node.view.lock().unwrap().bend = bend;
        node
    }
}

fn hex(hash: &Hash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02X}")).collect()
}

impl View {
    fn at(&self, height: u64) -> Option<&RawCosmosBlock> {
        self.blocks.get(usize::try_from(height.checked_sub(FIRST)?).ok()?)
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, String> {
        let height = |at: usize| params[at].as_str().unwrap().parse::<u64>().unwrap();
        Ok(match method {
            "status" => json!({
                "node_info": { "network": self.network, "version": "0.38.17", "moniker": "a" },
                "sync_info": {
                    "latest_block_hash": hex(&self.at(self.head).unwrap().hash),
                    "latest_block_height": self.head.to_string(),
                    "earliest_block_height": FIRST.to_string(), "catching_up": false,
                },
            }),
            "block" => {
                let height = height(0);
                if height > self.head {
                    let limit = self.head;
                    return Err(format!(
                        "height {height} must be less than or equal to the current blockchain height {limit}"
                    ));
                }
                let pruned =
                    || format!("height {height} is not available, lowest height is {FIRST}");
                let raw = self.at(height).ok_or_else(pruned)?;
                let data = json!({ "txs": raw.txs });
                json!({
                    "block_id": { "hash": hex(&raw.hash), "parts": { "total": 1, "hash": "" } },
                    "block": { "header": raw.header, "data": data, "evidence": {}, "last_commit": {} },
                })
            }
            "blockchain" => {
                let (low, high) = (height(0).max(FIRST), height(1).min(self.head));
                if low > high {
                    return Err(format!(
                        "min height {low} can't be greater than max height {high}"
                    ));
                }
                let metas = (low..=high).rev().filter_map(|height| self.at(height));
                let metas = metas.map(|raw| {
                    json!({ "block_id": { "hash": hex(&raw.hash) }, "header": raw.header, "num_txs": "0" })
                });
                let metas: Vec<Value> = metas.collect();
                json!({ "last_height": self.head.to_string(), "block_metas": metas })
            }
            "commit" => {
                let raw = self.at(height(0)).filter(|raw| raw.commit.is_some());
                let raw = raw.ok_or_else(|| "no such method".to_owned())?;
                let commit = raw.commit.as_ref().unwrap();
                let id = json!({ "hash": hex(&raw.hash), "parts": commit.parts });
                let (round, signatures) = (commit.round, &commit.signatures);
                let commit = json!({ "height": params[0], "round": round, "block_id": id, "signatures": signatures });
                json!({ "signed_header": { "header": raw.header, "commit": commit }, "canonical": true })
            }
            "validators" => {
                let commit = self.at(height(0)).and_then(|raw| raw.commit.as_ref()).unwrap();
                assert_eq!(params[2], json!("100"));
                let all = &commit.validators;
                let page: Vec<_> = all.chunks(100).nth(height(1) as usize - 1).unwrap().to_vec();
                let (count, total) = (page.len().to_string(), all.len().to_string());
                json!({ "block_height": params[0], "validators": page, "count": count, "total": total })
            }
            _ => return Err("no such method".to_owned()),
        })
    }
}

/// Votes of so many validators, all of zeros.
fn commit_of(count: usize) -> RawCosmosCommit {
    let vote = json!({
        "block_id_flag": 2, "validator_address": "AB", "timestamp": "2024-07-16T21:21:23.4Z", "signature": "AA==",
    });
    let validator = |index: usize| {
        let key = json!({ "type": "tendermint/PubKeyEd25519", "value": "AA==" });
        json!({ "address": "AB", "pub_key": key, "voting_power": index.to_string(), "proposer_priority": "-1" })
    };
    let validators: Vec<_> = (1..=count).map(validator).collect();
    let parts = json!({ "total": 1, "hash": "AB" });
    let commit = json!({ "round": 3, "parts": parts, "signatures": vec![vote; count], "validators": validators });
    serde_json::from_value(commit).unwrap()
}

#[tokio::test(start_paused = true)]
async fn every_twentieth_whole_block_is_fetched_with_its_votes() {
    for count in [1, 99, 100, 101, 180, 200] {
        let node = Node::new("a");
        let commit = commit_of(count);
        node.view
            .lock()
            .unwrap()
            .blocks
            .iter_mut()
            .for_each(|raw| raw.commit = Some(commit.clone()));
        let source = live(&[node]);
        for number in FIRST..=HEAD {
            let fetched = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
            let UntrustedBlock::Cosmos(raw) = fetched else { unreachable!() };
            assert_eq!(raw.commit, (number == FIRST).then(|| commit.clone()), "{count}");
            // votes that show nothing are no evidence, and no fault of the block
            let verified = verify(row(), &UntrustedBlock::Cosmos(raw)).unwrap();
            assert_eq!(verified.signed(), None);
        }
        let report = source.nodes().unwrap().report();
        assert_eq!(report.endpoints[0].state, EndpointState::Healthy);
    }
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let request: Value = serde_json::from_slice(&request.body).unwrap();
        let view = self.view.lock().unwrap().clone();
        let one = |call: &Value| {
            let method = call["method"].as_str().unwrap();
            match view.answer(method, &call["params"]) {
                Ok(mut result) => {
                    (view.bend)(method, &mut result);
                    json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
                }
                Err(data) => {
                    let error =
                        json!({ "code": -32603, "message": "Internal error", "data": data });
                    json!({ "jsonrpc": "2.0", "id": call["id"], "error": error })
                }
            }
        };
        let answer = match &request {
            Value::Array(calls) => Value::Array(calls.iter().map(one).collect()),
            call => one(call),
        };
        // a node gives its errors an HTTP status of their own
        let failed = answer.get("error").is_some();
        let text = answer.to_string().into_bytes();
        Box::pin(std::future::ready(if failed {
            Err(TransportError::Status { got: 500, retry_after_ms: None, text })
        } else {
            Ok(NodeAnswer { body: text })
        }))
    }
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, FinalityAsk::Auto).unwrap()
}

fn live_with(nodes: &[Arc<Node>], finality: FinalityAsk) -> Result<LiveSource, SourceError> {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    let config = LiveConfig { attempts_max: 4, finality, ..config() };
    LiveSource::with_transports(&Budget::default(), row(), transports, config)
}

#[tokio::test(start_paused = true)]
async fn the_newest_block_is_final_and_every_block_verifies() {
    let nodes = [Node::new("a"), Node::new("b")];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number, tip.safe), (BlockNumber(HEAD), None));
    assert_eq!(tip.finalized, tip.head);
    let agreement = source.fetch_agreement(BlockNumber(HEAD)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "latest block"));
    let mut parent = Hash([1; 32]);
    for raw in blocks(1) {
        let number = BlockNumber(raw.header.height.parse().unwrap());
        let whole = source.fetch_whole(number).await.unwrap().unwrap();
        let verified = verify(row(), &whole).unwrap();
        assert_eq!((verified.hash(), verified.parent_hash()), (raw.hash, parent));
        assert_eq!(verified.tx_count(), Some(raw.txs.unwrap().len()));
        let at = BlockAt::Id(ClaimedBlock { number, hash: raw.hash });
        let header = source.fetch_block(at, BlockParts::Header, &[]).await.unwrap().unwrap();
        assert_eq!(verify(row(), &header.block).unwrap().tx_count(), None);
        parent = raw.hash;
    }
}

/// Simulated blocks of Cosmos Hub are signed: evidence every fourth block, and steps from set to set.
#[tokio::test]
async fn simulated_blocks_bring_evidence_and_steps() {
    let simulated = row().clone().as_simulated();
    let params = finality_params(row(), Network::Simulated).unwrap();
    let genesis = UnixSeconds(1_700_000_000);
    let clock = Arc::new(ManualClock::at(UnixSeconds(genesis.0 + 10_000)));
    let config = SimulatedConfig::new(7, genesis);
    let source = SimulatedChain::new(&simulated, config, clock.clone()).unwrap();
    let head = source.fetch_tip().await.unwrap().finalized.number.0;
    let now = clock.now();
    let mut set: Option<FinalitySet> = None;
    let mut steps = 0;
    for number in head - 200..=head {
        let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let verified = verify(&simulated, &block).unwrap();
        let signed = verified.signed();
        assert_eq!(signed.is_some(), number % 4 == 0, "{number}");
        let Some(SignedBlock { evidence, ends_set, .. }) = signed else { continue };
        assert_eq!(*ends_set, (number % 32 == 0).then(|| number / 32 - 1));
        if let Some(own) = &set {
            let shown = check_evidence(&params, own, evidence, now);
            assert!(matches!(shown, Verdict::Shown(_)), "{number}: {shown:?}");
        }
        if ends_set.is_some() {
            let named = FinalitySet::named_by(&params, &evidence.body).unwrap();
            if let Some(own) = &set {
                let next = own.advance(&params, &evidence.body, now);
                assert_eq!(next, Verdict::Shown(named.clone()));
                steps += 1;
            }
            set = Some(named);
        }
    }
    assert!(steps >= 5, "{steps} steps");
}

#[tokio::test(start_paused = true)]
async fn heights_above_and_pruned_are_no_blocks_and_no_faults() {
    let nodes = [Node::new("a")];
    let source = live(&nodes);
    for number in [HEAD + 1, FIRST - 1, 1] {
        let at = BlockAt::Number(BlockNumber(number));
        for parts in [BlockParts::Header, BlockParts::Whole] {
            assert!(source.fetch_block(at, parts, &[]).await.unwrap().is_none(), "{number}");
        }
    }
    let report = source.nodes().unwrap().report();
    let endpoint = &report.endpoints[0];
    assert_eq!((endpoint.state, endpoint.last_error.as_deref()), (EndpointState::Healthy, None));
}

#[tokio::test(start_paused = true)]
async fn confirmations_are_counted_where_they_are_asked_for_and_tags_are_refused() {
    let source = live_with(&[Node::new("a")], FinalityAsk::Confirmations(2)).unwrap();
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.number.0), (HEAD, HEAD - 2));
    assert_eq!(tip.finalized.hash, blocks(1)[3].hash);
    let error = live_with(&[Node::new("a")], FinalityAsk::Finalized).unwrap_err().to_string();
    let told = "finality is \"finalized tag\", expected latest or a number of confirmations";
    assert!(error.starts_with(told), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_node_of_another_network_is_refused() {
    let node = Node::new("a");
    node.view.lock().unwrap().network = "theta-testnet-001";
    let error = live(&[node]).fetch_whole(BlockNumber(FIRST)).await.unwrap_err();
    let SourceError::Call { fault: CallFault::Mismatch { field, got, .. }, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!((*field, got.as_str()), ("chain id", "theta-testnet-001"));
}

/// What a node's answer to a call for a header is refused with.
async fn refused(parts: BlockParts, bend: Bend) -> String {
    let source = live(&[Node::bent("a", bend)]);
    let at = BlockAt::Number(BlockNumber(FIRST + 2));
    match source.fetch_block(at, parts, &[]).await {
        Err(error) => error.to_string(),
        Ok(Some(FetchedBlock { body_fault: Some(MissingBody::Unreadable(why)), .. })) => why,
        Ok(Some(FetchedBlock { body_fault: Some(MissingBody::Unavailable(why)), .. })) => why,
        Ok(found) => panic!("it is refused: {}", found.is_some()),
    }
}

#[tokio::test(start_paused = true)]
async fn headers_that_do_not_bear_out_their_hash_are_refused_and_the_node_is_blamed() {
    let lie: Bend = |method, answer| {
        if method == "blockchain" {
            answer["block_metas"][0]["header"]["app_hash"] = json!("00");
        }
    };
    let told = refused(BlockParts::Header, lie).await;
    assert!(told.contains("expected the hash of its own header"), "{told}");
    let source = live(&[Node::bent("liar", lie), Node::new("b")]);
    let at = BlockAt::Number(BlockNumber(FIRST + 2));
    let found = source.fetch_block(at, BlockParts::Header, &[]).await.unwrap().unwrap();
    assert_eq!(&*found.sender, "b");
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_refused_with_what_is_wrong() {
    let other_height: Bend = |method, answer| match method {
        "blockchain" => answer["block_metas"][0]["header"]["height"] = json!("7"),
        "block" => answer["block"]["header"]["height"] = json!("7"),
        _ => {}
    };
    for parts in [BlockParts::Header, BlockParts::Whole] {
        let told = refused(parts, other_height).await;
        assert!(told.contains("height is 7, expected 20000002"), "{told}");
    }
    let two: Bend = |method, answer| {
        if method == "blockchain" {
            let twice = json!([answer["block_metas"][0], answer["block_metas"][0]]);
            answer["block_metas"] = twice;
        }
    };
    let told = refused(BlockParts::Header, two).await;
    assert!(told.contains("count of headers is 2, expected 1"), "{told}");
    let no_hash: Bend = |method, answer| {
        if method == "block" {
            answer["block_id"]["hash"] = json!("0xAB");
        }
    };
    let told = refused(BlockParts::Whole, no_hash).await;
    assert!(told.contains("hash is 0xAB, expected 64 hex digits"), "{told}");
    let no_texts: Bend = |method, answer| {
        if method == "block" {
            answer["block"]["data"]["txs"] = json!([1, 2]);
        }
    };
    let told = refused(BlockParts::Whole, no_texts).await;
    assert!(told.contains("an answer of another shape"), "{told}");
    let lacking: Bend = |method, answer| {
        if method == "block" {
            answer["block"]["header"].as_object_mut().unwrap().remove("data_hash");
        }
    };
    let told = refused(BlockParts::Whole, lacking).await;
    assert!(told.contains("missing field `data_hash`"), "{told}");
    let no_height: Bend = |method, answer| {
        if method == "status" {
            answer["sync_info"]["latest_block_height"] = json!("-1");
        }
    };
    let source = live(&[Node::bent("a", no_height)]);
    let told = source.fetch_tip().await.unwrap_err().to_string();
    assert!(
        told.contains("height is -1, expected decimal digits") || told.contains("no "),
        "{told}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_block_that_is_null_is_none_and_transactions_that_are_null_are_none() {
    let null: Bend = |method, answer| {
        if method == "block" {
            *answer = json!({ "block_id": { "hash": "", "parts": {} }, "block": null });
        }
    };
    let source = live(&[Node::bent("a", null)]);
    assert_eq!(source.fetch_whole(BlockNumber(FIRST)).await.unwrap(), None);
    let old: Bend = |method, answer| {
        if method == "block" && answer["block"]["data"]["txs"] == json!([]) {
            answer["block"]["data"]["txs"] = Value::Null;
        }
    };
    let source = live(&[Node::bent("a", old)]);
    let empty = source.fetch_whole(BlockNumber(FIRST)).await.unwrap().unwrap();
    assert_eq!(verify(row(), &empty).unwrap().tx_count(), Some(0));
}

#[tokio::test(start_paused = true)]
async fn nodes_of_two_branches_do_not_agree() {
    let (one, other) = (Node::new("a"), Node::new("b"));
    other.view.lock().unwrap().blocks = blocks(2);
    let source = live(&[one, other]);
    let error = source.fetch_agreement(BlockNumber(HEAD)).await.unwrap_err();
    assert!(matches!(error, SourceError::Disagreement(_)), "{error}");
}

/// What is bent inside a block is left to the gate: it is refused there, and the sender is named.
#[tokio::test(start_paused = true)]
async fn blocks_with_cut_lists_and_swapped_fields_are_refused_by_the_gate() {
    let cut: Bend = |method, answer| {
        if method == "block" {
            answer["block"]["data"]["txs"].as_array_mut().unwrap().pop();
        }
    };
    let swapped: Bend = |method, answer| {
        if method == "block" {
            let header: RawCosmosHeader =
                serde_json::from_value(answer["block"]["header"].clone()).unwrap();
            answer["block"]["header"]["validators_hash"] = json!(header.app_hash);
        }
    };
    for (bend, field) in [(cut, "header.data_hash"), (swapped, "block_id.hash")] {
        let source = live(&[Node::bent("liar", bend)]);
        let at = BlockAt::Number(BlockNumber(FIRST + 3));
        let found = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
        assert_eq!(&*found.sender, "liar");
        let told = verify(row(), &found.block).unwrap_err().to_string();
        assert!(told.starts_with(field), "{told}");
    }
}
