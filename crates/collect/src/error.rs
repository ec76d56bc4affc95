//! What can go wrong while a chain is collected.

use superroot_chain::ChainError;
use superroot_source::SourceError;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, Hash};

/// What the caller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The source sent something wrong: blame it, ask another, or later.
    Invalid,
    /// Ask again, with backoff.
    Unavailable,
    /// Stop this chain and keep the evidence.
    Corrupt,
    /// Stop the process.
    Bug,
}

/// Why a step did not end well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// The source failed.
    #[error("source {source_name}: {cause}")]
    Source {
        /// Its name.
        source_name: String,
        /// Why.
        cause: Box<SourceError>,
    },
    /// A block does not recompute.
    #[error("block {number} of chain {chain} from {source_name} refused: {cause}")]
    Refused {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// Name of the source that sent it.
        source_name: String,
        /// Why.
        cause: Box<ChainError>,
    },
    /// The source has no block where one must be.
    #[error("source {source_name} has no block {number} of chain {chain}, though it is past it")]
    Missing {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// Name of the source.
        source_name: String,
    },
    /// A final block does not follow the final block before it: finality was broken, or the source
    /// lies. The chain stops; what is held stays.
    #[error(
        "chain {chain} reorganised below its finalized block: {number} names parent {got}, \
         held is {expected}"
    )]
    FinalReorg {
        /// The chain.
        chain: ChainKey,
        /// The block that does not fit.
        number: BlockNumber,
        /// Parent it names.
        got: Hash,
        /// Final block held there.
        expected: Hash,
    },
    /// The head moved while it was fetched; the next step sees it whole.
    #[error("the head of chain {chain} moved while it was fetched")]
    HeadMoved {
        /// The chain.
        chain: ChainKey,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A worker panicked.
    #[error("a worker panicked")]
    Panicked,
}

impl CollectError {
    /// What the caller does next.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Source { cause, .. } => match cause.kind() {
                superroot_source::ErrorKind::Invalid => ErrorKind::Invalid,
                superroot_source::ErrorKind::Unavailable => ErrorKind::Unavailable,
                superroot_source::ErrorKind::Bug => ErrorKind::Bug,
            },
            Self::Refused { .. } => ErrorKind::Invalid,
            Self::Missing { .. } | Self::HeadMoved { .. } => ErrorKind::Unavailable,
            Self::FinalReorg { .. } => ErrorKind::Corrupt,
            Self::Store(StoreError::Conflict { .. }) | Self::Panicked => ErrorKind::Bug,
            Self::Store(error) => match error.kind() {
                superroot_store::ErrorKind::Unavailable => ErrorKind::Unavailable,
                superroot_store::ErrorKind::Bug => ErrorKind::Bug,
                _ => ErrorKind::Corrupt,
            },
        }
    }
}
