//! What can go wrong with watches.

use superroot_account::AccountError;
use superroot_account::row::Contended;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey};

/// Why something about watches was not done.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The accounts did not do their part.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The store did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Other writers were faster, each time.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// The account has no such watch.
    #[error("the account has no watch {id}")]
    Unknown {
        /// The id.
        id: String,
    },
    /// The tier has no more.
    #[error("{expected} watches are all that the tier has")]
    Full {
        /// How many it has.
        expected: u32,
    },
    /// The chain has no more.
    #[error("{expected} watches are all that this service takes on chain {chain}")]
    ChainFull {
        /// The chain.
        chain: ChainKey,
        /// How many it takes.
        expected: u32,
    },
    /// The block is further back than the tier reaches.
    #[error(
        "block {got} is further back than the tier's {blocks} blocks; the first that it reaches is {first}"
    )]
    TooFarBack {
        /// The block asked for.
        got: BlockNumber,
        /// The first that may be asked for.
        first: BlockNumber,
        /// How many blocks the tier reaches back.
        blocks: u64,
    },
}
