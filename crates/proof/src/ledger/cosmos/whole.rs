//! Whole block tree, for proof generation.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{Branch, PeakBranch, TreeProof};
use super::header::Header;
use super::{NO_EVENTS, data_hash, leaf_hash, transaction_hash};
use crate::codec::{ByteReader, put_long_list};
use crate::ledger::edge::{TreeRows, subject_path};
use crate::ledger::whole::WholeBody;
use crate::ledger::{NoEntry, ProofSubject};
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

    /// Tree proof for a subject's transaction or, for an absence, the last.
    fn tree_proof(&self, subject: ProofSubject) -> Result<TreeProof, NoEntry> {
        let tx_count = self.tx_count();
        let way = subject_path::<TreeProof>(subject, tx_count)
            .map_err(|error| NoEntry::damaged(&error))?;
        let (Some(way), Some(index)) = (way, subject.branch_index(tx_count)) else {
            return Ok(TreeProof::EMPTY);
        };
        let rows = TreeRows::build::<Sha256Range>(self.hashes.iter().map(leaf_hash).collect());
        let leads_out = || NoEntry::damaged(&"a branch leads out of the tree");
        let leaf = self.leaf_at(index).cloned();
        let branch = leaf.zip(rows.siblings(index, &way));
        let branch = branch.map(|(transaction, siblings)| Branch { transaction, siblings });
        let peak = |peak: &(u32, usize)| {
            let found = self.hash_at(peak.0).zip(rows.peak_siblings(*peak));
            let found =
                found.map(|(transaction_hash, siblings)| PeakBranch { transaction_hash, siblings });
            found.ok_or_else(leads_out)
        };
        let peaks = way.peaks().iter().map(peak).collect::<Result<_, _>>()?;
        Ok(TreeProof { tx_count, transaction: Some(branch.ok_or_else(leads_out)?), peaks })
    }
}

impl WholeBody for CosmosTransactionTree {
    type Header = Box<Header>;
    type Entry = TreeProof;

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

    fn is_under(&self, header: &Box<Header>) -> bool {
        self.root() == header.data_hash
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<TreeProof>, NoEntry> {
        subject.check_count(self.tx_count())?;
        match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Log { .. } => return Err(NoEntry::NotProvable(NO_EVENTS)),
            ProofSubject::Transaction { .. } | ProofSubject::Absence { .. } => {}
        }
        self.tree_proof(subject).map(Some)
    }

    /// `count:u32 ‖ (length:u32 ‖ transaction)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        put_long_list(out, &self.leaves);
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        Some(Self::build(reader.long_list()?))
    }
}
