//! Refusals.

/// Why a proof has no form for contracts, or why bytes are none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalldataError {
    /// Another ledger family, an absence, or a proof below level 5.
    #[error("no form for contracts: {what}")]
    Subject {
        /// What it is.
        what: &'static str,
    },
    /// Trie nodes that the form cannot say.
    #[error("no form for contracts: the trie has {what}")]
    Trie {
        /// What the trie has.
        what: &'static str,
    },
    /// Bytes cut short, too long, or out of bounds.
    #[error("no proof in the form for contracts: {part}")]
    Bytes {
        /// Part at fault.
        part: &'static str,
    },
}

pub(super) const fn bytes(part: &'static str) -> CalldataError {
    CalldataError::Bytes { part }
}
