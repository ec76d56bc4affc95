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
    /// The header has a number of fields that the layout of its rule does not know.
    #[error("a header of {got} fields; the layout has {expected}")]
    FieldCount {
        /// Fields found.
        got: usize,
        /// The numbers of fields the layout knows.
        expected: &'static str,
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
    /// The header names the receipts of blocks that it settles, not its own.
    #[error("the header's receipts root is that of the blocks it settles, not its own")]
    OtherReceipts,
    /// The header's hash is another.
    #[error("the header hashes to {got}, expected {expected}")]
    BlockHash {
        /// Hash of the header.
        got: Hash,
        /// Hash committed to.
        expected: Hash,
    },
}
