//! Headers of rules 0201 and 0202: the 32 bytes of the blockhash. They are the hash itself: the last hash of the
//! slot's chain names no parent, number or time.

use superroot_types::Hash;

use crate::codec::Reader;
use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::Rule;

/// A blockhash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The last hash of the slot's chain.
    pub blockhash: Hash,
}

impl Header {
    /// Reads exactly 32 bytes.
    ///
    /// # Errors
    /// [`LedgerError::Field`] when there are fewer, [`LedgerError::Trailing`] when there are more.
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        let mut reader = Reader::new(bytes);
        let blockhash = reader.hash().ok_or(LedgerError::Field { field: "blockhash" })?;
        if reader.is_empty() {
            Ok(Self { blockhash })
        } else {
            Err(LedgerError::Trailing { what: "header" })
        }
    }
}

impl HeaderForm for Header {
    fn decode(_: Rule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Self::decode(bytes)
    }

    fn hash(_: Rule, bytes: &[u8]) -> Result<Hash, LedgerError> {
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

    /// What every record of the block leads to.
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
