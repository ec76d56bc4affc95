//! Milestones over HTTP from a made Heimdall, and from the simulated one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, Uri};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::cosmos::RawCosmosHeader;
use superroot_proof::finality::{
    ConsensusEvidence, FinalityParams, FinalitySet, Refusal, Shortfall, Verdict, check_evidence,
};
use superroot_proof::ledger::cosmos::Header;
use superroot_source::finality::{FinalitySource, HeimdallNode, NewestFinal, SimulatedHeimdall};
use superroot_types::{BlockNumber, Hash, ManualClock, Network, UnixSeconds};

use crate::commits::GENESIS;
use crate::milestones::*;

const NEWEST: u64 = 390;
const MEMBERS: [(u8, u64); 6] = [(1, 20), (2, 20), (3, 20), (4, 10), (5, 10), (6, 10)];

/// Changes the result of a method.
type Bend = Arc<dyn Fn(&str, &mut Value) + Send + Sync>;

/// Answers of a node, and the paths that were asked for.
#[derive(Clone, Default)]
struct MadeNode {
    asked: Arc<Mutex<Vec<String>>>,
    /// Changes an answer's result, by method.
    bent: Option<Bend>,
}

/// State after a height: one milestone more every ten heights up to the eleventh.
fn count_at(height: u64) -> u64 {
    (height / 10).saturating_sub(28).min(11)
}

fn made_state(count: u64, number: u64) -> MadeState {
    let all = (1..=count).map(|number| {
        let (end_block, hash) = block(number);
        milestone(end_block.0, hash, "137")
    });
    MadeState::new(&all.collect::<Vec<_>>(), number)
}

fn made_header(height: u64) -> Header {
    header(height, &MEMBERS, &MEMBERS, &made_state(count_at(height - 1), 1))
}

fn commit_answer(height: u64) -> Value {
    let header = made_header(height);
    let commit = commit(&header, &MEMBERS, &[0, 1, 2, 3, 5]);
    let mut signatures = vec![
        json!({
            "block_id_flag": 1, "validator_address": "", "timestamp": "0001-01-01T00:00:00Z", "signature": null,
        });
        MEMBERS.len()
    ];
    for one in &commit.signatures {
        let at = Header {
            seconds: one.time / 1_000_000_000,
            nanos: u32::try_from(one.time % 1_000_000_000).unwrap(),
            ..header.clone()
        };
        signatures[one.index] = json!({
            "block_id_flag": 2,
            "validator_address": "00",
            "timestamp": RawCosmosHeader::from(&at).time,
            "signature": STANDARD.encode([&one.signature[..], &[0]].concat()),
        });
    }
    let parts = json!({ "total": 3, "hash": const_hex::encode_upper(commit.parts_hash.0) });
    let id = json!({ "hash": const_hex::encode_upper(header.hash().0), "parts": parts });
    json!({ "canonical": true, "signed_header": {
        "header": RawCosmosHeader::from(&header),
        "commit": {
            "height": height.to_string(), "round": 1, "block_id": id, "signatures": signatures,
        },
    }})
}

fn validators_answer(height: u64) -> Value {
    let validators = list(&MEMBERS).into_iter().map(|one| json!({
        "address": "00",
        "pub_key": { "type": "cometbft/PubKeySecp256k1eth", "value": STANDARD.encode(one.key.0) },
        "voting_power": one.power.to_string(),
        "proposer_priority": "0",
    }));
    let validators: Vec<_> = validators.collect();
    json!({ "block_height": height.to_string(), "validators": validators, "count": "6", "total": "6" })
}

fn query_answer(query: &HashMap<String, String>) -> Value {
    assert_eq!(query["path"], "\"/store/milestone/key\"");
    let height = query.get("height").map_or(NEWEST, |height| height.parse().unwrap());
    let key = const_hex::decode(query["data"].strip_prefix("0x").unwrap()).unwrap();
    let count = count_at(height);
    let mut proofs = Value::Null;
    let value = match key.as_slice() {
        [0x83] => count.to_be_bytes().to_vec(),
        [0x81, number @ ..] => {
            let number = u64::from_be_bytes(number.try_into().unwrap());
            if (1..=count).contains(&number) {
                let state = made_state(count, number);
                let op = |name: &str, data: &[u8]| {
                    json!({
                        "type": name, "key": "", "data": STANDARD.encode(data),
                    })
                };
                let [path, stores] = state.commitments();
                if query["prove"] == "true" {
                    let ops = [op("ics23:iavl", &path), op("ics23:simple", &stores)];
                    proofs = json!({ "ops": ops });
                }
                state.milestone
            } else {
                Vec::new()
            }
        }
        other => panic!("{other:?}"),
    };
    let value = if value.is_empty() { Value::Null } else { STANDARD.encode(value).into() };
    json!({ "response": {
        "code": 0, "log": "", "info": "", "index": "0", "key": STANDARD.encode(key), "value": value,
        "proofOps": proofs, "height": height.to_string(), "codespace": "",
    }})
}

async fn answer(
    State(node): State<MadeNode>,
    uri: Uri,
    Query(query): Query<HashMap<String, String>>,
) -> (StatusCode, String) {
    node.asked.lock().unwrap().push(uri.to_string());
    let method = uri.path().strip_prefix("/key/").unwrap_or_default();
    let height = query.get("height").and_then(|height| height.parse().ok()).unwrap_or(NEWEST);
    if height > NEWEST {
        let error =
            json!({ "jsonrpc": "2.0", "id": -1, "error": { "code": -32603, "message": "no" } });
        return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    }
    let mut result = match method {
        "abci_query" => query_answer(&query),
        "commit" => commit_answer(height),
        "validators" => validators_answer(height),
        other => panic!("{other}"),
    };
    if let Some(bent) = &node.bent {
        bent(method, &mut result);
    }
    (StatusCode::OK, json!({ "jsonrpc": "2.0", "id": -1, "result": result }).to_string())
}

async fn serve(node: MadeNode) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(answer).with_state(node);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn node(made: MadeNode) -> HeimdallNode {
    let address = serve(made).await;
    HeimdallNode::new(&format!("http://{address}/key/"), "node", params()).unwrap()
}

fn held(number: u64) -> NewestFinal {
    let timestamp = UnixSeconds(GENESIS + 6 * NEWEST);
    NewestFinal { number: BlockNumber(number), hash: Hash([9; 32]), timestamp }
}

#[tokio::test]
async fn the_newest_milestone_at_a_stored_block_is_evidence() {
    let made = MadeNode::default();
    let node = node(made.clone()).await;
    let known = FinalityParams::Milestone(params());
    let set = set(&known, &made_header(384), &MEMBERS);
    let now = UnixSeconds(GENESIS + 6 * NEWEST);
    // the last milestone of the state two heights back ends with block 5030
    for (stored, expected) in [(9_000, 10), (5_030, 10), (5_029, 9), (5_012, 4), (5_003, 1)] {
        let evidence = node.fetch_newest(held(stored)).await.unwrap();
        assert_eq!((evidence.number, evidence.hash), block(expected), "{stored}");
        assert_eq!(evidence.signer(&known), Some(12));
        let verdict = check_evidence(&known, &set, &evidence, now);
        let by = verdict.shown().unwrap().by().to_owned();
        assert!(by.starts_with("70 of 90 of the voting power at height 389"), "{by}");
        let asked = std::mem::take(&mut *made.asked.lock().unwrap());
        assert!(asked.len() <= 11, "{asked:?}");
    }
    let error = node.fetch_newest(held(5_002)).await.unwrap_err().to_string();
    assert_eq!(error, "node: no milestone ends at block 5002 or below");
}

#[tokio::test]
async fn steps_are_commits_of_heights_of_sets_that_are_settled() {
    let node = node(MadeNode::default()).await;
    let known = FinalityParams::Milestone(params());
    let steps = node.fetch_steps(9, 16).await.unwrap();
    assert_eq!(steps.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [9, 10, 11]);
    let mut at = FinalitySet::named_by(&known, &steps[0].1).unwrap();
    assert_eq!(at.id(), made_header(320).hash());
    for (number, step) in &steps[1..] {
        let now = UnixSeconds(GENESIS + 6 * NEWEST);
        let Verdict::Shown(next) = at.advance(&known, step, now) else { panic!("{number}") };
        assert_eq!((next.number(), next.id()), (number + 1, made_header(32 * (number + 1)).hash()));
        at = next;
    }
    assert!(node.fetch_steps(12, 16).await.unwrap().is_empty());
    assert!(node.fetch_steps(u64::MAX, 16).await.unwrap().is_empty());
}

/// Error of a node whose answers are changed.
async fn error_of(bent: impl Fn(&str, &mut Value) + Send + Sync + 'static) -> String {
    let made = MadeNode { bent: Some(Arc::new(bent)), ..MadeNode::default() };
    node(made).await.fetch_newest(held(9_000)).await.unwrap_err().to_string()
}

#[tokio::test]
async fn what_does_not_show_the_block_is_an_error_that_names_no_key() {
    let response = |result: &mut Value, member: &str, value: Value| {
        result["response"][member] = value;
    };
    let error = error_of(move |method, result| {
        if method == "abci_query" {
            response(result, "code", 5.into());
        }
    });
    assert_eq!(error.await, "node: abci_query: code 5");
    let error = error_of(move |method, result| {
        if method == "abci_query" {
            response(result, "value", "AA==".into());
        }
    });
    assert_eq!(error.await, "node: abci_query: malformed count of milestones");
    let error = error_of(move |method, result| {
        if method == "abci_query" {
            response(result, "proofOps", Value::Null);
        }
    });
    assert_eq!(error.await, "node: proofs is malformed or does not show the block");
    let error = error_of(move |method, result| {
        if method == "commit" {
            result["signed_header"]["header"]["app_hash"] = "00".into();
        }
    });
    assert_eq!(error.await, "node: commit is malformed or does not show the block");
    let error = error_of(move |method, result| {
        if method == "validators" {
            result["validators"][0]["voting_power"] = "21".into();
        }
    });
    assert_eq!(error.await, "node: commit is malformed or does not show the block");
    // a list of validators that never ends
    let error = error_of(move |method, result| {
        if method == "validators" {
            let one = result["validators"][0].clone();
            result["validators"] = vec![one; 100].into();
            result["total"] = "1000000".into();
        }
    });
    assert_eq!(error.await, "node: commit is malformed or does not show the block");
    // a proof of another height than asked for
    let error = error_of(move |method, result| {
        if method == "abci_query" && result["response"]["proofOps"] != Value::Null {
            response(result, "height", "387".into());
        }
    });
    assert_eq!(error.await, "node: abci_query: malformed height");
    assert!(HeimdallNode::new("no url", "node", params()).is_err());
}

#[tokio::test]
async fn simulated_validators_sign_what_a_client_checks_over_three_sets() {
    let row = ChainRegistry::builtin().find("polygon").unwrap();
    let known = finality_params(row, Network::Simulated).unwrap();
    let FinalityParams::Milestone(params) = known.clone() else { panic!() };
    let set_seconds = 2 * params.heimdall.set_blocks;
    let begin = 1_796_000_000 / set_seconds;
    let now = UnixSeconds((begin + 4) * set_seconds + 1);
    let heimdall = SimulatedHeimdall::new(params, Arc::new(ManualClock::at(now)));
    let steps = heimdall.fetch_steps(begin - 1, 16).await.unwrap();
    assert_eq!(steps.len(), 5, "none of a height to come");
    let mut at = FinalitySet::named_by(&known, &steps[0].1).unwrap();
    assert_eq!(at.number(), begin);
    let mut first = None;
    for (number, step) in &steps[1..4] {
        let newest = |offset: u64| NewestFinal {
            number: BlockNumber(700 + offset),
            hash: Hash([offset as u8; 32]),
            timestamp: UnixSeconds(number * set_seconds + offset),
        };
        // at the first heights of a set, within, and at the last
        for offset in [0, 1, 2, 3, 300, set_seconds - 3] {
            let held = newest(offset);
            let evidence = heimdall.fetch_newest(held).await.unwrap();
            assert_eq!(evidence.signer(&known), Some(*number), "{offset}");
            let Verdict::Shown(shown) = check_evidence(&known, &at, &evidence, now) else {
                panic!("{offset}")
            };
            assert_eq!((shown.number(), shown.hash()), (Some(held.number), held.hash));
            assert!(evidence.encode().len() < 2_000);
            first.get_or_insert(evidence);
        }
        let Verdict::Shown(next) = at.advance(&known, step, now) else { panic!("{number}") };
        assert_ne!(next.id(), at.id());
        at = next;
    }
    // three sets on, the first block is of a set before; and its number is bound
    let first: ConsensusEvidence = first.unwrap();
    let needed = Shortfall::Set { needed: begin, held: begin + 3 };
    assert_eq!(check_evidence(&known, &at, &first, now), Verdict::NotEnough(needed));
    let other = ConsensusEvidence { number: BlockNumber(701), ..first };
    let (got, expected) = (BlockNumber(700), BlockNumber(701));
    let verdict = check_evidence(&known, &at, &other, now);
    assert_eq!(verdict, Verdict::Refusal(Refusal::Number { got, expected }));
}
