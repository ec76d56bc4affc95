//! What can go wrong while a chain is collected.

use std::path::Path;

use superroot_chain::ChainError;
use superroot_chain::finality::{Lack, Refusal};
use superroot_source::SourceError;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, ErrorKind, Hash};
use tokio::task::JoinError;

/// Why a step did not end well.
#[derive(Debug, thiserror::Error)]
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
    /// The body of a block does not recompute as some nodes send it, and too few of them do. With
    /// enough of them the block is taken without the body; with a body that recomputes, whole.
    #[error(
        "the body of block {number} of chain {chain} does not recompute: {why}; {got} of {expected} \
         operators send it so, others are waited for"
    )]
    Doubted {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// How many operators send it so.
        got: usize,
        /// How many must.
        expected: usize,
        /// Why it does not recompute.
        why: String,
    },
    /// Nobody sends the body of a block. It is waited for, and then taken without it.
    #[error(
        "no node sends the body of block {number} of chain {chain}: it is asked for again, and \
         after {wait_s} s in all the block is taken without it"
    )]
    NoBody {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// How long it is waited for in all, in seconds.
        wait_s: u64,
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
    /// The blocks of a step turned out larger than there is room for, or take longer than there is
    /// time for; fewer are taken.
    #[error("chain {chain}: no room or time for block {number} beside those before it")]
    StepTooLarge {
        /// The chain.
        chain: ChainKey,
        /// The first block without room.
        number: BlockNumber,
    },
    /// The evidence does not show that the blocks are final.
    #[error("blocks of chain {chain} are not shown to be final: {why}")]
    NotShown {
        /// The chain.
        chain: ChainKey,
        /// Why.
        why: Refusal,
    },
    /// The evidence does not show yet that the blocks are final.
    #[error("blocks of chain {chain} are not shown to be final yet: {why}")]
    NotShownYet {
        /// The chain.
        chain: ChainKey,
        /// What is missing.
        why: Lack,
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
            Self::Source { cause, .. } => cause.kind(),
            Self::Refused { .. } | Self::NoBackfill { .. } | Self::NotShown { .. } => {
                ErrorKind::Invalid
            }
            Self::Missing { .. }
            | Self::OtherBlock { .. }
            | Self::Doubted { .. }
            | Self::NoBody { .. }
            | Self::Contradiction { .. }
            | Self::HeadMoved { .. }
            | Self::StepTooLarge { .. }
            | Self::NotShownYet { .. }
            | Self::Cancelled => ErrorKind::Unavailable,
            Self::FinalReorg { .. } | Self::Halted { .. } => ErrorKind::Corrupt,
            Self::Store(StoreError::Conflict { .. }) | Self::Panicked => ErrorKind::Bug,
            Self::Store(error) => error.kind(),
        }
    }

    /// Why a recorded block is left out, and it alone: its file cannot be read, or does not recompute.
    /// `None` where the step fails.
    pub(crate) fn of_recording(&self) -> Option<String> {
        if let Self::Refused { cause, .. } = self {
            return Some(cause.to_string());
        }
        let Self::Source { cause, .. } = self else { return None };
        let SourceError::Recording { path, why } = cause.as_ref() else { return None };
        // where the folder lies is nobody's business but the operator's
        let file = Path::new(path).file_name().unwrap_or_default();
        Some(format!("{} {why}", file.display()))
    }

    /// The block that could not be had; those below it may still be taken.
    pub(crate) const fn block(&self) -> Option<BlockNumber> {
        match self {
            Self::Refused { number, .. }
            | Self::Missing { number, .. }
            | Self::OtherBlock { number, .. }
            | Self::Doubted { number, .. }
            | Self::NoBody { number, .. } => Some(*number),
            Self::Source { .. }
            | Self::FinalReorg { .. }
            | Self::Contradiction { .. }
            | Self::Halted { .. }
            | Self::StepTooLarge { .. }
            | Self::NotShown { .. }
            | Self::NotShownYet { .. }
            | Self::HeadMoved { .. }
            | Self::NoBackfill { .. }
            | Self::Store(_)
            | Self::Panicked
            | Self::Cancelled => None,
        }
    }

    /// Whether another sender may do better.
    pub(crate) fn is_of_its_sender(&self) -> bool {
        if let Self::Refused { cause, .. } = self {
            return cause.kind() == ErrorKind::Invalid;
        }
        matches!(self, Self::Missing { .. } | Self::OtherBlock { .. })
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

    /// Else one node could stop a chain, and nobody but a person could let it go on: what fewer nodes
    /// than must agree can cause passes.
    #[test]
    fn only_what_as_many_as_must_agree_say_stops_a_chain() {
        use superroot_store::Table;
        use superroot_types::{ChainId, Family};
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let (number, hash, why) = (BlockNumber(1), Hash::ZERO, "w");
        let (name, table) = (String::new, Table::Meta);
        let source = |cause| CollectError::Source { source_name: name(), cause: Box::new(cause) };
        let cause = Box::new(ChainError::NotCollected { chain });
        let (got, expected, source_name) = (hash, hash, name());
        let passing = [
            source(SourceError::ShuttingDown),
            source(SourceError::NotRecorded(chain)),
            CollectError::Refused { chain, number, source_name: name(), cause },
            CollectError::Missing { chain, number, source_name: name() },
            CollectError::OtherBlock { chain, number, got, expected, source_name },
            CollectError::Doubted { chain, number, got: 1, expected: 2, why: name() },
            CollectError::Contradiction { chain, number, expected },
            CollectError::HeadMoved { chain },
            CollectError::StepTooLarge { chain, number },
            CollectError::NoBody { chain, number, wait_s: 1 },
            CollectError::NoBackfill { chain, why },
            CollectError::NotShown { chain, why: Refusal::OtherKind { got: why, expected: why } },
            CollectError::NotShownYet { chain, why: Lack::TooFew { got: 1, of: 3, expected: 2 } },
            // a node chooses how large a block of its head is, and what it names as its parent
            CollectError::Store(StoreError::KeyLength { table, got: 2, expected: 1 }),
            CollectError::Store(StoreError::ValueLength { table, got: 2, expected: 1 }),
            CollectError::Store(StoreError::BatchLength { got: 2, expected: 1 }),
            CollectError::Store(StoreError::Block { chain, number, why }),
            CollectError::Cancelled,
        ];
        let stopping = [
            source(SourceError::Panicked),
            CollectError::FinalReorg { chain, number, is_first: true, got, expected },
            CollectError::Halted { chain, number, reason: name() },
            CollectError::Store(StoreError::Conflict { table }),
            CollectError::Store(StoreError::Corrupt { table, key: Vec::new(), why }),
            CollectError::Panicked,
        ];
        let stops =
            |error: &CollectError| matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug);
        assert!(passing.iter().all(|error| !stops(error)) && stopping.iter().all(stops));
    }

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
