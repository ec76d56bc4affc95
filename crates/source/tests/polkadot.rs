//! Nodes of Polkadot, in memory: their words, their errors, their lies; and its blocks out of a
//! recordings folder, directly and as a node answers them.

use crate::support;

use std::sync::{Arc, Mutex};

use alloy_primitives::Bytes;
use serde_json::{Value, json};
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::polkadot::{
    BlockPlan, RawGrandpaVotes, RawPolkadotBlock, build_block, timestamp_extrinsic,
};
use superroot_chain::{ChainRegistry, ChainSpec, Extent, SignedBlock, UntrustedBlock, verify};
use superroot_proof::finality::{FinalitySet, Verdict, check_evidence};
use superroot_proof::ledger::polkadot::{
    GrandpaFinalityProof, StateVersion, scheduled_change_item,
};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallFault, ClaimedBlock, EndpointConfig,
    FinalityAsk, LiveConfig, LiveSource, NodeAnswer, NodeRequest, RecordStep, Recorder, Recordings,
    SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, Clock, Hash, ManualClock, Network, UnixSeconds};

use support::nodes::{config, state_of};
use support::{Folder, Running};

const GENESIS: &str = "0x91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3";
const FIRST: u64 = 31_500_000;
const EVENTS_KEY: &str = "0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7";

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("polkadot").unwrap()
}

/// A chain of five blocks.
fn chain() -> Vec<RawPolkadotBlock> {
    chain_of(5, None)
}

/// A chain of so many blocks, of which one names the next authorities.
fn chain_of(count: u64, last_of_set: Option<u64>) -> Vec<RawPolkadotBlock> {
    let mut parent_hash = Hash([7; 32]);
    (0..count)
        .map(|place| {
            let time = 1_780_000_000_000 + place * 6_000;
            let plan = BlockPlan {
                number: BlockNumber(FIRST + place),
                parent_hash,
                version: StateVersion::V1,
                extrinsics: vec![timestamp_extrinsic(3, time), vec![0x84; 120], vec![0x84; 20]],
                events: (0..4 + place).map(|event| vec![0; 10 + event as usize]).collect(),
                digest: (last_of_set == Some(place))
                    .then(|| scheduled_change_item(&[]))
                    .into_iter()
                    .collect(),
            };
            let block = build_block(&plan);
            parent_hash = block.hash;
            block
        })
        .collect()
}

/// Changes an answer of a method.
type Bend = fn(&str, &mut Result<Value, (i64, &'static str)>);

struct Node {
    name: &'static str,
    view: Mutex<View>,
}

#[derive(Clone)]
struct View {
    blocks: Vec<RawPolkadotBlock>,
    /// How many of them are final.
    finals: usize,
    bend: Bend,
}

impl Node {
    fn new(name: &'static str) -> Arc<Self> {
        let view = View { blocks: chain(), finals: 3, bend: |_, _| {} };
        Arc::new(Self { name, view: Mutex::new(view) })
    }

    fn bent(name: &'static str, bend: Bend) -> Arc<Self> {
        let node = Self::new(name);
        node.view.lock().unwrap().bend = bend;
        node
    }
}

impl View {
    fn answer(&self, method: &str, params: &Value) -> Result<Value, (i64, &'static str)> {
        let found = |param: &Value| {
            self.blocks
                .iter()
                .find(|block| json!(block.hash) == *param)
                .or_else(|| (param.is_null()).then(|| self.blocks.last().unwrap()))
        };
        let mut answer = match method {
            "system_version" => Ok(json!("1.18.0")),
            "chain_getFinalizedHead" => Ok(json!(self.blocks[self.finals - 1].hash)),
            "chain_getBlockHash" if params[0] == 0 => Ok(json!(GENESIS)),
            "chain_getBlockHash" => {
                let at = params[0].as_u64().unwrap().checked_sub(FIRST);
                let block = at.and_then(|at| self.blocks.get(at as usize));
                Ok(json!(block.map(|block| block.hash)))
            }
            "chain_getHeader" => Ok(json!(found(&params[0]).map(|block| block.header.clone()))),
            "chain_getBlock" => Ok(found(&params[0]).map_or(Value::Null, |block| {
                let inner = json!({ "header": block.header, "extrinsics": block.extrinsics });
                json!({ "block": inner, "justifications": null })
            })),
            "state_getReadProof" => {
                assert_eq!(params[0], json!([EVENTS_KEY]));
                match found(&params[1]) {
                    Some(block) => Ok(json!({ "at": block.hash, "proof": block.read_proof })),
                    None => Err((4003, "Client error: UnknownBlock: State already discarded")),
                }
            }
            "grandpa_proveFinality" => {
                let at = params[0].as_u64().unwrap() - FIRST;
                let votes = self.blocks[at as usize].votes.as_ref();
                Ok(json!(votes.map(|votes| &votes.proof)))
            }
            "state_call" => {
                assert_eq!(params[1], "0x");
                let next = |block: &&RawPolkadotBlock| json!(block.header.parent_hash) == params[2];
                let next = self.blocks.iter().find(next);
                let votes = next.and_then(|block| block.votes.as_ref()).unwrap();
                match params[0].as_str().unwrap() {
                    "GrandpaApi_grandpa_authorities" => Ok(json!(votes.authorities)),
                    "GrandpaApi_current_set_id" => {
                        Ok(json!(Bytes::from(votes.set_id.to_le_bytes())))
                    }
                    other => panic!("{other}"),
                }
            }
            _ => Err((-32601, "Method not found")),
        };
        (self.bend)(method, &mut answer);
        answer
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
            assert_eq!(call["jsonrpc"], "2.0");
            match view.answer(call["method"].as_str().unwrap(), &call["params"]) {
                Ok(result) => json!({ "jsonrpc": "2.0", "result": result, "id": call["id"] }),
                Err((code, message)) => {
                    let error = json!({ "code": code, "message": message });
                    json!({ "jsonrpc": "2.0", "error": error, "id": call["id"] })
                }
            }
        };
        let answer = match &request {
            Value::Array(calls) => Value::Array(calls.iter().map(one).collect()),
            call => one(call),
        };
        Box::pin(std::future::ready(Ok(NodeAnswer { body: answer.to_string().into_bytes() })))
    }
}

fn live_with(nodes: &[Arc<Node>], config: LiveConfig) -> Result<LiveSource, SourceError> {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), row(), transports, config)
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, LiveConfig { attempts_max: 4, ..config() }).unwrap()
}

#[track_caller]
fn mismatch(error: &SourceError, expected: &str) {
    match error {
        SourceError::Call { fault: CallFault::Mismatch { field, .. }, .. }
            if *field == expected => {}
        other => panic!("no mismatch of {expected}: {other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_agree_on_what_is_final_and_give_whole_blocks_with_their_events() {
    let nodes = [Node::new("a"), Node::new("b")];
    nodes[1].view.lock().unwrap().finals = 4;
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    let blocks = chain();
    let id =
        |at: usize| ClaimedBlock { number: BlockNumber(FIRST + at as u64), hash: blocks[at].hash };
    assert_eq!((tip.head, tip.safe, tip.finalized), (id(4), None, id(2)));
    let agreement = source.fetch_agreement(BlockNumber(FIRST + 2)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.hash), (2, Some(id(2).hash)));
    assert_eq!(agreement.rule, "finalized tag");
    for at in [BlockAt::Number(id(2).number), BlockAt::Id(id(2))] {
        let whole = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
        assert_eq!(whole.block, UntrustedBlock::Polkadot(Box::new(blocks[2].clone())));
        let verified = verify(row(), &whole.block).unwrap();
        assert_eq!(verified.extent(), Extent { transactions: true, receipts: true });
        let header = source.fetch_block(at, BlockParts::Header, &[]).await.unwrap().unwrap();
        assert_eq!(verify(row(), &header.block).unwrap().hash(), id(2).hash);
    }
    assert_eq!(source.fetch_whole(BlockNumber(FIRST + 5)).await.unwrap(), None);
    let unknown = ClaimedBlock { number: BlockNumber(FIRST), hash: Hash([9; 32]) };
    let answer = source.fetch_block(BlockAt::Id(unknown), BlockParts::Whole, &[]).await.unwrap();
    assert_eq!(answer, None);
}

/// The first number that is a multiple of 64, and a block that names the next authorities.
const VOTED: u64 = 32;
const LAST_OF_SET: u64 = 21;

fn votes_of(place: u64) -> RawGrandpaVotes {
    RawGrandpaVotes { set_id: place, authorities: vec![0, 1].into(), proof: vec![2, 3].into() }
}

/// A node with votes for all of its 120 blocks, so many of them final.
fn voting_node(finals: usize, bend: Bend) -> Arc<Node> {
    let node = Node::bent("a", bend);
    let mut blocks = chain_of(120, Some(LAST_OF_SET));
    for (place, block) in (0..).zip(&mut blocks) {
        block.votes = Some(votes_of(place));
    }
    *node.view.lock().unwrap() = View { blocks, finals, bend };
    node
}

async fn fetched(source: &LiveSource, place: u64) -> RawPolkadotBlock {
    let block = source.fetch_whole(BlockNumber(FIRST + place)).await.unwrap().unwrap();
    let UntrustedBlock::Polkadot(raw) = block else { unreachable!() };
    *raw
}

#[tokio::test(start_paused = true)]
async fn each_64th_final_block_and_the_last_of_a_set_are_fetched_with_their_votes() {
    let source = live(&[voting_node(60, |_, _| {})]);
    source.fetch_tip().await.unwrap();
    for place in 0..64 {
        let raw = fetched(&source, place).await;
        let is_voted = [LAST_OF_SET, VOTED].contains(&place);
        assert_eq!(raw.votes, is_voted.then(|| votes_of(place)), "{place}");
        // votes that show nothing are no evidence, and no fault of the block
        let verified = verify(row(), &UntrustedBlock::Polkadot(Box::new(raw))).unwrap();
        assert_eq!(verified.signed(), None);
    }
    assert_ne!(state_of(&source, "a"), "wrong");
    // a block that is not final yet has no votes; far behind, only those that came with the block are taken
    let source = live(&[voting_node(10, |_, _| {})]);
    assert_eq!(fetched(&source, VOTED).await.votes, None);
    source.fetch_tip().await.unwrap();
    assert_eq!(fetched(&source, VOTED).await.votes, None);
    assert_eq!(fetched(&source, LAST_OF_SET).await.votes, None);
    let source = live(&[voting_node(118, |_, _| {})]);
    source.fetch_tip().await.unwrap();
    assert_eq!(fetched(&source, VOTED).await.votes, None);
    assert_eq!(fetched(&source, LAST_OF_SET).await.votes, Some(votes_of(LAST_OF_SET)));
}

/// Nodes store every 512th justification and each set's last with the block.
#[tokio::test(start_paused = true)]
async fn justifications_that_come_with_a_block_are_taken() {
    let in_hex: Bend = |method, answer| {
        if let (Ok(block), "chain_getBlock") = (answer, method) {
            block["justifications"] = json!([["0x42454546", "0x00"], ["0x46524e4b", "0x0708"]]);
        }
    };
    let in_numbers: Bend = |method, answer| {
        if let (Ok(block), "chain_getBlock") = (answer, method) {
            block["justifications"] = json!([[[70, 82, 78, 75], [7, 8]]]);
        }
    };
    for bend in [in_hex, in_numbers] {
        let source = live(&[voting_node(118, bend)]);
        source.fetch_tip().await.unwrap();
        for place in [LAST_OF_SET, VOTED] {
            let raw = fetched(&source, place).await;
            let proof = GrandpaFinalityProof {
                hash: raw.hash,
                justification: vec![7, 8],
                headers: Vec::new(),
            };
            let proof = proof.encode().into();
            assert_eq!(raw.votes, Some(RawGrandpaVotes { proof, ..votes_of(place) }));
        }
        assert_eq!(fetched(&source, VOTED + 1).await.votes, None);
    }
    // in a form that is not known, or of other engines alone
    for bend in [
        (|method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["justifications"] = json!({ "FRNK": 7 });
            }
        }) as Bend,
        |method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["justifications"] = json!([["0x42454546", "0x00"]]);
            }
        },
    ] {
        let source = live(&[voting_node(118, bend)]);
        source.fetch_tip().await.unwrap();
        assert_eq!(fetched(&source, VOTED).await.votes, None);
        assert_eq!(fetched(&source, LAST_OF_SET).await.votes, Some(votes_of(LAST_OF_SET)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_call_for_votes_fails_no_block_but_is_repeated_for_the_last_of_a_set() {
    let without: Bend = |method, answer| {
        if method == "grandpa_proveFinality" {
            *answer = Err((-32601, "Method not found"));
        }
    };
    let pruned: Bend = |method, answer| {
        if method == "state_call" {
            *answer = Err((4003, "Client error: UnknownBlock: State already discarded"));
        }
    };
    let odd: Bend = |method, answer| {
        if method == "state_call" {
            *answer = Ok(json!("0x01"));
        }
    };
    let nothing: Bend = |method, answer| {
        if method == "grandpa_proveFinality" {
            *answer = Ok(Value::Null);
        }
    };
    for bend in [without, pruned, odd, nothing] {
        let source = live(&[voting_node(60, bend)]);
        source.fetch_tip().await.unwrap();
        assert_eq!(fetched(&source, VOTED).await.votes, None);
        assert_eq!(fetched(&source, LAST_OF_SET).await.votes, None);
    }
    // a node that lags behind the others
    let lagging: Bend = |method, answer| {
        if method == "grandpa_proveFinality" {
            *answer = Err((1, "Block not yet finalized"));
        }
    };
    let source = live(&[voting_node(60, lagging)]);
    source.fetch_tip().await.unwrap();
    assert_eq!(fetched(&source, VOTED).await.votes, None);
    let last = BlockNumber(FIRST + LAST_OF_SET);
    let mut failures = 0;
    while source.fetch_whole(last).await.is_err() {
        failures += 1;
    }
    assert!((1..=5).contains(&failures), "{failures}");
}

/// Simulated blocks of Polkadot are signed: evidence every fourth block, and steps from set to set.
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
        assert_eq!(*ends_set, (number % 32 == 0).then_some(number / 32));
        let Some(own) = &set else {
            set = ends_set.and_then(|_| FinalitySet::named_by(&params, &evidence.body));
            continue;
        };
        let shown = check_evidence(&params, own, evidence, now);
        assert!(matches!(shown, Verdict::Shown(_)), "{number}: {shown:?}");
        assert_eq!(evidence.signer(&params), Some(own.number()));
        if ends_set.is_some() {
            let Verdict::Shown(next) = own.advance(&params, &evidence.body, now) else {
                panic!("no step at {number}")
            };
            assert_eq!(FinalitySet::named_by(&params, &evidence.body), Some(next.clone()));
            set = Some(next);
            steps += 1;
        }
    }
    assert!(steps >= 5, "{steps} steps");
}

#[tokio::test(start_paused = true)]
async fn other_rules_of_finality_count_from_the_newest_block() {
    let rules = [(FinalityAsk::Latest, 4), (FinalityAsk::Confirmations(3), 1)];
    for (finality, place) in rules {
        let source = live_with(&[Node::new("a")], LiveConfig { finality, ..config() }).unwrap();
        let tip = source.fetch_tip().await.unwrap();
        assert_eq!(tip.finalized.number, BlockNumber(FIRST + place));
        assert_eq!(tip.finalized.hash, chain()[place as usize].hash);
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_of_another_network_and_those_that_replay_are_refused() {
    let westend = |method: &str, answer: &mut Result<Value, (i64, &'static str)>| {
        if method == "chain_getBlockHash" {
            *answer = Ok(json!(format!("0xe143f23803ac50e8f6f8e62695d1ce9e{}", "00".repeat(16))));
        }
    };
    let nothing = |method: &str, answer: &mut Result<Value, (i64, &'static str)>| {
        if method == "chain_getBlockHash" {
            *answer = Ok(Value::Null);
        }
    };
    for bend in [westend as Bend, nothing as Bend] {
        let error = live(&[Node::bent("a", bend)]).fetch_whole(BlockNumber(FIRST)).await;
        mismatch(&error.unwrap_err(), "chain id");
    }
    let replay = Node::bent("a", |method, answer| {
        if method == "system_version" {
            *answer = Ok(json!("superroot-replay/1"));
        }
    });
    let error = live(&[replay]).fetch_whole(BlockNumber(FIRST)).await.unwrap_err();
    mismatch(&error, "client");
    // some gateways do not say what they run
    let mute = Node::bent("a", |method, answer| {
        if method == "system_version" {
            *answer = Err((-32601, "Method not found"));
        }
    });
    assert!(live(&[mute]).fetch_whole(BlockNumber(FIRST)).await.unwrap().is_some());
}

/// What a node says of another block, or of none, is named, and the node is the one at fault.
#[tokio::test(start_paused = true)]
async fn answers_of_other_blocks_are_refused_and_the_node_blamed() {
    let other_final: Bend = |method, answer| {
        if method == "chain_getFinalizedHead" {
            *answer = Ok(json!(chain()[1].hash));
        }
        if method == "chain_getHeader" {
            *answer = Ok(json!(chain()[2].header));
        }
    };
    let source = live(&[Node::bent("a", other_final)]);
    mismatch(&source.fetch_tip().await.unwrap_err(), "hash");
    assert_eq!(state_of(&source, "a"), "wrong");

    let no_head: Bend = |method, answer| {
        if method == "chain_getHeader" {
            *answer = Ok(Value::Null);
        }
    };
    mismatch(&live(&[Node::bent("a", no_head)]).fetch_tip().await.unwrap_err(), "final block");

    let unreadable: Bend = |method, answer| {
        if let (Ok(header), "chain_getHeader") = (answer, method) {
            header["digest"]["logs"] = json!(["0x09"]);
        }
    };
    mismatch(&live(&[Node::bent("a", unreadable)]).fetch_tip().await.unwrap_err(), "header");

    let other_number: Bend = |method, answer| {
        if let (Ok(block), "chain_getBlock") = (answer, method) {
            block["block"]["header"]["number"] = json!("0x7");
        }
    };
    let source = live(&[Node::bent("a", other_number)]);
    mismatch(&source.fetch_whole(BlockNumber(FIRST)).await.unwrap_err(), "number");
    assert_eq!(state_of(&source, "a"), "wrong");

    let other_state: Bend = |method, answer| {
        if let (Ok(proof), "state_getReadProof") = (answer, method) {
            proof["at"] = json!(chain()[1].hash);
        }
    };
    let source = live(&[Node::bent("a", other_state)]);
    mismatch(&source.fetch_whole(BlockNumber(FIRST)).await.unwrap_err(), "at");
    assert_eq!(state_of(&source, "a"), "wrong");
}

/// Answers that are no such thing: a fault of their shape, and nothing is given out.
#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_refused() {
    let bends: [Bend; 7] = [
        |method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["block"]["header"]["number"] = json!("0x10000000000000000");
            }
        },
        |method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["block"]["extrinsics"] = json!({ "0": "0x00" });
            }
        },
        |method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["block"]["header"]["digest"] = Value::Null;
            }
        },
        |method, answer| {
            if let (Ok(block), "chain_getBlock") = (answer, method) {
                block["block"]["header"]["stateRoot"] = json!("0x1234");
            }
        },
        |method, answer| {
            if method == "chain_getBlock" {
                *answer = Ok(json!([1, 2, 3]));
            }
        },
        |method, answer| {
            if method == "state_getReadProof" {
                *answer = Ok(json!({ "at": GENESIS, "proof": "0x00" }));
            }
        },
        |method, answer| {
            if method == "chain_getBlockHash" && *answer != Ok(json!(GENESIS)) {
                *answer = Ok(json!("0x12"));
            }
        },
    ];
    for (place, bend) in bends.into_iter().enumerate() {
        let source = live(&[Node::bent("a", bend)]);
        let error = source.fetch_whole(BlockNumber(FIRST)).await.unwrap_err();
        assert!(
            matches!(error, SourceError::Call { fault: CallFault::Shape(_), .. }),
            "{place}: {error}"
        );
    }
}

/// Lists that were cut, swapped or filled up come through, and the gate refuses them by name.
#[tokio::test(start_paused = true)]
async fn blocks_that_were_changed_are_refused_at_the_gate() {
    let cases: [(Bend, &str); 5] = [
        (
            |method, answer| {
                if let (Ok(block), "chain_getBlock") = (answer, method) {
                    block["block"]["extrinsics"].as_array_mut().unwrap().pop();
                }
            },
            "extrinsicsRoot is ",
        ),
        (
            |method, answer| {
                if let (Ok(block), "chain_getBlock") = (answer, method) {
                    block["block"]["extrinsics"].as_array_mut().unwrap().swap(1, 2);
                }
            },
            "extrinsicsRoot is ",
        ),
        (
            |method, answer| {
                if let (Ok(block), "chain_getBlock") = (answer, method) {
                    let header = &mut block["block"]["header"];
                    let root = header["stateRoot"].take();
                    header["stateRoot"] = header["extrinsicsRoot"].take();
                    header["extrinsicsRoot"] = root;
                }
            },
            "hash is ",
        ),
        (
            |method, answer| {
                if let (Ok(block), "chain_getBlock") = (answer, method) {
                    block["block"]["extrinsics"] = json!(vec!["0x00"; (1 << 17) + 1]);
                }
            },
            "count of extrinsics is 131073",
        ),
        (
            |method, answer| {
                if let (Ok(proof), "state_getReadProof") = (answer, method) {
                    proof["proof"] = json!(chain()[1].read_proof);
                }
            },
            "readProof cannot be read by a verifier: state trie: trie node 0x",
        ),
    ];
    for (bend, expected) in cases {
        let source = live(&[Node::bent("a", bend)]);
        let block = source.fetch_whole(BlockNumber(FIRST)).await.unwrap().unwrap();
        let error = verify(row(), &block).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// No single node may withhold the events; where all do, the block is taken without.
#[tokio::test(start_paused = true)]
async fn events_that_one_node_lacks_are_asked_of_others() {
    let pruned: Bend = |method, answer| {
        if method == "state_getReadProof" {
            *answer = Err((4003, "Client error: UnknownBlock: State already discarded"));
        }
    };
    let extent = async |source: &LiveSource| {
        let block = source.fetch_whole(BlockNumber(FIRST)).await.unwrap().unwrap();
        verify(row(), &block).unwrap().extent()
    };
    for _ in 0..4 {
        let source = live(&[Node::bent("a", pruned), Node::new("b")]);
        assert!(extent(&source).await.receipts);
    }
    let source = live(&[Node::bent("a", pruned), Node::bent("b", pruned)]);
    assert_eq!(extent(&source).await, Extent { transactions: true, receipts: false });
}

#[test]
fn a_row_whose_name_tells_no_first_block_is_refused() {
    for name in ["polkadot:91b171bb", "polkadot:91B171BB158E2D3848FA23A9F1C25182", "dot:mainnet"] {
        let mut row = row().clone();
        row.caip2 = name.to_owned();
        let nodes: Vec<Arc<dyn Transport>> = vec![Node::new("a")];
        let made = LiveSource::with_transports(&Budget::default(), &row, nodes, config());
        let error = made.unwrap_err().to_string();
        assert!(error.starts_with("caip2 of Polkadot is \""), "{error}");
    }
}

/// A folder with the chain, its blocks as a recording holds them.
fn folder() -> Folder {
    folder_of(&chain())
}

fn folder_of(blocks: &[RawPolkadotBlock]) -> Folder {
    let mut folder = Folder::new();
    for block in blocks {
        let (number, hash) = (block.header.number, block.hash);
        let file = format!("{number}.json");
        let mut members = json!(block);
        members["number"] = json!(number);
        let capture = json!({ "chainId": 400, "network": "made-up", "block": members });
        folder.file(&file, &capture.to_string());
        folder.row(json!({ "chainId": 400, "block": number, "hash": hash, "file": file }));
    }
    folder.write_index();
    folder
}

async fn call(server: &Running, method: &str, params: Value) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = http.post(format!("{}/polkadot", server.url)).body(body.to_string());
    let text = answer.send().await.unwrap().text().await.unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn methods_answer_as_a_node_would() {
    let (folder, blocks) = (folder(), chain());
    let server = Running::start(folder.open()).await;
    let result = async |method: &str, params| call(&server, method, params).await["result"].take();
    let (first, last) = (&blocks[0], &blocks[4]);
    assert_eq!(result("chain_getFinalizedHead", json!([])).await, json!(last.hash));
    assert_eq!(result("chain_getBlockHash", json!([FIRST])).await, json!(first.hash));
    assert_eq!(result("chain_getBlockHash", json!([])).await, json!(last.hash));
    assert_eq!(result("chain_getBlockHash", json!([FIRST + 9])).await, Value::Null);
    assert_eq!(result("chain_getHeader", json!([first.hash])).await, json!(first.header));
    assert_eq!(result("chain_getHeader", json!([])).await, json!(last.header));
    let block = result("chain_getBlock", json!([first.hash])).await;
    assert_eq!(block["block"]["header"], json!(first.header));
    assert_eq!(block["block"]["extrinsics"], json!(first.extrinsics));
    assert_eq!(result("chain_getBlock", json!([Hash([9; 32])])).await, Value::Null);
    let proof = result("state_getReadProof", json!([[EVENTS_KEY], first.hash])).await;
    assert_eq!((&proof["at"], &proof["proof"]), (&json!(first.hash), &json!(first.read_proof)));
    let version = result("system_version", json!([])).await;
    assert!(version.as_str().unwrap().starts_with("superroot-replay/"));
}

#[tokio::test]
async fn what_a_node_would_refuse_is_refused_with_its_codes() {
    let folder = folder();
    let server = Running::start(folder.open()).await;
    let hash = chain()[0].hash;
    for (method, params, code) in [
        ("chain_getBlockHash", json!(["7"]), -32602),
        ("chain_getBlockHash", json!([1, 2]), -32602),
        ("chain_getHeader", json!(["0x12"]), -32602),
        ("chain_getBlock", json!([7]), -32602),
        ("chain_getFinalizedHead", json!([1]), -32602),
        ("state_getReadProof", json!([["0x26"], hash]), -32602),
        ("state_getReadProof", json!([]), -32602),
        ("state_getReadProof", json!([[EVENTS_KEY], Hash([9; 32])]), 4003),
        ("state_getStorage", json!([EVENTS_KEY]), -32601),
        ("eth_chainId", json!([]), -32601),
    ] {
        let answer = call(&server, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
}

/// Votes stand in a recording beside the block, and are given out as a node does.
#[tokio::test]
async fn recorded_votes_are_replayed_and_read_back_the_same() {
    let mut blocks = chain_of(35, Some(LAST_OF_SET));
    for place in [LAST_OF_SET, VOTED] {
        blocks[place as usize].votes = Some(votes_of(place));
    }
    let folder = folder_of(&blocks);
    let server = Running::start(folder.open()).await;
    let voted = &blocks[VOTED as usize];
    let proof = call(&server, "grandpa_proveFinality", json!([FIRST + VOTED])).await;
    assert_eq!(proof["result"], json!("0x0203"));
    let none = call(&server, "grandpa_proveFinality", json!([FIRST + 1])).await;
    assert_eq!((&none["result"], &none["error"]), (&Value::Null, &Value::Null));
    let early = call(&server, "grandpa_proveFinality", json!([FIRST + 99])).await;
    assert_eq!(early["error"]["code"], 1, "{early}");
    let parent = voted.header.parent_hash;
    let set_id = call(&server, "state_call", json!(["GrandpaApi_current_set_id", "0x", parent]));
    assert_eq!(set_id.await["result"], json!("0x2000000000000000"));
    let authorities = json!(["GrandpaApi_grandpa_authorities", "0x", parent]);
    assert_eq!(call(&server, "state_call", authorities).await["result"], json!("0x0001"));
    for (params, code) in [
        (json!(["GrandpaApi_current_set_id", "0x", voted.hash]), 4003),
        (json!(["GrandpaApi_current_set_id", "0x", Hash([9; 32])]), 4003),
        (json!(["GrandpaApi_current_set_id", "0x00", parent]), -32602),
        (json!(["Core_version", "0x", parent]), -32602),
        (json!(["GrandpaApi_current_set_id", "0x"]), -32602),
    ] {
        let answer = call(&server, "state_call", params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{params}: {answer}");
    }
    let endpoints = vec![EndpointConfig::at(&format!("{}/polkadot", server.url))];
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let source = LiveSource::new(&Budget::default(), row(), endpoints, config).unwrap();
    source.fetch_tip().await.unwrap();
    let recorded = Recordings::open(&[folder.path()], ChainRegistry::builtin()).unwrap();
    let recorded = Arc::new(recorded).source(row().key()).unwrap();
    for (number, block) in (FIRST..).map(BlockNumber).zip(blocks) {
        let expected = UntrustedBlock::Polkadot(Box::new(block));
        assert_eq!(recorded.fetch_whole(number).await.unwrap().unwrap(), expected);
        assert_eq!(source.fetch_whole(number).await.unwrap().unwrap(), expected);
    }
}

/// Recorded from a replayed node, the blocks read back the same, events and all.
#[tokio::test]
async fn blocks_recorded_from_a_node_read_back_the_same() {
    let folder = folder();
    let server = Running::start(folder.open()).await;
    let endpoints = vec![EndpointConfig::at(&format!("{}/polkadot", server.url))];
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let source = LiveSource::new(&Budget::default(), row(), endpoints, config).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::open(copy.path(), row()).unwrap();
    let numbers: Vec<BlockNumber> = (0..5).map(|place| BlockNumber(FIRST + place)).collect();
    let mut steps = Vec::new();
    recorder.record(&source, numbers.clone(), |step| steps.push(step)).await.unwrap();
    assert!(steps.iter().all(|step| matches!(step, RecordStep::Written { .. })), "{steps:?}");
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let read = Arc::new(recordings).source(row().key()).unwrap();
    for (number, block) in numbers.into_iter().zip(chain()) {
        let again = read.fetch_whole(number).await.unwrap().unwrap();
        assert_eq!(again, UntrustedBlock::Polkadot(Box::new(block)));
        assert!(verify(row(), &again).unwrap().extent().receipts);
    }
}
