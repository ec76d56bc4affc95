//! What an audit stumbles upon.

use superroot_proof::consistency::ConsistencyError;
use superroot_proof::note::CheckpointError;
use superroot_types::Hash;

use crate::ClientError;

/// Why an audit does not go on.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The service gave no answer that can be read.
    #[error("SuperRoot {sequence}: {cause}")]
    Client {
        /// Which.
        sequence: u64,
        /// Why.
        cause: Box<ClientError>,
    },
    /// A place does not show what it has of the log.
    #[error("{place}: {cause}")]
    Place {
        /// Its address.
        place: String,
        /// Why.
        cause: Box<ClientError>,
    },
    /// The page of a SuperRoot has no hash.
    #[error("SuperRoot {sequence}: its page has no superRootHash")]
    NoHash {
        /// Which.
        sequence: u64,
    },
    /// The blob is of another SuperRoot than the one it is given out under.
    #[error("SuperRoot {sequence}: the blob under {expected} is of {got}")]
    Hash {
        /// Which.
        sequence: u64,
        /// Hash of what is in the blob.
        got: Hash,
        /// Hash that it was asked for by.
        expected: Hash,
    },
    /// The log is another one.
    #[error("this is not the log {origin}")]
    AnotherLog {
        /// The log that is audited.
        origin: String,
    },
    /// A rule of the log is broken.
    #[error("SuperRoot {sequence} breaks a rule of the log: {cause}")]
    Rule {
        /// Which.
        sequence: u64,
        /// The rule.
        cause: ConsistencyError,
    },
    /// Another number of appended twigs is told than the Mini-MMRs grew by.
    #[error("SuperRoot {sequence} says {said} appended twigs, its Mini-MMRs grew by {due}")]
    Count {
        /// Which.
        sequence: u64,
        /// Told.
        said: u64,
        /// Due.
        due: u64,
    },
    /// A note is not signed as it must be.
    #[error("the note{}: {cause}", of_size(*size))]
    Note {
        /// Size of the log, where it can be read.
        size: Option<u64>,
        /// Why.
        cause: CheckpointError,
    },
    /// The key signed another history than the blobs give.
    #[error("the note of size {size} says {said}, the blobs lead to {root}")]
    Root {
        /// Size of the history.
        size: u64,
        /// Root in the note.
        said: Hash,
        /// Root replayed.
        root: Hash,
        /// The note.
        note: String,
    },
    /// Two views of the log contradict each other.
    #[error("of size {size} there are two histories: {} and {}", roots[0], roots[1])]
    Split {
        /// Size of the history.
        size: u64,
        /// Root replayed, and the other view's.
        roots: [Hash; 2],
        /// The other view's note.
        note: String,
    },
    /// The service answers with another SuperRoot than was asked for.
    #[error("asked for SuperRoot {expected}, the service answers with {got}")]
    Elsewhere {
        /// Sequence that was asked for.
        expected: u64,
        /// Sequence of the answer.
        got: u64,
    },
    /// The services show less than was replayed before.
    #[error(
        "the services show {shown} SuperRoots, and {replayed} were replayed before{}",
        of_waiting(*waiting)
    )]
    Behind {
        /// SuperRoots that they show.
        shown: u64,
        /// SuperRoots that were replayed.
        replayed: u64,
        /// Notes of shorter logs that are kept, and compared once a service shows more.
        waiting: usize,
    },
    /// The state is of another audit, or was altered.
    #[error("the state file: {why}")]
    State {
        /// What is wrong.
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
    /// Whether it shows that the log is wrong; else nothing is known yet.
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

    /// A note of the key that the replayed history contradicts.
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
