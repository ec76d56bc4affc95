//! A service over simulated Ethereum, spoken to without a socket.
#![allow(dead_code, unreachable_pub, missing_docs)]

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use superroot_account::wallet::NoNodes;
use superroot_account::{
    AccountService, ContractCaller, Environment, Grant, ManualStopwatch, Operator, Tier,
};
use superroot_accumulate::Accumulator;
use superroot_accumulate::prove::Prover;
use superroot_api::{Api, ApiConfig, ChainStage, Point, StatusBoard, WatchView, router};
use superroot_billing::{
    Agreement, AgreementTerms, Asset, BillingLedger, Interval, Payment, PaymentId,
};
use superroot_chain::Encoding;
use superroot_chain::finality::{AgreeingNode, FinalityAnchor, NodeQuorum, check};
use superroot_chain::{
    ChainRegistry, ChainSpec, EvidenceVerdict, FinalBlock, FinalityEvidence, VerifiedBlock,
};
use superroot_proof::note::{KeyKind, Signer};
use superroot_source::BlockSource;
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_store::coverage::{self, CoverageRun};
use superroot_store::feed::{self, Changes, Feed, Follower, StageProgress};
use superroot_store::layout::{
    BlockTip, ChainState, HaltRow, HeldRun, KeptEntries, RetractionRow, WatchFilter,
};
use superroot_store::{MemoryStore, Store, WriteBatch, read, write};
use superroot_stream::{Hub, StreamLogWriter};
use superroot_types::{Address, BlockNumber, ChainId, ChainKey, Hash, ManualClock, UnixSeconds};
use superroot_webhook::Webhooks;
use tower::ServiceExt;

pub const ORIGIN: &str = "simulated/api-tests";
pub mod market;

pub const GENESIS: u64 = 1_700_000_000;
pub const NOW: u64 = GENESIS + 100_000;

/// A service, its parts, and its chain.
pub struct World {
    pub router: Router,
    pub store: Arc<dyn Store>,
    pub clock: Arc<ManualClock>,
    pub status: Arc<StatusBoard>,
    pub accumulator: Accumulator,
    pub ready: Arc<AtomicBool>,
    /// What is kept of further blocks.
    pub kept: KeptEntries,
    pub accounts: Arc<AccountService>,
    pub billing: Arc<BillingLedger>,
    registry: Arc<ChainRegistry>,
    pub stopwatch: Arc<ManualStopwatch>,
    /// Where accounts lie.
    pub account_rows: Arc<dyn Store>,
    /// Who is asked about contract wallets.
    pub contracts: Arc<dyn ContractCaller>,
    pub webhooks: Arc<Webhooks>,
    pub watches: Arc<superroot_watch::Watches>,
    /// What happens, as far as [`World::tell`] told it.
    pub hub: Hub,
    config: ApiConfig,
    row: ChainSpec,
    source: SimulatedChain,
}

pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| {
            panic!("no JSON ({error}): {}", String::from_utf8_lossy(&self.bytes))
        })
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// The JSON of a good answer.
    pub fn good(&self) -> Value {
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status, StatusCode::OK, "{text}");
        assert_eq!(self.header("content-type"), "application/json");
        self.json()
    }

    /// The JSON of an answer for something just made.
    pub fn created(&self) -> Value {
        assert_eq!(self.status, StatusCode::CREATED, "{}", self.json());
        assert_eq!(self.header("cache-control"), "no-store");
        self.json()
    }

    /// The JSON of a problem with that status and code, in the form that all problems have.
    pub fn problem(&self, status: u16, code: &str) -> Value {
        let text = String::from_utf8_lossy(&self.bytes);
        assert_eq!(self.status.as_u16(), status, "{text}");
        assert_eq!(self.header("content-type"), "application/problem+json");
        let body = self.json();
        assert_eq!(body["code"], code, "{text}");
        assert_eq!(body["status"], status);
        assert_eq!(body["error"], body["detail"]);
        assert_eq!(body["request_id"], self.header("x-request-id"));
        assert!(body["title"].is_string() && body["type"].is_string());
        let anchors = [body.get("v5_anchor"), body.get("v5Anchor")];
        assert_eq!(anchors.iter().flatten().count(), 1, "{text}");
        let retry_after = self.headers.get("retry-after").map(|it| it.to_str().unwrap().parse());
        let retry_after: Option<u64> = retry_after.transpose().unwrap();
        assert_eq!(body.get("retry_after").and_then(Value::as_u64), retry_after);
        assert_eq!(body["retryable"], retry_after.is_some(), "{text}");
        body
    }
}

/// Settings of the HTTP face and of accounts.
#[derive(Clone, Default)]
pub struct Settings {
    pub api: ApiConfig,
    pub accounts: superroot_account::AccountConfig,
    pub webhooks: superroot_webhook::WebhookConfig,
}

impl From<ApiConfig> for Settings {
    fn from(api: ApiConfig) -> Self {
        Self { api, ..Self::default() }
    }
}

/// A service without limits.
pub fn unlimited() -> Settings {
    let mut settings = Settings::default();
    settings.accounts.limit.keyless_per_minute = 0;
    settings.accounts.limit.of_keys_per_minute = 0;
    settings
}

/// The key of a log.
pub fn log_key(origin: &str) -> Signer {
    Signer::new(origin, KeyKind::Log, &[1; 32]).unwrap()
}

impl World {
    /// A service whose store is empty. Blocks below `quiet_until` are fast to make.
    pub fn empty(config: impl Into<Settings>, quiet_until: u64) -> Self {
        Self::of("ethereum", ORIGIN, config, quiet_until)
    }

    /// The same of another chain, in a log of another origin.
    pub fn of(chain: &str, origin: &str, config: impl Into<Settings>, quiet_until: u64) -> Self {
        // simulated chains are all of Ethereum's form
        let row = ChainRegistry::builtin().find(chain).unwrap().clone().read_as(Encoding::Ethereum);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let rows = ChainRegistry::builtin().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), rows, origin).unwrap();
        let accumulator = accumulator.signed_by(vec![log_key(origin)]).unwrap();
        let clock = Arc::new(ManualClock::at(UnixSeconds(NOW)));
        let chain = SimulatedConfig {
            seed: 5,
            genesis_time: UnixSeconds(GENESIS),
            block_time_seconds: 1,
            finality_depth: 8,
            reorgs: false,
            quiet_until,
            transactions: None,
        };
        let Settings { api: config, mut accounts, webhooks } = config.into();
        accounts.keys.environment = Environment::Test;
        accounts.routes = superroot_api::metered_routes();
        let account_rows: Arc<dyn Store> = Arc::new(MemoryStore::new());
        // time passes by the clock alone, unless a test says otherwise
        let (rows, stopwatch) = (account_rows.clone(), Arc::new(ManualStopwatch::default()));
        let opened = AccountService::open_with(rows, clock.clone(), stopwatch.clone(), &accounts);
        let accounts = opened.unwrap();
        let source = SimulatedChain::new(&row, chain, clock.clone()).unwrap();
        let status = Arc::new(StatusBoard::new());
        status.update(row.key(), |view| {
            view.state = ChainStage::Starting;
            view.began_at = Some(UnixSeconds(NOW));
            view.watch = Some(WatchView::All);
        });
        let ready = Arc::new(AtomicBool::new(true));
        let prover = Prover::new(store.clone(), accumulator.board());
        let mut world = Self {
            hub: Hub::open(prover).unwrap(),
            router: Router::new(),
            store,
            clock,
            status,
            accumulator,
            ready,
            kept: KeptEntries::All,
            billing: BillingLedger::new(accounts.clone()),
            webhooks: Webhooks::new(accounts.clone(), webhooks),
            watches: superroot_watch::Watches::open(
                accounts.clone(),
                superroot_watch::WatchConfig::default(),
            )
            .unwrap(),
            accounts,
            stopwatch,
            account_rows,
            contracts: Arc::new(NoNodes),
            config,
            registry: Arc::new(ChainRegistry::builtin().clone()),
            row,
            source,
        };
        world.serve();
        world
    }

    /// Makes an account an integrator from the running month on.
    pub fn make_integrator(&self, account: superroot_account::AccountId) {
        let entered_at = self.billing.now();
        let (interval, tier) = (Interval::Monthly, Tier::Builder);
        let agreement = Agreement {
            account,
            from: superroot_account::Month::of(entered_at).unwrap(),
            terms: AgreementTerms::Integrator { interval, fee_usdc_e6: 99_000_000, tier },
            by: Operator { who: "test".into(), why: "an integrator".into() },
            entered_at,
        };
        self.billing.agree(&agreement).unwrap();
    }

    /// A wallet pays for thirty days of a builder.
    pub fn pay(&self, wallet: Address) {
        let payment = Payment {
            id: PaymentId { chain: ChainId(8_453), tx: Hash([1; 32]), log_index: 0 },
            wallet,
            tier: Tier::Builder,
            usdc_e6: 50_000_000,
            asset: Asset::Usdc,
            paid_at: UnixSeconds(NOW),
            is_final: true,
            is_proven: false,
        };
        self.billing.pay(&payment, None).unwrap();
    }

    /// Routes over the accumulator's SuperRoots.
    fn serve(&mut self) {
        self.router = router(self.api());
    }

    /// What a router is made of.
    pub fn api(&self) -> Api {
        let prover = Prover::new(self.store.clone(), self.accumulator.board());
        Api {
            hub: self.hub.clone(),
            prover,
            registry: self.registry.clone(),
            blooms: Arc::default(),
            status: self.status.clone(),
            accounts: self.accounts.clone(),
            billing: self.billing.clone(),
            webhooks: self.webhooks.clone(),
            watches: self.watches.clone(),
            market: superroot_api::Markets {
                tokens: Arc::new(market::SomeTokens),
                config: market::config(),
                ..superroot_api::Markets::default()
            },
            contracts: self.contracts.clone(),
            price_nodes: Arc::new(superroot_gas::NoPriceNodes),
            clock: self.clock.clone(),
            config: self.config.clone(),
            ready: self.ready.clone(),
            rpc: None,
            passes: None,
        }
    }

    /// Has others asked about contract wallets.
    pub fn ask_contracts_of(&mut self, contracts: Arc<dyn ContractCaller>) {
        self.contracts = contracts;
        self.serve();
    }

    /// Withdraws the chain's blocks from that number on: the next step says so in the log.
    pub fn withdraw(&mut self, from_number: u64) {
        let (rows, chain) = (superroot_chain::registry::ROWS, self.row.slug.as_str());
        let text = format!("{rows}\n[[withdraw]]\nchain = \"{chain}\"\nfrom = {from_number}\n");
        self.registry = Arc::new(ChainRegistry::parse(&text).unwrap());
        let rows = self.registry.proof_registry().clone();
        let accumulator = Accumulator::open(self.store.clone(), rows, ORIGIN).unwrap();
        self.accumulator = accumulator.signed_by(vec![log_key(ORIGIN)]).unwrap();
        self.serve();
    }

    /// Blocks 0 to 31 in two SuperRoots, block 32 final but not anchored, block 33 not final.
    pub fn small(config: impl Into<Settings>) -> Self {
        let mut world = Self::empty(config, 0);
        world.extend(0..28, true);
        world.step(100);
        world.extend(28..32, true);
        world.step(112);
        world.extend(32..33, true);
        world.extend(33..34, false);
        let head = world.block(33);
        let point = |block: &VerifiedBlock| Point {
            number: block.number(),
            hash: block.hash(),
            timestamp: block.timestamp(),
        };
        let finalized = point(&world.block(32));
        world.status.update(world.key(), |view| {
            view.state = ChainStage::Following;
            view.head = Some(point(&head));
            view.finalized = Some(finalized);
            view.advanced_at = Some(UnixSeconds(NOW));
            view.finalized_at = Some(UnixSeconds(NOW));
        });
        world
    }

    /// Blocks across a twig's end: 2046 to 2050, so that one twig is sealed and one open.
    pub fn sealed(config: impl Into<Settings>) -> Self {
        let mut world = Self::empty(config, 2040);
        world.extend(2046..2051, true);
        world.step(100);
        world
    }

    pub fn key(&self) -> ChainKey {
        self.source.chain()
    }

    pub fn block(&self, number: u64) -> VerifiedBlock {
        let row = &self.row;
        let fetched = std::thread::scope(|scope| {
            let fetch = || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(self.source.fetch_whole(BlockNumber(number)))
            };
            scope.spawn(fetch).join().unwrap()
        });
        superroot_chain::verify(row, &fetched.unwrap().unwrap()).unwrap()
    }

    pub fn extend(&self, numbers: impl IntoIterator<Item = u64>, is_final: bool) {
        let (store, key, mut batch) = (&*self.store, self.key(), WriteBatch::new());
        let mut changes = Changes::default();
        let mut state = read::load_chain_state(store, key).unwrap();
        let mut runs = Vec::new();
        let mut run = |from: u64, to: u64, held| {
            runs.push(CoverageRun { from: BlockNumber(from), to: BlockNumber(to), held });
        };
        for number in numbers {
            let block = self.block(number);
            let start = BlockNumber(number - number % 2048);
            if state.is_none() && start.0 < number {
                run(start.0, number - 1, HeldRun::Skipped);
            }
            let state = state.get_or_insert_with(|| ChainState::empty(start));
            if is_final {
                let block = as_final(&block);
                write::put_final(&mut batch, store, &block, &self.kept).unwrap();
            } else {
                write::put_kept_block(&mut batch, store, &block, &self.kept).unwrap();
            }
            let tip = BlockTip { number: block.number(), hash: block.hash() };
            if is_final {
                changes.made_final(tip.number);
            } else {
                changes.taken(tip);
            }
            state.head = Some(tip);
            if is_final {
                state.indexed = Some(tip);
                state.checked_to = Some(tip.number);
                state.block_count += 1;
                run(number, number, HeldRun::Whole);
            }
        }
        coverage::put_coverage(&mut batch, store, key, &runs).unwrap();
        write::put_chain_state(&mut batch, key, &state.unwrap());
        feed::append(&mut batch, store, key, changes, UnixSeconds(NOW), 86_400).unwrap();
        store.commit(batch).unwrap();
    }

    /// Puts a final block into the store once more, of which all is kept this time.
    pub fn repair(&self, number: u64) {
        let (block, mut batch) = (as_final(&self.block(number)), WriteBatch::new());
        write::put_final(&mut batch, &*self.store, &block, &KeptEntries::All).unwrap();
        self.store.commit(batch).unwrap();
    }

    /// Halts the chain in the store, with the contradiction that did it.
    pub fn halt(&self, number: u64) {
        self.halt_at(number, Hash([1; 32]));
    }

    /// The same, of a block of that hash.
    pub fn halt_at(&self, number: u64, held_hash: Hash) {
        let (key, number, mut batch) = (self.key(), BlockNumber(number), WriteBatch::new());
        let evidence = agreed(["alpha", "gamma"], number, Hash([2; 32]));
        let (since, reason) = (UnixSeconds(NOW - 5), "two hashes".to_owned());
        let retraction = RetractionRow {
            held_hash,
            other_hash: Hash([2; 32]),
            evidence,
            noticed_at: since,
            other_header: Some(vec![3, 4]),
        };
        write::put_retraction(&mut batch, &*self.store, key, number, &retraction).unwrap();
        write::put_halt(&mut batch, key, &HaltRow { number, since, reason });
        self.store.commit(batch).unwrap();
    }

    /// Tells whoever listens what has happened; everything is watched.
    pub fn tell(&self) {
        let (store, chain) = (self.store.clone(), self.key());
        if read::load_chain_watch(&*store, chain).unwrap().is_none() {
            let mut batch = WriteBatch::new();
            write::put_watch(&mut batch, chain, &WatchFilter::All);
            store.commit(batch).unwrap();
        }
        let mut index = Follower::new(store.clone(), Feed::Chain(chain), market::index());
        while index.step().unwrap() != StageProgress::Idle {}
        let mut launches = market::launches(&store, chain);
        while launches.step().unwrap() != StageProgress::Idle {}
        let prover = Prover::new(store.clone(), self.accumulator.board());
        let mut writer = StreamLogWriter::new(store, prover, vec![chain], 86_400);
        while writer.step(UnixSeconds(NOW)).unwrap() > 0 {}
        while self.hub.take().unwrap() > 0 {}
    }

    pub fn step(&mut self, now: u64) {
        self.accumulator.step(UnixSeconds(now)).unwrap();
    }

    pub async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let is_stream =
            parts.headers.get("content-type").is_some_and(|it| it == "text/event-stream");
        // a stream never ends: that it is open is the answer
        let bytes =
            if is_stream { Vec::new() } else { body.collect().await.unwrap().to_bytes().to_vec() };
        Reply { status: parts.status, headers: parts.headers, bytes }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(request("GET", path, &[], Body::empty())).await
    }

    pub async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.send(request("GET", path, headers, Body::empty())).await
    }

    /// A key of a new account of that tier.
    pub fn key_of_tier(&self, tier: Tier) -> String {
        let accounts = self.accounts.accounts();
        let (account, issued) = accounts.register(Address([7; 20])).unwrap();
        let operator = Operator { who: "test".into(), why: "a key of each tier".into() };
        accounts.grant(&operator, account.id, Some(&Grant::of(tier))).unwrap();
        issued.secret.expose().to_owned()
    }

    /// A key of an account that claims the wallet, and the answer that tells it.
    pub async fn register(&self, wallet: &str) -> (String, Value) {
        let body = serde_json::json!({ "wallet_address": wallet });
        let body = self.post("/api/v1/register", &body).await.created();
        (body["api_key"].as_str().unwrap().to_owned(), body)
    }

    /// The answer has the members that its schema has, no more and no less.
    pub async fn check_members(&self, schema: &str, body: &Value) {
        let document = self.get("/openapi.json").await.json();
        let properties = &document["components"]["schemas"][schema]["properties"];
        let names = |value: &Value| {
            let names = value.as_object().unwrap().keys().filter(|name| *name != "v5_anchor");
            names.cloned().collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(names(body), names(properties), "{body}");
    }

    /// Serves it on loopback until the test ends.
    pub async fn listen(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(superroot_api::serve(listener, self.api(), std::future::pending()));
        address
    }

    /// A request with a key, and a body where one is given.
    pub async fn ask(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let headers = [("x-api-key", key), ("content-type", "application/json")];
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.send(request(method, path, &headers, body)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json")];
        self.send(request("POST", path, &headers, Body::from(body.to_string()))).await
    }

    /// Hash of a transaction that has logs: block, position, hash.
    pub fn eventful(&self, numbers: std::ops::Range<u64>) -> (u64, u32, String) {
        for number in numbers {
            let block = self.block(number);
            for (index, leaf) in (0_u32..).zip(block.receipts().unwrap()) {
                let receipt = superroot_proof::ledger::evm::Receipt::decode(leaf).unwrap();
                if !receipt.logs.is_empty() {
                    let hash = block.transaction_hashes().unwrap()[index as usize];
                    return (number, index, hash.to_string());
                }
            }
        }
        panic!("no block of these has a log");
    }
}

pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Request<Body> {
    from_peer("192.0.2.1", method, path, headers, body)
}

pub fn from_peer(
    peer: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Body,
) -> Request<Body> {
    let mut builder = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    let mut request = builder.body(body).unwrap();
    let peer = SocketAddr::new(peer.parse().unwrap(), 4_000);
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

/// What comes back for these bytes until the other side closes. All of them are sent before a byte is
/// read, as simple clients do.
pub async fn exchange(address: SocketAddr, bytes: Vec<u8>) -> String {
    let exchanged = move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
        stream.write_all(&bytes).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::task::spawn_blocking(exchanged).await.unwrap()
}

/// The same value with long hex cut, so that a snapshot shows shape and meaning.
pub fn cut(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("0x") && text.len() > 70 => {
            Value::String(format!("{}… ({} bytes)", &text[..18], text.len() / 2 - 1))
        }
        Value::Array(items) if items.len() > 6 => {
            let count = items.len();
            let mut items: Vec<_> = items.into_iter().take(2).map(cut).collect();
            items.push(Value::String(format!("… ({count} items)")));
            Value::Array(items)
        }
        Value::Array(items) => items.into_iter().map(cut).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, cut(value))).collect())
        }
        scalar => scalar,
    }
}

/// An answer without its anchor, which every one has.
pub fn without_anchor(body: &Value) -> Value {
    let mut body = body.clone();
    let members = body.as_object_mut().unwrap();
    let anchors = ["v5_anchor", "v5Anchor"].map(|name| members.remove(name).is_some());
    assert!(anchors[0] != anchors[1], "one anchor: {body}");
    body
}

/// What the document says of a status of an operation: under its number, or in the entry for all that come
/// of no fault of the route.
pub fn documented<'a>(document: &'a Value, operation: &'a Value, status: u16) -> Option<&'a Value> {
    let resolved = |named: &'a Value| {
        let shared = named["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        shared.and_then(|at| document.pointer(at)).unwrap_or(named)
    };
    let (status, responses) = (status.to_string(), &operation["responses"]);
    if let Some(named) = responses.get(&status) {
        return Some(resolved(named));
    }
    let others = responses.get("default").map(resolved)?;
    let names = others["description"].as_str().unwrap().split(", ");
    names.into_iter().any(|name| name.starts_with(&status)).then_some(others)
}

/// Members and schema of an answer agree: none undocumented, none promised and missing.
pub fn assert_documented(document: &Value, schema: &str, body: &Value) {
    assert_members(document, schema, &without_anchor(body));
}

/// A schema, or what it is made of.
fn parts_of<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = match schema["$ref"].as_str().and_then(|target| target.strip_prefix('#')) {
        Some(at) => document.pointer(at).unwrap_or(schema),
        None => schema,
    };
    match schema["allOf"].as_array() {
        Some(parts) => parts.iter().flat_map(|part| parts_of(document, part)).collect(),
        None => vec![schema],
    }
}

fn assert_members(document: &Value, schema: &str, body: &Value) {
    // of several ledgers' forms the one that is named: tests are of that ledger
    let forms = document["components"]["schemas"][schema]["anyOf"].as_array();
    let named =
        forms.into_iter().flatten().find_map(|form| form["$ref"].as_str()?.rsplit('/').next());
    if let Some(named) = named {
        return assert_members(document, named, body);
    }
    let parts = parts_of(document, &document["components"]["schemas"][schema]);
    let members = |part: &&'_ Value| part["properties"].as_object().cloned().unwrap_or_default();
    let known: serde_json::Map<_, _> = parts.iter().flat_map(members).collect();
    assert!(!known.is_empty(), "{schema}");
    for name in body.as_object().unwrap().keys() {
        assert!(known.contains_key(name), "{name} of {schema} is not documented");
    }
    let required = parts.iter().flat_map(|part| part["required"].as_array().into_iter().flatten());
    for name in required {
        let name = name.as_str().unwrap();
        assert!(body.get(name).is_some(), "{name} of {schema} is promised and missing");
    }
    for (name, member) in &known {
        let Some(value) = body.get(name) else { continue };
        let target = |schema: &Value| {
            let target = schema["$ref"].as_str()?.rsplit('/').next();
            target.map(str::to_owned)
        };
        let or_null = member["oneOf"].as_array().into_iter().flatten().find_map(target);
        if let Some(target) = target(member).or(or_null).filter(|_| value.is_object()) {
            assert_members(document, &target, value);
        }
        if let (Some(target), Some(items)) = (target(&member["items"]), value.as_array()) {
            items
                .iter()
                .filter(|item| item.is_object())
                .for_each(|item| assert_members(document, &target, item));
        }
        let is_null_allowed = member.get("oneOf").is_some()
            || member.get("type").is_none()
            || member["type"].as_array().is_some_and(|kinds| kinds.contains(&Value::from("null")));
        assert!(!value.is_null() || is_null_allowed, "{name} of {schema} is null");
    }
}

/// That nodes of two operators of three agree on that block.
fn agreed(names: [&str; 2], number: BlockNumber, hash: Hash) -> FinalityEvidence {
    let witness = |name: &str| AgreeingNode { name: name.into(), operator: name.into() };
    FinalityEvidence::NodeQuorum(NodeQuorum {
        sources: names.map(witness).into(),
        needed: 2,
        of: 3,
        rule: "finalized tag".into(),
        number,
        hash,
        agreed_at: UnixSeconds(NOW),
    })
}

fn as_final(block: &VerifiedBlock) -> FinalBlock {
    let evidence = agreed(["alpha", "beta"], block.number(), block.hash());
    let trusted = FinalityAnchor::Operators { needed: 2, of: 3 };
    match check(evidence, vec![block.clone().into()], &trusted, UnixSeconds(NOW)) {
        EvidenceVerdict::Final(mut blocks) => blocks.remove(0),
        refused => panic!("{refused:?}"),
    }
}
