//! What is wrong with a proof, and at which level.

use core::fmt;

use superroot_types::{BlockNumber, ChainKey, Hash, ProofLevel};

use crate::ledger::LedgerError;
use crate::note::CheckpointError;
use crate::range::RangeError;
use crate::superroot::PreimageError;

/// The step of the check at which a proof failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// What the proof says it is about.
    Statement,
    /// A level, 1 to 5.
    Level(ProofLevel),
    /// The SuperRoot that the client trusts.
    Anchor,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Statement => f.write_str("statement"),
            Self::Level(level) => level.fmt(f),
            Self::Anchor => f.write_str("anchor"),
        }
    }
}

/// A proof that does not hold, with the step that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {fault}")]
pub struct ProofError {
    /// Where it failed.
    pub step: Step,
    /// What is wrong.
    pub fault: Fault,
}

impl ProofError {
    pub(crate) const fn new(step: Step, fault: Fault) -> Self {
        Self { step, fault }
    }

    pub(crate) fn at(level: ProofLevel) -> impl Fn(Fault) -> Self {
        move |fault| Self::new(Step::Level(level), fault)
    }
}

/// What is wrong with a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The chain is not in the verifier's registry.
    #[error("chain {chain} is not in the registry of this verifier")]
    UnknownChain {
        /// Chain claimed.
        chain: ChainKey,
    },
    /// No rule of the chain covers the number, or this build does not know the rule.
    #[error("no rule for block {number} of chain {chain}")]
    NoRule {
        /// Chain claimed.
        chain: ChainKey,
        /// Number claimed.
        number: BlockNumber,
    },
    /// The chain's profile withdraws the number: it was taken as final and was not.
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
        /// What is too large.
        what: &'static str,
    },
    /// The origin is malformed.
    #[error("the origin is not 1 to 255 bytes without white space and plus sign")]
    Origin,
    /// A part that the statement needs is not there, or one is there that does not belong.
    #[error("{what}")]
    Parts {
        /// What is missing or too much.
        what: &'static str,
    },
    /// The header or level 1 is not what its ledger makes.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The header's number is not the statement's.
    #[error("the header's number is {got}, the statement's {expected}")]
    Number {
        /// Number in the header.
        got: u64,
        /// Number claimed.
        expected: BlockNumber,
    },
    /// A hash or root came out other than it must.
    #[error("{what} comes out as {got}, expected {expected}")]
    Mismatch {
        /// Which hash.
        what: &'static str,
        /// Hash computed.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
    /// A path through a range does not hold.
    #[error(transparent)]
    Range(RangeError),
    /// The block does not lie in the committed run or not in the twig claimed.
    #[error("block {number} is not in the open twig of the run {start} to {last}")]
    NotInOpenTwig {
        /// Number claimed.
        number: BlockNumber,
        /// First number of the run.
        start: BlockNumber,
        /// Last number of the run.
        last: BlockNumber,
    },
    /// The block reference contradicts the rules of a log, or the block that the proof shows.
    #[error("the block reference does not hold: {why}")]
    Reference {
        /// What is wrong.
        why: &'static str,
    },
    /// The SuperRoot's preimage is malformed or of another version.
    #[error(transparent)]
    Preimage(PreimageError),
    /// The opened registry is not this SuperRoot's, or not this chain's.
    #[error("the opened registry does not hold: {what}")]
    Registry {
        /// What is wrong.
        what: &'static str,
    },
    /// The proof carries no note, so nobody signed its SuperRoot as far as it shows.
    #[error("the proof carries no signed note")]
    NoNote,
    /// The note is none, of another log, or not signed by those who have to.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// The log of the note is too short to hold the SuperRoot.
    #[error("the note is of size {size}, which does not hold SuperRoot {sequence}")]
    NoteSize {
        /// Size of the log in the note.
        size: u64,
        /// The SuperRoot.
        sequence: u64,
    },
    /// The proof ends below level 5, so there is no SuperRoot to compare.
    #[error("the proof ends below level 5 and names no SuperRoot")]
    NoSuperRoot,
}
