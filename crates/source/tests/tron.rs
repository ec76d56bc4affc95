//! Nodes of Tron, in memory and as a replay server answers for them: their words, their errors, their lies.

use crate::support;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::tron::build::{Transfer, block};
use superroot_chain::ledger::tron::{HttpBlock, RawTronBlock, RawTronHeader};
use superroot_chain::{ChainRegistry, ChainSpec, Ledger, SignedBlock, UntrustedBlock, verify};
use superroot_proof::finality::producers::{signing_address, write_producer_set};
use superroot_proof::finality::{FinalitySet, Verdict, check_evidence};
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::tron::Header;
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, ClaimedBlock, EndpointConfig, FinalityAsk,
    LiveConfig, LiveSource, NodeAnswer, NodeRequest, RecordStep, Recorder, Recordings,
    SimulatedChain, SimulatedConfig, Transport, TransportError,
};
use superroot_types::{Address, BlockNumber, Hash, ManualClock, Network, UnixSeconds};
use support::nodes::config;
use support::{Folder, Running};

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("tron").unwrap()
}

fn genesis() -> Hash {
    let Ledger::Tron(params) = &row().ledger else { panic!("another ledger") };
    params.genesis
}

/// A block of so many transfers, above a block of any id.
fn made(number: u64, transfers: u8) -> RawTronBlock {
    let transfer = |at: u8| Transfer {
        owner: [0x41; 21],
        to: [at; 21],
        amount: i64::from(at) + 1,
        timestamp_ms: 1_700_000_000_000,
        signature: [at; 65],
    };
    let transactions = (0..transfers).map(|at| transfer(at).encode()).collect();
    let mut parent = Hash([7; 32]);
    parent.0[..8].copy_from_slice(&(number - 1).to_be_bytes());
    block(BlockNumber(number), parent, 1_700_000_001_500, &[0x41; 21], transactions).unwrap()
}

/// What a node answers, by path and body.
type Lie = fn(&str, &Value, &mut Value);

struct Node {
    name: &'static str,
    /// Its blocks, by number; the last is the newest.
    blocks: Vec<RawTronBlock>,
    /// How many of them are not final.
    open: usize,
    lie: Mutex<Option<Lie>>,
}

impl Node {
    fn new(name: &'static str, blocks: Vec<RawTronBlock>, open: usize) -> Arc<Self> {
        Arc::new(Self { name, blocks, open, lie: Mutex::new(None) })
    }

    fn lying(name: &'static str, lie: Lie) -> Arc<Self> {
        let node = Self::new(name, vec![made(100, 3), made(101, 5), made(102, 1)], 1);
        *node.lie.lock().unwrap() = Some(lie);
        node
    }

    fn answer(&self, path: &str, body: &Value) -> Value {
        let find = |text: &str| {
            let is_it = |one: &&RawTronBlock| {
                one.number.to_string() == text || const_hex::encode(one.hash.0) == text
            };
            self.blocks.iter().find(is_it)
        };
        let shown = |block: Option<&RawTronBlock>, detail: bool| {
            let Some(block) = block else { return json!({}) };
            let transactions = block.transactions.clone().filter(|_| detail);
            json!(HttpBlock::show(&RawTronBlock { transactions, ..block.clone() }).unwrap())
        };
        let id = body["id_or_num"].as_str();
        let detail = body["detail"] == true;
        match path {
            "/wallet/getnodeinfo" => json!({ "configNodeInfo": { "codeVersion": "4.8.0" } }),
            "/wallet/getblock" if id == Some("0") => first(),
            "/wallet/getblock" => shown(id.map_or_else(|| self.blocks.last(), find), detail),
            "/walletsolidity/getblock" => {
                let newest = self.blocks.len().checked_sub(1 + self.open);
                shown(newest.map(|at| &self.blocks[at]), detail)
            }
            "/wallet/getblockbynum" => shown(find(&body["num"].to_string()), true),
            "/wallet/getblockbyid" => shown(find(body["value"].as_str().unwrap()), true),
            other => panic!("{other} is no path of a node"),
        }
    }
}

/// The first block of the main network, as nodes show it: made of the rules in `genesis.py`.
fn first() -> Value {
    let text = include_str!("tron/genesis.json");
    let mut block: Value = serde_json::from_str(text).unwrap();
    block.as_object_mut().unwrap().remove("transactions");
    block
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let path = request.path.expect("a path").path;
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let mut answer = self.answer(&path, &body);
        if let Some(lie) = *self.lie.lock().unwrap() {
            lie(&path, &body, &mut answer);
        }
        Box::pin(std::future::ready(Ok(NodeAnswer { body: answer.to_string().into_bytes() })))
    }
}

fn live_with(nodes: &[Arc<Node>], config: LiveConfig) -> LiveSource {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), row(), transports, config).unwrap()
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, config())
}

fn chain() -> Vec<RawTronBlock> {
    vec![made(100, 3), made(101, 5), made(102, 0)]
}

#[tokio::test(start_paused = true)]
async fn what_is_final_is_what_nodes_call_solid() {
    let nodes = [Node::new("a", chain(), 1), Node::new("b", chain(), 1)];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number, tip.finalized.number), (BlockNumber(102), BlockNumber(101)));
    assert_eq!(tip.finalized.hash, made(101, 5).hash);
    let agreement = source.fetch_agreement(BlockNumber(100)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "finalized tag"));
    for (ask, number) in [(FinalityAsk::Latest, 102), (FinalityAsk::Confirmations(2), 100)] {
        let source = live_with(&nodes, LiveConfig { finality: ask, ..config() });
        assert_eq!(source.fetch_tip().await.unwrap().finalized.number, BlockNumber(number));
    }
}

#[tokio::test(start_paused = true)]
async fn blocks_are_read_by_number_and_by_id_whole_and_as_headers() {
    let nodes = [Node::new("a", chain(), 1), Node::new("b", chain(), 1)];
    let source = live(&nodes);
    for expected in chain() {
        let (number, hash) = (expected.number, expected.hash);
        for at in [BlockAt::Number(number), BlockAt::Id(ClaimedBlock { number, hash })] {
            for parts in [BlockParts::Header, BlockParts::Whole] {
                let fetched = source.fetch_block(at, parts, &[]).await.unwrap().unwrap();
                let mut expected = expected.clone();
                expected.transactions =
                    expected.transactions.filter(|_| parts == BlockParts::Whole);
                assert_eq!(fetched.block, UntrustedBlock::Tron(Box::new(expected)));
                assert_eq!(verify(row(), &fetched.block).unwrap().hash(), hash);
            }
        }
    }
    assert_eq!(source.fetch_whole(BlockNumber(103)).await.unwrap(), None);
}

/// Every wrong answer is refused by a name, and its node is blamed; nothing comes out of it.
#[tokio::test(start_paused = true)]
async fn wrong_answers_are_refused_by_name() {
    let lies: [(&str, Lie); 15] = [
        ("chain id", |_, body, answer| {
            if body["id_or_num"] == "0" {
                *answer = json!(HttpBlock::show(&made(100, 1)).unwrap());
            }
        }),
        ("chain id", |_, body, answer| {
            if body["id_or_num"] == "0" {
                *answer = json!({});
            }
        }),
        ("blockID", |path, _, answer| {
            if path == "/wallet/getblock" && answer["block_header"]["raw_data"]["number"] == 102 {
                answer["block_header"]["raw_data"]["timestamp"] = json!(5);
            }
        }),
        ("number", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                *answer = json!(HttpBlock::show(&made(102, 1)).unwrap());
            }
        }),
        ("txID", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][1]["txID"] = json!("00".repeat(32));
            }
        }),
        ("raw_data_hex", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][1]["raw_data_hex"] = json!("0x0a");
            }
        }),
        ("signature", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][0]["signature"][0] = json!("zz");
            }
        }),
        ("contractRet", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][2]["ret"][0]["contractRet"] = json!("SUCESS");
            }
        }),
        ("orderDetails", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][2]["ret"][0]["orderDetails"] = json!([]);
            }
        }),
        ("1002", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"][2]["ret"][0]["1002"] = json!([{ "1": [2] }]);
            }
        }),
        ("sequence", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["transactions"] = json!("many");
            }
        }),
        ("without a blockID", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer.as_object_mut().unwrap().remove("blockID");
            }
        }),
        ("block_header.raw_data.extra", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["block_header"]["raw_data"]["extra"] = json!(1);
            }
        }),
        ("floating point", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                answer["block_header"]["raw_data"]["timestamp"] = json!(1.5);
            }
        }),
        ("lack of computing resources", |path, _, answer| {
            if path == "/wallet/getblockbynum" {
                *answer = json!({ "Error": "lack of computing resources" });
            }
        }),
    ];
    for (word, lie) in lies {
        let config = LiveConfig { attempts_max: 1, ..config() };
        let source = live_with(&[Node::lying("a", lie)], config);
        // of a block without headers around
        let whole = source.fetch_whole(BlockNumber(101)).await;
        let error = match whole {
            Err(error) => error.to_string(),
            Ok(block) => match source.fetch_tip().await {
                Err(error) => error.to_string(),
                Ok(tip) => panic!("{word}: {block:?}, {tip:?}"),
            },
        };
        assert!(error.contains(word), "{word}: {error}");
    }
}

fn in_list(answer: &mut Value, bend: impl FnOnce(&mut Vec<Value>)) {
    let list = answer.as_object_mut().and_then(|members| members.get_mut("transactions"));
    if let Some(list) = list.and_then(Value::as_array_mut).filter(|list| list.len() > 1) {
        bend(list);
    }
}

/// What reads well and is false is refused by its tree.
#[tokio::test(start_paused = true)]
async fn cut_lengthened_and_swapped_lists_are_refused_by_the_tree() {
    let lies: [Lie; 4] = [
        |_, _, answer| in_list(answer, |list| drop(list.pop())),
        |_, _, answer| in_list(answer, |list| list.swap(0, 1)),
        |_, _, answer| in_list(answer, |list| list.push(list[0].clone())),
        |_, _, answer| in_list(answer, |list| list[1]["ret"][0]["contractRet"] = json!("REVERT")),
    ];
    for lie in lies {
        let source = live(&[Node::lying("a", lie)]);
        let block = source.fetch_whole(BlockNumber(100)).await.unwrap().unwrap();
        let error = verify(row(), &block).unwrap_err().to_string();
        assert!(error.starts_with("txTrieRoot is "), "{error}");
    }
}

/// A recordings folder of these blocks, in the form that `superroot record` writes.
fn folder(blocks: &[RawTronBlock]) -> Folder {
    let mut folder = Folder::new();
    for raw in blocks {
        let hex = |bytes: &Vec<u8>| const_hex::encode(bytes);
        let mut block =
            json!({ "number": raw.number, "hash": raw.hash, "header": hex(&raw.header) });
        if let Some(list) = &raw.transactions {
            block["transactions"] = list.iter().map(hex).collect();
        }
        if let Some(signature) = &raw.signature {
            block["signature"] = json!(hex(signature));
        }
        let (number, hash) = (raw.number, raw.hash);
        let file = format!("{number}.json");
        folder.file(&file, &json!({ "chainId": row().id, "block": block }).to_string());
        folder.row(json!({ "chainId": row().id, "block": number, "hash": hash, "file": file }));
    }
    folder.write_index();
    folder
}

#[tokio::test]
async fn recordings_are_given_out_and_what_is_none_is_an_error_of_its_file() {
    let header = RawTronBlock { transactions: None, ..made(101, 5) };
    let folder = folder(&[made(100, 3), header.clone()]);
    let source = folder.open().source(row().key()).unwrap();
    let block = source.fetch_whole(BlockNumber(100)).await.unwrap().unwrap();
    assert_eq!(verify(row(), &block).unwrap().extent().to_string(), "header+transactions");
    let block = source.fetch_whole(BlockNumber(101)).await.unwrap().unwrap();
    assert_eq!(block, UntrustedBlock::Tron(Box::new(header)));

    let hash = made(100, 3).hash;
    for (block, expected) in [
        (json!({ "number": 100, "hash": hash }), "header"),
        (json!({ "number": 100, "hash": hash, "header": "0" }), "block.header is no hex"),
        (
            json!({ "number": 100, "hash": hash, "header": "00", "transactions": ["00", "x"] }),
            "block.transactions[1] is no hex",
        ),
        (json!({ "number": 100, "hash": hash, "header": "00", "transactions": 7 }), "transactions"),
        (
            json!({ "number": 100, "hash": hash, "header": "00", "signature": "0z" }),
            "block.signature is no hex",
        ),
        (
            json!({ "number": 100, "hash": hash, "header": "00", "run": [
                { "header": "00", "signature": "00" },
                { "header": "00", "signature": "x" },
            ] }),
            "block.run[1].signature is no hex",
        ),
    ] {
        let mut folder = Folder::new();
        folder.file("x.json", &json!({ "chainId": row().id, "block": block }).to_string());
        folder.row(json!({ "chainId": row().id, "block": 100, "hash": hash, "file": "x.json" }));
        folder.write_index();
        let source = folder.open().source(row().key()).unwrap();
        let error = source.fetch_whole(BlockNumber(100)).await.unwrap_err().to_string();
        assert!(error.contains("x.json") && error.contains(expected), "{error}");
    }
}

async fn ask(server: &Running, path: &str, body: &Value) -> (u16, Value) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = http.post(format!("{}/tron/{path}", server.url)).body(body.to_string());
    let answer = answer.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
}

#[tokio::test]
async fn a_replay_answers_as_a_node_would() {
    let folder = folder(&[made(100, 3), made(101, 5)]);
    let server = Running::start(folder.open()).await;
    let whole = json!(HttpBlock::show(&made(101, 5)).unwrap());
    let newest = json!({ "detail": true });
    let id = const_hex::encode(made(101, 5).hash.0);
    for (path, body) in [
        ("wallet/getnowblock", json!({})),
        ("walletsolidity/getnowblock", json!({})),
        ("wallet/getblock", newest.clone()),
        ("walletsolidity/getblock", newest),
        ("wallet/getblock", json!({ "id_or_num": "101", "detail": true })),
        ("wallet/getblock", json!({ "id_or_num": id, "detail": true })),
        ("wallet/getblockbynum", json!({ "num": 101 })),
        ("wallet/getblockbyid", json!({ "value": id })),
    ] {
        assert_eq!(ask(&server, path, &body).await, (200, whole.clone()), "{path} {body}");
    }
    let (_, header) = ask(&server, "wallet/getblock", &json!({ "id_or_num": "101" })).await;
    assert_eq!(header["block_header"], whole["block_header"]);
    assert!(header.get("transactions").is_none());
    for (path, body) in [
        ("wallet/getblockbynum", json!({ "num": 7 })),
        ("wallet/getblockbyid", json!({ "value": "00".repeat(32) })),
    ] {
        assert_eq!(ask(&server, path, &body).await, (200, json!({})), "{path}");
    }
    for (path, body) in [
        ("wallet/getblockbynum", json!({ "num": "x" })),
        ("wallet/getblockbyid", json!({ "value": "0x00" })),
        ("wallet/getblock", json!({ "id_or_num": "none" })),
        ("wallet/getblock", json!(7)),
    ] {
        let (status, answer) = ask(&server, path, &body).await;
        assert!(status == 200 && answer["Error"].is_string(), "{path} {body}: {answer}");
    }
    assert_eq!(ask(&server, "wallet/getaccount", &json!({})).await.0, 404);
}

/// What was recorded of a node reads back as the same block.
#[tokio::test]
async fn a_block_recorded_from_a_node_reads_back_the_same() {
    let blocks = [made(100, 3), made(101, 5)];
    let folder = folder(&blocks);
    let server = Running::start(folder.open()).await;
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let at = vec![EndpointConfig::at(&format!("{}/tron", server.url))];
    let source = LiveSource::new(&Budget::default(), row(), at, config).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::open(copy.path(), row()).unwrap();
    let mut steps = Vec::new();
    let numbers = [BlockNumber(100), BlockNumber(101)];
    recorder.record(&source, numbers, |step| steps.push(step)).await.unwrap();
    assert!(steps.iter().all(|step| matches!(step, RecordStep::Written { .. })), "{steps:?}");
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let read = Arc::new(recordings).source(row().key()).unwrap();
    for expected in blocks {
        let block = read.fetch_whole(expected.number).await.unwrap().unwrap();
        assert_eq!(block, UntrustedBlock::Tron(Box::new(expected)));
    }
}

/// The first block, made of the configuration that everybody has, hashes to the id that everybody knows.
#[test]
fn the_first_block_of_the_network_verifies() {
    let block: HttpBlock = serde_json::from_str(include_str!("tron/genesis.json")).unwrap();
    let raw = block.into_raw(true).unwrap();
    assert_eq!((raw.number, raw.hash), (BlockNumber(0), genesis()));
    let block = verify(row(), &UntrustedBlock::Tron(Box::new(raw))).unwrap();
    assert_eq!((block.tx_count(), block.timestamp().0), (Some(3), 0));
}

const GENESIS: UnixSeconds = UnixSeconds(1_700_000_000);

/// Newest blocks of a simulated chain, so many, each with the own signature.
async fn simulated(count: u64) -> (ChainSpec, Vec<RawTronBlock>) {
    let simulated = row().clone().as_simulated();
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS.0 + 2 * 600)));
    let config = SimulatedConfig {
        reorgs: false,
        block_time_seconds: 2,
        ..SimulatedConfig::new(7, GENESIS)
    };
    let source = SimulatedChain::new(&simulated, config, clock.clone()).unwrap();
    let head = source.fetch_tip().await.unwrap().head.number.0;
    let mut blocks = Vec::new();
    for number in head + 1 - count..=head {
        let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let UntrustedBlock::Tron(raw) = block else { panic!("another ledger") };
        blocks.push(*raw);
    }
    (simulated, blocks)
}

/// Simulated blocks are signed: every 20th brings evidence of a round, and a step from day to day.
#[tokio::test]
async fn simulated_blocks_bring_evidence_and_steps() {
    let (simulated, blocks) = simulated(480).await;
    let params = finality_params(row(), Network::Simulated).unwrap();
    let mut set: Option<FinalitySet> = None;
    let (mut steps, mut shown) = (0, 0);
    for raw in blocks {
        let number = raw.number.0;
        let verified = verify(&simulated, &UntrustedBlock::Tron(Box::new(raw))).unwrap();
        let now = verified.timestamp();
        assert_eq!(verified.signed().is_some(), number % 20 == 0, "{number}");
        let Some(SignedBlock { evidence, ends_set, step }) = verified.signed() else { continue };
        assert_eq!(evidence.number.0, number - 26);
        assert_eq!(ends_set.is_some(), step.is_some());
        if let Some(own) = &set {
            let verdict = check_evidence(&params, own, evidence, now);
            assert!(matches!(verdict, Verdict::Shown(_)), "{number}: {verdict:?}");
            shown += 1;
        }
        let (Some(ended), Some(step)) = (ends_set, step) else { continue };
        let named = FinalitySet::named_by(&params, step).unwrap();
        assert_eq!(named.number(), ended + 1);
        set = Some(match set {
            // keys that come delegated are not followed
            Some(own) if own.number() == *ended => {
                steps += 1;
                own.advance(&params, step, now).shown().unwrap()
            }
            _ => named,
        });
    }
    assert!(steps >= 3 && shown >= 15, "{steps} steps, {shown} shown");
}

/// The producers of signed blocks, each by its own key or by the one that its signature names.
fn producers_of(blocks: &[RawTronBlock], day: u64) -> Vec<u8> {
    let mut pairs: Vec<(Address, Address)> = Vec::new();
    for raw in blocks {
        let header = Header::decode(&raw.header).unwrap();
        let signature = raw.signature.clone().unwrap().try_into().unwrap();
        let key = signing_address(&sha256_joined(&[&raw.header]), &signature).unwrap();
        pairs.push((Address(header.witness_address[1..].try_into().unwrap()), key));
    }
    pairs.sort_by_key(|(producer, _)| producer.0);
    pairs.dedup();
    write_producer_set(day, &pairs)
}

#[tokio::test]
async fn nodes_give_a_round_of_signed_headers_with_every_20th_block() {
    let (_, blocks) = simulated(80).await;
    let at = blocks.iter().position(|one| one.number.0 % 20 == 0 && one.number > blocks[8].number);
    let at = at.unwrap();
    let signed = |range: std::ops::Range<usize>| -> Vec<RawTronHeader> {
        let one = |raw: &RawTronBlock| RawTronHeader {
            header: raw.header.clone(),
            signature: raw.signature.clone().unwrap(),
        };
        blocks[range].iter().map(one).collect()
    };
    let fetch = async |node: Arc<Node>, at: usize| {
        let source = live_with(&[node], LiveConfig { attempts_max: 1, ..config() });
        let block = source.fetch_whole(blocks[at].number).await.unwrap().unwrap();
        let verified = verify(row(), &block).unwrap();
        let UntrustedBlock::Tron(raw) = block else { panic!("another ledger") };
        assert_eq!(raw.signature, blocks[at].signature);
        (raw.run, verified.signed().cloned())
    };
    let (run, evidence) = fetch(Node::new("a", blocks.clone(), 18), at).await;
    assert_eq!(run, signed(at - 8..at + 19));
    let SignedBlock { evidence, ends_set, step } = evidence.unwrap();
    assert_eq!((evidence.number, ends_set, step), (blocks[at - 8].number, None, None));
    let params = finality_params(row(), Network::Live).unwrap();
    let day = evidence.signer(&params).unwrap();
    let set = producers_of(&blocks[at - 8..at + 19], day);
    let set = FinalitySet::decode(&params, &set).unwrap();
    let now = UnixSeconds(GENESIS.0 + 12 * 600);
    let verdict = check_evidence(&params, &set, &evidence, now);
    assert!(matches!(verdict, Verdict::Shown(_)), "{verdict:?}");
    // other blocks have none, and so has a header
    assert_eq!(fetch(Node::new("a", blocks.clone(), 18), at + 1).await, (Vec::new(), None));
    let source = live(&[Node::new("a", blocks.clone(), 18)]);
    let number = BlockAt::Number(blocks[at].number);
    let header = source.fetch_block(number, BlockParts::Header, &[]).await.unwrap().unwrap();
    assert_eq!(verify(row(), &header.block).unwrap().signed(), None);
    // a node whose head is lower has a shorter round
    let (run, evidence) = fetch(Node::new("a", blocks[..at + 12].to_vec(), 1), at).await;
    assert_eq!((run.len(), evidence.is_some()), (20, true));
    let (run, evidence) = fetch(Node::new("a", blocks[..at + 3].to_vec(), 1), at).await;
    assert_eq!((run.len(), evidence), (11, None));
}

/// Shortly after a day of the main network began, the headers back to the day before come too.
#[tokio::test]
async fn the_step_of_a_day_is_asked_for_once_its_window_is_over() {
    let simulated = row().clone().as_simulated();
    let day = 20_000;
    let genesis = UnixSeconds(day * 86_400 - 300);
    let clock = Arc::new(ManualClock::at(UnixSeconds(genesis.0 + 3 * 260)));
    let config = SimulatedConfig {
        reorgs: false,
        block_time_seconds: 3,
        ..SimulatedConfig::new(7, genesis)
    };
    let source = SimulatedChain::new(&simulated, config, clock).unwrap();
    let head = source.fetch_tip().await.unwrap().head.number.0;
    let mut blocks = Vec::new();
    for number in head - 200..=head {
        let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let UntrustedBlock::Tron(raw) = block else { panic!("another ledger") };
        blocks.push(*raw);
    }
    // block 100 of the chain is the first of the day
    let begin = head - 160;
    let live = live_with(&[Node::new("a", blocks, 18)], config_of_one());
    let params = finality_params(row(), Network::Live).unwrap();
    let mut stepped = Vec::new();
    for number in (begin - 30..=head - 18).filter(|number| number % 20 == 0) {
        let block = live.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let verified = verify(row(), &block).unwrap();
        let SignedBlock { ends_set, step, .. } = verified.signed().unwrap();
        let Some(step) = step else { continue };
        assert_eq!(*ends_set, Some(day - 1));
        let named = FinalitySet::named_by(&params, step).unwrap();
        assert_eq!((named.number(), named.encode().len()), (day, 9 + 27 * 40));
        assert!(step.len() < 12_500, "{} bytes", step.len());
        // by the same producers on the day before
        let old = [&(day - 1).to_be_bytes()[..], &named.encode()[8..]].concat();
        let old = FinalitySet::decode(&params, &old).unwrap();
        let next = old.advance(&params, step, UnixSeconds(verified.timestamp().0 + 60));
        assert_eq!(next, Verdict::Shown(named));
        stepped.push(number - begin);
    }
    assert!((2..=3).contains(&stepped.len()), "{stepped:?}");
    assert!(stepped.iter().all(|behind| (72..132).contains(behind)), "{stepped:?}");
}

fn config_of_one() -> LiveConfig {
    LiveConfig { attempts_max: 1, calls_per_second_max: 1_000, ..config() }
}

/// A block comes whatever a node says of the headers around.
#[tokio::test]
async fn headers_that_fail_cost_the_evidence_alone() {
    let (_, blocks) = simulated(80).await;
    let at = blocks.iter().position(|one| one.number.0 % 20 == 0 && one.number > blocks[8].number);
    let at = at.unwrap();
    let lies: [Lie; 5] = [
        |path, body, answer| {
            if path == "/wallet/getblock" && body["id_or_num"] != "0" {
                *answer = json!({ "Error": "lack of computing resources" });
            }
        },
        |path, _, answer| {
            if path == "/wallet/getblock" {
                answer["block_header"].as_object_mut().unwrap().remove("witness_signature");
            }
        },
        |path, _, answer| {
            if path == "/wallet/getblock" {
                answer["block_header"]["witness_signature"] = json!("0xzz");
            }
        },
        |path, _, answer| {
            if path == "/wallet/getblock" {
                answer["block_header"]["witness_signature"] = json!("00".repeat(65));
            }
        },
        |path, body, answer| {
            if path == "/wallet/getblock" && body["id_or_num"] != "0" {
                *answer = json!(7);
            }
        },
    ];
    for (index, lie) in lies.into_iter().enumerate() {
        let node = Node::new("a", blocks.clone(), 18);
        *node.lie.lock().unwrap() = Some(lie);
        let source = live_with(&[node], LiveConfig { attempts_max: 1, ..config() });
        let block = source.fetch_whole(blocks[at].number).await.unwrap().unwrap();
        let verified = verify(row(), &block).unwrap();
        assert_eq!((verified.hash(), verified.signed()), (blocks[at].hash, None), "{index}");
    }
}

/// Signatures go through a recording, a replay server and another recording.
#[tokio::test]
async fn signatures_and_runs_are_recorded_and_replayed() {
    let (simulated, blocks) = simulated(60).await;
    let folder = folder(&blocks);
    let server = Running::start(folder.open()).await;
    let asked = json!({ "id_or_num": blocks[3].number.to_string() });
    let (_, header) = ask(&server, "wallet/getblock", &asked).await;
    let signature = const_hex::encode(blocks[3].signature.as_ref().unwrap());
    assert_eq!(header["block_header"]["witness_signature"], signature);
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let at = vec![EndpointConfig::at(&format!("{}/tron", server.url))];
    let source = LiveSource::new(&Budget::default(), row(), at, config).unwrap();
    let at = blocks.iter().position(|one| one.number.0 % 20 == 0 && one.number > blocks[8].number);
    let number = blocks[at.unwrap()].number;
    let block = source.fetch_whole(number).await.unwrap().unwrap();
    let UntrustedBlock::Tron(raw) = &block else { panic!("another ledger") };
    assert_eq!(raw.run.len(), 27);
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::open(copy.path(), row()).unwrap();
    recorder.record(&source, [number], |_| {}).await.unwrap();
    let recordings = Recordings::open(&[copy.path()], ChainRegistry::builtin()).unwrap();
    let read = Arc::new(recordings).source(row().key()).unwrap();
    assert_eq!(read.fetch_whole(number).await.unwrap().unwrap(), block);
    assert!(verify(&simulated, &block).unwrap().signed().is_some());
}
