//! Levels 1 and 2 as a verifier reads them: headers by rule, and the leaves of a block's trees.

pub mod evm;

use superroot_types::Hash;

/// Why a header or a leaf is none of its ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// This build has no reader for the rule.
    #[error("no reader for rule {code:#06x}")]
    Rule {
        /// The rule's code.
        code: u16,
    },
    /// A field is not what the layout says.
    #[error("field {field} is malformed")]
    Field {
        /// The field, in the ledger's own words.
        field: &'static str,
    },
    /// The header has a number of fields that the layout does not know.
    #[error("a header of {got} fields; the layout has 15, 16, 17, 20, 21, 22 or 23")]
    FieldCount {
        /// Fields found.
        got: usize,
    },
    /// Bytes follow the last field.
    #[error("bytes follow the last field of {what}")]
    Trailing {
        /// What was read.
        what: &'static str,
    },
    /// A logs bloom differs from what the logs give.
    #[error("the {whose} logs bloom lacks bits of its logs")]
    Bloom {
        /// `receipt's` or `header's`.
        whose: &'static str,
    },
    /// The header's hash is another.
    #[error("the header hashes to {got}, expected {expected}")]
    BlockHash {
        /// Hash of the header.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
}
