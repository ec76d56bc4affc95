//! Audit errors.

use superroot_proof::consistency::ConsistencyError;
use superroot_proof::note::CheckpointError;
use superroot_types::Hash;

use crate::ClientError;

/// Reason why an audit stopped.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// No readable answer from the service.
    #[error("SuperRoot {sequence}: {cause}")]
    Client {
        /// SuperRoot sequence.
        sequence: u64,
        /// Cause.
        cause: Box<ClientError>,
    },
    /// A place does not show its view.
    #[error("{place}: {cause}")]
    Place {
        /// Address.
        place: String,
        /// Cause.
        cause: Box<ClientError>,
    },
    /// SuperRoot page without a hash.
    #[error("SuperRoot {sequence}: its page has no superRootHash")]
    NoHash {
        /// SuperRoot sequence.
        sequence: u64,
    },
    /// The blob belongs to another SuperRoot than its address.
    #[error("SuperRoot {sequence}: the blob under {expected} is of {got}")]
    Hash {
        /// SuperRoot sequence.
        sequence: u64,
        /// Hash from the blob.
        got: Hash,
        /// Hash requested.
        expected: Hash,
    },
    /// Another log.
    #[error("this is not the log {origin}")]
    AnotherLog {
        /// Audited log.
        origin: String,
    },
    /// Broken log rule.
    #[error("SuperRoot {sequence} breaks a rule of the log: {cause}")]
    Rule {
        /// SuperRoot sequence.
        sequence: u64,
        /// Rule.
        cause: ConsistencyError,
    },
    /// Reported count for appended twigs differs from the Mini-MMR growth.
    #[error("SuperRoot {sequence} says {said} appended twigs, its Mini-MMRs grew by {due}")]
    Count {
        /// SuperRoot sequence.
        sequence: u64,
        /// Reported count.
        said: u64,
        /// Expected count.
        due: u64,
    },
    /// Invalid note signature.
    #[error("the note{}: {cause}", of_size(*size))]
    Note {
        /// Log size, if readable.
        size: Option<u64>,
        /// Cause.
        cause: CheckpointError,
    },
    /// The key signed another history than the blobs give.
    #[error("the note of size {size} says {said}, the blobs lead to {root}")]
    Root {
        /// History size.
        size: u64,
        /// Root in the note.
        said: Hash,
        /// Root replayed.
        root: Hash,
        /// Note text.
        note: String,
    },
    /// Two views contradict each other.
    #[error("of size {size} there are two histories: {} and {}", roots[0], roots[1])]
    Split {
        /// History size.
        size: u64,
        /// Replayed root, and the other view's root.
        roots: [Hash; 2],
        /// Other view's note.
        note: String,
    },
    /// The service answers with another SuperRoot.
    #[error("asked for SuperRoot {expected}, the service answers with {got}")]
    Elsewhere {
        /// Sequence requested.
        expected: u64,
        /// Sequence received.
        got: u64,
    },
    /// The services show less than was already replayed.
    #[error(
        "the services show {shown} SuperRoots, and {replayed} were replayed before{}",
        of_waiting(*waiting)
    )]
    Behind {
        /// SuperRoots shown.
        shown: u64,
        /// SuperRoots replayed.
        replayed: u64,
        /// Kept notes from shorter logs, compared when a service shows more.
        waiting: usize,
    },
    /// Audit state altered, or from another audit.
    #[error("the state file: {why}")]
    State {
        /// Reason.
        why: String,
    },
}

fn of_waiting(waiting: usize) -> String {
    match waiting {
        0 => String::new(),
        count => format!("; {count} notes of the shorter log are kept for comparison"),
    }
}

fn of_size(size: Option<u64>) -> String {
    size.map_or_else(String::new, |size| format!(" of size {size}"))
}

impl AuditError {
    /// Whether the error proves the log wrong; otherwise undecided.
    #[must_use]
    pub fn is_false(&self) -> bool {
        match self {
            Self::Client { cause, .. } => {
                matches!(&**cause, ClientError::Wire(error) if error.is_false())
            }
            Self::Place { .. }
            | Self::NoHash { .. }
            | Self::AnotherLog { .. }
            | Self::Elsewhere { .. }
            | Self::Behind { .. }
            | Self::State { .. } => false,
            Self::Hash { .. }
            | Self::Rule { .. }
            | Self::Count { .. }
            | Self::Note { .. }
            | Self::Root { .. }
            | Self::Split { .. } => true,
        }
    }

    /// Returns the key's note that contradicts the replayed history.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Root { note, .. } | Self::Split { note, .. } => Some(note),
            Self::Client { .. }
            | Self::Place { .. }
            | Self::NoHash { .. }
            | Self::Hash { .. }
            | Self::AnotherLog { .. }
            | Self::Rule { .. }
            | Self::Count { .. }
            | Self::Note { .. }
            | Self::Elsewhere { .. }
            | Self::Behind { .. }
            | Self::State { .. } => None,
        }
    }
}
