//! Whole block tree, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, BranchProofs};
use super::header::Header;
use super::transaction::Transaction;
use super::transaction_hash;
use super::tree::{BranchError, merkle_root, prove};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::BodyForm;
use crate::ledger::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry, ProofSubject};

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
        let tx_count = u32::try_from(self.leaves.len()).unwrap_or(u32::MAX);
        let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
        let transaction = self.branch(index)?;
        let coinbase = if index == 0 { None } else { Some(self.branch(0)?) };
        Ok(Some(BranchProofs { tx_count, transaction, coinbase }))
    }

    fn leaf(&self, tx_index: u32) -> Option<&[u8]> {
        let at = usize::try_from(tx_index).ok()?;
        self.leaves.get(at).map(Vec::as_slice)
    }

    fn branch(&self, index: u32) -> Result<Branch, BranchError> {
        let siblings = prove(&self.hashes, index)?;
        Ok(Branch { leaf: self.leaf(index).unwrap_or_default().to_vec(), siblings })
    }
}

impl BodyForm for BitcoinTransactionTree {
    type Header = Header;
    type Entry = BranchProofs;

    fn extent(&self) -> Extent {
        Extent { transactions: true, receipts: false }
    }

    fn byte_count(&self) -> usize {
        self.leaves.iter().map(Vec::len).sum()
    }

    fn keep(&self, _: &[u32], _: u32) -> Result<Self, CannotKeep> {
        Err(CannotKeep::WholeOnly)
    }

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        Some(&self.leaves)
    }

    fn transaction_hashes(&self) -> Option<&[Hash]> {
        Some(&self.hashes)
    }

    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        Ok(usize::try_from(tx_index).ok().and_then(|at| self.hashes.get(at)).copied())
    }

    fn event_offsets(&self) -> EventOffsets {
        EventOffsets::Uncounted
    }

    fn check(
        &self,
        header: &Header,
        tx_count: u32,
        _: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        let is_whole = u32::try_from(self.leaves.len()) == Ok(tx_count);
        match self.root() {
            Ok(root) if is_whole && root == header.merkle_root => Ok(u64::from(tx_count)),
            Ok(_) | Err(_) => Err(BodyFault::OtherHeader),
        }
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<BranchProofs>, NoEntry> {
        let leaf = |tx_index| self.leaf(tx_index).ok_or(NoEntry::NoTransaction { tx_index });
        match subject {
            ProofSubject::Block => {}
            ProofSubject::Transaction { tx_index } => drop(leaf(tx_index)?),
            ProofSubject::Absence { tx_index } if self.leaf(tx_index).is_some() => {
                return Err(NoEntry::Present { tx_index });
            }
            ProofSubject::Absence { .. } => {}
            ProofSubject::Log { tx_index, log_index } => {
                let read = Transaction::decode(leaf(tx_index)?);
                let count = read.map_err(|error| NoEntry::damaged(&error))?.outputs.len();
                if usize::try_from(log_index).is_ok_and(|log_index| log_index >= count) {
                    let noun = "output";
                    let whole = "transaction";
                    let meant = None;
                    return Err(NoEntry::EventIndex { noun, whole, log_index, count, meant });
                }
            }
        }
        self.branches(subject).map_err(|error| NoEntry::damaged(&error))
    }

    /// `count:u32 ‖ (length:u32 ‖ leaf)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        let lengths = self.leaves.iter().map(|leaf| leaf.len().saturating_add(4));
        out.reserve(lengths.fold(4, usize::saturating_add));
        let count = u32::try_from(self.leaves.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        self.leaves.iter().for_each(|leaf| put_long(out, leaf));
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let count = reader.u32()?;
        let mut leaves = Vec::new(); // grows with what is really there, not with what is claimed
        for _ in 0..count {
            leaves.push(reader.long()?.to_vec());
        }
        Some(Self::build(leaves))
    }
}
