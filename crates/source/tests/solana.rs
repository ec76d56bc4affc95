//! Nodes of Solana, in memory and as a replay server answers for them: their words, their errors, their lies.

use crate::support;

use crate::slots;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_chain::{ChainRegistry, ChainSpec, Ledger, UntrustedBlock, verify};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, ClaimedBlock, EndpointConfig,
    EndpointState, LiveConfig, LiveSource, NodeAnswer, NodeReport, NodeRequest, RecordStep,
    Recorder, Recordings, SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, Hash};
use support::nodes::config;
use support::{Folder, Running};

/// Height of the newest block; the first is 0.
const HEAD: u64 = 1_999;
/// One that is neither the newest nor near it: it is searched for.
const FAR: u64 = 700;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("solana").unwrap()
}

fn genesis() -> String {
    let Ledger::Solana(params) = &row().ledger else { panic!() };
    params.genesis()
}

/// Each sixth slot is skipped, and ten thousand at a time when the cluster stood still.
const fn slot_of(height: u64) -> u64 {
    height + height / 5 + if height >= 1_000 { 10_000 } else { 0 }
}

/// The first height whose slot is that one or behind it.
fn height_from(slot: u64) -> u64 {
    (0..=HEAD).find(|height| slot_of(*height) >= slot).unwrap_or(HEAD + 1)
}

fn hash_of(branch: u8, height: u64) -> Hash {
    let mut hash = Hash([branch; 32]);
    hash.0[..8].copy_from_slice(&height.to_be_bytes());
    hash
}

fn base58(hash: &Hash) -> String {
    bs58::encode(hash.0).into_string()
}

/// The same as a source gives it.
fn at(height: u64) -> RawSolanaBlock {
    let below = height.checked_sub(1);
    RawSolanaBlock {
        number: BlockNumber(height),
        slot: slot_of(height),
        parent_slot: below.map_or(0, slot_of),
        hash: hash_of(1, height),
        parent_hash: below.map_or(Hash::ZERO, |below| hash_of(1, below)),
        time: 1_700_000_000 + height,
        entries: None,
    }
}

/// What a node answers: a body, or a status with what stands in it.
type Reply = Result<Vec<u8>, (u16, Vec<u8>)>;
/// What a liar does to the answer of a call.
type Lie = Arc<dyn Fn(&Value, &mut Reply) + Send + Sync>;

struct Node {
    name: &'static str,
    branch: u8,
    lie: Mutex<Option<Lie>>,
}

impl Node {
    fn of(name: &'static str, branch: u8) -> Arc<Self> {
        Arc::new(Self { name, branch, lie: Mutex::new(None) })
    }

    fn new(name: &'static str) -> Arc<Self> {
        Self::of(name, 1)
    }

    fn lying(lie: Lie) -> Arc<Self> {
        let node = Self::new("liar");
        *node.lie.lock().unwrap() = Some(lie);
        node
    }

    fn reply(&self, call: &Value) -> Reply {
        let answer = self.answer(call["method"].as_str().unwrap(), &call["params"]);
        let mut reply = Ok(body(call, answer));
        if let Some(lie) = self.lie.lock().unwrap().clone() {
            lie(call, &mut reply);
        }
        reply
    }

    /// A result, or an error with its code.
    fn answer(&self, method: &str, params: &Value) -> Result<Value, i64> {
        let asked = |at: usize| params[at].as_u64().unwrap();
        let is_final = |config: &Value| assert_eq!(config["commitment"], "finalized");
        Ok(match method {
            "getGenesisHash" => json!(genesis()),
            "getVersion" => json!({ "solana-core": "2.1.0", "feature-set": 7 }),
            "getSlot" => {
                is_final(&params[0]);
                json!(slot_of(HEAD))
            }
            "getBlock" => {
                is_final(&params[1]);
                let (slot, height) = (asked(0), height_from(asked(0)));
                if height > HEAD {
                    return Err(-32004);
                }
                if slot_of(height) != slot {
                    return Err(-32007);
                }
                let below = height.checked_sub(1);
                json!({
                    "blockHeight": height, "blockTime": 1_700_000_000 + height,
                    "blockhash": base58(&hash_of(self.branch, height)),
                    "parentSlot": below.map_or(0, slot_of),
                    "previousBlockhash":
                        base58(&below.map_or(Hash::ZERO, |below| hash_of(self.branch, below))),
                })
            }
            "getBlocks" => {
                is_final(&params[2]);
                let heights = height_from(asked(0))..height_from(asked(1).saturating_add(1));
                json!(heights.map(slot_of).collect::<Vec<_>>())
            }
            "getBlocksWithLimit" => {
                is_final(&params[2]);
                let first = height_from(asked(0));
                json!((first..=HEAD.min(first + asked(1) - 1)).map(slot_of).collect::<Vec<_>>())
            }
            _ => return Err(-32601),
        })
    }
}

fn body(call: &Value, answer: Result<Value, i64>) -> Vec<u8> {
    let id = &call["id"];
    let answer = match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(code) => {
            let error = json!({ "code": code, "message": "not here" });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    };
    answer.to_string().into_bytes()
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let reply = match serde_json::from_slice(&request.body).unwrap() {
            Value::Array(calls) => {
                calls.iter().map(|call| self.reply(call)).collect::<Result<Vec<_>, _>>()
            }
            call => self.reply(&call).map(|one| vec![one]),
        };
        let is_batch = request.body.starts_with(b"[");
        let join = |mut all: Vec<Vec<u8>>| match is_batch {
            true => [&b"["[..], &all.join(&b","[..]), b"]"].concat(),
            false => all.remove(0),
        };
        let reply = reply.map(join);
        let status = |(got, text)| TransportError::Status { got, retry_after_ms: None, text };
        Box::pin(std::future::ready(reply.map(|body| NodeAnswer { body }).map_err(status)))
    }
}

fn live_with(row: &ChainSpec, nodes: &[Arc<Node>], config: LiveConfig) -> LiveSource {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), row, transports, config).unwrap()
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(row(), nodes, config())
}

fn fares(source: &LiveSource, name: &str) -> NodeReport {
    let report = source.nodes().unwrap().report();
    report.endpoints.into_iter().find(|endpoint| endpoint.name == name).unwrap()
}

async fn whole(source: &LiveSource, height: u64) -> Result<Option<UntrustedBlock>, SourceError> {
    source.fetch_whole(BlockNumber(height)).await
}

#[tokio::test(start_paused = true)]
async fn every_height_is_found_behind_skipped_slots() {
    let source = live(&[Node::new("a"), Node::new("b")]);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head, tip.safe), (tip.finalized, None));
    assert_eq!(tip.head, ClaimedBlock { number: BlockNumber(HEAD), hash: hash_of(1, HEAD) });
    for height in [FAR, 0, 1, 4, 5, 6, 999, 1_000, 1_001, HEAD - 1, HEAD] {
        let block = whole(&source, height).await.unwrap().unwrap();
        assert_eq!(block, UntrustedBlock::Solana(Box::new(at(height))), "{height}");
        let block = verify(row(), &block).unwrap();
        assert_eq!((block.hash(), block.tx_count()), (hash_of(1, height), None));
        let (number, hash) = (BlockNumber(height), hash_of(1, height));
        let agreed = source.fetch_agreement(number).await.unwrap();
        assert_eq!((agreed.hash, agreed.sources.len()), (Some(hash), 2), "{height}");
        let other = BlockAt::Id(ClaimedBlock { number, hash: hash_of(2, height) });
        assert!(source.fetch_block(other, BlockParts::Header, &[]).await.unwrap().is_none());
    }
    assert_eq!(whole(&source, HEAD + 1).await.unwrap(), None);
    assert_eq!(whole(&source, u64::MAX).await.unwrap(), None);
    for name in ["a", "b"] {
        let fares = fares(&source, name);
        assert_eq!((fares.failure_count, fares.state), (0, EndpointState::Healthy), "{name}");
    }
}

const BLOCK: &str = "getBlock";
const LIMITED: &str = "getBlocksWithLimit";

/// Another result of a method, where the call is one that is lied about.
fn result_where(
    method: &'static str,
    is_lie: fn(&Value) -> bool,
    result: impl Fn(Value) -> Result<Value, i64> + Send + Sync + 'static,
) -> Lie {
    Arc::new(move |call, reply| {
        if call["method"] == method && is_lie(&call["params"]) {
            let honest: Value = serde_json::from_slice(reply.as_ref().unwrap()).unwrap();
            *reply = Ok(body(call, result(honest["result"].clone())));
        }
    })
}

fn result(method: &'static str, result: Value) -> Lie {
    result_where(method, |_| true, move |_| Ok(result.clone()))
}

/// A member of what a block is shown with, or none of that name where it is null.
fn member(name: &'static str, value: Value) -> Lie {
    result_where(
        BLOCK,
        |_| true,
        move |mut block| {
            let Some(members) = block.as_object_mut() else { return Ok(block) };
            match &value {
                Value::Null => drop(members.remove(name)),
                value => drop(members.insert(name.to_owned(), value.clone())),
            }
            Ok(block)
        },
    )
}

/// Another reply to a method, whatever it says.
fn instead(method: &'static str, other: Reply) -> Lie {
    Arc::new(move |call, reply| {
        if call["method"] == method {
            *reply = other.clone();
        }
    })
}

fn bytes(body: &str) -> Reply {
    Ok(body.as_bytes().to_vec())
}

/// Asks a liar for a block: nothing is given on, and the node is blamed. Gives what it is refused with, and
/// how the node fares then.
async fn refused(height: u64, lie: Lie) -> (String, NodeReport) {
    let config = LiveConfig { attempts_max: 1, ..config() };
    let source = live_with(row(), &[Node::lying(lie)], config);
    let error = match whole(&source, height).await {
        Err(error) => error.to_string(),
        Ok(block) => panic!("{block:?} was given on"),
    };
    let fares = fares(&source, "liar");
    assert!(fares.failure_count > 0 && fares.last_error.is_some(), "{error}: {fares:?}");
    (error, fares)
}

/// A node of another network, and one that contradicts itself, is set aside at once.
#[tokio::test(start_paused = true)]
async fn answers_that_cannot_be_are_refused_by_name_and_the_node_is_wrong() {
    let is_not_newest = |params: &Value| params[0] != slot_of(HEAD);
    let other = base58(&Hash([5; 32]));
    let height = |height: u64| {
        result_where(BLOCK, is_not_newest, move |mut block| {
            if let Some(shown) = block.get_mut("blockHeight") {
                *shown = json!(height);
            }
            Ok(block)
        })
    };
    for (told, lie) in [
        ("chain id is", result("getGenesisHash", json!(other))),
        (
            "blockHeight is 12399, expected at most the slot, 12398",
            member("blockHeight", json!(12_399)),
        ),
        ("expected at most the slot", member("blockHeight", json!(u64::MAX))),
        ("expected heights that rise with their slots", height(0)),
        ("slot is 3, expected", result(LIMITED, json!([3]))),
    ] {
        let (error, fares) = refused(FAR, lie).await;
        assert!(error.contains(told), "{told}: {error}");
        assert_eq!(fares.state, EndpointState::Wrong, "{told}: {fares:?}");
    }
    // a list, once a block below is known
    let is_list = |params: &Value| params[1] != 1;
    type Bend = fn(&mut Vec<Value>);
    let bends: [Bend; 4] = [
        |slots| slots.swap(1, 2),
        |slots| slots[1] = slots[0].clone(),
        |slots| slots.insert(0, json!(0)),
        |slots| slots.reverse(),
    ];
    for bend in bends {
        let lie = result_where(LIMITED, is_list, move |mut slots| {
            bend(slots.as_array_mut().unwrap());
            Ok(slots)
        });
        let (error, fares) = refused(FAR, lie).await;
        assert!(error.contains("expected slots that rise from"), "{error}");
        assert_eq!(fares.state, EndpointState::Wrong, "{fares:?}");
    }
}

/// A list that is cut or leaves blocks out leads to another height: the slots are asked for one by one then.
#[tokio::test(start_paused = true)]
async fn lists_that_leave_blocks_out_hide_no_block() {
    let is_list = |params: &Value| params[1] != 1;
    type Bend = fn(&mut Vec<Value>);
    let bends: [Bend; 4] = [
        |slots| drop(slots.remove(0)),
        |slots| slots.truncate(3),
        |slots| slots.clear(),
        |slots| slots.push(json!(u64::MAX)),
    ];
    for bend in bends {
        let lie = result_where(LIMITED, is_list, move |mut slots| {
            bend(slots.as_array_mut().unwrap());
            Ok(slots)
        });
        let source = live(&[Node::lying(lie)]);
        let found = whole(&source, FAR).await.unwrap();
        assert_eq!(found, Some(UntrustedBlock::Solana(Box::new(at(FAR)))));
    }
}

#[tokio::test(start_paused = true)]
async fn blocks_that_a_node_names_and_lacks_are_counted() {
    for (told, last, lie) in [
        ("blockHeight is null", "it does not know the height", member("blockHeight", Value::Null)),
        ("latest is null", "it has no block at or shortly before", result(BLOCK, Value::Null)),
        (
            "latest is null",
            "it has no block at or shortly before",
            result_where(BLOCK, |_| true, |_| Err(-32001)),
        ),
        ("latest is null", "it has no block", result("getSlot", json!(u64::MAX))),
    ] {
        let (error, fares) = refused(FAR, lie).await;
        assert!(error.replace('"', "").contains(told), "{told}: {error}");
        assert!(fares.last_error.as_ref().unwrap().contains(last), "{told}: {fares:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_refused_by_field_and_counted() {
    let deep = "[".repeat(100_000);
    for (told, lie) in [
        ("invalid type: integer", result("getGenesisHash", json!(7))),
        ("missing field `solana-core`", result("getVersion", json!({}))),
        ("invalid type: string", result("getSlot", json!("12398"))),
        ("invalid value: integer `-1`", result("getSlot", json!(-1))),
        ("invalid type: floating point", result("getSlot", json!(1.5))),
        ("invalid type: null", result("getSlot", Value::Null)),
        ("missing field `blockhash`", member("blockhash", Value::Null)),
        ("no 32 bytes in base58", member("blockhash", json!("1".repeat(33)))),
        ("no 32 bytes in base58", member("blockhash", json!(format!("0x{}", "11".repeat(32))))),
        ("no 32 bytes in base58", member("previousBlockhash", json!(""))),
        ("no 32 bytes in base58", member("previousBlockhash", json!("0OIl".repeat(11)))),
        ("missing field `parentSlot`", member("parentSlot", Value::Null)),
        ("invalid type: string", member("blockHeight", json!("1999"))),
        ("invalid type: map", member("blockTime", json!({}))),
        ("invalid type: map", result(LIMITED, json!({}))),
        ("invalid value", result(LIMITED, json!([1, -2]))),
        ("no json-rpc", instead("getSlot", bytes("<html>sign in</html>"))),
        ("no json-rpc", instead(BLOCK, bytes(""))),
        ("no json-rpc", instead(BLOCK, bytes(r#"{"jsonrpc":"2.0","result":{"#))),
        ("no json-rpc", instead(BLOCK, Ok(deep.into_bytes()))),
        ("no json-rpc", instead(BLOCK, Ok(vec![0xff; 40]))),
        ("id is 9999", instead(BLOCK, bytes(r#"{"jsonrpc":"2.0","id":9999,"result":null}"#))),
        ("id is 1", instead(BLOCK, bytes(r#"{"jsonrpc":"2.0","id":1}"#))),
    ] {
        let (error, _) = refused(FAR, lie).await;
        assert!(error.contains(told), "{told}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn http_errors_and_answers_past_the_limit_are_refused_and_counted() {
    for (status, told) in [
        (400, "http status 400"),
        (403, "http status 403"),
        (410, "http status 410"),
        (500, "http status 500"),
        (503, "http status 503"),
        (429, "it asks for fewer calls"),
    ] {
        for method in ["getGenesisHash", "getSlot", BLOCK, LIMITED] {
            let (error, _) = refused(FAR, instead(method, Err((status, b"busy".to_vec())))).await;
            assert!(error.contains(told), "{method}: {error}");
        }
    }
    let lie = instead(LIMITED, Ok(vec![b' '; (1 << 20) + 1]));
    let config = LiveConfig { attempts_max: 1, body_bytes_max: 1 << 20, ..config() };
    let source = live_with(row(), &[Node::lying(lie)], config);
    let error = whole(&source, FAR).await.unwrap_err().to_string();
    assert!(error.contains("an answer of more than 1048576 bytes"), "{error}");
    assert!(fares(&source, "liar").failure_count > 0);
}

#[tokio::test(start_paused = true)]
async fn nodes_of_two_branches_do_not_agree_and_a_good_node_answers_for_a_liar() {
    let source = live(&[Node::new("a"), Node::of("b", 2)]);
    let error = source.fetch_agreement(BlockNumber(HEAD)).await.unwrap_err();
    assert!(matches!(error, SourceError::Disagreement(_)), "{error}");
    let liar = Node::lying(member("blockHeight", json!(u64::MAX)));
    let source = live(&[liar, Node::new("good")]);
    let at = BlockAt::Number(BlockNumber(FAR));
    let found = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
    assert_eq!(&*found.sender, "good");
}

/// No hash of the line below binds another, so nothing is learned of reading it: a node that is believed alone
/// is asked for the block itself.
#[tokio::test(start_paused = true)]
async fn a_lone_node_is_not_asked_for_a_line() {
    let calls = Arc::new(Mutex::new(0_u32));
    let count = Arc::clone(&calls);
    let counting: Lie = Arc::new(move |_, _| *count.lock().unwrap() += 1);
    let source = live(&[Node::lying(counting)]);
    source.fetch_tip().await.unwrap();
    for height in [HEAD, HEAD - 1, HEAD - 2, HEAD - 10] {
        let before = *calls.lock().unwrap();
        let agreed = source.fetch_agreement(BlockNumber(height)).await.unwrap();
        assert_eq!(agreed.hash, Some(hash_of(1, height)), "{height}");
        let made = *calls.lock().unwrap() - before;
        assert!(made <= 6, "{made} calls for {height}");
    }
}

/// What one node says of slots is looked up again at each: a lie costs calls, and leads nobody astray.
#[tokio::test(start_paused = true)]
async fn slots_that_a_liar_named_mislead_no_other_node() {
    // every block has the height of another
    let lie = result_where(
        BLOCK,
        |_| true,
        |mut block| {
            if let Some(height) = block["blockHeight"].as_u64() {
                block["blockHeight"] = json!(height / 2);
            }
            Ok(block)
        },
    );
    let source = live(&[Node::lying(lie), Node::new("good")]);
    for height in [FAR, FAR + 1, FAR / 2, 3, HEAD / 2] {
        let agreed = source.fetch_agreement(BlockNumber(height)).await;
        let agreed = agreed.err().map(|error| error.to_string());
        assert!(agreed.is_some(), "{height}: two nodes that differ agree");
        let hash = hash_of(1, height);
        let id = BlockAt::Id(ClaimedBlock { number: BlockNumber(height), hash });
        let found = source.fetch_block(id, BlockParts::Header, &[]).await.unwrap().unwrap();
        assert_eq!(found.block, UntrustedBlock::Solana(Box::new(at(height))), "{height}");
        assert_eq!(&*found.sender, "good", "{height}");
    }
}

/// The synthetic block of slot 3 as a server of recordings shows it, its entries bent.
async fn with_entries(
    bend: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Result<RawSolanaBlock, String> {
    let raw = slots::synthetic().pop().unwrap();
    let entries: Vec<Value> = raw.entries.iter().flatten().map(shown_entry).collect();
    let lie: Lie = Arc::new(move |call, reply| {
        let found = match call["method"].as_str().unwrap() {
            "getSlot" => json!(3),
            BLOCK => json!({
                "blockHeight": 3, "blockTime": null, "blockhash": base58(&raw.hash),
                "parentSlot": 2, "previousBlockhash": base58(&raw.parent_hash),
            }),
            "superroot_getEntries" => {
                let mut entries = json!(entries);
                bend(&mut entries);
                entries
            }
            _ => return,
        };
        *reply = Ok(body(call, Ok(found)));
    });
    let config = LiveConfig { replay_servers: true, attempts_max: 1, ..config() };
    let source = live_with(row(), &[Node::lying(lie)], config);
    match whole(&source, 3).await {
        Ok(Some(UntrustedBlock::Solana(raw))) => Ok(*raw),
        Ok(other) => panic!("{other:?}"),
        Err(error) => {
            assert!(fares(&source, "liar").failure_count > 0, "{error}");
            Err(error.to_string())
        }
    }
}

fn shown_entry(entry: &superroot_chain::ledger::solana::RawEntry) -> Value {
    use base64::Engine;
    let text = |raw: &Vec<u8>| base64::prelude::BASE64_STANDARD.encode(raw);
    let transactions: Vec<_> = entry.transactions.iter().map(text).collect();
    json!({
        "num_hashes": entry.num_hashes, "hash": base58(&entry.hash),
        "transactions_base64": transactions,
    })
}

#[tokio::test(start_paused = true)]
async fn entries_are_read_and_what_is_none_is_refused_by_its_member() {
    let honest = with_entries(|_| ()).await.unwrap();
    assert_eq!(honest.entries, slots::synthetic().pop().unwrap().entries);
    let block = verify(row(), &UntrustedBlock::Solana(Box::new(honest))).unwrap();
    assert!(block.tx_count().is_some_and(|count| count > 0));
    let bare = with_entries(|entries| *entries = Value::Null).await.unwrap();
    assert_eq!(bare.entries, None);
    type Bend = fn(&mut Value);
    let bends: [(&str, Bend); 8] = [
        ("invalid type: map", |entries| *entries = json!({})),
        ("entries[1].hash cannot be read", |entries| entries[1]["hash"] = json!("1")),
        ("entries[2].transactions_base64 cannot be read", |entries| {
            entries[2]["transactions_base64"] = json!(["%"]);
        }),
        ("invalid value: integer `-1`", |entries| entries[0]["num_hashes"] = json!(-1)),
        ("missing field `hash`", |entries| {
            entries[0].as_object_mut().unwrap().remove("hash");
        }),
        ("invalid type: string", |entries| entries[0]["num_hashes"] = json!("7")),
        ("invalid type: map", |entries| entries[0]["transactions_base64"] = json!({})),
        ("invalid type: null", |entries| entries[3] = Value::Null),
    ];
    for (told, bend) in bends {
        let error = with_entries(bend).await.unwrap_err();
        assert!(error.contains(told) && error.contains("another shape"), "{told}: {error}");
    }
}

/// What reads well and is false is refused by the hashes; more of them than a verifier takes is not begun.
#[tokio::test(start_paused = true)]
async fn bent_entries_are_refused_by_their_hashes() {
    type Bend = fn(&mut Value);
    let bends: [(&str, Bend); 6] = [
        ("entries[0].hash is", |entries| entries[0]["num_hashes"] = json!(1)),
        ("entries[0].hash is", |entries| entries.as_array_mut().unwrap().swap(0, 1)),
        ("entries without transactions is 63", |entries| {
            entries.as_array_mut().unwrap().remove(0);
        }),
        ("entries without transactions is 65", |entries| {
            let first = entries[0].clone();
            entries.as_array_mut().unwrap().insert(0, first);
        }),
        ("entries without transactions is 0", |entries| *entries = json!([])),
        ("entries[2].transactions[0] cannot be read", |entries| {
            entries[2]["transactions_base64"][0] = json!("AAAA");
        }),
    ];
    for (told, bend) in bends {
        let raw = with_entries(bend).await.unwrap();
        let error = verify(row(), &UntrustedBlock::Solana(Box::new(raw))).unwrap_err().to_string();
        assert!(error.starts_with(told), "{told}: {error}");
    }
    let raw = with_entries(|entries| entries[0]["num_hashes"] = json!(u64::MAX)).await.unwrap();
    let block = verify(row(), &UntrustedBlock::Solana(Box::new(raw))).unwrap();
    assert!(block.is_withheld_on_claim() && block.tx_count().is_none());
    assert!(block.body_withheld().unwrap().contains("recomputed are at most"));
}

/// A replay server answers as a node would, and what is recorded of it is what it was made of.
#[tokio::test]
async fn a_block_recorded_from_a_replay_reads_back_as_it_was() {
    let blocks = slots::synthetic().split_off(1);
    let mut folder = Folder::new();
    for raw in &blocks {
        let (number, file) = (raw.number, format!("{}.json", raw.number));
        let entries: Vec<Value> = raw.entries.iter().flatten().map(shown_entry).collect();
        let block = json!({
            "number": number, "hash": raw.hash, "slot": raw.slot, "parent_slot": raw.parent_slot,
            "previous_blockhash": base58(&raw.parent_hash), "entries": entries,
        });
        folder.file(&file, &json!({ "chainId": row().id, "block": block }).to_string());
        folder.row(json!({ "chainId": row().id, "block": number, "hash": raw.hash, "file": file }));
    }
    folder.write_index();
    let server = Running::start(folder.open()).await;
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let at = vec![EndpointConfig::at(&format!("{}/solana", server.url))];
    let source = LiveSource::new(&Budget::default(), row(), at, config).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::open(copy.path(), row()).unwrap();
    let mut steps = Vec::new();
    let numbers = blocks.iter().map(|block| block.number);
    recorder.record(&source, numbers, |step| steps.push(step)).await.unwrap();
    assert!(steps.iter().all(|step| matches!(step, RecordStep::Written { .. })), "{steps:?}");
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let read = Arc::new(recordings).source(row().key()).unwrap();
    for expected in blocks {
        let block = read.fetch_whole(expected.number).await.unwrap().unwrap();
        assert_eq!(block, UntrustedBlock::Solana(Box::new(expected)));
    }
    server.stop().await;
}

/// A node that has no block of the first slots, and none of some heights: what it has is found, what it has not is absent.
#[tokio::test]
async fn low_heights_are_found_where_the_first_blocks_are_not_there() {
    let heights = [130_u64, 131, 200, 450, 511, 512, 700, 1_999];
    let mut folder = Folder::new();
    for raw in heights.map(at) {
        let (number, file) = (raw.number, format!("{}.json", raw.number));
        let block = json!({
            "number": number, "hash": raw.hash, "slot": raw.slot, "parent_slot": raw.parent_slot,
            "previous_blockhash": base58(&raw.parent_hash), "block_time": raw.time,
            "entries": null,
        });
        folder.file(&file, &json!({ "chainId": row().id, "block": block }).to_string());
        folder.row(json!({ "chainId": row().id, "block": number, "hash": raw.hash, "file": file }));
    }
    folder.write_index();
    let server = Running::start(folder.open()).await;
    for height in heights.into_iter().chain([129, 132, 449, 1_000]) {
        // one that was asked for nothing before: no slot is remembered
        let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
        let endpoints = vec![EndpointConfig::at(&format!("{}/solana", server.url))];
        let source = LiveSource::new(&Budget::default(), row(), endpoints, config).unwrap();
        let found = whole(&source, height).await.unwrap();
        let is_there = heights.contains(&height);
        assert_eq!(found, is_there.then(|| UntrustedBlock::Solana(Box::new(at(height)))));
    }
    server.stop().await;
}
