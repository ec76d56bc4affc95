//! Collection errors.

use std::path::Path;

use superroot_chain::ChainError;
use superroot_chain::finality::{EvidenceRefusal, MissingEvidence};
use superroot_source::SourceError;
use superroot_store::StoreError;
use superroot_types::{BlockNumber, ChainKey, ErrorKind, Hash};
use tokio::task::JoinError;

/// Reason for a failed step.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    #[error("source {source_name}: {cause}")]
    Source { source_name: String, cause: Box<SourceError> },
    /// Block that fails recomputation from every sender asked.
    #[error("block {number} of chain {chain} from {source_name} refused: {cause}")]
    Refused {
        chain: ChainKey,
        number: BlockNumber,
        /// Last sender.
        source_name: String,
        cause: Box<ChainError>,
    },
    /// Required block missing at the source.
    #[error("source {source_name} has no block {number} of chain {chain}, though it is past it")]
    Missing { chain: ChainKey, number: BlockNumber, source_name: String },
    /// All senders return another block than requested.
    #[error(
        "asked for block {number} of chain {chain} with hash {expected}, {source_name} sent {got}"
    )]
    OtherBlock {
        chain: ChainKey,
        number: BlockNumber,
        /// Hash received, possibly for another block number.
        got: Hash,
        /// Hash requested.
        expected: Hash,
        /// Last sender.
        source_name: String,
    },
    /// Body that fails recomputation, sent by too few nodes. With enough nodes the block is taken without the body;
    /// with a valid body, whole.
    #[error(
        "the body of block {number} of chain {chain} does not recompute: {why}; {got} of {expected} \
         operators send it so, others are waited for"
    )]
    Doubted {
        chain: ChainKey,
        number: BlockNumber,
        /// Operators that send this body.
        got: usize,
        /// Operators required.
        expected: usize,
        /// Reason for the failed recomputation.
        why: String,
    },
    /// Body supplied by no node; after a wait, the block is taken without the body.
    #[error(
        "no node sends the body of block {number} of chain {chain}: it is asked for again, and \
         after {wait_s} s in all the block is taken without it"
    )]
    NoBody {
        chain: ChainKey,
        number: BlockNumber,
        /// Total wait, in seconds.
        wait_s: u64,
    },
    /// Another block is now final at a number taken as final. Stored data stays, the chain is halted, and the evidence
    /// is kept.
    #[error(
        "chain {chain} reorganised below its finalized block, {}block {number}: it is said to be \
         {got}, held as final is {expected}",
        if *is_first { "from " } else { "at or below " }
    )]
    FinalReorg {
        chain: ChainKey,
        /// First differing block, or the lowest examined.
        number: BlockNumber,
        /// Whether `number` is the first differing block.
        is_first: bool,
        /// Hash now reported as final.
        got: Hash,
        /// Hash stored as final.
        expected: Hash,
    },
    /// Agreeing nodes and the chain's own consensus name different blocks. Nothing is taken, and the chain is halted.
    #[error(
        "evidence_contradicts_nodes: block {number} of chain {chain} is {nodes} by its nodes, and {consensus} by its \
         own consensus"
    )]
    EvidenceContradicts {
        chain: ChainKey,
        number: BlockNumber,
        /// Hash by agreement of nodes.
        nodes: Hash,
        /// Hash by evidence.
        consensus: Hash,
    },
    /// Step to the next set, refused by the set before: more nodes are asked.
    #[error("block {number} of chain {chain} came with a false step from set {set}: {why}")]
    FalseStep {
        chain: ChainKey,
        number: BlockNumber,
        /// Set before.
        set: u64,
        /// Reason.
        why: String,
    },
    /// Agreeing nodes contradict their earlier agreement, and still confirm that agreement.
    #[error(
        "chain {chain}: what is agreed on as block {number} does not fit block {expected} next to it, \
         which is still agreed on"
    )]
    Contradiction {
        chain: ChainKey,
        /// Conflicting block.
        number: BlockNumber,
        /// Hash of the neighbouring stored final block.
        expected: Hash,
    },
    /// Halted chain, not cleared yet.
    #[error("chain {chain} is halted at block {number}: {reason}")]
    Halted {
        chain: ChainKey,
        /// Block where the chain was halted.
        number: BlockNumber,
        reason: String,
    },
    /// Blocks exceed the step's room or time; fewer are taken.
    #[error("chain {chain}: no room or time for block {number} beside those before it")]
    StepTooLarge {
        chain: ChainKey,
        /// First block without room.
        number: BlockNumber,
    },
    /// The evidence does not prove finality.
    #[error("blocks of chain {chain} are not shown to be final: {why}")]
    NotShown { chain: ChainKey, why: EvidenceRefusal },
    /// The evidence does not prove finality yet.
    #[error("blocks of chain {chain} are not shown to be final yet: {why}")]
    NotShownYet {
        chain: ChainKey,
        /// Missing evidence.
        why: MissingEvidence,
    },
    /// The head moved during the fetch; the next step sees the new head.
    #[error("the head of chain {chain} moved while it was fetched")]
    HeadMoved { chain: ChainKey },
    /// Chain that cannot be backfilled.
    #[error("chain {chain} cannot be filled backwards: {why}")]
    NoBackfill { chain: ChainKey, why: &'static str },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a worker panicked")]
    Panicked,
    /// Worker ended early, for example at process stop: not a fault.
    #[error("a worker was cancelled")]
    Cancelled,
}

impl CollectError {
    /// Error class: the caller's next action.
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
            | Self::FalseStep { .. }
            | Self::NoBody { .. }
            | Self::Contradiction { .. }
            | Self::HeadMoved { .. }
            | Self::StepTooLarge { .. }
            | Self::NotShownYet { .. }
            | Self::Cancelled => ErrorKind::Unavailable,
            Self::FinalReorg { .. } | Self::EvidenceContradicts { .. } | Self::Halted { .. } => {
                ErrorKind::Corrupt
            }
            Self::Store(StoreError::Conflict { .. }) | Self::Panicked => ErrorKind::Bug,
            Self::Store(error) => error.kind(),
        }
    }

    /// Reason to leave out one recorded block: its file is unreadable or fails recomputation. `None` if the whole step
    /// fails.
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

    /// Unavailable block; lower blocks may still be taken.
    pub(crate) const fn block(&self) -> Option<BlockNumber> {
        match self {
            Self::Refused { number, .. }
            | Self::Missing { number, .. }
            | Self::OtherBlock { number, .. }
            | Self::Doubted { number, .. }
            | Self::FalseStep { number, .. }
            | Self::NoBody { number, .. } => Some(*number),
            Self::Source { .. }
            | Self::FinalReorg { .. }
            | Self::EvidenceContradicts { .. }
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

    /// Whether another sender may succeed.
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
            CollectError::NotShown {
                chain,
                why: EvidenceRefusal::OtherKind { got: why, expected: why },
            },
            CollectError::NotShownYet {
                chain,
                why: MissingEvidence::TooFew { got: 1, of: 3, expected: 2 },
            },
            // a node chooses how large a block of its head is, and what it names as its parent
            CollectError::Store(StoreError::KeyLength { table, got: 2, expected: 1 }),
            CollectError::Store(StoreError::ValueLength { table, got: 2, expected: 1 }),
            CollectError::Store(StoreError::BatchLength { got: 2, expected: 1 }),
            CollectError::Store(StoreError::Block { chain, number, why }),
            CollectError::FalseStep { chain, number, set: 1, why: name() },
            CollectError::Cancelled,
        ];
        let stopping = [
            source(SourceError::Panicked),
            CollectError::FinalReorg { chain, number, is_first: true, got, expected },
            CollectError::EvidenceContradicts { chain, number, nodes: got, consensus: expected },
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
