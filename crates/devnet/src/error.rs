//! Errors.

use superroot_types::ErrorKind;

/// Why the chain does not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DevnetError {
    /// The journal cannot be read or written.
    #[error("the journal {path}")]
    Journal {
        /// File.
        path: String,
        /// Cause.
        source: std::io::Error,
    },
    /// The journal is of another chain, or damaged.
    #[error("the journal {path} {why}")]
    Damaged {
        /// File.
        path: String,
        /// Fault.
        why: &'static str,
    },
    /// A transaction is refused, in the words of usual nodes.
    #[error("{0}")]
    Refused(String),
    /// A call fails; with the returned bytes.
    #[error("execution reverted")]
    Reverted(alloy_primitives::Bytes),
}

impl DevnetError {
    /// The error's kind.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Journal { .. } => ErrorKind::Unavailable,
            Self::Damaged { .. } => ErrorKind::Corrupt,
            Self::Refused(_) | Self::Reverted(_) => ErrorKind::Invalid,
        }
    }
}
