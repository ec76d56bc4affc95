//! Whole block tree, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, EdgeProof};
use super::header::Header;
use super::transaction::{Transaction, leaf_hash};
use super::{NO_EVENTS, TronTree, merkle_root};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::TreeRows;
use crate::ledger::form::BodyForm;
use crate::ledger::{
    BodyFault, CannotKeep, EventOffsets, Extent, LedgerError, NoEntry, ProofSubject,
};

/// All whole block transactions, with transaction and leaf hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TronTransactionTree {
    leaves: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    leaf_hashes: Vec<Hash>,
}

impl TronTransactionTree {
    /// Tree over the leaves, hashed here.
    ///
    /// # Errors
    /// Position and cause for the first invalid transaction: [`Transaction::decode`].
    pub fn build(leaves: Vec<Vec<u8>>) -> Result<Self, (usize, LedgerError)> {
        let hash = |(index, leaf): (usize, &Vec<u8>)| {
            Transaction::decode(leaf).map(|read| read.hash()).map_err(|error| (index, error))
        };
        let hashes = leaves.iter().enumerate().map(hash).collect::<Result<_, _>>()?;
        let leaf_hashes = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        Ok(Self { leaves, hashes, leaf_hashes })
    }

    /// Tree root; zeros without transactions.
    #[must_use]
    pub fn root(&self) -> Hash {
        merkle_root(&self.leaf_hashes)
    }

    fn tx_count(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    fn leaf(&self, tx_index: u32) -> Option<&Vec<u8>> {
        self.leaves.get(usize::try_from(tx_index).ok()?)
    }

    /// Edge proof for a subject's transaction or, for an absence, the last.
    fn edge(&self, subject: ProofSubject) -> Result<EdgeProof, NoEntry> {
        let tx_count = self.tx_count();
        let way = EdgeProof::way(subject, tx_count).map_err(|error| NoEntry::damaged(&error))?;
        let (Some(way), Some(index)) = (way, subject.branch_index(tx_count)) else {
            return Ok(EdgeProof { tx_count, transaction: None, peaks: Vec::new() });
        };
        let rows = TreeRows::build::<TronTree>(self.leaf_hashes.clone());
        let branch = |index, siblings: Option<Vec<Hash>>| {
            let leaf = self.leaf(index).cloned();
            let branch = leaf.zip(siblings).map(|(leaf, siblings)| Branch { leaf, siblings });
            branch.ok_or_else(|| NoEntry::damaged(&"a branch leads out of the tree"))
        };
        let transaction = Some(branch(index, rows.siblings(index, &way))?);
        let peaks = way.peaks().iter().map(|peak| branch(peak.0, rows.peak_siblings(*peak)));
        let peaks = peaks.collect::<Result<_, _>>()?;
        Ok(EdgeProof { tx_count, transaction, peaks })
    }
}

impl BodyForm for TronTransactionTree {
    type Header = Header;
    type Entry = EdgeProof;

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
        if self.tx_count() == tx_count && self.root() == header.tx_trie_root {
            Ok(u64::from(tx_count))
        } else {
            Err(BodyFault::OtherHeader)
        }
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<EdgeProof>, NoEntry> {
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Transaction { tx_index } | ProofSubject::Log { tx_index, .. }
                if self.leaf(tx_index).is_none() =>
            {
                return Err(NoEntry::NoTransaction { tx_index });
            }
            ProofSubject::Log { .. } => return Err(NoEntry::NotProvable(NO_EVENTS)),
            ProofSubject::Absence { tx_index } if self.leaf(tx_index).is_some() => {
                return Err(NoEntry::Present { tx_index });
            }
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. } => {}
        }
        self.edge(subject).map(Some)
    }

    /// `count:u32 ‖ (length:u32 ‖ leaf)*`.
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
        Self::build(leaves).ok()
    }
}
