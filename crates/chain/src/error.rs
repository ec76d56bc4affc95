//! Why a block is refused.

use superroot_types::{BlockNumber, ChainKey};

/// What the caller does about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The data is wrong: drop it, blame its source.
    Invalid,
    /// The caller asked for what this build cannot do: stop.
    Bug,
}

/// Why a node's block is not what consensus hashes. Fields are named as nodes name them, with
/// their place: `receipts[3].logs[0].address`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// The registry has the chain, but this build reads no blocks of it.
    #[error("blocks of {chain} are not collected by this build")]
    NotCollected {
        /// The chain.
        chain: ChainKey,
    },
    /// No rule that this build knows is in force at that number.
    #[error("no known rule of {chain} makes the hash of block {number}")]
    NoRule {
        /// The chain.
        chain: ChainKey,
        /// Number the block claims.
        number: BlockNumber,
    },
    /// A field that is needed is missing.
    #[error("{field} is missing")]
    Missing {
        /// The field.
        field: String,
    },
    /// A field is there that its neighbours rule out.
    #[error("{field} is there, but {expected}")]
    Unexpected {
        /// The field.
        field: String,
        /// What would have to hold.
        expected: &'static str,
    },
    /// A value is past what its field can hold.
    #[error("{field} is {got}, expected at most {expected}")]
    OutOfRange {
        /// The field.
        field: String,
        /// Value found.
        got: String,
        /// Largest value allowed.
        expected: u64,
    },
    /// A value is not the one that follows from the others.
    #[error("{field} is {got}, expected {expected}")]
    Mismatch {
        /// The field.
        field: String,
        /// Value found.
        got: String,
        /// Value that was computed, or stated elsewhere in the same block.
        expected: String,
    },
    /// A tree is none that a block may have.
    #[error("{field}: {source}")]
    Tree {
        /// The field that holds its root.
        field: String,
        /// What is wrong with it.
        source: superroot_proof::ledger::bitcoin::BranchError,
    },
    /// The bytes we made are not what a verifier reads.
    #[error("{field} cannot be read by a verifier: {source}")]
    Ledger {
        /// The field.
        field: String,
        /// What the verifier says.
        source: superroot_proof::ledger::LedgerError,
    },
}

impl ChainError {
    /// What the caller does about it.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::NotCollected { .. } | Self::NoRule { .. } => ErrorKind::Bug,
            _ => ErrorKind::Invalid,
        }
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::Missing { field: field.into() }
    }

    pub(crate) fn mismatch(field: &str, got: impl ToString, expected: impl ToString) -> Self {
        Self::Mismatch { field: field.into(), got: got.to_string(), expected: expected.to_string() }
    }

    pub(crate) fn ledger(field: &str, source: superroot_proof::ledger::LedgerError) -> Self {
        Self::Ledger { field: field.into(), source }
    }

    /// The same error, its field seen from outside the item: `place.field`.
    pub(crate) fn within(mut self, place: impl core::fmt::Display) -> Self {
        match &mut self {
            Self::NotCollected { .. } | Self::NoRule { .. } => {}
            Self::Missing { field }
            | Self::Unexpected { field, .. }
            | Self::OutOfRange { field, .. }
            | Self::Mismatch { field, .. }
            | Self::Tree { field, .. }
            | Self::Ledger { field, .. } => *field = format!("{place}.{field}"),
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_named_with_its_place() {
        let error =
            ChainError::mismatch("address", "a", "b").within("logs[0]").within("receipts[3]");
        assert_eq!(error.to_string(), "receipts[3].logs[0].address is a, expected b");
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }

    #[test]
    fn what_no_source_is_to_blame_for_is_a_bug() {
        let chain =
            ChainKey { family: superroot_types::Family::Evm, id: superroot_types::ChainId(2) };
        let error = ChainError::NotCollected { chain }.within("receipts[3]");
        assert_eq!(error.to_string(), "blocks of evm:2 are not collected by this build");
        assert_eq!(error.kind(), ErrorKind::Bug);
    }
}
