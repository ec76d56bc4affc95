use core::fmt;

use superroot_types::{BlockNumber, ChainKey, Hash, LogSize, ProofLevel, Sequence};

use crate::ledger::LedgerError;
use crate::note::CheckpointError;
use crate::range::RangeError;
use crate::superroot::PreimageError;

/// Check step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProofStep {
    /// Statement.
    Statement,
    /// Level, 1 to 5.
    Level(ProofLevel),
    /// Trusted SuperRoot.
    Anchor,
}

impl fmt::Display for ProofStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Statement => f.write_str("statement"),
            Self::Level(level) => level.fmt(f),
            Self::Anchor => f.write_str("anchor"),
        }
    }
}

/// Invalid proof and its failed step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {fault}")]
pub struct ProofError {
    /// Failed step.
    pub step: ProofStep,
    /// Fault found.
    pub fault: ProofFault,
}

impl ProofError {
    pub(crate) const fn new(step: ProofStep, fault: ProofFault) -> Self {
        Self { step, fault }
    }

    pub(crate) fn at(level: ProofLevel) -> impl Fn(ProofFault) -> Self {
        move |fault| Self::new(ProofStep::Level(level), fault)
    }
}

/// Proof fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// Chain missing in the verifier's registry.
    #[error("chain {chain} is not in the registry of this verifier")]
    UnknownChain {
        /// Chain claimed.
        chain: ChainKey,
    },
    /// No chain rule covers the number, or the rule is unknown to this build.
    #[error("no rule for block {number} of chain {chain}")]
    NoRule {
        /// Chain claimed.
        chain: ChainKey,
        /// Number claimed.
        number: BlockNumber,
    },
    /// The chain profile withdraws the number: taken as final, but was not.
    #[error("block {number} of chain {chain} was withdrawn by the log")]
    Withdrawn {
        /// Chain claimed.
        chain: ChainKey,
        /// Number claimed.
        number: BlockNumber,
    },
    /// An id, number, count or time is 2^53 or more.
    #[error("{what} is 2^53 or more")]
    TooLarge {
        /// Name for the value.
        what: &'static str,
    },
    /// Malformed origin.
    #[error("the origin is not 1 to 255 bytes without white space and plus sign")]
    Origin,
    /// A needed part is missing, or a part does not belong.
    #[error("{what}")]
    Parts {
        /// Missing or extra part.
        what: &'static str,
    },
    /// Header or level 1 violates the ledger rules.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Header number differs from the statement.
    #[error("the header's number is {got}, the statement's {expected}")]
    Number {
        /// Number in the header.
        got: u64,
        /// Number claimed.
        expected: BlockNumber,
    },
    /// Hash or root mismatch.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Hash name.
        what: &'static str,
        /// Hash computed.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// Invalid range path.
    #[error(transparent)]
    Range(RangeError),
    /// Block outside the committed run or the claimed twig.
    #[error("block {number} is not in the open twig of the run {start} to {last}")]
    NotInOpenTwig {
        /// Number claimed.
        number: BlockNumber,
        /// First number in the run.
        start: BlockNumber,
        /// Last number in the run.
        last: BlockNumber,
    },
    /// Block reference contradicts the log rules or the proven block.
    #[error("the block reference does not hold: {why}")]
    Reference {
        /// Fault found.
        why: &'static str,
    },
    /// SuperRoot preimage is malformed or has another version.
    #[error(transparent)]
    Preimage(PreimageError),
    /// Opened registry does not match this SuperRoot or chain.
    #[error("the opened registry does not hold: {what}")]
    Registry {
        /// Fault found.
        what: &'static str,
    },
    /// No note: the proof shows no signature for its SuperRoot.
    #[error("the proof carries no signed note")]
    NoNote,
    /// Invalid note, another log's note, or required signatures missing.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// Note's log is too short to contain the SuperRoot.
    #[error("the note is of size {size}, which does not hold SuperRoot {sequence}")]
    NoteSize {
        /// Log size in the note.
        size: LogSize,
        /// SuperRoot sequence.
        sequence: Sequence,
    },
    /// Proof ends below level 5: no SuperRoot to compare.
    #[error("the proof ends below level 5 and names no SuperRoot")]
    NoSuperRoot,
}
