//! Full nodes of Sui, in memory: their words, their errors, their lies. Their messages are written here by
//! hand, so what is read is not what the same code wrote.

use crate::support;

use std::sync::{Arc, Mutex};

use prost::Message;
use superroot_chain::ledger::sui::{
    CheckpointPlan, RawSuiBlock, RawSuiTransaction, SuiParams, TransactionPlan, build_checkpoint,
};
use superroot_chain::{ChainRegistry, ChainSpec, Ledger, UntrustedBlock, verify};
use superroot_source::{
    BlockAt, BlockParts, BlockSource, BoxFuture, Budget, ClaimedBlock, EndpointState, FinalityAsk,
    LiveConfig, LiveSource, NodeAnswer, NodeReport, NodeRequest, SourceError, Transport,
    TransportError,
};
use superroot_types::{BlockNumber, Hash};
use support::nodes::config;

/// Where the nodes' checkpoints begin, and how many they have.
const FIRST: u64 = 100;
const COUNT: u64 = 4;
const HEAD: u64 = FIRST + COUNT - 1;

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("sui").unwrap()
}

fn genesis() -> Hash {
    let Ledger::Sui(SuiParams { genesis, .. }) = &row().ledger else { panic!("another ledger") };
    *genesis
}

fn base58(hash: &Hash) -> String {
    bs58::encode(hash.0).into_string()
}

/// Checkpoints in a row, each of four transactions: the second fails, the third has two events.
fn checkpoints(branch: u8) -> Vec<RawSuiBlock> {
    let mut previous_digest = Hash([branch; 32]);
    let made = (FIRST..=HEAD).map(|number| {
        let transaction = |at: u8| TransactionPlan {
            sender: Hash([branch; 32]),
            input: vec![at, number.to_le_bytes()[0]],
            is_success: at != 1,
            events: vec![vec![at; 8]; if at == 2 { 2 } else { 0 }],
        };
        let raw = build_checkpoint(&CheckpointPlan {
            epoch: 7,
            sequence_number: number,
            previous_digest,
            transactions_before: 4 * number,
            timestamp_ms: 1_700_000_000_000 + number,
            transactions: (0..4).map(transaction).collect(),
            next_committee: None,
        });
        previous_digest = raw.digest;
        raw
    });
    made.collect()
}

fn at(number: u64) -> RawSuiBlock {
    checkpoints(1)[usize::try_from(number - FIRST).unwrap()].clone()
}

/// The checkpoint that liars are asked for.
const ASKED: u64 = FIRST + 1;

#[derive(Clone, PartialEq, Eq, Message)]
struct Asked {
    #[prost(uint64, optional, tag = "1")]
    number: Option<u64>,
    #[prost(string, optional, tag = "2")]
    digest: Option<String>,
    #[prost(message, optional, tag = "3")]
    mask: Option<Mask>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Mask {
    #[prost(string, repeated, tag = "1")]
    paths: Vec<String>,
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number_field(tag: u64, value: u64) -> Vec<u8> {
    [varint(tag << 3), varint(value)].concat()
}

fn field(tag: u64, bytes: &[u8]) -> Vec<u8> {
    [varint(tag << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A member that is itself in BCS.
fn in_bcs(tag: u64, bytes: &[u8]) -> Vec<u8> {
    field(tag, &field(1, &field(2, bytes)))
}

/// Fields of a message, each whole: what is left out of it, doubled or put elsewhere is a lie.
type Fields = Vec<(&'static str, Vec<u8>)>;

fn info(network: &Hash) -> Fields {
    vec![
        ("chain", field(1, base58(network).as_bytes())),
        ("height", number_field(4, HEAD)),
        ("server", field(8, b"sui-node/1.60")),
    ]
}

fn transaction(one: &RawSuiTransaction) -> Vec<u8> {
    let events = one.events.iter().flat_map(|events| in_bcs(5, events));
    [in_bcs(2, &one.transaction), in_bcs(4, &one.effects), events.collect()].concat()
}

fn fields_of(raw: &RawSuiBlock, number: u64, is_header: bool, is_whole: bool) -> Fields {
    let mut fields = vec![
        ("number", number_field(1, number)),
        ("digest", field(2, base58(&raw.digest).as_bytes())),
    ];
    if is_header {
        fields.push(("summary", in_bcs(3, &raw.summary)));
        let signature = [number_field(1, 7), field(2, &[1; 48]), field(3, &[2; 9])].concat();
        fields.push(("signature", field(4, &signature)));
    }
    if let Some(contents) = raw.contents.as_ref().filter(|_| is_whole) {
        fields.push(("contents", in_bcs(5, &contents.contents)));
        let list = contents.transactions.iter();
        fields.extend(list.map(|one| ("transaction", field(6, &transaction(one)))));
    }
    fields
}

fn message(fields: &Fields) -> Vec<u8> {
    fields.iter().flat_map(|(_, bytes)| bytes.clone()).collect()
}

type Bend = Arc<dyn Fn(&str, &mut Fields) + Send + Sync>;
type Reply = Result<Vec<u8>, u16>;
/// What stands in place of the answer to a method.
type Instead = Arc<dyn Fn(&str) -> Option<Reply> + Send + Sync>;

struct Node {
    name: &'static str,
    checkpoints: Vec<RawSuiBlock>,
    bend: Mutex<Bend>,
    instead: Mutex<Instead>,
}

const INFO: &str = "/sui.rpc.v2.LedgerService/GetServiceInfo";
const CHECKPOINT: &str = "/sui.rpc.v2.LedgerService/GetCheckpoint";

impl Node {
    fn of(name: &'static str, branch: u8) -> Arc<Self> {
        let bend: Bend = Arc::new(|_, _| ());
        let instead: Instead = Arc::new(|_| None);
        let checkpoints = checkpoints(branch);
        Arc::new(Self { name, checkpoints, bend: Mutex::new(bend), instead: Mutex::new(instead) })
    }

    fn new(name: &'static str) -> Arc<Self> {
        Self::of(name, 1)
    }

    fn answer(&self, path: &str, body: &[u8]) -> Reply {
        if let Some(instead) = (self.instead.lock().unwrap())(path) {
            return instead;
        }
        let mut fields = match path {
            INFO => info(&genesis()),
            CHECKPOINT => {
                let Asked { number, digest, mask } = Asked::decode(body).unwrap();
                let found = (FIRST..).zip(&self.checkpoints).find(|(at, raw)| {
                    number.is_none_or(|number| number == *at)
                        && digest.as_ref().is_none_or(|digest| *digest == base58(&raw.digest))
                        && (number.is_some() || digest.is_some() || *at == HEAD)
                });
                let (number, raw) = found.ok_or(404_u16)?;
                let mask = mask.unwrap().paths;
                let wants = |path: &str| mask.iter().any(|wanted| wanted.starts_with(path));
                fields_of(raw, number, wants("summary"), wants("contents"))
            }
            other => panic!("{other} is no path of a node"),
        };
        (self.bend.lock().unwrap())(path, &mut fields);
        let bytes = message(&fields);
        Ok(if path == INFO { bytes } else { field(1, &bytes) })
    }
}

impl Transport for Node {
    fn name(&self) -> &str {
        self.name
    }

    fn exchange(&self, request: NodeRequest) -> BoxFuture<'_, Result<NodeAnswer, TransportError>> {
        let path = request.path.expect("a path");
        assert_eq!(path.content_type, Some("application/grpc"));
        let status = |got| TransportError::Status { got, retry_after_ms: None, text: vec![b'!'] };
        let reply = self.answer(&path.path, &request.body);
        Box::pin(std::future::ready(reply.map(|body| NodeAnswer { body }).map_err(status)))
    }
}

fn live_with(nodes: &[Arc<Node>], config: LiveConfig) -> Result<LiveSource, SourceError> {
    let transports = nodes.iter().map(|node| Arc::clone(node) as Arc<dyn Transport>).collect();
    LiveSource::with_transports(&Budget::default(), row(), transports, config)
}

fn live(nodes: &[Arc<Node>]) -> LiveSource {
    live_with(nodes, LiveConfig { attempts_max: 1, ..config() }).unwrap()
}

fn fares(source: &LiveSource, name: &str) -> NodeReport {
    let report = source.nodes().unwrap().report();
    report.endpoints.into_iter().find(|endpoint| endpoint.name == name).unwrap()
}

fn boxed(raw: RawSuiBlock) -> UntrustedBlock {
    UntrustedBlock::Sui(Box::new(raw))
}

#[tokio::test(start_paused = true)]
async fn the_newest_checkpoint_is_final_and_every_one_verifies() {
    let nodes = [Node::new("a"), Node::new("b")];
    let source = live(&nodes);
    let tip = source.fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.safe, tip.finalized), (HEAD, None, tip.head));
    let agreement = source.fetch_agreement(BlockNumber(FIRST)).await.unwrap();
    assert_eq!((agreement.sources.len(), agreement.rule.as_str()), (2, "latest block"));
    for expected in checkpoints(1) {
        let header = verify(row(), &boxed(expected.clone())).unwrap();
        let (number, hash) = (header.number(), expected.digest);
        for at in [BlockAt::Number(number), BlockAt::Id(ClaimedBlock { number, hash })] {
            for parts in [BlockParts::Header, BlockParts::Whole] {
                let fetched = source.fetch_block(at, parts, &[]).await.unwrap().unwrap();
                let verified = verify(row(), &fetched.block).unwrap();
                assert_eq!((verified.hash(), verified.number()), (hash, number));
                assert_eq!(verified.tx_count(), (parts == BlockParts::Whole).then_some(4));
                let UntrustedBlock::Sui(raw) = fetched.block else { panic!("another ledger") };
                let certificate = raw.certificate.unwrap();
                assert_eq!((certificate.epoch, certificate.signers), (7, vec![2; 9]));
            }
        }
    }
    let absent = BlockAt::Id(ClaimedBlock { number: BlockNumber(FIRST), hash: Hash([3; 32]) });
    assert!(source.fetch_block(absent, BlockParts::Header, &[]).await.unwrap().is_none());
    assert_eq!(source.fetch_whole(BlockNumber(HEAD + 1)).await.unwrap(), None);
    for name in ["a", "b"] {
        let fares = fares(&source, name);
        assert_eq!((fares.failure_count, fares.state), (0, EndpointState::Healthy), "{name}");
    }
    let back = LiveConfig { finality: FinalityAsk::Confirmations(2), ..config() };
    let tip = live_with(&nodes, back).unwrap().fetch_tip().await.unwrap();
    assert_eq!((tip.head.number.0, tip.finalized.number.0), (HEAD, HEAD - 2));
    let tag = LiveConfig { finality: FinalityAsk::Finalized, ..config() };
    let error = live_with(&nodes, tag).unwrap_err().to_string();
    assert!(error.starts_with("finality is \"finalized tag\", expected latest"), "{error}");
}

/// A field of the answers of a method is another; none where it is empty.
fn with(method: &'static str, name: &'static str, other: Vec<u8>) -> Bend {
    Arc::new(move |path, fields| {
        if path == method {
            fields.iter_mut().filter(|(one, _)| *one == name).for_each(|(_, bytes)| {
                *bytes = other.clone();
            });
        }
    })
}

/// The transaction at a place is another.
fn with_transaction(place: usize, other: Vec<u8>) -> Bend {
    Arc::new(move |_, fields| {
        let mut list = fields.iter_mut().filter(|(name, _)| *name == "transaction");
        if let Some((_, bytes)) = list.nth(place) {
            *bytes = field(6, &other);
        }
    })
}

fn bent(bend: Bend) -> Arc<Node> {
    let node = Node::new("liar");
    *node.bend.lock().unwrap() = bend;
    node
}

fn answering(method: &'static str, reply: Reply) -> Arc<Node> {
    let node = Node::new("liar");
    let instead: Instead = Arc::new(move |path| (path == method).then(|| reply.clone()));
    *node.instead.lock().unwrap() = instead;
    node
}

/// Asks a liar for a checkpoint by number: nothing is given on, and the node is blamed.
async fn refused(node: Arc<Node>) -> (String, NodeReport) {
    let source = live(&[node]);
    let error = match source.fetch_whole(BlockNumber(ASKED)).await {
        Err(error) => error.to_string(),
        Ok(block) => panic!("{} was given on", block.is_some()),
    };
    let fares = fares(&source, "liar");
    assert!(fares.failure_count > 0, "{error}: {fares:?}");
    (error, fares)
}

#[tokio::test(start_paused = true)]
async fn answers_about_something_else_are_refused_by_name_and_the_node_is_wrong() {
    let other = |text: &str| with(INFO, "chain", field(1, text.as_bytes()));
    let expected = format!("expected genesis {}", base58(&genesis()));
    for (told, bend) in [
        (
            format!("chain id is {}, {expected}", base58(&Hash([1; 32]))),
            other(&base58(&Hash([1; 32]))),
        ),
        (format!("chain id is , {expected}"), other("")),
        (format!("chain id is , {expected}"), with(INFO, "chain", Vec::new())),
        (
            "sequence_number is 102, expected 101".to_owned(),
            with(CHECKPOINT, "number", number_field(1, ASKED + 1)),
        ),
        (
            format!("sequence_number is {}, expected 101", u64::MAX),
            with(CHECKPOINT, "number", number_field(1, u64::MAX)),
        ),
        // the last of two counts
        (
            "sequence_number is 7, expected 101".to_owned(),
            with(CHECKPOINT, "number", [number_field(1, ASKED), number_field(1, 7)].concat()),
        ),
    ] {
        let (error, fares) = refused(bent(bend)).await;
        assert!(error.contains(&told), "{told}: {error}");
        assert_eq!(fares.state, EndpointState::Wrong, "{told}: {fares:?}");
    }
    // by its digest
    let source =
        live(&[bent(with(CHECKPOINT, "digest", field(2, base58(&at(FIRST).digest).as_bytes())))]);
    let id = ClaimedBlock { number: BlockNumber(ASKED), hash: at(ASKED).digest };
    let error = source.fetch_block(BlockAt::Id(id), BlockParts::Header, &[]).await.unwrap_err();
    let told = format!("digest is {}, expected {}", base58(&at(FIRST).digest), base58(&id.hash));
    assert!(error.to_string().contains(&told), "{error}");
    assert_eq!(fares(&source, "liar").state, EndpointState::Wrong);
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_refused_by_field_and_counted() {
    let bare = |tag| field(tag, &field(1, &[]));
    let first = at(ASKED).contents.unwrap().transactions[0].clone();
    let without_effects = in_bcs(2, &first.transaction);
    let without_transaction = in_bcs(4, &first.effects);
    let many: Vec<u8> = std::iter::repeat_n(field(6, &[]), 65_537).flatten().collect();
    let nodes: Vec<(&str, Arc<Node>)> = vec![
        ("sequence_number is missing", bent(with(CHECKPOINT, "number", Vec::new()))),
        ("digest is missing", bent(with(CHECKPOINT, "digest", Vec::new()))),
        ("digest is no 32 bytes in base58", bent(with(CHECKPOINT, "digest", field(2, b"0OIl")))),
        (
            "digest is no 32 bytes in base58",
            bent(with(
                CHECKPOINT,
                "digest",
                field(2, bs58::encode([7; 31]).into_string().as_bytes()),
            )),
        ),
        (
            "digest is no 32 bytes in base58",
            bent(with(CHECKPOINT, "digest", field(2, &[b'2'; 100_000]))),
        ),
        ("summary.bcs is missing", bent(with(CHECKPOINT, "summary", Vec::new()))),
        ("summary.bcs is missing", bent(with(CHECKPOINT, "summary", bare(3)))),
        ("contents.bcs is missing", bent(with(CHECKPOINT, "contents", Vec::new()))),
        ("transactions[2].effects.bcs is missing", bent(with_transaction(2, without_effects))),
        (
            "transactions[0].transaction.bcs is missing",
            bent(with_transaction(0, without_transaction)),
        ),
        (
            "65541 transactions, expected at most 65536",
            bent(Arc::new(move |path, fields| {
                if path == CHECKPOINT {
                    fields.push(("more", many.clone()));
                }
            })),
        ),
        ("invalid wire type", bent(with(CHECKPOINT, "number", field(1, b"101")))),
        ("invalid wire type", bent(with(CHECKPOINT, "summary", number_field(3, 7)))),
        ("invalid string value", bent(with(CHECKPOINT, "digest", field(2, &[0xff; 32])))),
        ("varint", bent(with(CHECKPOINT, "number", [&[8][..], &[0xff; 11]].concat()))),
        ("checkpoint is missing", answering(CHECKPOINT, Ok(Vec::new()))),
        ("decode", answering(CHECKPOINT, Ok(b"<html>sign in</html>".to_vec()))),
        ("decode", answering(CHECKPOINT, Ok(vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]))),
        ("decode", answering(CHECKPOINT, Ok(field(1, &[0x1b; 400])))),
        ("decode", answering(INFO, Ok(vec![0x0a, 9, 1]))),
    ];
    for (told, node) in nodes {
        let (error, fares) = refused(node).await;
        assert!(error.contains(told), "{told}: {error}");
        assert!(error.contains("another shape"), "{error}");
        // the header of a checkpoint that lacks another part may have been had since
        let last_error = fares.last_error.as_deref();
        assert!(last_error.is_none_or(|it| it == "an answer of another shape"), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn refusals_and_answers_past_the_limit_are_counted_and_nothing_comes_of_them() {
    for (status, told) in [
        (400, "http status 400: \"!\""),
        (401, "http status 401"),
        (500, "http status 500"),
        (501, "http status 501"),
        (503, "http status 503"),
        (429, "it asks for fewer calls"),
    ] {
        for method in [INFO, CHECKPOINT] {
            let (error, _) = refused(answering(method, Err(status))).await;
            assert!(error.contains(told), "{method}: {error}");
        }
    }
    let config = LiveConfig { attempts_max: 1, body_bytes_max: 1 << 20, ..config() };
    let large = answering(CHECKPOINT, Ok(vec![0; (1 << 20) + 1]));
    let source = live_with(&[large], config).unwrap();
    let error = source.fetch_whole(BlockNumber(ASKED)).await.unwrap_err().to_string();
    assert!(error.contains("an answer of more than 1048576 bytes"), "{error}");
    assert!(fares(&source, "liar").failure_count > 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_newest_checkpoint_is_no_tip() {
    for node in [
        answering(CHECKPOINT, Err(404)),
        answering(CHECKPOINT, Ok(Vec::new())),
        bent(with(CHECKPOINT, "number", Vec::new())),
        bent(with(CHECKPOINT, "digest", field(2, b"1"))),
    ] {
        let source = live(&[node]);
        let tip = source.fetch_tip().await;
        let fares = fares(&source, "liar");
        assert!(tip.is_err() && fares.failure_count > 0, "{tip:?}: {fares:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nodes_of_two_branches_do_not_agree_and_a_good_node_answers_for_a_liar() {
    let source = live(&[Node::new("a"), Node::of("b", 2)]);
    let error = source.fetch_agreement(BlockNumber(HEAD)).await.unwrap_err();
    assert!(matches!(error, SourceError::Disagreement(_)), "{error}");
    let nodes = [bent(with(CHECKPOINT, "summary", Vec::new())), Node::new("good")];
    let source = live_with(&nodes, config()).unwrap();
    let at = BlockAt::Number(BlockNumber(ASKED));
    let found = source.fetch_block(at, BlockParts::Whole, &[]).await.unwrap().unwrap();
    assert_eq!(&*found.sender, "good");
}

/// What reads well and is false is left to the gate: refused there by the name of its part, with its sender
/// known.
#[tokio::test(start_paused = true)]
async fn cut_lengthened_and_swapped_parts_are_refused_by_the_gate() {
    fn list(fields: &mut Fields) -> Vec<usize> {
        let is_one =
            |(at, (name, _)): (usize, &(&str, Vec<u8>))| (*name == "transaction").then_some(at);
        fields.iter().enumerate().filter_map(is_one).collect()
    }
    let whole = |number| at(number).contents.unwrap();
    let mixed = |place: usize, bend: &dyn Fn(&mut RawSuiTransaction)| {
        let mut one = whole(ASKED).transactions[place].clone();
        bend(&mut one);
        with_transaction(place, transaction(&one))
    };
    let other = at(FIRST);
    let events = checkpoints(2)[0].contents.as_ref().unwrap().transactions[2].events.clone();
    let effects = whole(ASKED).transactions[3].effects.clone();
    let cases: Vec<(&str, Bend)> = vec![
        ("digest is ", with(CHECKPOINT, "summary", in_bcs(3, &other.summary))),
        ("digest is ", with(CHECKPOINT, "digest", field(2, base58(&other.digest).as_bytes()))),
        ("summary cannot be read", with(CHECKPOINT, "summary", in_bcs(3, &[]))),
        ("content_digest is ", with(CHECKPOINT, "contents", in_bcs(5, &whole(FIRST).contents))),
        ("contents cannot be read", with(CHECKPOINT, "contents", in_bcs(5, &[0xff; 9]))),
        (
            "transactions is 3, expected 4",
            Arc::new(|_, fields| {
                let last = list(fields).pop();
                last.map(|at| fields.remove(at));
            }),
        ),
        (
            "transactions is 5, expected 4",
            Arc::new(|_, fields| {
                let first = list(fields).first().map(|at| fields[*at].clone());
                fields.extend(first);
            }),
        ),
        (
            "transactions is 0, expected 4",
            Arc::new(|_, fields| {
                fields.retain(|(name, _)| *name != "transaction");
            }),
        ),
        (
            "transactions[0].digest is ",
            Arc::new(|_, fields| {
                if let [first, second, ..] = list(fields)[..] {
                    fields.swap(first, second);
                }
            }),
        ),
        ("transactions[2].effects_digest is ", { mixed(2, &|one| one.effects = effects.clone()) }),
        ("transactions[2].events_digest is ", mixed(2, &|one| one.events = events.clone())),
        ("transactions[2].events is missing", mixed(2, &|one| one.events = None)),
        ("transactions[1].events", mixed(1, &|one| one.events = events.clone())),
        ("transactions[0].digest is ", mixed(0, &|one| one.transaction.push(0))),
    ];
    for (told, bend) in cases {
        let source = live(&[bent(bend)]);
        let asked = BlockAt::Number(BlockNumber(ASKED));
        let found = source.fetch_block(asked, BlockParts::Whole, &[]).await.unwrap().unwrap();
        assert_eq!(&*found.sender, "liar");
        let error = verify(row(), &found.block).map(|_| told).unwrap_err().to_string();
        assert!(error.starts_with(told), "{told}: {error}");
        source.nodes().unwrap().blame(&found.sender, &error);
        assert_eq!(fares(&source, "liar").state, EndpointState::Wrong, "{told}");
    }
}
