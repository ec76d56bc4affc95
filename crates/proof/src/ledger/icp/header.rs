//! Headers under rule 0701: the whole encoded block.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::protobuf::{fields, wrapped_bytes, wrapped_number};
use super::transaction::{Transaction, optional, required};
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Longest encoded block, in bytes: today's ledger stays below 320.
pub const BLOCK_BYTES_MAX: usize = 1_024;

const SECOND: u64 = 1_000_000_000;

/// Block read from its SHA-256 preimage; names no index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Block hash.
    pub hash: Hash,
    /// Parent block hash; `None` for the first block.
    pub parent_hash: Option<Hash>,
    /// Ledger creation time, in nanoseconds since 1970.
    pub timestamp_nanos: u64,
    /// Block transaction.
    pub transaction: Transaction,
    /// Encoded transaction in the block.
    pub raw_transaction: Vec<u8>,
}

impl Header {
    /// Reads an encoded block up to [`BLOCK_BYTES_MAX`].
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a missing, non-canonical or out-of-range field.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > BLOCK_BYTES_MAX {
            return Err(LedgerError::Field { field: "block length" });
        }
        let [parent_hash, timestamp, transaction] = fields("block", bytes)?;
        let read_hash = |field, bytes| {
            let hash = wrapped_bytes(field, bytes)?.try_into();
            hash.map(Hash).map_err(|_| LedgerError::Field { field })
        };
        let parent_hash = optional("parent_hash", parent_hash, read_hash)?;
        let timestamp = required("timestamp", timestamp)?;
        let raw_transaction = required("transaction", transaction)?;
        Ok(Self {
            hash: sha256_joined(&[bytes]),
            parent_hash,
            timestamp_nanos: wrapped_number("timestamp", timestamp)?,
            transaction: Transaction::decode(raw_transaction)?,
            raw_transaction: raw_transaction.to_vec(),
        })
    }
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Ok(sha256_joined(&[bytes]))
    }

    /// Zeros for the first block, without a parent.
    fn parent_hash(&self) -> Option<Hash> {
        Some(self.parent_hash.unwrap_or(Hash::ZERO))
    }

    fn timestamp(&self) -> Option<u64> {
        Some(self.timestamp_nanos / SECOND)
    }

    fn number(&self) -> Option<u64> {
        None
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    /// The block is the only leaf in its tree.
    fn transactions_root(&self) -> Option<Hash> {
        Some(self.hash)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
