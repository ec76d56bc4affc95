//! What can go wrong between asking and knowing.

use superroot_types::ErrorKind;
use superroot_wire::CheckError;
use superroot_wire::scan::ScanCheckError;

use crate::Distrust;

/// Why there is no checked answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The base address is none.
    #[error("the address {got:?} is not one of http or https: {why}")]
    Address {
        /// Address given.
        got: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The API key has characters that no header carries.
    #[error("the API key has characters that no header carries")]
    ApiKey,
    /// The HTTP client could not be made.
    #[error("no HTTP client: {0}")]
    Build(#[source] reqwest::Error),
    /// No answer, or one cut short.
    #[error("no answer: {0}")]
    Unavailable(#[source] reqwest::Error),
    /// No whole answer in time: the service is silent, cannot be reached, or sends its answer piece by piece.
    #[error("no whole answer of {url} within {seconds} s")]
    TimedOut {
        /// What was asked for.
        url: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The service answered with a problem (RFC 9457).
    #[error("{status} {code}: {detail}")]
    Problem {
        /// HTTP status.
        status: u16,
        /// Stable word for programs.
        code: String,
        /// What is wrong.
        detail: String,
        /// Whether the same request may succeed later, as the service says.
        retryable: bool,
        /// After how many seconds to ask again, where the service says so.
        retry_after: Option<u64>,
    },
    /// An answer that is neither success nor a problem: not from this service, perhaps.
    #[error("status {status} without a problem, expected an answer of the service")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// The answer is larger than what is read.
    #[error("the answer is larger than {max} bytes")]
    TooLarge {
        /// Bytes read at most.
        max: usize,
    },
    /// The answer is not what was asked for.
    #[error(transparent)]
    Wire(#[from] superroot_wire::WireError),
    /// What the answers say of the log does not fit together.
    #[error("the log does not hold together: {0}")]
    Inconsistent(#[from] superroot_proof::consistency::ConsistencyError),
    /// The answer carries no proof, or a false one.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The answer carries no scan, or a false one.
    #[error(transparent)]
    Scan(#[from] ScanCheckError),
    /// The proof holds and is about something else than what was asked.
    #[error("the proof is about {got}")]
    AnotherAnswer {
        /// What the proof is about.
        got: String,
    },
    /// The page of a SuperRoot is none, or contradicts itself.
    #[error("the page of the SuperRoot: {why}")]
    Page {
        /// Why.
        why: String,
    },
    /// The proof holds, and does not lead to what is trusted.
    #[error(transparent)]
    Distrust(#[from] Distrust),
}

impl ClientError {
    /// What the caller does next.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Unavailable(_) | Self::TimedOut { .. } => ErrorKind::Unavailable,
            // what a named SuperRoot has not, it never will
            Self::Problem { status: 409, retryable: false, .. } => ErrorKind::Invalid,
            Self::Problem { status, .. } | Self::Status { status } => match status {
                408 | 409 | 429 | 500..=599 => ErrorKind::Unavailable,
                _ => ErrorKind::Invalid,
            },
            Self::Build(_) => ErrorKind::Bug,
            _ => ErrorKind::Invalid,
        }
    }
}
