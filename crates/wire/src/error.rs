//! Errors for bytes that are not an answer of this service.

use superroot_proof::bundle::DecodeError;
use superroot_proof::scan::ScanDecodeError;

use crate::compare::Disagreement;

/// Bytes or JSON without a valid proof in any form of this service. Every variant means that the data is wrong: a retry
/// with the same bytes does not help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Invalid JSON, too many values, too deep nesting, or a duplicate member name.
    #[error("not JSON that is read here: {why}")]
    Json {
        /// Cause, with line and column.
        why: String,
    },
    /// Input above the size limit.
    #[error("{what} has {got} bytes, at most {max} are read")]
    TooLarge {
        /// The input's name.
        what: &'static str,
        /// Bytes found.
        got: usize,
        /// Maximum number of bytes.
        max: usize,
    },
    /// A required member is missing.
    #[error("member {member} is missing")]
    Missing {
        /// Member path.
        member: String,
    },
    /// A member has a wrong value.
    #[error("member {member} is {got}, expected {expected}")]
    Member {
        /// Member path.
        member: String,
        /// Value found, shortened.
        got: String,
        /// Expected value.
        expected: &'static str,
    },
    /// Malformed binary form.
    #[error("{member} holds no proof file: {cause}")]
    Binary {
        /// Member path; `body` for a file.
        member: String,
        /// Cause.
        cause: DecodeError,
    },
    /// Malformed binary form of a scan.
    #[error("{member} holds no scan file: {cause}")]
    Scan {
        /// Member path; `body` for a file.
        member: String,
        /// Cause.
        cause: ScanDecodeError,
    },
    /// A member contradicts the parts behind it.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// A member is well-formed, but no log may commit to it.
    #[error("member {member} is against the rules of a log: {why}")]
    LogRule {
        /// Member path.
        member: String,
        /// Broken rule.
        why: String,
    },
}

impl WireError {
    /// Whether the body is well-formed but false, rather than malformed.
    #[must_use]
    pub const fn is_false(&self) -> bool {
        matches!(self, Self::Disagreement(_) | Self::LogRule { .. })
    }
}
