//! Client errors.

use superroot_types::ErrorKind;
use superroot_wire::CheckError;
use superroot_wire::scan::ScanCheckError;

use crate::Distrust;

/// Reason for a missing checked answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Invalid base address.
    #[error("the address {got:?} is not one of http or https: {why}")]
    Address {
        /// Address given.
        got: String,
        /// Reason.
        why: &'static str,
    },
    /// The API key has characters not allowed in a header.
    #[error("the API key has characters that no header carries")]
    ApiKey,
    /// HTTP client could not be created.
    #[error("no HTTP client: {0}")]
    Build(#[source] reqwest::Error),
    /// No answer, or a truncated answer.
    #[error("no answer: {0}")]
    Unavailable(#[source] reqwest::Error),
    /// No whole answer in time: the service is silent, unreachable, or too slow in sending.
    #[error("no whole answer of {url} within {seconds} s")]
    TimedOut {
        /// Requested URL.
        url: String,
        /// Seconds waited.
        seconds: u64,
    },
    /// Problem returned by the service (RFC 9457).
    #[error("{status} {code}: {detail}")]
    Problem {
        /// HTTP status.
        status: u16,
        /// Stable code for programs.
        code: String,
        /// Explanation.
        detail: String,
        /// Whether the same request may succeed later, according to the service.
        retryable: bool,
        /// Seconds until a retry, if the service says.
        retry_after: Option<u64>,
    },
    /// Answer that is neither success nor a problem: perhaps from another server.
    #[error("status {status} without a problem, expected an answer of the service")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// Answer above the size limit.
    #[error("the answer is larger than {max} bytes")]
    TooLarge {
        /// Most bytes read.
        max: usize,
    },
    /// Unexpected answer format.
    #[error(transparent)]
    Wire(#[from] superroot_wire::WireError),
    /// Answers about the log are inconsistent.
    #[error("the log does not hold together: {0}")]
    Inconsistent(#[from] superroot_proof::consistency::ConsistencyError),
    /// Missing or false proof.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Missing or false scan.
    #[error(transparent)]
    Scan(#[from] ScanCheckError),
    /// Valid proof for another subject.
    #[error("the proof is about {got}")]
    AnotherAnswer {
        /// Proven subject.
        got: String,
    },
    /// Invalid or self-contradicting SuperRoot page.
    #[error("the page of the SuperRoot: {why}")]
    Page {
        /// Reason.
        why: String,
    },
    /// Valid proof that does not lead to a trusted SuperRoot.
    #[error(transparent)]
    Distrust(#[from] Distrust),
}

impl ClientError {
    /// Error class: the caller's next action.
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
