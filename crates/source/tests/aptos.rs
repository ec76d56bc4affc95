//! Nodes of Aptos, in memory and as a replay server answers for them: their words, their errors, their lies.

use crate::support;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use superroot_chain::ledger::aptos::{RawAptosBlock, RawVersions};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_proof::ledger::aptos::{ExecutionStatus, Frozen, Info, PLACEHOLDER, info_hash};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, ClaimedBlock, EndpointConfig,
    EndpointState, FinalityAsk, LiveConfig, LiveSource, NodeAnswer, NodeReport, NodeRequest,
    RecordStep, Recorder, Recordings, SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, Hash};
use support::nodes::config;
use support::{Folder, Running};

/// Where the nodes' blocks begin, and how many they have.
const FIRST: u64 = 100;
const COUNT: u64 = 5;
const HEAD: u64 = FIRST + COUNT - 1;
/// Versions of each block.
const VERSIONS: u64 = 3;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("aptos").unwrap()
}

/// Blocks on one version that stood before them, each with what it is made of.
fn blocks(branch: u8) -> Vec<RawAptosBlock> {
    let mut before = Frozen::empty().with(&[Hash([9; 32])]).unwrap();
    let made = (FIRST..=HEAD).map(|number| {
        let info = |at: u64| Info {
            gas_used: 10 * number + at,
            status: ExecutionStatus::Success,
            transaction_hash: Hash([branch; 32]),
            event_root: PLACEHOLDER,
            state_change_hash: Hash([2; 32]),
            state_checkpoint_hash: None,
            auxiliary_hash: None,
        };
        let infos: Vec<Vec<u8>> = (0..VERSIONS).map(|at| info(at).encode()).collect();
        let leaves: Vec<Hash> = infos.iter().map(|info| info_hash(info)).collect();
        let after = before.with(&leaves).unwrap();
        let raw = RawAptosBlock {
            number: BlockNumber(number),
            hash: after.root(),
            parent_hash: before.root(),
            ledger_info: None,
            timestamp_us: 1_700_000_000_000_000 + number,
            versions: Some(RawVersions {
                first_version: before.count(),
                frozen: before.roots().to_vec(),
                events: vec![Some(Vec::new()); infos.len()],
                infos,
            }),
        };
        before = after;
        raw
    });
    made.collect()
}

/// The same as nodes give it: nothing below the root.
fn bare(raw: &RawAptosBlock) -> RawAptosBlock {
    RawAptosBlock { versions: None, ..raw.clone() }
}

fn at(number: u64) -> RawAptosBlock {
    blocks(1)[usize::try_from(number - FIRST).unwrap()].clone()
}

/// What a node answers: a body, or a status with what stands in it.
type Reply = Result<Vec<u8>, (u16, Vec<u8>)>;
/// What a liar does to an answer of that path.
type Lie = Arc<dyn Fn(&str, &mut Reply) + Send + Sync>;

struct Node {
    name: &'static str,
    blocks: Vec<RawAptosBlock>,
    lie: Mutex<Option<Lie>>,
}

impl Node {
    fn of(name: &'static str, branch: u8) -> Arc<Self> {
        Arc::new(Self { name, blocks: blocks(branch), lie: Mutex::new(None) })
    }

    fn new(name: &'static str) -> Arc<Self> {
        Self::of(name, 1)
    }

    fn set(&self, lie: impl Fn(&str, &mut Reply) + Send + Sync + 'static) {
        *self.lie.lock().unwrap() = Some(Arc::new(lie));
    }

    fn answer(&self, path: &str) -> Reply {
        let not_found = || (404, br#"{"message":"not found"}"#.to_vec());
        let find = |is_it: &dyn Fn(&RawAptosBlock) -> bool| {
            self.blocks.iter().find(|block| is_it(block)).ok_or_else(not_found)
        };
        let first = |block: &RawAptosBlock| block.versions.as_ref().unwrap().first_version;
        let last = |block: &RawAptosBlock| first(block) + VERSIONS - 1;
        let below = |below: &str| path.strip_prefix(below).map(|rest| rest.parse::<u64>().unwrap());
        let answer = if path == "/v1" {
            let head = self.blocks.last().unwrap().number.to_string();
            json!({ "chain_id": 1, "block_height": head, "git_hash": "abc", "epoch": "5" })
        } else if let Some(rest) = path.strip_prefix("/v1/blocks/by_height/") {
            let number = rest.strip_suffix("?with_transactions=false").unwrap();
            let block = find(&|block| block.number.to_string() == number)?;
            json!({
                "block_height": number, "block_hash": Hash([5; 32]),
                "block_timestamp": block.timestamp_us.to_string(),
                "first_version": first(block).to_string(), "last_version": last(block).to_string(),
            })
        } else {
            let version = below("/v1/transactions/by_version/").expect("a path of a node");
            let ends = find(&|block| last(block) == version).map(|block| block.hash);
            let root = ends.or_else(|_| {
                find(&|block| Some(first(block)) == version.checked_add(1))
                    .map(|block| block.parent_hash)
            });
            json!({ "version": version.to_string(), "accumulator_root_hash": root? })
        };
        Ok(answer.to_string().into_bytes())
    }
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let path = request.path.expect("a path");
        assert_eq!((path.content_type, path.accept), (None, "application/json"));
        let mut reply = self.answer(&path.path);
        if let Some(lie) = self.lie.lock().unwrap().clone() {
            lie(&path.path, &mut reply);
        }
        let status = |(got, text)| TransportError::Status { got, retry_after_ms: None, text };
        Box::pin(std::future::ready(reply.map(|body| NodeAnswer { body }).map_err(status)))
    }
}

fn live_with(nodes: &[Arc<Node>], config: LiveConfig) -> Result<LiveSource, SourceError> {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), row(), transports, config)
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, config()).unwrap()
}

fn fares(source: &LiveSource, name: &str) -> NodeReport {
    let report = source.nodes().unwrap().report();
    report.endpoints.into_iter().find(|endpoint| endpoint.name == name).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_newest_block_is_final_and_every_root_is_given_with_the_one_before() {
    let nodes = [Node::new("a"), Node::new("b")];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number, tip.safe), (BlockNumber(HEAD), None));
    assert_eq!((tip.finalized, tip.head.hash), (tip.head, at(HEAD).hash));
    let agreement = source.fetch_agreement(BlockNumber(FIRST)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "latest block"));
    for expected in blocks(1) {
        let (number, hash) = (expected.number, expected.hash);
        for at in [BlockAt::Number(number), BlockAt::Id(ClaimedBlock { number, hash })] {
            for parts in [BlockParts::Header, BlockParts::Whole] {
                let fetched = source.fetch_block(at, parts, &[]).await.unwrap().unwrap();
                assert_eq!(fetched.block, UntrustedBlock::Aptos(Box::new(bare(&expected))));
                assert_eq!(verify(row(), &fetched.block).unwrap().hash(), hash);
            }
        }
        let whole = UntrustedBlock::Aptos(Box::new(expected));
        assert_eq!(verify(row(), &whole).unwrap().tx_count(), Some(3));
    }
    assert_eq!(source.fetch_whole(BlockNumber(HEAD + 1)).await.unwrap(), None);
    let other = BlockAt::Id(ClaimedBlock { number: BlockNumber(FIRST), hash: Hash([3; 32]) });
    assert!(source.fetch_block(other, BlockParts::Header, &[]).await.unwrap().is_none());
    for name in ["a", "b"] {
        let fares = fares(&source, name);
        assert_eq!((fares.failure_count, fares.state), (0, EndpointState::Healthy), "{name}");
    }
    let back = LiveConfig { finality: FinalityAsk::Confirmations(2), ..config() };
    let tip = live_with(&nodes, back).unwrap().fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.number.0), (HEAD, HEAD - 2));
}

const LEDGER: &str = "/v1";
const BLOCK: &str = "/v1/blocks/";
const VERSION: &str = "/v1/transactions/";

fn is_of(path: &str, kind: &str) -> bool {
    if kind == LEDGER { path == LEDGER } else { path.starts_with(kind) }
}

/// A member of the answer to a path is another, or is left out where it is null.
fn member(kind: &'static str, name: &'static str, value: Value) -> Lie {
    Arc::new(move |path, reply| {
        let Some(Ok(mut answer)) = is_of(path, kind)
            .then(|| reply.clone())
            .map(|reply| reply.map(|body| serde_json::from_slice::<Value>(&body).unwrap()))
        else {
            return;
        };
        let members = answer.as_object_mut().unwrap();
        match &value {
            Value::Null => drop(members.remove(name)),
            value => drop(members.insert(name.to_owned(), value.clone())),
        }
        *reply = Ok(answer.to_string().into_bytes());
    })
}

/// Another reply to a path, whatever it says.
fn instead(kind: &'static str, other: Reply) -> Lie {
    Arc::new(move |path, reply| {
        if is_of(path, kind) {
            *reply = other.clone();
        }
    })
}

fn bytes(body: &str) -> Reply {
    Ok(body.as_bytes().to_vec())
}

/// Asks a liar for a block and for the tip: nothing is given on, and the node is blamed. Gives what it is
/// refused with, and how the node fares then.
async fn refused(lie: Lie) -> (String, NodeReport) {
    let node = Node::new("liar");
    node.set(move |path, reply| lie(path, reply));
    let source = live_with(&[node], LiveConfig { attempts_max: 1, ..config() }).unwrap();
    let whole = source.fetch_whole(BlockNumber(HEAD)).await;
    let error = match whole {
        Err(error) => error,
        Ok(block) => panic!("{block:?} was given on"),
    };
    let fares = fares(&source, "liar");
    assert!(fares.failure_count > 0 && fares.last_error.is_some(), "{error}: {fares:?}");
    let tip = source.fetch_tip().await;
    assert!(tip.is_err(), "{error}: {tip:?}");
    (error.to_string(), fares)
}

/// What a node says that is of another chain, block or version than asked for sets it aside at once.
#[tokio::test(start_paused = true)]
async fn answers_about_something_else_are_refused_by_name_and_the_node_is_wrong() {
    for (told, lie) in [
        ("chain id is 2, expected 1", member(LEDGER, "chain_id", json!(2))),
        ("block_height is 100, expected 104", member(BLOCK, "block_height", json!("100"))),
        (
            "block_height is 18446744073709551615, expected 104",
            member(BLOCK, "block_height", json!(u64::MAX.to_string())),
        ),
        ("first_version is 16, expected at most 15", member(BLOCK, "first_version", json!("16"))),
        ("first_version is 0, expected one above 0", member(BLOCK, "first_version", json!("0"))),
        ("version is 13, expected 1", member(VERSION, "version", json!("13"))),
    ] {
        let (error, fares) = refused(lie).await;
        assert!(error.contains(told), "{told}: {error}");
        assert_eq!(fares.state, EndpointState::Wrong, "{told}: {fares:?}");
    }
}

/// Machines behind one address may be behind each other, so a version that is not there is a fault and no lie.
#[tokio::test(start_paused = true)]
async fn versions_that_a_block_names_and_its_node_lacks_are_counted() {
    for (told, lie) in [
        ("version is nothing, expected 900", member(BLOCK, "last_version", json!("900"))),
        (
            "version is nothing, expected 18446744073709551615",
            member(BLOCK, "last_version", json!(u64::MAX.to_string())),
        ),
        ("version is nothing, expected 1", instead(VERSION, Err((404, Vec::new())))),
    ] {
        let (error, fares) = refused(lie).await;
        assert!(error.contains(told), "{told}: {error}");
        let told = fares.last_error.unwrap();
        assert_eq!(told, "it lacks a version of a block that it has");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_refused_by_field_and_counted() {
    let deep = "[".repeat(100_000);
    for (told, lie) in [
        ("missing field `chain_id`", member(LEDGER, "chain_id", Value::Null)),
        ("invalid value: integer `300`", member(LEDGER, "chain_id", json!(300))),
        ("missing field `block_height`", member(BLOCK, "block_height", Value::Null)),
        ("invalid type: integer `104`", member(BLOCK, "block_height", json!(104))),
        ("invalid digit", member(BLOCK, "first_version", json!("-1"))),
        ("number too large", member(BLOCK, "last_version", json!("18446744073709551616"))),
        ("missing field `block_timestamp`", member(BLOCK, "block_timestamp", Value::Null)),
        ("number too large", member(BLOCK, "block_timestamp", json!("9".repeat(40)))),
        (
            "missing field `accumulator_root_hash`",
            member(VERSION, "accumulator_root_hash", Value::Null),
        ),
        (
            "62 digits",
            member(VERSION, "accumulator_root_hash", json!(format!("0x{}", "11".repeat(31)))),
        ),
        (
            "66 digits",
            member(VERSION, "accumulator_root_hash", json!(format!("0x{}", "11".repeat(33)))),
        ),
        ("invalid type: sequence", member(VERSION, "accumulator_root_hash", json!(["0x11"]))),
        ("expected value", instead(LEDGER, bytes("<html>sign in</html>"))),
        ("EOF while parsing", instead(BLOCK, bytes(""))),
        ("EOF while parsing", instead(BLOCK, bytes(r#"{"block_height":"104","#))),
        ("trailing characters", instead(LEDGER, bytes(r#"{"chain_id":1,"block_height":"104"}{}"#))),
        (
            "duplicate field `block_height`",
            instead(BLOCK, bytes(r#"{"block_height":"104","block_height":"100"}"#)),
        ),
        ("invalid type: null", instead(VERSION, bytes("null"))),
        ("invalid type: sequence", instead(VERSION, Ok(deep.into_bytes()))),
        ("expected value", instead(BLOCK, Ok(vec![0xff; 40]))),
    ] {
        let (error, fares) = refused(lie).await;
        assert!(error.contains(told), "{told}: {error}");
        assert!(error.contains("another shape"), "{error}");
        assert_eq!(fares.last_error.as_deref(), Some("an answer of another shape"), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn http_errors_and_answers_past_the_limit_are_refused_and_counted() {
    for (status, told) in [
        (400, "http status 400: \"busy\""),
        (403, "http status 403"),
        (410, "http status 410"),
        (500, "http status 500"),
        (503, "http status 503"),
        (429, "it asks for fewer calls"),
    ] {
        for kind in [LEDGER, BLOCK, VERSION] {
            let (error, _) = refused(instead(kind, Err((status, b"busy".to_vec())))).await;
            assert!(error.contains(told), "{kind}: {error}");
        }
    }
    let node = Node::new("liar");
    node.set(|path, reply| {
        if path.starts_with(VERSION) {
            *reply = Ok(vec![b' '; (1 << 20) + 1]);
        }
    });
    let config = LiveConfig { attempts_max: 1, body_bytes_max: 1 << 20, ..config() };
    let source = live_with(&[node], config).unwrap();
    let error = source.fetch_whole(BlockNumber(HEAD)).await.unwrap_err().to_string();
    assert!(error.contains("an answer of more than 1048576 bytes"), "{error}");
    assert!(fares(&source, "liar").failure_count > 0);
}

/// A gateway hands calls to several machines: one of another chain is heard by what it says of itself.
#[tokio::test(start_paused = true)]
async fn a_node_that_turns_to_another_chain_is_wrong_from_then_on() {
    let node = Node::new("a");
    let source = live_with(&[Arc::clone(&node)], LiveConfig { attempts_max: 1, ..config() });
    let source = source.unwrap();
    source.fetch_tip().await.unwrap();
    let lie = member(LEDGER, "chain_id", json!(2));
    node.set(move |path, reply| lie(path, reply));
    assert!(source.fetch_tip().await.is_err());
    let fares = fares(&source, "a");
    assert_eq!(fares.state, EndpointState::Wrong);
    assert!(fares.last_error.unwrap().contains("chain id is 2, expected 1"));
}

/// A node that names a newest block, and has none.
#[tokio::test(start_paused = true)]
async fn a_head_that_is_not_there_is_no_tip() {
    for height in [HEAD + 1, (1 << 53) + 1, u64::MAX] {
        let node = Node::new("liar");
        let lie = member(LEDGER, "block_height", json!(height.to_string()));
        node.set(move |path, reply| lie(path, reply));
        let source = live(&[node]);
        assert!(source.fetch_tip().await.is_err());
        let fares = fares(&source, "liar");
        let told = fares.last_error.clone().unwrap_or_default();
        assert!(fares.failure_count > 0 && told.contains("newest block"), "{fares:?}");
        // it may have other blocks
        assert!(source.fetch_whole(BlockNumber(FIRST)).await.unwrap().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_of_two_branches_do_not_agree_and_a_good_node_answers_for_a_liar() {
    let source = live(&[Node::new("a"), Node::of("b", 2)]);
    let error = source.fetch_agreement(BlockNumber(HEAD)).await.unwrap_err();
    assert!(matches!(error, SourceError::Disagreement(_)), "{error}");
    let liar = Node::new("liar");
    let lie = member(VERSION, "version", json!("13"));
    liar.set(move |path, reply| lie(path, reply));
    let source = live(&[liar, Node::new("good")]);
    let at = BlockAt::Number(BlockNumber(FIRST));
    let found = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
    assert_eq!(&*found.sender, "good");
}

/// What reads well and is false of a whole block is refused by its tree.
#[test]
fn cut_lengthened_and_swapped_versions_are_refused_by_the_tree() {
    type Bend = fn(&mut RawAptosBlock);
    fn parts(raw: &mut RawAptosBlock) -> &mut RawVersions {
        raw.versions.as_mut().unwrap()
    }
    let bends: [(&str, Bend); 12] = [
        ("accumulator_root_hash is ", |raw| parts(raw).infos.swap(0, 1)),
        ("accumulator_root_hash is ", |raw| {
            parts(raw).infos.pop();
            parts(raw).events.pop();
        }),
        ("accumulator_root_hash is ", |raw| {
            let again = parts(raw).infos[0].clone();
            parts(raw).infos.push(again);
            parts(raw).events.push(None);
        }),
        ("accumulator_root_hash is ", |raw| parts(raw).infos[1][3] ^= 1),
        ("accumulator_root_hash is ", |raw| parts(raw).frozen.swap(0, 1)),
        ("versions is ", |raw| drop(parts(raw).events.pop())),
        ("versions is ", |raw| parts(raw).events[0] = Some(vec![vec![1, 2, 8]])),
        ("versions is ", |raw| parts(raw).infos[2].push(0)),
        ("frozen is ", |raw| {
            let _ = parts(raw).frozen.pop();
        }),
        ("frozen is ", |raw| parts(raw).first_version = u64::MAX),
        ("root before the block is ", |raw| raw.parent_hash = Hash([4; 32])),
        ("block_height is ", |raw| raw.number = BlockNumber(1 << 53)),
    ];
    for (told, bend) in bends {
        // seven versions stand before it: three frozen roots
        let mut raw = at(FIRST + 2);
        bend(&mut raw);
        let error = verify(row(), &UntrustedBlock::Aptos(Box::new(raw))).unwrap_err().to_string();
        assert!(error.starts_with(told), "{told}: {error}");
    }
    let mut raw = at(FIRST);
    parts(&mut raw).infos = vec![Vec::new(); 100_001];
    let error = verify(row(), &UntrustedBlock::Aptos(Box::new(raw))).unwrap_err().to_string();
    assert!(error.starts_with("versions is 100001"), "{error}");
}

/// A recordings folder of these blocks, in the form that `superroot record` writes.
fn folder(blocks: &[RawAptosBlock]) -> Folder {
    let mut folder = Folder::new();
    for raw in blocks {
        let mut block = json!({
            "number": raw.number, "hash": raw.hash, "parentHash": raw.parent_hash,
            "timestampUs": raw.timestamp_us,
        });
        if let Some(versions) = &raw.versions {
            let infos: Vec<String> = versions.infos.iter().map(const_hex::encode).collect();
            block["versions"] = json!({
                "firstVersion": versions.first_version, "frozen": versions.frozen,
                "infos": infos, "events": vec![json!([]); infos.len()],
            });
        }
        if let Some(signed) = &raw.ledger_info {
            block["ledgerInfo"] = json!(const_hex::encode(signed));
        }
        add(&mut folder, raw, &block);
    }
    folder.write_index();
    folder
}

fn add(folder: &mut Folder, raw: &RawAptosBlock, block: &Value) {
    let (number, file) = (raw.number, format!("{}.json", raw.number));
    folder.file(&file, &json!({ "chainId": row().id, "block": block }).to_string());
    folder.row(json!({ "chainId": row().id, "block": number, "hash": raw.hash, "file": file }));
}

#[tokio::test]
async fn recordings_are_given_out_and_what_is_none_is_an_error_of_its_file() {
    let signed = RawAptosBlock { ledger_info: Some(vec![1, 2, 3]), ..bare(&at(FIRST + 2)) };
    let all = [at(FIRST), bare(&at(FIRST + 1)), signed];
    let kept = folder(&all);
    let source = kept.open().source(row().key()).unwrap();
    for expected in all {
        let block = source.fetch_whole(expected.number).await.unwrap().unwrap();
        assert_eq!(block, UntrustedBlock::Aptos(Box::new(expected)));
    }
    let raw = at(FIRST);
    let good = json!({
        "number": FIRST, "hash": raw.hash, "parentHash": raw.parent_hash, "timestampUs": 1,
    });
    let versions = json!({ "firstVersion": 1, "frozen": [], "infos": [] });
    let with = |name: &str, value: Value| {
        let mut block = good.clone();
        block[name] = value;
        block
    };
    let with_versions = |name: &str, value: Value| {
        let mut versions = versions.clone();
        versions[name] = value;
        with("versions", versions)
    };
    for (block, expected) in [
        (with("parentHash", json!("0x00")), "parentHash"),
        (with("timestampUs", json!("1")), "timestampUs"),
        (with("versions", json!([])), "versions"),
        (with("ledgerInfo", json!("0g")), "block.ledgerInfo is no hex"),
        (with_versions("firstVersion", json!(-1)), "firstVersion"),
        (with_versions("frozen", json!(["0x"])), "frozen"),
        (with_versions("infos", json!(["00", "0"])), "block.versions.infos[1] is no hex"),
        (with_versions("events", json!([null, ["x"]])), "block.versions.events[1] is no hex"),
    ] {
        let mut folder = Folder::new();
        add(&mut folder, &raw, &block);
        folder.write_index();
        let source = folder.open().source(row().key()).unwrap();
        let error = source.fetch_whole(raw.number).await.unwrap_err().to_string();
        assert!(error.contains("100.json") && error.contains(expected), "{expected}: {error}");
    }
}

/// A replay server answers as a node would, and what is recorded of it is what it was made of.
#[tokio::test]
async fn a_block_recorded_from_a_replay_reads_back_as_its_root() {
    let blocks = [at(FIRST), at(FIRST + 1)];
    let folder = folder(&blocks);
    let server = Running::start(folder.open()).await;
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let at = vec![EndpointConfig::at(&format!("{}/aptos", server.url))];
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
        assert_eq!(block, UntrustedBlock::Aptos(Box::new(bare(&expected))));
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for path in [
        "v1/blocks/by_height/7",
        "v1/blocks/by_height/18446744073709551616",
        "v1/blocks/by_height/-1",
        "v1/transactions/by_version/2",
        "v1/transactions/by_version/18446744073709551615",
        "v1/accounts/0x1",
    ] {
        let answer = http.get(format!("{}/aptos/{path}", server.url)).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 404, "{path}");
    }
    server.stop().await;
}
