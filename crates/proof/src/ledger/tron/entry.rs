//! Level 1: the transaction, its path to the root, and its position proof.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::transaction::{TRANSACTION_BYTES_MAX, Transaction, check_leaf, leaf_hash};
use super::{NO_EVENTS, TronTree};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::{MerklePath, peak_root};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenTransaction,
    ShownFacts,
};

const TREE: &str = "transaction tree";

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

impl EdgeProof {
    /// Path for a subject's transaction; `None` for an absence in an empty block.
    pub(super) fn way(
        subject: ProofSubject,
        tx_count: u32,
    ) -> Result<Option<MerklePath>, LedgerError> {
        if tx_count > TX_COUNT_MAX {
            return Err(LedgerError::Field { field: "transaction count" });
        }
        let Some(tx_index) = subject.tx_index() else { return Ok(None) };
        let is_absence = matches!(subject, ProofSubject::Absence { .. });
        if is_absence && tx_index < tx_count {
            return Err(LedgerError::SomethingThere { trie: TREE, tx_index });
        }
        let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
        let nothing = LedgerError::NothingThere { trie: TREE, tx_index };
        MerklePath::to(index, tx_count).ok_or(nothing).map(Some)
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
        check_edge(self, subject, header)
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
    let Some(way) = EdgeProof::way(subject, tx_count).ok()? else {
        return Some(EdgeProof { tx_count, transaction: None, peaks: Vec::new() });
    };
    let transaction = Some(branch(way.sibling_count(), reader)?);
    let peaks = way.peaks().iter().map(|(_, height)| branch(*height, reader));
    let peaks = peaks.collect::<Option<Vec<Branch>>>()?;
    Some(EdgeProof { tx_count, transaction, peaks })
}

fn branch(sibling_count: usize, reader: &mut ByteReader<'_>) -> Option<Branch> {
    let leaf = reader.long()?.to_vec();
    let siblings = (0..sibling_count).map(|_| reader.hash()).collect::<Option<Vec<Hash>>>()?;
    Some(Branch { leaf, siblings })
}

/// Checks the transaction and the peaks to its left against the root: all are leaves, none with an inner node's length,
/// so their depths are correct.
fn check_edge(
    proof: &EdgeProof,
    subject: ProofSubject,
    header: Option<&Header>,
) -> Result<ShownFacts, LedgerError> {
    let expected = header.map(|header| header.tx_trie_root);
    let mut shown = ShownFacts { transactions_root: expected, ..ShownFacts::default() };
    if subject == ProofSubject::Block {
        return Ok(shown);
    }
    let EdgeProof { tx_count, transaction, peaks } = proof;
    let way = EdgeProof::way(subject, *tx_count)?;
    let (way, transaction) = match (way, transaction) {
        (Some(way), Some(transaction)) => (way, transaction),
        (None, None) if peaks.is_empty() => {
            same_root(Hash::ZERO, expected)?;
            shown.transactions_root = Some(Hash::ZERO);
            shown.tx_count = Some(0);
            return Ok(shown);
        }
        (Some(_), None) => {
            return Err(LedgerError::Parts { what: "the branch of the transaction is missing" });
        }
        (None, _) => {
            return Err(LedgerError::Parts { what: "a block without transactions has no branch" });
        }
    };
    let is_whole = peaks.len() == way.peaks().len()
        && transaction.siblings.len() == way.sibling_count()
        && peaks.iter().zip(way.peaks()).all(|(peak, (_, height))| peak.siblings.len() == *height);
    if !is_whole {
        let what = "branches or siblings are more or fewer than index and count give";
        return Err(LedgerError::Parts { what });
    }
    peaks.iter().try_for_each(|peak| check_leaf(&peak.leaf))?;
    let read = Transaction::decode(&transaction.leaf)?;
    let peak = |peak: &Branch| peak_root::<TronTree>(leaf_hash(&peak.leaf), &peak.siblings);
    let peaks: Vec<Hash> = peaks.iter().map(peak).collect();
    let leaf = leaf_hash(&transaction.leaf);
    let got = way.root::<TronTree>(leaf, &transaction.siblings, &peaks);
    same_root(got, expected)?;
    shown.transactions_root = Some(got);
    // nothing stands right of the last transaction, so the count is shown
    let index = subject.branch_index(*tx_count);
    shown.tx_count = (index == tx_count.checked_sub(1)).then_some(*tx_count);
    if !matches!(subject, ProofSubject::Absence { .. }) {
        let raw = transaction.leaf.clone();
        shown.transaction = Some(ProvenTransaction { hash: read.hash(), raw });
    }
    Ok(shown)
}

fn same_root(got: Hash, expected: Option<Hash>) -> Result<(), LedgerError> {
    match expected {
        Some(expected) if got != expected => {
            Err(LedgerError::Mismatch { what: "root of the transaction tree", got, expected })
        }
        Some(_) | None => Ok(()),
    }
}
