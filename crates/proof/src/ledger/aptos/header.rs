//! Headers under rule 0501: the accumulator root, 32 bytes.

use superroot_types::Hash;

use crate::ledger::LedgerError;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::registry::HashRule;

/// Header: only the root, equal to the block hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Transaction accumulator root after the block's last version.
    pub root: Hash,
}

impl HeaderForm for Header {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        let root =
            bytes.try_into().map_err(|_| LedgerError::Field { field: "accumulator root" })?;
        Ok(Self { root: Hash(root) })
    }

    fn hash(rule: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Self::decode(rule, bytes).map(|header| header.root)
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

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.root)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}
