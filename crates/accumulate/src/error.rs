//! What can go wrong while roots are made.

use superroot_store::StoreError;

/// Why a SuperRoot was not made, or a log not opened.
#[derive(Debug, thiserror::Error)]
pub enum AccumulateError {
    /// The store holds the log of another origin, or the origin is none.
    #[error("the log's origin is {got}, expected {expected}")]
    Origin {
        /// Origin found.
        got: String,
        /// Origin expected.
        expected: String,
    },
    /// The configured rows change those of the standing log other than by appending.
    #[error("registry row {row} differs from the standing log's: {why}")]
    Registry {
        /// The row.
        row: usize,
        /// What differs.
        why: String,
    },
    /// The key is not one that signs for this log.
    #[error("{got} is no key of a log with the origin {expected}")]
    Signer {
        /// The key, as a client would pin it.
        got: String,
        /// Origin of the log.
        expected: String,
    },
    /// What is said to be the next SuperRoot of the log is not.
    #[error("SuperRoot {sequence} of the source is not this log's: {why}")]
    Target {
        /// Its sequence.
        sequence: u64,
        /// What does not fit.
        why: String,
    },
    /// A SuperRoot that was published does not come out again.
    #[error("SuperRoot {sequence} was published as {hash} and does not come out again: {what}")]
    Differs {
        /// Its sequence.
        sequence: u64,
        /// Hash under which it was published.
        hash: superroot_types::Hash,
        /// What differs.
        what: String,
    },
    /// What a witness is said to have signed it has not, or the log has no such note.
    #[error("there is no cosignature of {witness} on a note of size {size} of this log")]
    Cosignature {
        /// Size of the note.
        size: u64,
        /// The witness's key.
        witness: String,
    },
    /// Another writer published first.
    #[error("another writer published first; this one stops")]
    Conflict,
    /// What was committed is not what is found.
    #[error("the store does not hold what was published: {what}")]
    Corrupt {
        /// What differs.
        what: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AccumulateError {
    pub(crate) fn commit(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { .. } => Self::Conflict,
            other => Self::Store(other),
        }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}
