use superroot_index::IndexError;
use superroot_store::StoreError;
use superroot_types::ErrorKind;

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] IndexError),
    /// Published SuperRoot is unreadable.
    #[error("SuperRoot {sequence} cannot be read: {why}")]
    SuperRoot { sequence: u64, why: String },
    /// The stream's end: the service stops.
    #[error("the service stops")]
    Ended,
}

impl StreamError {
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
