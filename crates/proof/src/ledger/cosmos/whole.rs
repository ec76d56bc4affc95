//! Whole block tree, for proof generation.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, PeakBranch, TreeProof};
use super::header::Header;
use super::{NO_EVENTS, data_hash, leaf_hash, transaction_hash};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::TreeRows;
use crate::ledger::form::BodyForm;
use crate::ledger::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry, ProofSubject};
use crate::range::Sha256Range;

/// All block transactions, with hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CosmosTransactionTree {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
}

impl CosmosTransactionTree {
    /// Tree over the transactions, hashed here.
    #[must_use]
    pub fn build(leaves: Vec<Vec<u8>>) -> Self {
        let hashes = leaves.iter().map(|leaf| transaction_hash(leaf)).collect();
        Self { leaves, hashes }
    }

    /// Tree root: the header's `data_hash`.
    #[must_use]
    pub fn root(&self) -> Hash {
        data_hash(&self.hashes)
    }

    fn tx_count(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    fn hash(&self, tx_index: u32) -> Option<Hash> {
        self.hashes.get(usize::try_from(tx_index).ok()?).copied()
    }

    /// Tree proof for a subject's transaction or, for an absence, the last.
    fn tree_proof(&self, subject: ProofSubject) -> Result<TreeProof, NoEntry> {
        let tx_count = self.tx_count();
        let way = TreeProof::way(subject, tx_count).map_err(|error| NoEntry::damaged(&error))?;
        let (Some(way), Some(index)) = (way, subject.branch_index(tx_count)) else {
            return Ok(TreeProof::EMPTY);
        };
        let rows = TreeRows::build::<Sha256Range>(self.hashes.iter().map(leaf_hash).collect());
        let leads_out = || NoEntry::damaged(&"a branch leads out of the tree");
        let leaf = usize::try_from(index).ok().and_then(|at| self.leaves.get(at)).cloned();
        let branch = leaf.zip(rows.siblings(index, &way));
        let branch = branch.map(|(transaction, siblings)| Branch { transaction, siblings });
        let peak = |peak: &(u32, usize)| {
            let found = self.hash(peak.0).zip(rows.peak_siblings(*peak));
            let found =
                found.map(|(transaction_hash, siblings)| PeakBranch { transaction_hash, siblings });
            found.ok_or_else(leads_out)
        };
        let peaks = way.peaks().iter().map(peak).collect::<Result<_, _>>()?;
        Ok(TreeProof { tx_count, transaction: Some(branch.ok_or_else(leads_out)?), peaks })
    }
}

impl BodyForm for CosmosTransactionTree {
    type Header = Box<Header>;
    type Entry = TreeProof;

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
        Ok(self.hash(tx_index))
    }

    fn event_offsets(&self) -> EventOffsets {
        EventOffsets::Uncounted
    }

    fn check(
        &self,
        header: &Box<Header>,
        tx_count: u32,
        _: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        if self.tx_count() == tx_count && self.root() == header.data_hash {
            Ok(u64::from(tx_count))
        } else {
            Err(BodyFault::OtherHeader)
        }
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<TreeProof>, NoEntry> {
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Transaction { tx_index } | ProofSubject::Log { tx_index, .. }
                if self.hash(tx_index).is_none() =>
            {
                return Err(NoEntry::NoTransaction { tx_index });
            }
            ProofSubject::Log { .. } => return Err(NoEntry::NotProvable(NO_EVENTS)),
            ProofSubject::Absence { tx_index } if self.hash(tx_index).is_some() => {
                return Err(NoEntry::Present { tx_index });
            }
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. } => {}
        }
        self.tree_proof(subject).map(Some)
    }

    /// `count:u32 ‖ (length:u32 ‖ transaction)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        let lengths = self.leaves.iter().map(|leaf| leaf.len().saturating_add(4));
        out.reserve(lengths.fold(4, usize::saturating_add));
        out.extend_from_slice(&self.tx_count().to_be_bytes());
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
