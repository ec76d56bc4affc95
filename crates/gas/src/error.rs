use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey};

/// Failure before any figure was computed.
#[derive(Debug, thiserror::Error)]
pub enum GasError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored block is unreadable.
    #[error("block {number} of chain {chain} cannot be read: {why}")]
    Block { chain: ChainKey, number: BlockNumber, why: String },
}
