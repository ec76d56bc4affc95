use superroot_types::{BlockNumber, ChainKey, ErrorKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockCheck {
    HeaderHash,
    /// Block names the parent; checked where blocks are linked.
    ParentLink,
    TransactionsRoot,
    ReceiptsRoot,
    WithdrawalsRoot,
    /// Atomic transactions hash to the header value.
    ExtraData,
    /// Witnesses hash to the coinbase commitment (BIP 141).
    WitnessCommitment,
    /// Required signers signed the block.
    Certificate,
    /// Header hash is below the target, and the chain allows the target.
    Work,
    /// Block is later than the median of previous blocks.
    Time,
    TxHash,
    LogsBloom,
    Gas,
    /// The chain has the transaction type, and the receipt has the same type.
    TxType,
    ReceiptCount,
    ChainId,
    /// Repeated values agree.
    Repeat,
    /// Required fields are present and in range.
    Shape,
    /// This build reads blocks of the chain at the number.
    Support,
}

impl BlockCheck {
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

    /// Check for a mismatched field; `field` includes the path.
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

/// Difference between a node's block and the hashed block. Fields have node names and a path:
/// `receipts[3].logs[0].address`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// Registered chain, but this build reads no blocks of the chain.
    #[error("blocks of {chain} are not collected by this build")]
    NotCollected { chain: ChainKey },
    /// No known rule is in force at the number.
    #[error("no known rule of {chain} makes the hash of block {number}")]
    NoRule { chain: ChainKey, number: BlockNumber },
    /// Required field is missing.
    #[error("{field} is missing")]
    Missing { field: String },
    /// Field is present but excluded by other fields.
    #[error("{field} is there, but {expected}")]
    Unexpected { field: String, expected: &'static str },
    /// The node shows a value in a form that does not determine the bytes.
    #[error("{field} cannot be made into bytes again; it could if {expected}")]
    Unshown { field: String, expected: &'static str },
    /// Value exceeds the field range.
    #[error("{field} is {got}, expected at most {expected}")]
    OutOfRange {
        field: String,
        got: String,
        /// Largest allowed value.
        expected: u64,
    },
    /// Value differs from the derived value.
    #[error("{field} is {got}, expected {expected}")]
    Mismatch {
        field: String,
        got: String,
        /// Value computed, or stated elsewhere in the block.
        expected: String,
    },
    /// Tree is invalid for a block.
    #[error("{field}: {source}")]
    Tree { field: String, source: superroot_proof::ledger::bitcoin::BranchError },
    /// Our encoded bytes are not what a verifier reads.
    #[error("{field} cannot be read by a verifier: {source}")]
    Ledger { field: String, source: superroot_proof::ledger::LedgerError },
}

impl ChainError {
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

    #[must_use]
    pub fn check(&self) -> BlockCheck {
        match self {
            Self::NotCollected { .. } | Self::NoRule { .. } => BlockCheck::Support,
            Self::Missing { .. }
            | Self::Unexpected { .. }
            | Self::Unshown { .. }
            | Self::OutOfRange { .. } => BlockCheck::Shape,
            Self::Mismatch { field, .. } => BlockCheck::of_field(field),
            Self::Ledger { source: superroot_proof::ledger::LedgerError::Bloom { .. }, .. } => {
                BlockCheck::LogsBloom
            }
            Self::Tree { field, .. } => BlockCheck::of_field(field),
            Self::Ledger { .. } => BlockCheck::Shape,
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

    /// Prefixes the field with a path: `place.field`.
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
