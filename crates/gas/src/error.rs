//! Why no figures were computed at all.

use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey};

/// Why no figures were computed at all.
#[derive(Debug, thiserror::Error)]
pub enum GasError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A block that is held cannot be read.
    #[error("block {number} of chain {chain} cannot be read: {why}")]
    Block {
        /// Its chain.
        chain: ChainKey,
        /// Its number.
        number: BlockNumber,
        /// What is wrong with it.
        why: String,
    },
}
