//! The tree of a whole block, for whoever makes proofs.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{BranchError, merkle_root, prove, transaction_hash};
use crate::bundle::{Branch, BranchProofs, Subject};

/// Every transaction of a block, without witnesses, with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionTree {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
}

impl TransactionTree {
    /// A tree over these leaves, hashed here.
    #[must_use]
    pub fn build(leaves: Vec<Vec<u8>>) -> Self {
        let hashes = leaves.iter().map(|leaf| transaction_hash(leaf)).collect();
        Self { leaves, hashes }
    }

    /// The transactions, in the order of the block.
    #[must_use]
    pub fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    /// Their hashes.
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Root of the tree.
    ///
    /// # Errors
    /// [`BranchError`] where no block has such transactions.
    pub fn root(&self) -> Result<Hash, BranchError> {
        merkle_root(&self.hashes)
    }

    /// The branches that show a subject; `None` for a block, which needs none.
    ///
    /// # Errors
    /// [`BranchError::Index`] where there is no such transaction; [`BranchError`] where no block
    /// has such transactions. Of an absence whatever is there is shown.
    pub fn prove(&self, subject: Subject) -> Result<Option<BranchProofs>, BranchError> {
        let tx_count = u32::try_from(self.leaves.len()).unwrap_or(u32::MAX);
        let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
        let transaction = self.branch(index)?;
        let coinbase = if index == 0 { None } else { Some(self.branch(0)?) };
        Ok(Some(BranchProofs { tx_count, transaction, coinbase }))
    }

    fn branch(&self, index: u32) -> Result<Branch, BranchError> {
        let siblings = prove(&self.hashes, index)?;
        let leaf = usize::try_from(index).ok().and_then(|index| self.leaves.get(index));
        Ok(Branch { leaf: leaf.cloned().unwrap_or_default(), siblings })
    }
}
