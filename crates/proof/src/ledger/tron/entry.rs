//! Level 1: the transaction, its path to the root, and its position proof.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::transaction::{TRANSACTION_BYTES_MAX, Transaction, check_leaf, leaf_hash};
use super::{NO_EVENTS, TronTree};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::{EdgeBranches, check_branches, read_siblings, subject_path};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenTransaction,
    ShownFacts,
};

/// Most transactions in a block: a signed transaction has at least 67 bytes, and 2 more before it.
pub const TX_COUNT_MAX: u32 = (TRANSACTION_BYTES_MAX / 69) as u32;

/// Transaction path to the block root. For an absence the transaction is the block's last: nothing to the right proves
/// the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeProof {
    /// Transaction count, 0 to [`TX_COUNT_MAX`]; proven for the last transaction.
    pub tx_count: u32,
    /// Transaction; `None` only for an absence in an empty block.
    pub transaction: Option<Branch>,
    /// First transaction in each perfect subtree left of the right edge on the path, root first, with siblings up to
    /// the subtree root.
    pub peaks: Vec<Branch>,
}

/// Leaf with siblings upward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Whole transaction.
    pub leaf: Vec<u8>,
    /// Siblings, counted by index and transaction count.
    pub siblings: Vec<Hash>,
}

impl EdgeBranches for EdgeProof {
    type Range = TronTree;

    const TX_COUNT_MAX: u32 = TX_COUNT_MAX;

    fn tx_count(&self) -> u32 {
        self.tx_count
    }

    fn siblings(&self) -> Option<&[Hash]> {
        self.transaction.as_ref().map(|branch| branch.siblings.as_slice())
    }

    fn peak_siblings(&self) -> Vec<&[Hash]> {
        self.peaks.iter().map(|peak| peak.siblings.as_slice()).collect()
    }

    /// All are leaves, none with an inner node's length, so their depths are correct.
    fn leaf_hashes(&self) -> Result<(Hash, Vec<Hash>), LedgerError> {
        self.peaks.iter().try_for_each(|peak| check_leaf(&peak.leaf))?;
        let leaf = self.transaction.as_ref().map_or(&[][..], |branch| &branch.leaf);
        Transaction::decode(leaf)?;
        let peaks = self.peaks.iter().map(|peak| leaf_hash(&peak.leaf));
        Ok((leaf_hash(leaf), peaks.collect()))
    }
}

impl EntryForm for EdgeProof {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match subject {
            ProofSubject::Log { .. } => Err(LedgerError::NotProvable(NO_EVENTS)),
            ProofSubject::Block
            | ProofSubject::Transaction { .. }
            | ProofSubject::Absence { .. } => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        let expected = header.map(|header| header.tx_trie_root);
        let mut shown = check_branches(self, subject, Hash::ZERO, expected)?;
        if let (ProofSubject::Transaction { .. }, Some(branch)) = (subject, &self.transaction) {
            let hash = Transaction::decode(&branch.leaf)?.hash();
            shown.transaction = Some(ProvenTransaction { hash, raw: branch.leaf.clone() });
        }
        Ok(shown)
    }

    /// `tx_count:u32 ‖ branch of the transaction ‖ branch*` for the peaks, a branch being `length:u32 ‖ leaf ‖
    /// sibling*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.tx_count.to_be_bytes());
        for Branch { leaf, siblings } in self.transaction.iter().chain(&self.peaks) {
            put_long(out, leaf);
            siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
        }
    }

    /// Reads a subject's branches; index and count give their number and length.
    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        read(subject, reader).ok_or(MalformedEntry::Part("branches"))
    }
}

fn read(subject: ProofSubject, reader: &mut ByteReader<'_>) -> Option<EdgeProof> {
    let tx_count = reader.u32()?;
    let Some(way) = subject_path::<EdgeProof>(subject, tx_count).ok()? else {
        return Some(EdgeProof { tx_count, transaction: None, peaks: Vec::new() });
    };
    let transaction = Some(branch(way.sibling_count(), reader)?);
    let peaks = way.peaks().iter().map(|(_, height)| branch(*height, reader));
    let peaks = peaks.collect::<Option<Vec<Branch>>>()?;
    Some(EdgeProof { tx_count, transaction, peaks })
}

fn branch(sibling_count: usize, reader: &mut ByteReader<'_>) -> Option<Branch> {
    let leaf = reader.long()?.to_vec();
    Some(Branch { leaf, siblings: read_siblings(sibling_count, reader)? })
}
