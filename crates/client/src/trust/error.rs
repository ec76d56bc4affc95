//! Trust errors: distrusted proofs, and store failures.

use superroot_proof::consistency::ConsistencyError;
use superroot_proof::note::{CheckpointError, ForkEvidence};
use superroot_proof::range::RangeError;
use superroot_proof::superroot::OriginError;
use superroot_types::{BlockNumber, ChainKey, Hash, ProofLevel};

/// Reason why a trust store was not read, written or advanced.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Unreadable or unwritable file.
    #[error("trust store {path}: {cause}")]
    File {
        /// File path.
        path: String,
        /// Cause.
        cause: std::io::Error,
    },
    /// The file is no store, or differs from the written one: cut, emptied, or edited by hand.
    #[error("the trust store is malformed: {why}")]
    Malformed {
        /// Reason.
        why: String,
    },
    /// Invalid origin.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// Origin easily confused with another.
    #[error(
        "the origin {origin:?} may be taken for another: only lower case letters, digits and .-_/:~ \
         are pinned"
    )]
    Confusing {
        /// Origin.
        origin: String,
    },
    /// Witness key given as log key.
    #[error("the key is that of a witness, not of a log")]
    Key,
    /// Another key is pinned.
    #[error(
        "the key of {origin} is pinned as {pinned}, not {got}; where the operator announced a new \
         key, and you know it from elsewhere, pin it with --replace"
    )]
    OtherKey {
        /// Log origin.
        origin: String,
        /// Pinned key.
        pinned: String,
        /// Other key.
        got: String,
    },
    /// Policy for other logs.
    #[error("the policy names logs, and not the key of {origin}")]
    Policy {
        /// Log origin.
        origin: String,
    },
    /// No pin for this log.
    #[error("log {origin} is not in the trust store: pin its key first")]
    UnknownLog {
        /// Log origin.
        origin: String,
    },
    /// Log without a key: its pins never move.
    #[error("no key of {origin} is pinned: its pins never move; pin the key with `--key`")]
    NoKey {
        /// Log origin.
        origin: String,
    },
    /// Second SuperRoot for one sequence: the log forked, or one SuperRoot is a lie.
    #[error(
        "SuperRoot {sequence} of {origin} is pinned as {pinned}, not {got}: the log has forked"
    )]
    Fork {
        /// Log origin.
        origin: String,
        /// SuperRoot sequence.
        sequence: u64,
        /// Pinned hash.
        pinned: Hash,
        /// Other hash.
        got: Hash,
    },
    /// The note ends in another SuperRoot.
    #[error("the note does not lead to SuperRoot {sequence}: {cause}")]
    NotUnderNote {
        /// SuperRoot sequence.
        sequence: u64,
        /// Cause.
        cause: RangeError,
    },
    /// Note with another size.
    #[error(
        "the note is of size {size}, that of SuperRoot {sequence} is one more than its sequence"
    )]
    NoteSize {
        /// Size in the note.
        size: u64,
        /// SuperRoot sequence.
        sequence: u64,
    },
    /// Note not signed by the pinned key, or without enough witnesses.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// The later SuperRoot does not fully extend the pinned one.
    #[error("the log does not extend what is pinned: {0}")]
    Inconsistent(#[from] ConsistencyError),
    /// The store changed after the request.
    #[error("the trust store has changed meanwhile as to {origin}: nothing was moved, try again")]
    Changed {
        /// Log origin.
        origin: String,
    },
    /// Store full.
    #[error("the trust store holds at most {max} {what}")]
    Full {
        /// Item kind.
        what: &'static str,
        /// Limit.
        max: usize,
    },
}

/// Reason why a valid proof is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// The proof ends below level 5.
    #[error("the proof ends at {level} and leads to no SuperRoot")]
    NoSuperRoot {
        /// Highest level shown.
        level: ProofLevel,
    },
    /// No pin for this log.
    #[error("log {origin} is not in the trust store")]
    UnknownLog {
        /// Log origin.
        origin: String,
    },
    /// SuperRoot not pinned, and no note.
    #[error(
        "SuperRoot {sequence} of {origin} is not pinned, and the proof carries no signed note: ask the \
         service for it with ?note=1 (by gRPC with note: true), or give --superroot HASH"
    )]
    NoNote {
        /// Log origin.
        origin: String,
        /// SuperRoot sequence.
        sequence: u64,
    },
    /// Log with fixed pins, and the SuperRoot is not among them.
    #[error("SuperRoot {sequence} of {origin} is not pinned, and no key of that log is")]
    NoKey {
        /// Log origin.
        origin: String,
        /// SuperRoot sequence.
        sequence: u64,
    },
    /// Note not signed by the pinned key, or without enough witnesses.
    #[error(transparent)]
    Note(#[from] CheckpointError),
    /// Note for a log no larger than the newest pin's, and not a pinned one: agreement is unproven.
    #[error(
        "the proof's note is of size {size}, no newer than SuperRoot {pin}, which you pinned, and was \
         never compared with it: `superroot prove` again gets a newer proof, or give --key VKEY to judge by \
         the key alone"
    )]
    OlderNote {
        /// Log size in the note.
        size: u64,
        /// Newest pin's sequence.
        pin: u64,
    },
    /// The log has since withdrawn the block.
    #[error(
        "block {number} of chain {chain} was withdrawn by the log: SuperRoot {pin}, which you pinned, \
         says so"
    )]
    Withdrawn {
        /// Chain.
        chain: ChainKey,
        /// Block number.
        number: BlockNumber,
        /// Pin with the withdrawal.
        pin: u64,
    },
    /// Another SuperRoot is pinned for this sequence.
    #[error("SuperRoot {sequence} of {origin} is {got}, pinned is {pinned}")]
    Fork {
        /// Log origin.
        origin: String,
        /// SuperRoot sequence.
        sequence: u64,
        /// Pinned hash.
        pinned: Hash,
        /// Hash in the proof.
        got: Hash,
    },
    /// The pinned key signed two histories: two notes with one size.
    #[error("the key of {} signed two histories of one size", .0.key.name())]
    TwoHistories(Box<ForkEvidence>),
}

impl Distrust {
    /// Whether a pin contradicts the proof, rather than saying nothing.
    #[must_use]
    pub const fn is_contradiction(&self) -> bool {
        matches!(self, Self::Withdrawn { .. } | Self::Fork { .. } | Self::TwoHistories(_))
    }
}
