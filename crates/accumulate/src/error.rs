use superroot_store::StoreError;
use superroot_types::{Hash, LogSize, RowIndex, Sequence};

/// Failure to make a SuperRoot or to open a log.
#[derive(Debug, thiserror::Error)]
pub enum AccumulateError {
    /// The store belongs to another origin, or the origin is invalid.
    #[error("the log's origin is {got}, expected {expected}")]
    Origin { got: String, expected: String },
    /// The configured rows change existing rows of the log; appending is the only allowed change.
    #[error("registry row {row} differs from the standing log's: {why}")]
    Registry { row: RowIndex, why: String },
    /// The key does not sign for this log.
    #[error("{got} is no key of a log with the origin {expected}")]
    Signer {
        /// The key, in the form that clients pin.
        got: String,
        /// The log's origin.
        expected: String,
    },
    /// The given SuperRoot is not the next one of the log.
    #[error("SuperRoot {sequence} of the source is not this log's: {why}")]
    Target { sequence: Sequence, why: String },
    /// Recomputation differs from a published SuperRoot.
    #[error("SuperRoot {sequence} was published as {hash} and does not come out again: {what}")]
    Differs {
        sequence: Sequence,
        /// Published hash.
        hash: Hash,
        what: String,
    },
    /// Invalid cosignature, or no note of this size in the log.
    #[error("there is no cosignature of {witness} on a note of size {size} of this log")]
    Cosignature {
        /// Note size.
        size: LogSize,
        /// Witness key.
        witness: String,
    },
    /// Another writer published first.
    #[error("another writer published first; this one stops")]
    Conflict,
    /// Stored data differs from committed data.
    #[error("the store does not hold what was published: {what}")]
    Corrupt { what: String },
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
