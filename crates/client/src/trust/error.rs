//! Why something is not trusted, and why a store was not read, written or changed.

use superroot_proof::consistency::ConsistencyError;
use superroot_proof::note::{CheckpointError, Evidence};
use superroot_proof::range::RangeError;
use superroot_proof::superroot::OriginError;
use superroot_types::{BlockNumber, ChainKey, Hash, ProofLevel};

/// Why a store was not read, written or moved on.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read or written.
    #[error("trust store {path}: {cause}")]
    File {
        /// Path of the file.
        path: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The file is no store, or not the one that was written: cut, emptied, or changed by hand.
    #[error("the trust store is malformed: {why}")]
    Malformed {
        /// What is wrong.
        why: String,
    },
    /// The origin is none.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The origin may be taken for another.
    #[error(
        "the origin {origin:?} may be taken for another: only lower case letters, digits and .-_/:~ \
         are pinned"
    )]
    Confusing {
        /// The origin.
        origin: String,
    },
    /// The key is that of a witness.
    #[error("the key is that of a witness, not of a log")]
    Key,
    /// Another key is pinned.
    #[error(
        "the key of {origin} is pinned as {pinned}, not {got}; where the operator announced a new \
         key, and you know it from elsewhere, pin it with --replace"
    )]
    OtherKey {
        /// The log.
        origin: String,
        /// The pinned key.
        pinned: String,
        /// The other one.
        got: String,
    },
    /// The policy is of other logs.
    #[error("the policy names logs, and not the key of {origin}")]
    Policy {
        /// The log.
        origin: String,
    },
    /// Nothing of that log is pinned.
    #[error("log {origin} is not in the trust store: pin its key first")]
    UnknownLog {
        /// The log.
        origin: String,
    },
    /// The log has no key: its pins never move.
    #[error("no key of {origin} is pinned: its pins never move; pin the key with `--key`")]
    NoKey {
        /// The log.
        origin: String,
    },
    /// A second SuperRoot of one sequence: the log was forked, or one of the two is a lie.
    #[error(
        "SuperRoot {sequence} of {origin} is pinned as {pinned}, not {got}: the log has forked"
    )]
    Fork {
        /// The log.
        origin: String,
        /// The sequence.
        sequence: u64,
        /// Hash that is pinned.
        pinned: Hash,
        /// The other hash.
        got: Hash,
    },
    /// The SuperRoot is not the one that the note ends in.
    #[error("the note does not lead to SuperRoot {sequence}: {cause}")]
    NotUnderNote {
        /// The SuperRoot.
        sequence: u64,
        /// Why.
        cause: RangeError,
    },
    /// The note is of another size.
    #[error(
        "the note is of size {size}, that of SuperRoot {sequence} is one more than its sequence"
    )]
    NoteSize {
        /// Size in the note.
        size: u64,
        /// The SuperRoot.
        sequence: u64,
    },
    /// The note is none of the pinned key, or lacks witnesses.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// The later SuperRoot does not extend the pinned one in full.
    #[error("the log does not extend what is pinned: {0}")]
    Inconsistent(#[from] ConsistencyError),
    /// The store has changed since the answer was asked for.
    #[error("the trust store has changed meanwhile as to {origin}: nothing was moved, try again")]
    Changed {
        /// The log.
        origin: String,
    },
    /// The store is full.
    #[error("the trust store holds at most {max} {what}")]
    Full {
        /// Of what.
        what: &'static str,
        /// At most.
        max: usize,
    },
}

/// Why a proof that holds is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// The proof ends below level 5.
    #[error("the proof ends at {level} and leads to no SuperRoot")]
    NoSuperRoot {
        /// Highest level shown.
        level: ProofLevel,
    },
    /// Nothing of the log is pinned.
    #[error("log {origin} is not in the trust store")]
    UnknownLog {
        /// The log.
        origin: String,
    },
    /// Neither is the SuperRoot pinned nor is there a note.
    #[error(
        "SuperRoot {sequence} of {origin} is not pinned, and the proof carries no signed note: ask the \
         service for it with ?note=1 (by gRPC with note: true), or give --superroot HASH"
    )]
    NoNote {
        /// The log.
        origin: String,
        /// The SuperRoot.
        sequence: u64,
    },
    /// The log's pins never move, and the SuperRoot is none of them.
    #[error("SuperRoot {sequence} of {origin} is not pinned, and no key of that log is")]
    NoKey {
        /// The log.
        origin: String,
        /// The SuperRoot.
        sequence: u64,
    },
    /// The note is none of the pinned key, or lacks witnesses.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// The note is of a log no larger than the newest pin's, and of none that is pinned: nothing shows
    /// that the two agree.
    #[error(
        "the proof's note is of size {size}, no newer than SuperRoot {pin}, which you pinned, and was \
         never compared with it: `superroot prove` again gets a newer proof, or give --key VKEY to judge by \
         the key alone"
    )]
    OlderNote {
        /// Size of the log in the note.
        size: u64,
        /// Sequence of the newest pin.
        pin: u64,
    },
    /// The log withdrew the block since.
    #[error(
        "block {number} of chain {chain} was withdrawn by the log: SuperRoot {pin}, which you pinned, \
         says so"
    )]
    Withdrawn {
        /// The chain.
        chain: ChainKey,
        /// The block.
        number: BlockNumber,
        /// The pin that says so.
        pin: u64,
    },
    /// The pinned SuperRoot of that sequence is another.
    #[error("SuperRoot {sequence} of {origin} is {got}, pinned is {pinned}")]
    Fork {
        /// The log.
        origin: String,
        /// The sequence.
        sequence: u64,
        /// Hash that is pinned.
        pinned: Hash,
        /// Hash in the proof.
        got: Hash,
    },
    /// The pinned key signed two histories: both notes are of one size.
    #[error("the key of {} signed two histories of one size", .0.key.name())]
    TwoHistories(Box<Evidence>),
}

impl Distrust {
    /// Whether what is pinned says otherwise, and not merely nothing.
    #[must_use]
    pub const fn is_contradiction(&self) -> bool {
        matches!(self, Self::Withdrawn { .. } | Self::Fork { .. } | Self::TwoHistories(_))
    }
}
