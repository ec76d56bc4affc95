//! Why a block is refused.

use superroot_types::{BlockNumber, ChainKey, ErrorKind};

/// What of a block is checked, as a closed set of labels for metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// The header hashes to the block's hash.
    HeaderHash,
    /// The block names the one before it; checked where blocks are put in a row.
    ParentLink,
    /// The transactions hash to their root.
    TransactionsRoot,
    /// The receipts hash to their root.
    ReceiptsRoot,
    /// The withdrawals hash to their root.
    WithdrawalsRoot,
    /// The atomic transactions hash to what the header names.
    ExtraData,
    /// The witnesses hash to what the coinbase commits to (BIP 141).
    WitnessCommitment,
    /// Those who must sign a block have signed it.
    Certificate,
    /// The header's hash is below its target, and the target is one the chain allows.
    Work,
    /// A block is later than those before it, by their median.
    Time,
    /// A transaction hashes to its hash.
    TxHash,
    /// Blooms are those of the logs.
    LogsBloom,
    /// Gas adds up.
    Gas,
    /// A transaction is of a type that its chain has, and its receipt of the same.
    TxType,
    /// There is a receipt for each transaction.
    ReceiptCount,
    /// The block is of the chain.
    ChainId,
    /// What one part repeats of another agrees.
    Repeat,
    /// Every field that is needed is there and in range.
    Shape,
    /// This build reads blocks of the chain at that number.
    Support,
}

impl Check {
    /// Every check.
    pub const ALL: [Self; 19] = [
        Self::HeaderHash,
        Self::ParentLink,
        Self::TransactionsRoot,
        Self::ReceiptsRoot,
        Self::WithdrawalsRoot,
        Self::ExtraData,
        Self::WitnessCommitment,
        Self::Certificate,
        Self::Work,
        Self::Time,
        Self::TxHash,
        Self::TxType,
        Self::LogsBloom,
        Self::Gas,
        Self::ReceiptCount,
        Self::ChainId,
        Self::Repeat,
        Self::Shape,
        Self::Support,
    ];

    /// The word used as a label.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HeaderHash => "header_hash",
            Self::ParentLink => "parent_link",
            Self::TransactionsRoot => "transactions_root",
            Self::ReceiptsRoot => "receipts_root",
            Self::WithdrawalsRoot => "withdrawals_root",
            Self::ExtraData => "extra_data",
            Self::WitnessCommitment => "witness_commitment",
            Self::Certificate => "certificate",
            Self::Work => "work",
            Self::Time => "time",
            Self::TxHash => "tx_hash",
            Self::TxType => "tx_type",
            Self::LogsBloom => "logs_bloom",
            Self::Gas => "gas",
            Self::ReceiptCount => "receipt_count",
            Self::ChainId => "chain_id",
            Self::Repeat => "repeat",
            Self::Shape => "shape",
            Self::Support => "support",
        }
    }

    /// The check that a field which differs belongs to; `field` with its place.
    fn of_field(field: &str) -> Self {
        let (place, name) = field.rsplit_once('.').unwrap_or(("", field));
        match name {
            "hash" | "blockID" | "digest" if place.is_empty() || place == "block_id" => {
                Self::HeaderHash
            }
            "hash" if place.starts_with("entries[") => Self::TransactionsRoot,
            "hash" | "txID" | "digest" => Self::TxHash,
            "blockhash" => Self::HeaderHash,
            "signature" => Self::Certificate,
            "transactionsRoot"
            | "merkleroot"
            | "data_hash"
            | "extrinsicsRoot"
            | "txTrieRoot"
            | "content_digest"
            | "accumulator_root_hash" => Self::TransactionsRoot,
            "witness commitment" => Self::WitnessCommitment,
            "bits" | "hash as a number" => Self::Work,
            "time" => Self::Time,
            "receiptsRoot" | "effects_digest" | "events_digest" => Self::ReceiptsRoot,
            "withdrawalsRoot" => Self::WithdrawalsRoot,
            "extDataHash" => Self::ExtraData,
            "logsBloom" => Self::LogsBloom,
            "gasUsed" | "cumulativeGasUsed" => Self::Gas,
            "type" => Self::TxType,
            "receipts" => Self::ReceiptCount,
            "chainId" | "chain_id" => Self::ChainId,
            _ => Self::Repeat,
        }
    }
}

/// Why a node's block is not what consensus hashes. Fields are named as nodes name them, with
/// their place: `receipts[3].logs[0].address`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// A node shows a value in a form from which its bytes do not follow.
    #[error("{field} cannot be made into bytes again; it could if {expected}")]
    Unshown {
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
            Self::Missing { .. }
            | Self::Unexpected { .. }
            | Self::Unshown { .. }
            | Self::OutOfRange { .. }
            | Self::Mismatch { .. }
            | Self::Tree { .. }
            | Self::Ledger { .. } => ErrorKind::Invalid,
        }
    }

    /// Which check failed.
    #[must_use]
    pub fn check(&self) -> Check {
        match self {
            Self::NotCollected { .. } | Self::NoRule { .. } => Check::Support,
            Self::Missing { .. }
            | Self::Unexpected { .. }
            | Self::Unshown { .. }
            | Self::OutOfRange { .. } => Check::Shape,
            Self::Mismatch { field, .. } => Check::of_field(field),
            Self::Ledger { source: superroot_proof::ledger::LedgerError::Bloom { .. }, .. } => {
                Check::LogsBloom
            }
            Self::Tree { field, .. } => Check::of_field(field),
            Self::Ledger { .. } => Check::Shape,
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
            | Self::Unshown { field, .. }
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
