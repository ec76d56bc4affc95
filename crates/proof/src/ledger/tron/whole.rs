//! Whole block tree, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, EdgeProof};
use super::header::Header;
use super::transaction::{Transaction, leaf_hash};
use super::{NO_EVENTS, TronTree, merkle_root};
use crate::codec::{ByteReader, put_long_list};
use crate::ledger::edge::{TreeRows, subject_path};
use crate::ledger::whole::WholeBody;
use crate::ledger::{LedgerError, NoEntry, ProofSubject};

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

    /// Edge proof for a subject's transaction or, for an absence, the last.
    fn edge(&self, subject: ProofSubject) -> Result<EdgeProof, NoEntry> {
        let tx_count = self.tx_count();
        let way = subject_path::<EdgeProof>(subject, tx_count)
            .map_err(|error| NoEntry::damaged(&error))?;
        let (Some(way), Some(index)) = (way, subject.branch_index(tx_count)) else {
            return Ok(EdgeProof { tx_count, transaction: None, peaks: Vec::new() });
        };
        let rows = TreeRows::build::<TronTree>(self.leaf_hashes.clone());
        let branch = |index, siblings: Option<Vec<Hash>>| {
            let leaf = self.leaf_at(index).cloned();
            let branch = leaf.zip(siblings).map(|(leaf, siblings)| Branch { leaf, siblings });
            branch.ok_or_else(|| NoEntry::damaged(&"a branch leads out of the tree"))
        };
        let transaction = Some(branch(index, rows.siblings(index, &way))?);
        let peaks = way.peaks().iter().map(|peak| branch(peak.0, rows.peak_siblings(*peak)));
        let peaks = peaks.collect::<Result<_, _>>()?;
        Ok(EdgeProof { tx_count, transaction, peaks })
    }
}

impl WholeBody for TronTransactionTree {
    type Header = Header;
    type Entry = EdgeProof;

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
        self.root() == header.tx_trie_root
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<EdgeProof>, NoEntry> {
        subject.check_count(self.tx_count())?;
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Log { .. } => return Err(NoEntry::NotProvable(NO_EVENTS)),
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. } => {}
        }
        self.edge(subject).map(Some)
    }

    /// `count:u32 ‖ (length:u32 ‖ leaf)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long_list(out, &self.leaves);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        Self::build(reader.long_list()?).ok()
    }
}
