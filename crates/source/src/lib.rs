//! Talks to nodes: live ones over HTTP and WebSocket, recordings of real chains, simulated chains.
//!
//! ```text
//!   nodes, several a chain ───────────────────────── LiveSource ─┐
//!   recordings folders ── Recordings ──┬────── RecordedSource ───┼─► Source ─► collect
//!                                      └─► ReplayServer          │
//!   seed and clock ───────────────────────────── SimulatedChain ─┘
//! ```
//!
//! A *source* gives blocks as somebody else states them; a [*tip*](Tip) is what it calls newest,
//! safe and final. A *recording* is a folder of blocks that once came from a node; a *replay* serves
//! one as if it were a node.
//!
//! What must always hold: nothing a source says is believed here. It is bounded in size and time,
//! put into the shape of an [`UntrustedBlock`], and left to [`superroot_chain::verify`].
//!
//! ```
//! use std::sync::Arc;
//! use superroot_chain::Registry;
//! use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
//! use superroot_source::Source;
//! use superroot_types::{BlockNumber, ManualClock, UnixSeconds};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let row = Registry::builtin().find("ethereum").ok_or("no such chain")?;
//! let clock = Arc::new(ManualClock::at(UnixSeconds(1_000_048)));
//! let config = SimulatedConfig::new(7, UnixSeconds(1_000_000));
//! let source: Arc<dyn Source> = Arc::new(SimulatedChain::new(row, config, clock)?);
//! assert_eq!(source.fetch_tip().await?.head.number, BlockNumber(4));
//! let block = source.fetch_whole(BlockNumber(4)).await?.ok_or("not there yet")?;
//! assert_eq!(superroot_chain::verify(row, &block)?.number(), BlockNumber(4));
//! # Ok(())
//! # }
//! ```

mod aptos;
mod bitcoin;
pub mod budget;
mod call;
pub mod cores;
mod cosmos;
pub mod error;
mod evm;
mod icp;
mod ledger;
pub mod live;
mod polkadot;
pub mod recorded;
pub mod replay;
pub mod simulated;
mod solana;
mod sui;
mod tron;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use superroot_chain::UntrustedBlock;
use superroot_types::{BlockNumber, ChainKey, Hash, Network};

pub use budget::{Budget, Lease, Purpose};
pub use call::{CallAgreement, ContractCall, GasPrices};
pub use cores::{NotDone, compute};
pub use error::{AgreeOn, Disagreement, Fault, SourceError};
pub use live::{
    Answer, EndpointConfig, FinalityAsk, LiveConfig, LiveSource, Path, Request, Transport,
    TransportError,
};
pub use recorded::{RecordStep, RecordedSource, Recorder, Recordings};
pub use replay::ReplayServer;
pub use simulated::{SimulatedChain, SimulatedConfig};

/// What is said of a node without receipts.
pub const LACKS_RECEIPTS: &str = "has no receipts of blocks that it has";

/// Most numbers that one call of [`Source::fetch_numbers`] gives out.
pub const NUMBERS_MAX: usize = 10_000;

/// What an asynchronous call of a source gives back.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What asking a source gives back.
pub type Fetching<'a, T> = BoxFuture<'a, Result<T, SourceError>>;

/// A block named by number and hash, as a source claims it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    /// Block number.
    pub number: BlockNumber,
    /// Claimed block hash.
    pub hash: Hash,
}

/// How far a source says its chain has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tip {
    /// Newest block.
    pub head: BlockId,
    /// Newest block the source calls safe, where it knows the word.
    pub safe: Option<BlockId>,
    /// Newest block the source calls final.
    pub finalized: BlockId,
}

/// Which block is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockAt {
    /// The one that the source has under that number.
    Number(BlockNumber),
    /// The one with that hash, whichever branch it is on. A source that cannot look by hash gives
    /// what it has under the number; the caller compares.
    Id(BlockId),
}

impl BlockAt {
    /// Number of the block asked for.
    #[must_use]
    pub const fn number(self) -> BlockNumber {
        match self {
            Self::Number(number) | Self::Id(BlockId { number, .. }) => number,
        }
    }
}

/// Which parts of a block are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parts {
    /// Its header; more may come with it.
    Header,
    /// Its transactions and receipts too, as far as the source has them.
    Whole,
}

/// A block, unverified, and who sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The block.
    pub block: UntrustedBlock,
    /// Name of the node that sent it, for [`LiveNodes::blame`].
    pub sender: Arc<str>,
    /// Why a part of the body did not come, though it was asked for and the sender did not say that
    /// it has none.
    pub body_fault: Option<BodyFault>,
}

/// Why a part of a body that was asked for did not come. As many operators as must agree gave the
/// block without that part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyFault {
    /// It came in a form that this build does not read.
    Unreadable(String),
    /// An error came in its place.
    Unavailable(String),
}

/// Who says that a block is final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Hash agreed on; `None` where the source speaks for itself alone and whatever it sends under
    /// that number counts.
    pub hash: Option<Hash>,
    /// Names of the nodes that agree, one of each operator.
    pub sources: Vec<String>,
    /// How many operators the source's nodes have, whether they answered or not.
    pub of: u32,
    /// When a node calls a block final, in words: `finalized tag`, `as recorded`.
    pub rule: String,
}

impl Agreement {
    /// Of a source that speaks for itself alone.
    #[must_use]
    pub fn of_one(name: &str, rule: &str) -> Self {
        Self { hash: None, sources: vec![name.to_owned()], of: 1, rule: rule.to_owned() }
    }
}

/// Operators of nodes that must agree before a block counts as final; several nodes of one operator
/// count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    /// How many must; 1 means that one of them is believed.
    pub agree: u32,
    /// How many operators there are.
    pub of: u32,
}

impl Default for Needed {
    fn default() -> Self {
        Self { agree: 1, of: 1 }
    }
}

/// How the nodes of a source fare.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodesReport {
    /// Each of them.
    pub endpoints: Vec<EndpointReport>,
    /// How many must agree before a block counts as final.
    pub needed: Needed,
    /// Newest numbers of those that fare well; `None` where none does.
    pub heard: Option<Heard>,
    /// The block that is waited for longest, where they keep it waiting.
    pub waiting: Option<Waiting>,
}

/// Newest numbers that nodes of a source tell which fare well, whether enough of them agree or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// Newest block.
    pub head: BlockNumber,
    /// Newest block that one of them calls final.
    pub finalized: BlockNumber,
}

/// A block that was asked for a while ago and has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its number.
    pub number: BlockNumber,
    /// Whether its transactions and receipts were asked for too.
    pub is_whole: bool,
    /// Names of the nodes that were asked and have not answered.
    pub nodes: Vec<String>,
    /// For how long, in seconds.
    pub seconds: u64,
}

/// How a node of a source fares.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointReport {
    /// Name shown to people; no secret of its address.
    pub name: String,
    /// Who runs it, as people are shown: nodes with the same operator count once where nodes must
    /// agree.
    pub operator: String,
    /// What state it is in.
    pub state: EndpointState,
    /// Share of its recent answers that were good, 0 to 1.
    pub score: f64,
    /// Newest block it named.
    pub head: Option<BlockNumber>,
    /// Median time of its recent answers, in milliseconds.
    pub latency_ms: Option<u64>,
    /// Calls made since the start.
    pub call_count: u64,
    /// Calls that failed, or whose answer was wrong, since the start.
    pub failure_count: u64,
    /// What went wrong last, and is not mended yet.
    pub last_error: Option<String>,
}

/// State of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndpointState {
    /// Not asked yet.
    Untried,
    /// It answers.
    Healthy,
    /// It asked for fewer calls and is left alone for a while.
    Limited,
    /// It answers, but is behind the others.
    Lagging,
    /// It sent what does not recompute, or another chain's blocks.
    Wrong,
    /// It does not answer.
    Down,
}

impl EndpointState {
    /// The word used in JSON.
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

/// What a source is.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Name shown to people; never holds a secret of the source's address.
    pub name: &'a str,
    /// The chain it gives blocks of.
    pub chain: ChainKey,
    /// What kind of network the blocks belong to.
    pub network: Network,
}

/// Where blocks of one chain come from: what every source does.
pub trait Source: Send + Sync {
    /// What it is.
    fn about(&self) -> About<'_>;

    /// Name shown to people.
    fn name(&self) -> &str {
        self.about().name
    }

    /// The chain it gives blocks of.
    fn chain(&self) -> ChainKey {
        self.about().chain
    }

    /// What kind of network the blocks belong to.
    fn network(&self) -> Network {
        self.about().network
    }

    /// How far the chain has come.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_tip(&self) -> Fetching<'_, Tip>;

    /// That block, unverified, of another node than those of `not_of`; `None` where the ledger, the
    /// recording or every other node has none. A source that cannot tell its nodes apart gives it of
    /// any.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: Parts,
        not_of: &'a [Arc<str>],
    ) -> Fetching<'a, Option<Fetched>>;

    /// Who says that the block of that number is final, and under which hash.
    ///
    /// # Errors
    /// [`SourceError`]; one of kind `Unavailable` while too few nodes agree.
    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, Agreement>;

    /// At most `limit` (and at most [`NUMBERS_MAX`]) of the numbers from `from` on that there are,
    /// rising; `None` when the source skips no number.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        let _ = (from, limit);
        Box::pin(std::future::ready(Ok(None)))
    }

    /// The whole block of that number, unverified, whoever sent it.
    ///
    /// # Errors
    /// As [`Source::fetch_block`], and where a part of the body did not come.
    fn fetch_whole(&self, number: BlockNumber) -> Fetching<'_, Option<UntrustedBlock>> {
        let fetched = self.fetch_block(BlockAt::Number(number), Parts::Whole, &[]);
        Box::pin(async move {
            let Some(fetched) = fetched.await? else { return Ok(None) };
            match fetched.body_fault {
                None => Ok(Some(fetched.block)),
                Some(fault) => Err(fault.into_error(&fetched.sender, self.network())),
            }
        })
    }

    /// The nodes behind it; `None` where there are none, as behind recordings and made-up chains. One
    /// source around another gives on the other's.
    fn nodes(&self) -> Option<&dyn LiveNodes> {
        None
    }
}

/// What the nodes behind a live source can be told and asked besides blocks.
pub trait LiveNodes: Send + Sync {
    /// What `sender` sent did not recompute: others are asked first.
    fn blame(&self, sender: &str, why: &str);

    /// How they fare. Asks nobody.
    fn report(&self) -> NodesReport;

    /// Ready when one of them announced a new head. Where nodes are only polled it never is.
    fn next_head(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// What a contract call returns after a recent block, as enough of them agree.
    ///
    /// # Errors
    /// [`SourceError::NoCalls`] where none executes contracts; one of kind `Unavailable` while too
    /// few agree.
    fn call_contract<'a>(&'a self, call: &'a ContractCall) -> Fetching<'a, CallAgreement> {
        let _ = call;
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }

    /// What gas costs, as at least a quorum of them say.
    ///
    /// # Errors
    /// As [`LiveNodes::call_contract`].
    fn gas_prices(&self) -> Fetching<'_, GasPrices> {
        Box::pin(std::future::ready(Err(SourceError::NoCalls)))
    }
}

/// Runs work that reads files or computes for long off the asynchronous threads.
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
