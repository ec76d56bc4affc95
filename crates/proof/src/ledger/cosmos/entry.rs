//! Level 1: the transaction, its way to the root, and what shows where it stands.

use alloc::boxed::Box;
use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::{NO_EVENTS, TRANSACTION_BYTES_MAX, check_transaction, leaf_hash, transaction_hash};
use crate::codec::{Reader, put_long};
use crate::ledger::edge::{Way, peak_root};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProvenTransaction, Shown, Subject,
};
use crate::range::Sha256Range;

const TREE: &str = "transaction tree";

/// Most transactions in a block: a block has at most 100 MiB, and few of a chain's are as short as 100
/// bytes.
pub const TX_COUNT_MAX: u32 = 1 << 20;

/// The way of a transaction to its block's `data_hash`. For an absence the transaction is the last of
/// the block: that nothing stands right of it shows how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeProof {
    /// Transactions of the block, 0 to [`TX_COUNT_MAX`]. Shown where the transaction is the last.
    pub tx_count: u32,
    /// The transaction; `None` alone for an absence in a block without any.
    pub transaction: Option<Branch>,
    /// The first transaction of each perfect subtree that hangs left of the right edge on its way,
    /// from the root down.
    pub peaks: Vec<PeakBranch>,
}

/// A transaction, and siblings from its leaf upward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The transaction, whole.
    pub transaction: Vec<u8>,
    /// Siblings; index and count give how many.
    pub siblings: Vec<Hash>,
}

/// A transaction by its hash, and siblings from its leaf up to the root of its subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeakBranch {
    /// Its hash: all of what its leaf is made of.
    pub transaction_hash: Hash,
    /// Siblings; index and count give how many.
    pub siblings: Vec<Hash>,
}

impl TreeProof {
    /// Of an absence in a block without transactions.
    pub(super) const EMPTY: Self = Self { tx_count: 0, transaction: None, peaks: Vec::new() };

    /// The way of the transaction that shows a subject; `None` for an absence in an empty block.
    pub(super) fn way(subject: Subject, tx_count: u32) -> Result<Option<Way>, LedgerError> {
        if tx_count > TX_COUNT_MAX {
            return Err(LedgerError::Field { field: "transaction count" });
        }
        let Some(tx_index) = subject.tx_index() else { return Ok(None) };
        let is_absence = matches!(subject, Subject::Absence { .. });
        if is_absence && tx_index < tx_count {
            return Err(LedgerError::SomethingThere { trie: TREE, tx_index });
        }
        let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
        let nothing = LedgerError::NothingThere { trie: TREE, tx_index };
        Way::to(index, tx_count).ok_or(nothing).map(Some)
    }
}

impl EntryForm for TreeProof {
    type Header = Box<Header>;

    fn bound_indexes(_: Subject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: Subject) -> Result<(), LedgerError> {
        match subject {
            Subject::Log { .. } => Err(LedgerError::NotProvable(NO_EVENTS)),
            Subject::Block | Subject::Transaction { .. } | Subject::Absence { .. } => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(&self, subject: Subject, header: Option<&Box<Header>>) -> Result<Shown, LedgerError> {
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

    /// Reads the branches of a subject: index and count give how many there are, and how long.
    fn decode(
        subject: Subject,
        parts: EntryParts,
        reader: &mut Reader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        read(subject, reader).ok_or(MalformedEntry::Part("branches"))
    }
}

fn read(subject: Subject, reader: &mut Reader<'_>) -> Option<TreeProof> {
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

fn hashes(count: usize, reader: &mut Reader<'_>) -> Option<Vec<Hash>> {
    (0..count).map(|_| reader.hash()).collect()
}

/// The transaction and the peaks left of it lead to the root.
fn check_tree(
    proof: &TreeProof,
    subject: Subject,
    header: Option<&Header>,
) -> Result<Shown, LedgerError> {
    let expected = header.map(|header| header.data_hash);
    let mut shown = Shown { transactions_root: expected, ..Shown::default() };
    if subject == Subject::Block {
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
    if !matches!(subject, Subject::Absence { .. }) {
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
