//! Live chain behind several untrusted nodes.
//!
//! ```text
//!                    ┌ Node: batches, pace, health ─ Transport: http, ws, or in memory ─► a node
//!   LiveSource ──────┼ Node ...
//!   (choice, retries,└ Node ...
//!    agreement)         ▲ Dialect: what nodes of the ledger are asked
//! ```
//!
//! An *endpoint* is a node's address; *health* is the record of recent answers. A block comes from the best node, then
//! from the others; finality requires agreement of `quorum` nodes.
//!
//! Nodes of the same *operator* count once: a single opinion, or a single pocket.
//!
//! Invariant: no node is trusted. Fewer lying nodes than the quorum can never move finality; any number may only
//! withhold finality. Answers are bounded in bytes, entries and time, and no secret part of an address is shown.

mod agreement;
mod blocks;
mod choice;
pub(crate) mod config;
mod contract_calls;
mod gas_prices;
mod greet;
mod json_list;
pub(crate) mod node;
mod one_node;
pub(crate) mod operators;
pub(crate) mod transport;
mod waits;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::select_all;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use superroot_chain::{ChainSpec, FinalityRule};
use superroot_types::{BlockNumber, ChainKey, Network};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until};

pub use config::{EndpointConfig, FinalityAsk, LiveConfig};
pub use transport::{NodeAnswer, NodeRequest, Path, Transport, TransportError};

use node::LiveNode;
use node::health::Lag;
use node::json_rpc::RpcProtocol;
use node::measure::Measure;
use transport::{CarrierProtocol, transport_to};
use waits::BlockCalls;

use crate::error::SourceError;
use crate::ledger::{Dialect, finality_of};
use crate::{
    AccountAgreement, BlockAt, BlockParts, BlockSource, BoxFuture, Budget, CallAgreement,
    ContractCall, FetchedBlock, Fetching, FinalityAgreement, GasPrices, LiveNodes, NodeReport,
    NodesReport, QuorumSize, ReportedTips, SourceDescription, SourceTip,
};

pub const ENDPOINTS_MAX: usize = 64;

/// Announcements within this time count as a single announcement: a node cannot force constant polling.
const ANNOUNCED_MIN: Duration = Duration::from_millis(50);

/// Blocks concurrently requested from two nodes because the first node is late: slow nodes must not receive every
/// request several times.
const HURRIED_MAX: usize = 2;

pub struct LiveSource {
    name: String,
    chain: ChainKey,
    config: LiveConfig,
    dialect: Dialect,
    finality: FinalityRule,
    /// Whether a block hash binds the parent hash.
    binds_parent: bool,
    nodes: Vec<Arc<LiveNode>>,
    operator_count: usize,
    measure: Measure,
    /// Best head according to [`LiveSource::fetch_tip`]; 0 before the first.
    best_head: AtomicU64,
    /// Allowed lag behind other nodes, in blocks: a minute's blocks.
    lag_blocks_max: u64,
    /// Allowed lead above the last quorum node's head, in blocks: two minutes' blocks.
    head_lead_max: u64,
    /// Stall time before a head counts as stale: a minute, at least 30 block times.
    stale_after: Duration,
    rng: Mutex<ChaCha8Rng>,
    /// Announcement channels of capable nodes; `None` before first use.
    heads: Mutex<Option<Vec<watch::Receiver<u64>>>>,
    announced_at: Mutex<Option<Instant>>,
    waits: BlockCalls,
    /// Permits for a second node on the same block.
    hurries: Semaphore,
}

impl std::fmt::Debug for LiveSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes: Vec<_> = self.nodes.iter().map(|node| node.name()).collect();
        f.debug_struct("LiveSource").field("chain", &self.chain).field("nodes", &nodes).finish()
    }
}

impl LiveSource {
    /// Creates a source for these addresses, with a memory budget shared with other chains. Nothing is sent yet, and no
    /// node is awaited: [`LiveNodes::report`] shows answers and chains.
    ///
    /// # Errors
    /// [`SourceError::Setup`]; as [`LiveSource::with_transports`].
    pub fn new(
        budget: &Budget,
        row: &ChainSpec,
        endpoints: Vec<EndpointConfig>,
        config: LiveConfig,
    ) -> Result<Self, SourceError> {
        config.check()?;
        let dialect = Dialect::of(row, &config)?;
        let carrier = match dialect.protocol() {
            RpcProtocol::JsonRpc | RpcProtocol::JsonRpcUnnamed => {
                CarrierProtocol::HttpOrSocket { subscription: dialect.subscription() }
            }
            RpcProtocol::Paths => CarrierProtocol::Http,
            RpcProtocol::Grpc => CarrierProtocol::Grpc,
        };
        let transports = endpoints
            .iter()
            .map(|endpoint| transport_to(endpoint, carrier, &config))
            .collect::<Result<_, _>>()?;
        Self::with_transports(budget, row, transports, config)
    }

    /// Creates a source with custom transports. Equal names get a number.
    ///
    /// # Errors
    /// [`SourceError::Config`] for an unusable configuration, no node, or more than [`ENDPOINTS_MAX`] nodes;
    /// [`SourceError::NoDialect`] for an unsupported family.
    pub fn with_transports(
        budget: &Budget,
        row: &ChainSpec,
        transports: Vec<Arc<dyn Transport>>,
        config: LiveConfig,
    ) -> Result<Self, SourceError> {
        config.check()?;
        let field = "endpoints";
        let got = transports.len() as u64;
        if transports.is_empty() || transports.len() > ENDPOINTS_MAX {
            return Err(SourceError::Config { field, got, expected: "1 to 64 nodes" });
        }
        let dialect = Dialect::of(row, &config)?;
        let measure = Measure::of(&row.slug);
        let mut names = HashSet::new();
        let known = |transport: &Arc<dyn Transport>| {
            let name = operators::unused_name(transport.name(), &mut names);
            (transport.operator_keys(), transport.operator_name(), name)
        };
        let known: Vec<_> = transports.iter().map(known).collect();
        let operators = operators::of_nodes(&known);
        let node = |((transport, (_, _, name)), operator)| {
            let protocol = dialect.protocol();
            let budget = budget.clone();
            LiveNode::new(name, operator, transport, config, protocol, measure.clone(), budget)
        };
        let nodes: Vec<_> = transports.into_iter().zip(known).zip(operators).map(node).collect();
        let operator_count = node::operator_count(&nodes);
        let blocks_in = |ms: u64| (ms / row.block_time_ms.max(1)).max(1);
        let stale_ms = row.block_time_ms.saturating_mul(30).max(60_000);
        let seed = config.seed.unwrap_or_else(rand::random);
        Ok(Self {
            name: format!("nodes of {}", row.slug),
            chain: row.key(),
            config,
            dialect,
            finality: finality_of(row, config.finality),
            binds_parent: row.ledger.binds_parent(),
            nodes,
            operator_count,
            measure: measure.clone(),
            best_head: AtomicU64::new(0),
            lag_blocks_max: blocks_in(60_000).max(3),
            head_lead_max: blocks_in(120_000).max(16),
            stale_after: Duration::from_millis(stale_ms),
            rng: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
            heads: Mutex::new(None),
            announced_at: Mutex::new(None),
            waits: BlockCalls::default(),
            hurries: Semaphore::new(HURRIED_MAX),
        })
    }

    /// Required operators: the quorum, or all if fewer exist.
    fn quorum(&self) -> usize {
        let quorum = usize::try_from(self.config.quorum).unwrap_or(usize::MAX);
        quorum.min(self.operator_count).max(1)
    }

    fn lag(&self) -> Lag {
        let best = self.best_head.load(Ordering::Relaxed);
        Lag {
            best: (best > 0).then_some(BlockNumber(best)),
            blocks_max: self.lag_blocks_max,
            stale_after: self.stale_after,
        }
    }

    /// Random number, from 0 to below 1.
    fn chance(&self) -> f64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).random::<f64>()
    }

    async fn announced(&self) {
        let lock = || self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let heads = {
            let nodes = self.nodes.iter();
            let all = || nodes.filter_map(|node| node.announcements()).collect();
            lock().get_or_insert_with(all).clone()
        };
        if heads.is_empty() {
            return std::future::pending().await;
        }
        let changed = heads.into_iter().map(|mut head| {
            Box::pin(async move {
                if head.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            })
        });
        select_all(changed).await;
        let last = *self.announced_at.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last {
            sleep_until(last + ANNOUNCED_MIN).await;
        }
        *self.announced_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        for head in lock().iter_mut().flatten() {
            head.mark_unchanged();
        }
    }

    fn no_endpoint(&self) -> SourceError {
        let why = |report: NodeReport| {
            let error = report.last_error.unwrap_or_else(|| "not asked yet".into());
            format!("{} is {}: {error}", report.name, report.state.name())
        };
        let why =
            self.report().endpoints.into_iter().take(5).map(why).collect::<Vec<_>>().join("; ");
        SourceError::NoEndpoint { chain: self.chain, why }
    }
}

impl BlockSource for LiveSource {
    fn about(&self) -> SourceDescription<'_> {
        SourceDescription { name: &self.name, chain: self.chain, network: Network::Live }
    }

    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        Box::pin(self.tip())
    }

    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        Box::pin(self.block(at, parts, not_of))
    }

    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        Box::pin(self.agreement(number))
    }

    fn nodes(&self) -> Option<&dyn LiveNodes> {
        Some(self)
    }
}

impl LiveNodes for LiveSource {
    fn blame(&self, sender: &str, why: &str) {
        if let Some(node) = self.nodes.iter().find(|node| &**node.name() == sender) {
            node.wrong(&node.clean(why));
        }
    }

    fn report(&self) -> NodesReport {
        let now = Instant::now();
        let lag = self.lag();
        let highest = lag.best.map(|best| best.0.saturating_add(self.head_lead_max));
        let heard = self.nodes.iter().filter_map(|node| node.health().heard(now, lag));
        let plain = heard.filter(|(head, _)| highest.is_none_or(|highest| head.0 <= highest));
        let newest = plain.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)));
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        NodesReport {
            endpoints: self.nodes.iter().map(|node| node.report(now, lag)).collect(),
            needed: QuorumSize { agree: count(self.quorum()), of: count(self.operator_count) },
            heard: newest.map(|(head, finalized)| ReportedTips { head, finalized }),
            waiting: self.waits.longest(now),
        }
    }

    fn next_head(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.announced())
    }

    fn call_contract<'a>(&'a self, call: &'a ContractCall) -> Fetching<'a, CallAgreement> {
        Box::pin(self.agreed_call(call))
    }

    fn account<'a>(&'a self, call: &'a ContractCall) -> Fetching<'a, AccountAgreement> {
        Box::pin(self.agreed_account(call))
    }

    fn send_transaction<'a>(&'a self, raw: &'a [u8]) -> Fetching<'a, Vec<String>> {
        Box::pin(self.sent_to_all(raw))
    }

    fn gas_prices(&self) -> Fetching<'_, GasPrices> {
        Box::pin(self.heard_gas_prices())
    }
}
