//! What can go wrong while a chain is collected.

use superroot_chain::ChainError;
use superroot_source::SourceError;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, Hash};
use tokio::task::JoinError;

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
    /// A block does not recompute, whoever was asked.
    #[error("block {number} of chain {chain} from {source_name} refused: {cause}")]
    Refused {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// Name of the one that sent it last.
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
    /// Nobody sends the block that was asked for, but another.
    #[error(
        "asked for block {number} of chain {chain} with hash {expected}, {source_name} sent {got}"
    )]
    OtherBlock {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// Hash of what was sent; that of a block of another number, maybe.
        got: Hash,
        /// Hash asked for.
        expected: Hash,
        /// Name of the one that sent it last.
        source_name: String,
    },
    /// The body of a block is withheld because of what some nodes show of it, and too few of them do.
    #[error(
        "the body of block {number} of chain {chain} is withheld on the word of {got} nodes, \
         expected {expected}"
    )]
    Claimed {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// How many say so.
        got: usize,
        /// How many must.
        expected: u32,
    },
    /// Another block is final now where one was taken as final. What is held stays, the chain is
    /// halted, and the evidence is kept.
    #[error(
        "chain {chain} reorganised below its finalized block, {}block {number}: it is said to be \
         {got}, held as final is {expected}",
        if *is_first { "from " } else { "at or below " }
    )]
    FinalReorg {
        /// The chain.
        chain: ChainKey,
        /// First block that differs, or the lowest that was looked at.
        number: BlockNumber,
        /// Whether it is the first one.
        is_first: bool,
        /// Hash that is said to be final.
        got: Hash,
        /// Hash that is held as final.
        expected: Hash,
    },
    /// Those who agree that a block is final contradict what they agreed on before, and stand by
    /// that as well.
    #[error(
        "chain {chain}: what is agreed on as block {number} does not fit block {expected} next to it, \
         which is still agreed on"
    )]
    Contradiction {
        /// The chain.
        chain: ChainKey,
        /// The block that does not fit.
        number: BlockNumber,
        /// Hash of the final block held next to it.
        expected: Hash,
    },
    /// The chain was halted, and nobody has cleared that.
    #[error("chain {chain} is halted at block {number}: {reason}")]
    Halted {
        /// The chain.
        chain: ChainKey,
        /// Where.
        number: BlockNumber,
        /// Why.
        reason: String,
    },
    /// The blocks of a step turned out larger than there is room for; fewer are taken.
    #[error("chain {chain}: no room for block {number} beside those before it")]
    StepTooLarge {
        /// The chain.
        chain: ChainKey,
        /// The first block without room.
        number: BlockNumber,
    },
    /// The head moved while it was fetched; the next step sees it whole.
    #[error("the head of chain {chain} moved while it was fetched")]
    HeadMoved {
        /// The chain.
        chain: ChainKey,
    },
    /// Older blocks cannot be added to that chain.
    #[error("chain {chain} cannot be filled backwards: {why}")]
    NoBackfill {
        /// The chain.
        chain: ChainKey,
        /// Why.
        why: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A worker panicked.
    #[error("a worker panicked")]
    Panicked,
    /// A worker was ended before it was done, as when the process stops: nothing went wrong.
    #[error("a worker was cancelled")]
    Cancelled,
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
            Self::Refused { .. } | Self::NoBackfill { .. } => ErrorKind::Invalid,
            Self::Missing { .. }
            | Self::OtherBlock { .. }
            | Self::Claimed { .. }
            | Self::Contradiction { .. }
            | Self::HeadMoved { .. }
            | Self::StepTooLarge { .. }
            | Self::Cancelled => ErrorKind::Unavailable,
            Self::FinalReorg { .. } | Self::Halted { .. } => ErrorKind::Corrupt,
            Self::Store(StoreError::Conflict { .. }) | Self::Panicked => ErrorKind::Bug,
            Self::Store(error) => match error.kind() {
                superroot_store::ErrorKind::Unavailable => ErrorKind::Unavailable,
                superroot_store::ErrorKind::Bug => ErrorKind::Bug,
                _ => ErrorKind::Corrupt,
            },
        }
    }

    /// The block that could not be had; those below it may still be taken.
    pub(crate) const fn block(&self) -> Option<BlockNumber> {
        match self {
            Self::Refused { number, .. }
            | Self::Missing { number, .. }
            | Self::OtherBlock { number, .. }
            | Self::Claimed { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// Whether another sender may do better.
    pub(crate) fn is_of_its_sender(&self) -> bool {
        match self {
            Self::Refused { cause, .. } => cause.kind() == superroot_chain::ErrorKind::Invalid,
            Self::Missing { .. } | Self::OtherBlock { .. } => true,
            _ => false,
        }
    }
}

impl From<JoinError> for CollectError {
    fn from(error: JoinError) -> Self {
        if error.is_cancelled() { Self::Cancelled } else { Self::Panicked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stopping the process ends what runs: that is no panic.
    #[tokio::test]
    async fn a_cancelled_worker_did_not_panic() {
        let waiting = tokio::spawn(std::future::pending::<()>());
        waiting.abort();
        let cancelled = CollectError::from(waiting.await.unwrap_err());
        assert!(matches!(cancelled, CollectError::Cancelled), "{cancelled}");
        assert_eq!(cancelled.kind(), ErrorKind::Unavailable);
        let panicking = tokio::spawn(async { panic!("seen in the test's output on purpose") });
        let panicked = CollectError::from(panicking.await.unwrap_err());
        assert!(matches!(panicked, CollectError::Panicked), "{panicked}");
        assert_eq!(panicked.kind(), ErrorKind::Bug);
    }
}
