//! Headers under rules 0201 and 0202: the 32-byte blockhash, the slot's last chain hash. No parent, number or time is
//! named.

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Blockhash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Last hash in the slot's chain.
    pub blockhash: Hash,
}

impl Header {
    /// Reads exactly 32 bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] if fewer, [`LedgerError::Trailing`] if more.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut reader = ByteReader::new(bytes);
        let blockhash = reader.hash().ok_or(LedgerError::Field { field: "blockhash" })?;
        if reader.is_empty() {
            Ok(Self { blockhash })
        } else {
            Err(LedgerError::Trailing { what: "header" })
        }
    }
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Self::decode(bytes).map(|header| header.blockhash)
    }

    fn parent_hash(&self) -> Option<Hash> {
        None
    }

    fn timestamp(&self) -> Option<u64> {
        None
    }

    fn number(&self) -> Option<u64> {
        None
    }

    fn check_chain(&self, _: &str) -> Result<(), LedgerError> {
        Ok(())
    }

    /// Every record in the block leads to the blockhash.
    fn transactions_root(&self) -> Option<Hash> {
        Some(self.blockhash)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
