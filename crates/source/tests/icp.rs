//! Nodes of the Internet Computer, in memory: their words, their certificates, their lies; and the replay
//! server of a recording over a real socket.

use crate::support;

use crate::made;

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use ciborium::Value;
use superroot_chain::ledger::icp::{
    KEY_PREFIX, read_cbor, sign_certificate, simulated_root_key, take_bytes, take_member,
    write_cbor,
};
use superroot_chain::{ChainRegistry, ChainSpec, UntrustedBlock, verify};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallFault, ClaimedBlock, EndpointConfig,
    EndpointState, FinalityAsk, LiveConfig, LiveSource, NodeAnswer, NodeRequest, RecordStep,
    Recorder, Recordings, SourceError, Transport, TransportError,
};
use superroot_types::{BlockNumber, Hash};

use support::nodes::config;
use support::{Folder, Running};

const LEDGER: [u8; 10] = [0, 0, 0, 0, 0, 0, 0, 2, 1, 1];
const ARCHIVE: [u8; 10] = [0, 0, 0, 0, 0, 0, 0, 0x20, 1, 1];
const LEDGER_PATH: &str = "/api/v3/canister/ryjl3-tyaaa-aaaaa-aaaba-cai/query";

fn registry() -> ChainRegistry {
    ChainRegistry::parse(include_str!("../../chain/tests/icp_networks.toml")).unwrap()
}

fn row() -> ChainSpec {
    registry().find("icp-test").unwrap().clone()
}

fn chain() -> Vec<Vec<u8>> {
    made::synthetic().into_iter().map(|made| made.bytes).collect()
}

fn hash_of(block: &[u8]) -> Hash {
    superroot_proof::hash::sha256_joined(&[block])
}

fn now_nanos() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos().try_into().unwrap()
}

/// What the ledger answers, to be bent.
#[derive(Clone)]
struct Reply {
    certificate: Option<Vec<u8>>,
    blocks: Vec<Vec<u8>>,
    first: u64,
    chain_length: u64,
    /// Canister, method, start, length.
    archived: Vec<(Vec<u8>, &'static str, u64, u64)>,
}

type Bend = Arc<dyn Fn(&mut Reply) + Send + Sync>;

/// A node, the ledger behind it and its archive.
struct Node {
    name: &'static str,
    view: Mutex<View>,
}

#[derive(Clone)]
struct View {
    chain: Vec<Vec<u8>>,
    /// Blocks below are in the archive.
    kept_from: u64,
    root_key: Option<Vec<u8>>,
    client: &'static str,
    bend: Bend,
    /// Instead of any answer to a query.
    bytes: Option<Vec<u8>>,
    /// Instead of an archive's blocks.
    archive: Option<Vec<Vec<u8>>>,
}

impl Node {
    fn new(name: &'static str) -> Arc<Self> {
        let root_key = Some([&KEY_PREFIX[..], &simulated_root_key()].concat());
        let view = View {
            chain: chain(),
            kept_from: 0,
            root_key,
            client: "0.9.0",
            bend: Arc::new(|_| ()),
            bytes: None,
            archive: None,
        };
        Arc::new(Self { name, view: Mutex::new(view) })
    }

    fn set(&self, set: impl FnOnce(&mut View)) {
        set(&mut self.view.lock().unwrap());
    }

    fn bend(&self, bend: impl Fn(&mut Reply) + Send + Sync + 'static) {
        self.set(|view| view.bend = Arc::new(bend));
    }
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let view = self.view.lock().unwrap().clone();
        let path = request.path.expect("a path for each call");
        assert_eq!(path.accept, "application/cbor");
        let answer = match (&*path.path, path.content_type) {
            ("/api/v2/status", None) => Ok(view.status()),
            (_, Some("application/cbor")) => view.query(&path.path, &request.body),
            other => panic!("{other:?}"),
        };
        let refused = |got| TransportError::Status { got, retry_after_ms: None, text: vec![] };
        Box::pin(std::future::ready(answer.map(|body| NodeAnswer { body }).map_err(refused)))
    }
}

fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Map(members.map(|(name, value)| (Value::Text(name.into()), value)).into())
}

impl View {
    fn status(&self) -> Vec<u8> {
        let mut members = vec![(Value::Text("impl_version".into()), self.client.into())];
        if let Some(key) = &self.root_key {
            members.push((Value::Text("root_key".into()), Value::Bytes(key.clone())));
        }
        write_cbor(Value::Map(members))
    }

    fn query(&self, path: &str, body: &[u8]) -> Result<Vec<u8>, u16> {
        if let Some(bytes) = &self.bytes {
            return Ok(bytes.clone());
        }
        let mut content = take_member(&mut read_cbor(body).unwrap(), "content").unwrap();
        let canister = take_bytes(&mut content, "canister_id").unwrap();
        let method = take_member(&mut content, "method_name").unwrap().into_text().unwrap();
        assert_eq!(take_bytes(&mut content, "sender").unwrap(), [4], "nobody asks");
        let expiry = take_member(&mut content, "ingress_expiry").unwrap().into_integer().unwrap();
        assert!(u64::try_from(expiry).unwrap() > now_nanos());
        let argument = take_bytes(&mut content, "arg").unwrap();
        let prefix = "4449444c016c02e2e8ada00878e6a99ef809780100";
        let numbers = argument.strip_prefix(const_hex::decode(prefix).unwrap().as_slice()).unwrap();
        let number = |at: usize| u64::from_le_bytes(numbers[at..at + 8].try_into().unwrap());
        let (start, length) = (number(0), number(8));
        let answer = match method.as_str() {
            "query_encoded_blocks" => {
                assert_eq!((path, &canister[..]), (LEDGER_PATH, &LEDGER[..]));
                self.ledger(start, length)
            }
            "get_encoded_blocks" => {
                assert_eq!(canister, ARCHIVE);
                let blocks = self.range(start, (start + length).min(self.kept_from));
                archive_answer(self.archive.as_ref().unwrap_or(&blocks))
            }
            other => panic!("{other}"),
        };
        let reply = map([("arg", Value::Bytes(answer))]);
        Ok(write_cbor(map([("status", "replied".into()), ("reply", reply)])))
    }

    fn range(&self, start: u64, end: u64) -> Vec<Vec<u8>> {
        let numbers =
            (0_u64..).zip(&self.chain).filter(|(number, _)| (start..end).contains(number));
        numbers.map(|(_, block)| block.clone()).collect()
    }

    fn ledger(&self, start: u64, length: u64) -> Vec<u8> {
        let end = start.saturating_add(length);
        let first = start.max(self.kept_from);
        let archived = end.min(self.kept_from).saturating_sub(start);
        let tip = self.chain.last().map(|block| hash_of(block).0).unwrap_or_default();
        let mut reply = Reply {
            certificate: Some(sign_certificate(&canister(&LEDGER), &tip, now_nanos())),
            blocks: self.range(first, end),
            first,
            chain_length: self.chain.len() as u64,
            archived: Vec::new(),
        };
        if archived > 0 {
            reply.archived.push((ARCHIVE.to_vec(), "get_encoded_blocks", start, archived));
        }
        (self.bend)(&mut reply);
        reply.write()
    }
}

fn canister(bytes: &[u8]) -> superroot_chain::ledger::icp::Principal {
    superroot_chain::ledger::icp::Principal::from_slice(bytes).unwrap()
}

/// Candid by hand: the types of `ledger.did` in a table, and a value behind them.
mod did {
    pub(super) fn leb(mut number: u64) -> Vec<u8> {
        let mut out = Vec::new();
        while number > 127 {
            out.push((number & 127) as u8 | 128);
            number >>= 7;
        }
        out.push(number as u8);
        out
    }

    fn id(name: &str) -> u64 {
        name.bytes().fold(0, |hash, byte| (hash * 223 + u64::from(byte)) % (1 << 32))
    }

    /// Names in the order in which their values stand.
    pub(super) fn sorted<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let mut names = names.to_vec();
        names.sort_by_key(|name| id(name));
        names
    }

    fn fields(code: u8, fields: &[(&str, u8)]) -> Vec<u8> {
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        let mut out = vec![code, fields.len() as u8];
        for name in sorted(&names) {
            out.extend(leb(id(name)));
            out.push(fields.iter().find(|(one, _)| *one == name).unwrap().1);
        }
        out
    }

    /// Types 0 to 11: the last is the ledger's answer, 7 that of an archive.
    pub(super) fn table() -> Vec<u8> {
        let (record, variant, nat64) = (0x6c, 0x6b, 0x78);
        let types = [
            vec![0x6d, 0x7b],
            vec![0x6e, 0],
            vec![0x6d, 0],
            fields(record, &[("start", nat64), ("length", nat64)]),
            fields(record, &[("requested_index", nat64), ("first_valid_index", nat64)]),
            fields(record, &[("error_code", nat64), ("error_message", 0x71)]),
            fields(variant, &[("BadFirstBlockIndex", 4), ("Other", 5)]),
            fields(variant, &[("Ok", 2), ("Err", 6)]),
            vec![0x6a, 1, 3, 1, 7, 1, 1],
            fields(record, &[("callback", 8), ("start", nat64), ("length", nat64)]),
            vec![0x6d, 9],
            fields(
                record,
                &[
                    ("certificate", 1),
                    ("blocks", 2),
                    ("chain_length", nat64),
                    ("first_block_index", nat64),
                    ("archived_blocks", 10),
                ],
            ),
        ];
        [b"DIDL".to_vec(), vec![12], types.concat(), vec![1]].concat()
    }

    pub(super) fn blob(bytes: &[u8]) -> Vec<u8> {
        [leb(bytes.len() as u64), bytes.to_vec()].concat()
    }

    pub(super) fn blobs(all: &[Vec<u8>]) -> Vec<u8> {
        let each: Vec<u8> = all.iter().flat_map(|bytes| blob(bytes)).collect();
        [leb(all.len() as u64), each].concat()
    }
}

impl Reply {
    fn write(&self) -> Vec<u8> {
        let nat64 = |number: u64| number.to_le_bytes().to_vec();
        let archived = |(canister, method, start, length): &(Vec<u8>, &str, u64, u64)| {
            let value = |name| match name {
                "callback" => {
                    [vec![1, 1], did::blob(canister), did::blob(method.as_bytes())].concat()
                }
                "start" => nat64(*start),
                _ => nat64(*length),
            };
            did::sorted(&["callback", "start", "length"]).into_iter().flat_map(value).collect()
        };
        let value = |name| match name {
            "certificate" => match &self.certificate {
                None => vec![0],
                Some(bytes) => [vec![1], did::blob(bytes)].concat(),
            },
            "blocks" => did::blobs(&self.blocks),
            "chain_length" => nat64(self.chain_length),
            "first_block_index" => nat64(self.first),
            _ => {
                let each: Vec<Vec<u8>> = self.archived.iter().map(archived).collect();
                [did::leb(each.len() as u64), each.concat()].concat()
            }
        };
        let names =
            ["certificate", "blocks", "chain_length", "first_block_index", "archived_blocks"];
        let values: Vec<u8> = did::sorted(&names).into_iter().flat_map(value).collect();
        [did::table(), vec![11], values].concat()
    }
}

fn archive_answer(blocks: &[Vec<u8>]) -> Vec<u8> {
    [did::table(), vec![7, 0], did::blobs(blocks)].concat()
}

fn live_with(nodes: &[Arc<Node>], config: LiveConfig) -> LiveSource {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), &row(), transports, config).unwrap()
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, LiveConfig { attempts_max: 2, ..config() })
}

fn is_blamed(source: &LiveSource) -> bool {
    let report = source.nodes().unwrap().report();
    report.endpoints.iter().any(|node| node.state == EndpointState::Wrong)
}

#[tokio::test(start_paused = true)]
async fn the_certified_block_is_the_head_and_final() {
    let nodes = [Node::new("a"), Node::new("b")];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    let last = ClaimedBlock { number: BlockNumber(35), hash: made::synthetic()[35].hash };
    assert_eq!((tip.head, tip.finalized, tip.safe), (last, last, None));
    let agreement = source.fetch_agreement(BlockNumber(3)).await.unwrap();
    assert_eq!(agreement.hash, Some(made::synthetic()[3].hash));
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "latest block"));
    assert_eq!(source.fetch_whole(BlockNumber(36)).await.unwrap(), None);
    // the chain grows, and shrinks behind a balancer
    for length in [20, 36] {
        nodes.iter().for_each(|node| node.set(|view| view.chain = chain()[..length].to_vec()));
        let head = source.fetch_tip().await.unwrap().head;
        assert_eq!(head.number, BlockNumber(length as u64 - 1));
    }
}

#[tokio::test(start_paused = true)]
async fn every_block_is_read_from_the_ledger_or_its_archive() {
    let node = Node::new("a");
    node.set(|view| view.kept_from = 30);
    let source = live(&[node]);
    for made in made::synthetic() {
        let id = ClaimedBlock { number: BlockNumber(made.number), hash: made.hash };
        for at in [BlockAt::Number(id.number), BlockAt::Id(id)] {
            for parts in [BlockParts::Header, BlockParts::Whole] {
                let fetched = source.fetch_block(at, parts, &[]).await.unwrap().unwrap();
                let block = verify(&row(), &fetched.block).unwrap();
                assert_eq!((block.hash(), block.number()), (made.hash, id.number));
            }
        }
        let agreed = source.fetch_agreement(id.number).await.unwrap();
        assert_eq!(agreed.hash, Some(made.hash), "{}", made.number);
    }
    assert!(!is_blamed(&source));
}

/// Certificates of every wrong kind: nothing is final by them, and the node is blamed.
#[tokio::test(start_paused = true)]
async fn a_tip_whose_certificate_does_not_hold_is_refused_and_its_node_blamed() {
    let sign = |data: &[u8], time| sign_certificate(&canister(&LEDGER), data, time);
    let tip = made::synthetic()[35].hash;
    let minutes = |count: u64| count * 60_000_000_000;
    let other_ledger = sign_certificate(&canister(&ARCHIVE), &tip.0, now_nanos());
    let mut bent = sign(&tip.0, now_nanos());
    let middle = bent.len() - 20;
    bent[middle] ^= 1;
    for (certificate, why) in [
        (None, "certificate is null"),
        (Some(vec![]), "certificate cannot be read"),
        (Some(bent), "the signature of the certificate is not that of its key"),
        (Some(sign(&[7; 32], now_nanos())), "certificate is of 0707"),
        (Some(sign(&tip.0[..31], now_nanos())), "certificate is of "),
        (Some(sign(&tip.0, now_nanos() - minutes(6))), "expected within 300000000000 ns of"),
        (Some(sign(&tip.0, now_nanos() + minutes(7))), "expected within 300000000000 ns of"),
        (Some(other_ledger), "its tree does not show the canister's certified data"),
    ] {
        let node = Node::new("a");
        node.bend(move |reply| reply.certificate.clone_from(&certificate));
        let source = live(&[node]);
        let error = source.fetch_tip().await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(is_blamed(&source), "{why}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_of_every_wrong_kind_are_refused_by_name_and_their_node_blamed() {
    type Case = (&'static str, fn(&mut Reply));
    let cases: [Case; 12] = [
        ("expected the hash of each in the one after it", |reply| reply.blocks.swap(3, 4)),
        ("expected the hash of each in the one after it", |reply| {
            reply.blocks[5] = reply.blocks[6].clone();
        }),
        ("certificate is of ", |reply| {
            reply.blocks.pop();
            reply.chain_length -= 1;
        }),
        ("blocks 1 to below 37 of a chain of 36", |reply| reply.first += 1),
        ("blocks 0 to below 36 of a chain of 30", |reply| reply.chain_length = 30),
        ("chain_length is 0, expected a block at least", |reply| {
            (reply.chain_length, reply.blocks) = (0, Vec::new());
        }),
        ("65 blocks, asked for were 64", |reply| reply.blocks.resize(65, vec![1])),
        ("a block of 1025 bytes", |reply| reply.blocks[0] = vec![1; 1_025]),
        ("65 archives", |reply| {
            reply.archived = vec![(ARCHIVE.to_vec(), "get_encoded_blocks", 0, 1); 65];
        }),
        ("no candid of one value", |reply| {
            reply.archived = vec![(vec![1; 30], "get_encoded_blocks", 0, 1)];
        }),
        ("blocks 18446744073709551615 to below", |reply| reply.first = u64::MAX),
        ("no candid of one value", |reply| {
            reply.archived = vec![(ARCHIVE.to_vec(), "x", 0, 1); 20_000];
        }),
    ];
    for (why, bend) in cases {
        let node = Node::new("a");
        node.bend(bend);
        let source = live(&[node]);
        let error = source.fetch_tip().await.unwrap_err();
        assert!(error.to_string().contains(why), "{why}: {error}");
        assert!(is_blamed(&source), "{why}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_answer_are_refused() {
    let reply = |arg: Vec<u8>| {
        let reply = map([("arg", Value::Bytes(arg))]);
        write_cbor(map([("status", "replied".into()), ("reply", reply)]))
    };
    // a list of 2^63 nulls, of 2^63 lists, and one that nests without end
    let nulls = b"DIDL\x01\x6d\x7f\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f".to_vec();
    let lists = b"DIDL\x02\x6d\x01\x6d\x7f\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f".to_vec();
    let endless = [b"DIDL\x01\x6e\x00\x01\x00".to_vec(), vec![1; 40]].concat();
    let refusal = write_cbor(map([
        ("status", "rejected".into()),
        ("reject_code", 3.into()),
        ("reject_message", "no canister".into()),
    ]));
    for bytes in [
        vec![],
        b"<html>".to_vec(),
        vec![0xd9; 40],
        write_cbor(map([("status", "replied".into())])),
        reply(vec![]),
        reply(b"DIDL".to_vec()),
        reply(b"DIDL\x00\x00".to_vec()),
        reply(b"DIDL\x00\x01\x78\x01".to_vec()),
        reply(nulls),
        reply(lists),
        reply(endless),
        refusal,
    ] {
        let node = Node::new("a");
        node.set(|view| view.bytes = Some(bytes));
        let source = live(&[node]);
        let error = source.fetch_tip().await.unwrap_err();
        let fault = error.fault().map(ToString::to_string).unwrap_or_default();
        let is_named = fault.contains("an answer of another shape")
            || fault == "error 3: \"no canister\""
            || matches!(error, SourceError::NoEndpoint { .. });
        assert!(is_named, "{error}");
        assert_eq!(source.fetch_whole(BlockNumber(3)).await.unwrap_or_default(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn lies_about_archives_are_refused() {
    let asked = |node: Arc<Node>| async move {
        let source = live(&[node]);
        let fetched = source.fetch_whole(BlockNumber(3)).await;
        (fetched, is_blamed(&source))
    };
    let node = Node::new("a");
    node.set(|view| view.kept_from = 30);
    node.bend(|reply| reply.archived.iter_mut().for_each(|one| one.1 = "transfer"));
    let (fetched, blamed) = asked(node).await;
    let error = fetched.unwrap_err().to_string();
    assert!(error.contains("callback is transfer, expected get_encoded_blocks"), "{error}");
    assert!(blamed);
    let node = Node::new("a");
    node.set(|view| {
        view.kept_from = 30;
        view.archive = Some(view.chain[..2].to_vec());
    });
    let (fetched, blamed) = asked(node).await;
    assert!(fetched.unwrap_err().to_string().contains("2 blocks, asked for were 1") && blamed);
    // another block than asked for reads, and does not hash to what is asked for
    let node = Node::new("a");
    node.set(|view| {
        view.kept_from = 30;
        view.archive = Some(view.chain[4..5].to_vec());
    });
    let source = live(&[node]);
    let id = ClaimedBlock { number: BlockNumber(3), hash: made::synthetic()[3].hash };
    let fetched =
        source.fetch_block(BlockAt::Id(id), BlockParts::Whole, &[]).await.unwrap().unwrap();
    let error = verify(&row(), &fetched.block).unwrap_err().to_string();
    assert!(error.starts_with("hash is "), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_node_of_another_network_is_refused() {
    let node = Node::new("a");
    node.set(|view| view.root_key = Some(vec![7; 133]));
    let source = live(&[Arc::clone(&node)]);
    let error = source.fetch_tip().await.unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::Call { fault: CallFault::Mismatch { field: "chain id", .. }, .. }
        ),
        "{error}"
    );
    assert!(is_blamed(&source));
    // most nodes name none: then its certificates show the network
    node.set(|view| view.root_key = None);
    live(&[Arc::clone(&node)]).fetch_tip().await.unwrap();
    let mainnet = ChainRegistry::builtin().find("icp").unwrap();
    let nodes: Vec<Arc<dyn Transport>> = vec![node];
    let source = LiveSource::with_transports(&Budget::default(), mainnet, nodes, config()).unwrap();
    let error = source.fetch_tip().await.unwrap_err().to_string();
    assert!(error.contains("the signature of the certificate"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_replay_server_counts_where_that_is_said_and_needs_no_certificate_then() {
    let node = Node::new("a");
    node.set(|view| view.client = "superroot-replay/0.1.0");
    node.bend(|reply| reply.certificate = None);
    let error = live(&[Arc::clone(&node)]).fetch_tip().await.unwrap_err().to_string();
    assert!(error.contains("a live node") || error.contains("certificate"), "{error}");
    let replays = LiveConfig { replay_servers: true, ..config() };
    let tip = live_with(&[node], replays).fetch_tip().await.unwrap();
    assert_eq!(tip.finalized.number, BlockNumber(35));
}

#[tokio::test(start_paused = true)]
async fn finality_is_the_latest_block_and_nothing_else() {
    for (finality, word) in [
        (FinalityAsk::Finalized, "finalized tag"),
        (FinalityAsk::Confirmations(6), "6 confirmations"),
    ] {
        let config = LiveConfig { finality, ..config() };
        let nodes: Vec<Arc<dyn Transport>> = vec![Node::new("a")];
        let error = LiveSource::with_transports(&Budget::default(), &row(), nodes, config)
            .unwrap_err()
            .to_string();
        let said = format!("finality is {word:?}, expected the latest block");
        assert!(error.starts_with(&said), "{error}");
    }
}

/// A recording of the made-up chain, as the operations page describes it.
fn recording() -> Folder {
    let mut folder = Folder::new();
    for made in made::synthetic() {
        let name = format!("{}.json", made.number);
        let raw = const_hex::encode(&made.bytes);
        let block = serde_json::json!({ "number": made.number, "hash": made.hash, "raw": raw });
        let capture = serde_json::json!({ "chainId": 224, "block": block });
        folder.file(&name, &capture.to_string());
        folder.row(serde_json::json!({
            "chainId": 224, "block": made.number, "hash": made.hash, "file": name,
        }));
    }
    folder.write_index();
    folder
}

fn open(folder: &std::path::Path) -> Arc<Recordings> {
    Arc::new(Recordings::open(&[folder], &registry()).unwrap())
}

/// Recording, replay server, live nodes, recorder, recording: the same blocks come out.
#[tokio::test]
async fn a_replayed_chain_is_certified_and_recorded_again() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = recording();
    let recordings = open(folder.path());
    let server = Running::start(Arc::clone(&recordings)).await;
    let url = format!("{}/icp-test", server.url);
    let config = LiveConfig { replay_servers: true, ..LiveConfig::default() };
    let endpoints = vec![EndpointConfig::at(&url)];
    let source = LiveSource::new(&Budget::default(), &row(), endpoints, config).unwrap();
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!(tip.finalized.hash, made::synthetic()[35].hash);
    let copy = tempfile::tempdir().unwrap();
    let mut recorder = Recorder::open(copy.path(), &row()).unwrap();
    let mut written = 0;
    let numbers = (0..=35).map(BlockNumber);
    let count = |step| written += u32::from(matches!(step, RecordStep::Written { .. }));
    recorder.record(&source, numbers, count).await.unwrap();
    assert_eq!(written, 36);
    let again = open(copy.path());
    let again = again.source(row().key()).unwrap();
    for made in made::synthetic() {
        let block = again.fetch_whole(BlockNumber(made.number)).await.unwrap().unwrap();
        let UntrustedBlock::Icp(raw) = block else { panic!("a block of the ledger") };
        assert_eq!((raw.hash, raw.bytes), (made.hash, made.bytes));
    }
}

#[tokio::test]
async fn what_a_node_would_refuse_a_replay_refuses_too() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = recording();
    let server = Running::start(open(folder.path())).await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let base = format!("{}/icp-test", server.url);
    let status = http.get(format!("{base}/api/v2/status")).send().await.unwrap();
    let status = status.bytes().await.unwrap();
    let mut status = read_cbor(&status).unwrap();
    assert!(take_bytes(&mut status, "root_key").unwrap().ends_with(&simulated_root_key()));
    let ask = |canister: Vec<u8>, method: &'static str, arg: Vec<u8>| {
        let content = map([
            ("request_type", "query".into()),
            ("ingress_expiry", 7.into()),
            ("canister_id", Value::Bytes(canister)),
            ("method_name", method.into()),
            ("arg", Value::Bytes(arg)),
        ]);
        let body = write_cbor(map([("content", content)]));
        let request = http.post(format!("{base}{LEDGER_PATH}")).body(body);
        async move {
            let response = request.send().await.unwrap();
            (response.status().as_u16(), response.bytes().await.unwrap().to_vec())
        }
    };
    let rejected = |body: &[u8]| {
        let code = take_member(&mut read_cbor(body).unwrap(), "reject_code").unwrap();
        u64::try_from(code.into_integer().unwrap()).unwrap()
    };
    let (code, body) = ask(LEDGER.to_vec(), "query_encoded_blocks", vec![]).await;
    assert_eq!((code, rejected(&body)), (200, 5));
    let range = const_hex::decode(
        "4449444c016c02e2e8ada00878e6a99ef80978010003000000000000000100000000000000",
    );
    let range = range.unwrap();
    let (code, body) = ask(LEDGER.to_vec(), "transfer", range.clone()).await;
    assert_eq!((code, rejected(&body)), (200, 3));
    let (code, _) = ask(ARCHIVE.to_vec(), "query_encoded_blocks", range.clone()).await;
    assert_eq!(code, 400, "another canister than that of the path");
    let (code, body) = ask(LEDGER.to_vec(), "query_encoded_blocks", range).await;
    assert_eq!(code, 200);
    let block = &made::synthetic()[3].bytes;
    assert!(body.windows(block.len()).any(|window| window == block));
    let unknown = http.post(format!("{base}/api/v3/canister/aaaaa-aa/query")).send().await.unwrap();
    assert_eq!(unknown.status().as_u16(), 404);
}
