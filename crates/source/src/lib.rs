//! Talks to nodes: recordings of real chains, a JSON-RPC node over HTTP, simulated chains.
//!
//! ```text
//!   recordings folder ── Recordings ──┬── RecordedSource ─────────────┐
//!                                     └── ReplayServer ── HttpSource ─┼─► Source ─► collect
//!   seed and clock ────────────────────────────────── SimulatedChain ─┘
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
//! let block = source.fetch_block(BlockNumber(4)).await?.ok_or("not there yet")?;
//! assert_eq!(superroot_chain::verify(row, &block)?.number(), BlockNumber(4));
//! # Ok(())
//! # }
//! ```

pub mod error;
pub mod http;
pub mod joined;
pub mod recorded;
pub mod replay;
mod rpc;
pub mod simulated;

use std::future::Future;
use std::pin::Pin;

use superroot_chain::UntrustedBlock;
use superroot_types::{BlockNumber, ChainKey, Hash, Network};

pub use error::{ErrorKind, SourceError};
pub use http::{HttpConfig, HttpSource};
pub use joined::JoinedSource;
pub use recorded::{RecordedSource, Recordings};
pub use replay::ReplayServer;
pub use simulated::{SimulatedChain, SimulatedConfig};

/// Most numbers that one call of [`Source::fetch_numbers`] gives out.
pub const NUMBERS_MAX: usize = 10_000;

/// What an asynchronous call of a source gives back.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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

/// Where blocks of one chain come from.
pub trait Source: Send + Sync {
    /// Name shown to people; never holds a secret of the source's address.
    fn name(&self) -> &str;

    /// The chain it gives blocks of.
    fn chain(&self) -> ChainKey;

    /// What kind of network the blocks belong to.
    fn network(&self) -> Network;

    /// How far the chain has come.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>>;

    /// The block of that number, unverified; `None` where the ledger (or the recording) has none.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_block(
        &self,
        number: BlockNumber,
    ) -> BoxFuture<'_, Result<Option<UntrustedBlock>, SourceError>>;

    /// At most `limit` (and at most [`NUMBERS_MAX`]) of the numbers from `from` on that there are,
    /// rising; `None` when the source skips no number.
    ///
    /// # Errors
    /// [`SourceError`]; its kind says whether asking again helps.
    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>>;
}

/// Runs work that reads files or computes for long off the asynchronous threads.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => Err(SourceError::Panicked),
        Err(_) => Err(SourceError::ShuttingDown),
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
