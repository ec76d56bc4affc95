//! Access to nodes: live nodes over HTTP and WebSocket, recordings of real chains, simulated chains.
//!
//! ```text
//!   nodes, several a chain ───────────────────────── LiveSource ─┐
//!   recordings folders ── Recordings ──┬────── RecordedSource ───┼─► Source ─► collect
//!                                      └─► ReplayServer          │
//!   seed and clock ───────────────────────────── SimulatedChain ─┘
//! ```
//!
//! A *source* returns blocks as claimed by others; a [*tip*](SourceTip) is the source's newest, safe and final block. A
//! *recording* is a folder of blocks once received from a node; a *replay* serves a recording like a node.
//!
//! Invariant: no source is trusted here. Every answer is bounded in size and time, converted to an [`UntrustedBlock`],
//! and left to [`superroot_chain::verify`].
//!
//! ```
//! use std::sync::Arc;
//! use superroot_chain::ChainRegistry;
//! use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
//! use superroot_source::BlockSource;
//! use superroot_types::{BlockNumber, ManualClock, UnixSeconds};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let row = ChainRegistry::builtin().find("ethereum").ok_or("no such chain")?;
//! let clock = Arc::new(ManualClock::at(UnixSeconds(1_000_048)));
//! let config = SimulatedConfig::new(7, UnixSeconds(1_000_000));
//! let source: Arc<dyn BlockSource> = Arc::new(SimulatedChain::new(row, config, clock)?);
//! assert_eq!(source.fetch_tip().await?.head.number, BlockNumber(4));
//! let block = source.fetch_whole(BlockNumber(4)).await?.ok_or("not there yet")?;
//! assert_eq!(superroot_chain::verify(row, &block)?.number(), BlockNumber(4));
//! # Ok(())
//! # }
//! ```

pub mod budget;
mod call;
pub mod cores;
pub mod error;
pub mod finality;
mod ledger;
pub mod live;
pub mod recorded;
pub mod replay;
pub mod simulated;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use superroot_chain::UntrustedBlock;
use superroot_types::{BlockNumber, ChainKey, Hash, Network};

pub use budget::{Budget, Lease, Purpose};
pub use call::{AccountAgreement, CallAgreement, ContractCall, GasPrices};
pub use cores::{NotDone, compute};
pub use error::{AgreeOn, CallFault, FinalityDisagreement, SourceError};
pub use live::{
    EndpointConfig, FinalityAsk, LiveConfig, LiveSource, NodeAnswer, NodeRequest, Path, Transport,
    TransportError,
};
pub use recorded::{RecordStep, RecordedSource, Recorder, Recordings};
pub use replay::ReplayServer;
pub use simulated::{SimulatedChain, SimulatedConfig};

/// Status text for a node without receipts.
pub const LACKS_RECEIPTS: &str = "has no receipts of blocks that it has";

/// Most numbers in a result of [`BlockSource::fetch_numbers`].
pub const NUMBERS_MAX: usize = 10_000;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A source's pending answer.
pub type Fetching<'a, T> = BoxFuture<'a, Result<T, SourceError>>;

/// Block number and hash, as claimed by a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimedBlock {
    pub number: BlockNumber,
    pub hash: Hash,
}

/// Chain tip according to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceTip {
    /// Newest block.
    pub head: ClaimedBlock,
    /// Newest safe block, if the source supports `safe`.
    pub safe: Option<ClaimedBlock>,
    /// Newest final block.
    pub finalized: ClaimedBlock,
}

/// Requested block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockAt {
    /// The source's block with this number.
    Number(BlockNumber),
    /// Block with this hash, on any branch. A source without lookup by hash returns the block with the number; the
    /// caller compares hashes.
    Id(ClaimedBlock),
}

impl BlockAt {
    #[must_use]
    pub const fn number(self) -> BlockNumber {
        match self {
            Self::Number(number) | Self::Id(ClaimedBlock { number, .. }) => number,
        }
    }
}

/// A block's requested parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockParts {
    /// Header; more may be included.
    Header,
    /// Header, transactions and receipts, as far as available.
    Whole,
}

/// Unverified block and sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedBlock {
    pub block: UntrustedBlock,
    /// The sending node's name, for [`LiveNodes::blame`].
    pub sender: Arc<str>,
    /// Reason for a missing part of the requested body, unless the sender reported the part as absent.
    pub body_fault: Option<MissingBody>,
}

/// Reason for a missing part of a requested body, after enough operators returned the block without the part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingBody {
    /// This build cannot read the part's format.
    Unreadable(String),
    /// An error was returned for the part.
    Unavailable(String),
}

/// Nodes that call a block final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityAgreement {
    /// Agreed hash; `None` for a single trusted source, where any block sent under the number counts.
    pub hash: Option<Hash>,
    /// Names of the agreeing nodes, a single node per operator.
    pub sources: Vec<String>,
    /// Operators of the source's nodes, with or without an answer.
    pub of: u32,
    /// Finality rule in words: `finalized tag`, `as recorded`.
    pub rule: String,
}

impl FinalityAgreement {
    /// Agreement of a single trusted source.
    #[must_use]
    pub fn of_one(name: &str, rule: &str) -> Self {
        Self { hash: None, sources: vec![name.to_owned()], of: 1, rule: rule.to_owned() }
    }
}

/// Operators required to agree before a block counts as final; several nodes of the same operator count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuorumSize {
    /// Required operators; 1: any single operator is trusted.
    pub agree: u32,
    /// Operators in total.
    pub of: u32,
}

impl Default for QuorumSize {
    fn default() -> Self {
        Self { agree: 1, of: 1 }
    }
}

/// A source's node status.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodesReport {
    pub endpoints: Vec<NodeReport>,
    /// Operators required for finality.
    pub needed: QuorumSize,
    /// Newest block numbers from healthy nodes; `None` without healthy nodes.
    pub heard: Option<ReportedTips>,
    /// Longest overdue block, if any.
    pub waiting: Option<OverdueBlock>,
}

/// Newest block numbers from healthy nodes, with or without agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedTips {
    /// Newest block.
    pub head: BlockNumber,
    /// Newest block called final by at least a single node.
    pub finalized: BlockNumber,
}

/// Requested block, overdue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverdueBlock {
    pub number: BlockNumber,
    /// Whether transactions and receipts were requested too.
    pub is_whole: bool,
    /// Names of the asked nodes without an answer.
    pub nodes: Vec<String>,
    /// Waiting time, in seconds.
    pub seconds: u64,
}

/// A node's status.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// Display name, without any secret part of the address.
    pub name: String,
    /// The operator's display name: nodes of the same operator count once in an agreement.
    pub operator: String,
    pub state: EndpointState,
    /// Share of good recent answers, 0 to 1.
    pub score: f64,
    /// Newest reported block.
    pub head: Option<BlockNumber>,
    /// Median time of recent answers, in milliseconds.
    pub latency_ms: Option<u64>,
    /// Calls since the start.
    pub call_count: u64,
    /// Failed calls and wrong answers since the start.
    pub failure_count: u64,
    /// Last error, until resolved.
    pub last_error: Option<String>,
}

/// A node's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndpointState {
    /// Not asked yet.
    Untried,
    Healthy,
    /// Paused: the node demanded fewer calls.
    Limited,
    /// Answers, but behind the other nodes.
    Lagging,
    /// Sent data that fails verification, or another chain's blocks.
    Wrong,
    /// No answers.
    Down,
}

impl EndpointState {
    /// Name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untried => "untried",
            Self::Healthy => "healthy",
            Self::Limited => "limited",
            Self::Lagging => "lagging",
            Self::Wrong => "wrong",
            Self::Down => "down",
        }
    }
}

/// A source's description.
#[derive(Clone, Copy, Debug)]
pub struct SourceDescription<'a> {
    /// Display name, without any secret part of the address.
    pub name: &'a str,
    pub chain: ChainKey,
    /// Kind of network.
    pub network: Network,
}

/// A single chain's blocks.
pub trait BlockSource: Send + Sync {
    fn about(&self) -> SourceDescription<'_>;

    /// Display name.
    fn name(&self) -> &str {
        self.about().name
    }

    fn chain(&self) -> ChainKey {
        self.about().chain
    }

    /// Kind of network.
    fn network(&self) -> Network {
        self.about().network
    }

    /// Fetches the chain tip. The kind of [`SourceError`] says whether a retry helps.
    fn fetch_tip(&self) -> Fetching<'_, SourceTip>;

    /// Fetches an unverified block from any node outside `not_of`; `None` if the ledger, the recording or every other
    /// node has no such block. A source with indistinguishable nodes ignores `not_of`. The kind of [`SourceError`] says
    /// whether a retry helps.
    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: BlockParts,
        not_of: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>>;

    /// Fetches the nodes that call the block final, and the agreed hash.
    ///
    /// # Errors
    /// [`SourceError`]; kind `Unavailable` while too few nodes agree.
    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement>;

    /// Returns at most `limit` (and at most [`NUMBERS_MAX`]) existing numbers from `from` upwards; `None` if the source
    /// skips no number. The kind of [`SourceError`] says whether a retry helps.
    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        let _ = (from, limit);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Fetches the whole block, unverified, from any sender.
    ///
    /// # Errors
    /// As [`BlockSource::fetch_block`], and for a missing part of the body.
    fn fetch_whole(&self, number: BlockNumber) -> Fetching<'_, Option<UntrustedBlock>> {
        let fetched = self.fetch_block(BlockAt::Number(number), BlockParts::Whole, &[]);
        Box::pin(async move {
            let Some(fetched) = fetched.await? else { return Ok(None) };
            match fetched.body_fault {
                None => Ok(Some(fetched.block)),
                Some(fault) => Err(fault.into_error(&fetched.sender, self.network())),
            }
        })
    }

    /// A live source's nodes; `None` for recordings and simulated chains. Wrappers return the inner source's nodes.
    fn nodes(&self) -> Option<&dyn LiveNodes> {
        None
    }
}

/// Operations on live nodes besides block fetches.
pub trait LiveNodes: Send + Sync {
    /// Reports data from `sender` that fails verification: other nodes are asked first.
    fn blame(&self, sender: &str, why: &str);

    /// Status of all nodes, without any network call.
    fn report(&self) -> NodesReport;

    /// Waits for the next head announced by a node; never ready for polled nodes.
    fn next_head(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// Executes a contract call after a recent block, with agreement.
    ///
    /// # Errors
    /// [`SourceError::NoCalls`] if no node executes contracts; kind `Unavailable` while too few agree.
    fn call_contract<'a>(&'a self, _: &'a ContractCall) -> Fetching<'a, CallAgreement> {
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }

    /// [`LiveNodes::call_contract`] with the caller's transaction count after the same block.
    fn account<'a>(&'a self, _: &'a ContractCall) -> Fetching<'a, AccountAgreement> {
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }

    /// Sends a signed transaction (EIP-2718) to every usable node. Returns the names of nodes that took it, or knew it:
    /// at least one. Errors as [`LiveNodes::call_contract`], and the last node's if none took it.
    fn send_transaction<'a>(&'a self, _: &'a [u8]) -> Fetching<'a, Vec<String>> {
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }

    /// Gas prices from at least a quorum. Errors as [`LiveNodes::call_contract`].
    fn gas_prices(&self) -> Fetching<'_, GasPrices> {
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }
}

/// Runs file reads or long computations off the asynchronous threads.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    match compute(work).await {
        Ok(result) => result,
        Err(NotDone::Panicked) => Err(SourceError::Panicked),
        Err(NotDone::ShuttingDown) => Err(SourceError::ShuttingDown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_off_the_thread_is_an_error_not_a_crash() {
        let result = off_thread::<()>(|| panic!("seen in the test's output on purpose")).await;
        assert!(matches!(result, Err(SourceError::Panicked)));
        assert!(matches!(off_thread(|| Ok(7)).await, Ok(7)));
    }
}
