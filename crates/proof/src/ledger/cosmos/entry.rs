//! Level 1: the transaction, its path to the root, and its position proof.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::{NO_EVENTS, TRANSACTION_BYTES_MAX, check_transaction, leaf_hash, transaction_hash};
use crate::codec::{ByteReader, put_long};
use crate::ledger::edge::{MerklePath, peak_root};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenTransaction,
    ShownFacts,
};
use crate::range::Sha256Range;

const TREE: &str = "transaction tree";

/// Most transactions in a block: at most 100 MiB, with few transactions as short as 100 bytes.
pub const TX_COUNT_MAX: u32 = 1 << 20;

/// Transaction path to the block's `data_hash`. For an absence the transaction is the block's last: nothing to the
/// right proves the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProof {
    /// Transaction count, 0 to [`TX_COUNT_MAX`]; proven for the last transaction.
    pub tx_count: u32,
    /// Transaction; `None` only for an absence in an empty block.
    pub transaction: Option<Branch>,
    /// First transaction in each perfect subtree left of the right edge on the path, root first.
    pub peaks: Vec<PeakBranch>,
}

/// Transaction with siblings from its leaf upward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Whole transaction.
    pub transaction: Vec<u8>,
    /// Siblings, counted by index and transaction count.
    pub siblings: Vec<Hash>,
}

/// Transaction hash with siblings up to its subtree root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeakBranch {
    /// Transaction hash, the whole leaf input.
    pub transaction_hash: Hash,
    /// Siblings, counted by index and transaction count.
    pub siblings: Vec<Hash>,
}

impl TreeProof {
    pub(super) const EMPTY: Self = Self { tx_count: 0, transaction: None, peaks: Vec::new() };

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

impl EntryForm for TreeProof {
    type Header = Box<Header>;

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
        header: Option<&Box<Header>>,
    ) -> Result<ShownFacts, LedgerError> {
        check_tree(self, subject, header.map(AsRef::as_ref))
    }

    /// `tx_count:u32 ‖ length:u32 ‖ transaction ‖ sibling:32* ‖ (transaction_hash:32 ‖ sibling:32*)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.tx_count.to_be_bytes());
        let put = |hashes: &[Hash], out: &mut Vec<u8>| {
            hashes.iter().for_each(|hash| out.extend_from_slice(&hash.0));
        };
        if let Some(Branch { transaction, siblings }) = &self.transaction {
            put_long(out, transaction);
            put(siblings, out);
        }
        for PeakBranch { transaction_hash, siblings } in &self.peaks {
            put(&[*transaction_hash], out);
            put(siblings, out);
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

fn read(subject: ProofSubject, reader: &mut ByteReader<'_>) -> Option<TreeProof> {
    let tx_count = reader.u32()?;
    let Some(way) = TreeProof::way(subject, tx_count).ok()? else { return Some(TreeProof::EMPTY) };
    let transaction = reader.long().filter(|bytes| bytes.len() <= TRANSACTION_BYTES_MAX)?.to_vec();
    let siblings = hashes(way.sibling_count(), reader)?;
    let peak = |(_, height): &(u32, usize)| {
        let transaction_hash = reader.hash()?;
        Some(PeakBranch { transaction_hash, siblings: hashes(*height, reader)? })
    };
    let peaks = way.peaks().iter().map(peak).collect::<Option<Vec<PeakBranch>>>()?;
    Some(TreeProof { tx_count, transaction: Some(Branch { transaction, siblings }), peaks })
}

fn hashes(count: usize, reader: &mut ByteReader<'_>) -> Option<Vec<Hash>> {
    (0..count).map(|_| reader.hash()).collect()
}

/// Checks the transaction and the peaks to its left against the root.
fn check_tree(
    proof: &TreeProof,
    subject: ProofSubject,
    header: Option<&Header>,
) -> Result<ShownFacts, LedgerError> {
    let expected = header.map(|header| header.data_hash);
    let mut shown = ShownFacts { transactions_root: expected, ..ShownFacts::default() };
    if subject == ProofSubject::Block {
        return Ok(shown);
    }
    let TreeProof { tx_count, transaction, peaks } = proof;
    let (way, branch) = match (TreeProof::way(subject, *tx_count)?, transaction) {
        (Some(way), Some(branch)) => (way, branch),
        (None, None) if peaks.is_empty() => {
            let empty = super::data_hash(&[]);
            same_root(empty, expected)?;
            shown.transactions_root = Some(empty);
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
        && branch.siblings.len() == way.sibling_count()
        && peaks.iter().zip(way.peaks()).all(|(peak, (_, height))| peak.siblings.len() == *height);
    if !is_whole {
        let what = "branches or siblings are more or fewer than index and count give";
        return Err(LedgerError::Parts { what });
    }
    check_transaction(&branch.transaction)?;
    let root = |peak: &PeakBranch| {
        peak_root::<Sha256Range>(leaf_hash(&peak.transaction_hash), &peak.siblings)
    };
    let peaks: Vec<Hash> = peaks.iter().map(root).collect();
    let hash = transaction_hash(&branch.transaction);
    let got = way.root::<Sha256Range>(leaf_hash(&hash), &branch.siblings, &peaks);
    same_root(got, expected)?;
    shown.transactions_root = Some(got);
    // nothing stands right of the last transaction, so the count is shown
    let index = subject.branch_index(*tx_count);
    shown.tx_count = (index == tx_count.checked_sub(1)).then_some(*tx_count);
    if !matches!(subject, ProofSubject::Absence { .. }) {
        shown.transaction = Some(ProvenTransaction { hash, raw: branch.transaction.clone() });
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
