//! What can go wrong in an index.

use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, ErrorKind};

/// Why an index could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A block that was verified cannot be read.
    #[error("block {number} of chain {chain} is held and cannot be indexed: {why}")]
    Block {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// What is wrong with it.
        why: String,
    },
    /// The index was changed again and again while it was read.
    #[error("the index of chain {chain} changed while it was read")]
    Busy {
        /// The chain.
        chain: ChainKey,
    },
}

impl IndexError {
    /// What the caller does next.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Block { .. } => ErrorKind::Corrupt,
            Self::Busy { .. } => ErrorKind::Unavailable,
        }
    }
}
