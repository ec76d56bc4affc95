//! Why bytes are no answer of this service.

use superroot_proof::bundle::DecodeError;
use superroot_proof::scan::ScanDecodeError;

use crate::compare::Disagreement;

/// Bytes or JSON that carry no proof in any form of this service. Every variant means: the data is
/// wrong, asking again for the same bytes does not help.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// No JSON, or such as is not read: with too many values, too deep, or with a member named twice.
    #[error("not JSON that is read here: {why}")]
    Json {
        /// What is wrong, with line and column.
        why: String,
    },
    /// Larger than what is read.
    #[error("{what} has {got} bytes, at most {max} are read")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Bytes found.
        got: usize,
        /// Bytes read at most.
        max: usize,
    },
    /// A member that is needed is not there.
    #[error("member {member} is missing")]
    Missing {
        /// Path of the member.
        member: String,
    },
    /// A member is not what it must be.
    #[error("member {member} is {got}, expected {expected}")]
    Member {
        /// Path of the member.
        member: String,
        /// What was found, shortened.
        got: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The binary form is malformed.
    #[error("{member} holds no proof file: {cause}")]
    Binary {
        /// Path of the member; `body` for a file.
        member: String,
        /// What is wrong with it.
        cause: DecodeError,
    },
    /// The binary form of a scan is malformed.
    #[error("{member} holds no scan file: {cause}")]
    Scan {
        /// Path of the member; `body` for a file.
        member: String,
        /// What is wrong with it.
        cause: ScanDecodeError,
    },
    /// A member says something else than the parts it was made of.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// A member is well-formed, and no log may commit to it.
    #[error("member {member} is against the rules of a log: {why}")]
    LogRule {
        /// Path of the member.
        member: String,
        /// The rule.
        why: String,
    },
}

impl WireError {
    /// Whether the body is well-formed and false, not merely malformed.
    #[must_use]
    pub const fn is_false(&self) -> bool {
        matches!(self, Self::Disagreement(_) | Self::LogRule { .. })
    }
}
