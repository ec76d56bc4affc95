//! Whole block tree, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, BranchProofs};
use super::header::Header;
use super::transaction::Transaction;
use super::transaction_hash;
use super::tree::{BranchError, merkle_root, prove};
use crate::codec::{ByteReader, put_long_list};
use crate::ledger::whole::WholeBody;
use crate::ledger::{NoEntry, ProofSubject};

/// All block transactions without witnesses, with hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcoinTransactionTree {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
}

impl BitcoinTransactionTree {
    /// Tree over the leaves, hashed here.
    #[must_use]
    pub fn build(leaves: Vec<Vec<u8>>) -> Self {
        let hashes = leaves.iter().map(|leaf| transaction_hash(leaf)).collect();
        Self { leaves, hashes }
    }

    /// Transactions in block order.
    #[must_use]
    pub fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    /// Transaction hashes.
    #[must_use]
    pub fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    /// Tree root.
    ///
    /// # Errors
    /// [`BranchError`] for an impossible block.
    pub fn root(&self) -> Result<Hash, BranchError> {
        merkle_root(&self.hashes)
    }

    /// Branches for a subject; `None` for a block. For an absence, whatever is present is shown.
    ///
    /// # Errors
    /// [`BranchError::Index`] for a missing transaction; [`BranchError`] for an impossible block.
    pub fn branches(&self, subject: ProofSubject) -> Result<Option<BranchProofs>, BranchError> {
        let tx_count = self.tx_count();
        let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
        let transaction = self.branch(index)?;
        let coinbase = if index == 0 { None } else { Some(self.branch(0)?) };
        Ok(Some(BranchProofs { tx_count, transaction, coinbase }))
    }

    fn branch(&self, index: u32) -> Result<Branch, BranchError> {
        let siblings = prove(&self.hashes, index)?;
        Ok(Branch { leaf: self.leaf_at(index).cloned().unwrap_or_default(), siblings })
    }
}

impl WholeBody for BitcoinTransactionTree {
    type Header = Header;
    type Entry = BranchProofs;

    fn has_events(&self) -> bool {
        false
    }

    fn byte_count(&self) -> usize {
        self.leaves.iter().map(Vec::len).sum()
    }

    fn leaves(&self) -> &[Vec<u8>] {
        &self.leaves
    }

    fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    fn is_under(&self, header: &Header) -> bool {
        self.root() == Ok(header.merkle_root)
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<BranchProofs>, NoEntry> {
        subject.check_count(self.tx_count())?;
        if let ProofSubject::Log { tx_index, log_index } = subject {
            let leaf = self.leaf_at(tx_index).ok_or(NoEntry::NoTransaction { tx_index })?;
            let read = Transaction::decode(leaf).map_err(|error| NoEntry::damaged(&error))?;
            NoEntry::check_event(log_index, read.outputs.len(), "output", "transaction")?;
        }
        self.branches(subject).map_err(|error| NoEntry::damaged(&error))
    }

    /// `count:u32 ‖ (length:u32 ‖ leaf)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long_list(out, &self.leaves);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        Some(Self::build(reader.long_list()?))
    }
}
