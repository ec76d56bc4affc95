//! What can go wrong in a stream.

use superroot_index::IndexError;
use superroot_store::StoreError;
use superroot_types::ErrorKind;

/// Why a stream could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index of events failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A SuperRoot that was published cannot be read.
    #[error("SuperRoot {sequence} cannot be read: {why}")]
    SuperRoot {
        /// Its sequence.
        sequence: u64,
        /// What is wrong.
        why: String,
    },
    /// Nothing comes any more: the service stops.
    #[error("the service stops")]
    Ended,
}

impl StreamError {
    /// What the caller does next.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Index(error) => error.kind(),
            Self::SuperRoot { .. } => ErrorKind::Corrupt,
            Self::Ended => ErrorKind::Unavailable,
        }
    }
}
