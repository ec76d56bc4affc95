use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, ErrorKind};

/// Failure to write or read an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A verified block is unreadable.
    #[error("block {number} of chain {chain} is held and cannot be indexed: {why}")]
    Block { chain: ChainKey, number: BlockNumber, why: String },
    /// The index kept changing during the read.
    #[error("the index of chain {chain} changed while it was read")]
    Busy { chain: ChainKey },
}

impl IndexError {
    /// Error kind for the caller's next step.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Block { .. } => ErrorKind::Corrupt,
            Self::Busy { .. } => ErrorKind::Unavailable,
        }
    }
}
