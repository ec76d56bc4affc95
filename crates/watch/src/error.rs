use superroot_account::AccountError;
use superroot_account::row::Contended;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey};

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Concurrent writers won every retry.
    #[error(transparent)]
    Contended(#[from] Contended),
    /// The account has no watch with this id.
    #[error("the account has no watch {id}")]
    Unknown { id: String },
    /// The account already has all watches allowed by the tier.
    #[error("{expected} watches are all that the tier has")]
    Full {
        /// Watches allowed by the tier.
        expected: u32,
    },
    /// The chain already has all watches allowed by the configuration.
    #[error("{expected} watches are all that this service takes on chain {chain}")]
    ChainFull {
        chain: ChainKey,
        /// Watches allowed on the chain.
        expected: u32,
    },
    /// The requested block is older than the tier allows.
    #[error(
        "block {got} is further back than the tier's {blocks} blocks; the first that it reaches is {first}"
    )]
    TooFarBack {
        /// Requested block.
        got: BlockNumber,
        /// Oldest block allowed.
        first: BlockNumber,
        /// History allowed by the tier, in blocks.
        blocks: u64,
    },
}
