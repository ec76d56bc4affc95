//! Level 1 in the Bitcoin family: transaction and coinbase branches.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::transaction::{Transaction, check_leaf};
use super::transaction_hash;
use super::tree::{root_of_branch, sibling_count};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent, ProvenOutput,
    ProvenTransaction, ShownFacts,
};

const TREE: &str = "transaction tree";

/// Branches in a block's transaction hash tree. For an absence `transaction` is the block's last: nothing to the right
/// proves the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchProofs {
    /// Transaction count; with the index, fixes the branch length.
    pub tx_count: u32,
    /// Transaction branch.
    pub transaction: Branch,
    /// Coinbase branch, proves the tree depth; `None` if `transaction` is the coinbase.
    pub coinbase: Option<Branch>,
}

/// Leaf and its path to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Transaction without witness.
    pub leaf: Vec<u8>,
    /// Siblings from the leaf upward; no sibling where a row pairs its last node with itself.
    pub siblings: Vec<Hash>,
}

impl EntryForm for BranchProofs {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::ALL
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, _: ProofSubject) -> Result<(), LedgerError> {
        Ok(())
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: false }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        check_branches(self, subject, header)
    }

    /// `tx_count:u32 ‖ branch ‖ branch of the coinbase`, a branch being `length:u32 ‖ leaf ‖ sibling*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.tx_count.to_be_bytes());
        let branches = [Some(&self.transaction), self.coinbase.as_ref()];
        for Branch { leaf, siblings } in branches.into_iter().flatten() {
            put_long(out, leaf);
            siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
        }
    }

    /// Reads a subject's branches; index and count give their length.
    fn decode(
        subject: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if parts.receipt {
            return Err(MalformedEntry::Parts);
        }
        branches(subject, reader).ok_or(MalformedEntry::Part("branches"))
    }
}

fn branches(subject: ProofSubject, reader: &mut ByteReader<'_>) -> Option<BranchProofs> {
    let tx_count = reader.u32()?;
    let index = subject.branch_index(tx_count)?;
    let transaction = branch(index, tx_count, reader)?;
    let coinbase = if index == 0 { None } else { Some(branch(0, tx_count, reader)?) };
    Some(BranchProofs { tx_count, transaction, coinbase })
}

fn branch(index: u32, tx_count: u32, reader: &mut ByteReader<'_>) -> Option<Branch> {
    let leaf = reader.long()?.to_vec();
    let count = sibling_count(index, tx_count).ok()?;
    let siblings: Option<Vec<Hash>> = (0..count).map(|_| reader.hash()).collect();
    Some(Branch { leaf, siblings: siblings? })
}

/// Checks the transaction and coinbase branches for equal depth: otherwise an inner node could pass for a transaction.
fn check_branches(
    branches: &BranchProofs,
    subject: ProofSubject,
    header: Option<&Header>,
) -> Result<ShownFacts, LedgerError> {
    let mut shown = ShownFacts {
        transactions_root: header.map(|header| header.merkle_root),
        ..ShownFacts::default()
    };
    let BranchProofs { tx_count, transaction, coinbase } = branches;
    let Some(tx_index) = subject.tx_index() else { return Ok(shown) };
    let is_absence = matches!(subject, ProofSubject::Absence { .. });
    let index = match subject.branch_index(*tx_count) {
        Some(_) if is_absence && tx_index < *tx_count => {
            return Err(LedgerError::SomethingThere { trie: TREE, tx_index });
        }
        Some(index) if is_absence || tx_index < *tx_count => index,
        _ => return Err(LedgerError::NothingThere { trie: TREE, tx_index }),
    };
    let root = &mut shown.transactions_root;
    let mut read = |whose, index, branch: &Branch| {
        let hash = branch_leaf(whose, index, *tx_count, branch, root)?;
        Ok((hash, Transaction::decode(&branch.leaf)?))
    };
    let (hash, leaf) = read("transaction", index, transaction)?;
    let is_first = match coinbase {
        None if index == 0 => leaf.is_coinbase(),
        Some(first) if index > 0 => read("coinbase", 0, first)?.1.is_coinbase(),
        None => {
            return Err(LedgerError::Parts { what: "the branch of the coinbase is missing" });
        }
        Some(_) => {
            return Err(LedgerError::Parts { what: "the branch of the coinbase is there twice" });
        }
    };
    if !is_first {
        return Err(LedgerError::NoCoinbase);
    }
    // nothing stands right of the last transaction, so the count is shown
    shown.tx_count = (index.checked_add(1) == Some(*tx_count)).then_some(*tx_count);
    if is_absence {
        return Ok(shown);
    }
    shown.transaction = Some(ProvenTransaction { hash, raw: transaction.leaf.clone() });
    if let ProofSubject::Log { log_index, .. } = subject {
        let count = leaf.outputs.len();
        let position = usize::try_from(log_index).unwrap_or(usize::MAX);
        let output = leaf.outputs.into_iter().nth(position);
        let output = output.ok_or(LedgerError::OutputIndex { log_index, count })?;
        shown.event = Some(ProvenEvent::Output(ProvenOutput { output, output_count: count }));
    }
    Ok(shown)
}

/// Leaf hash, once its branch leads to the root; without a header the first branch gives the root.
fn branch_leaf(
    whose: &'static str,
    index: u32,
    tx_count: u32,
    branch: &Branch,
    root: &mut Option<Hash>,
) -> Result<Hash, LedgerError> {
    check_leaf(&branch.leaf)?;
    let hash = transaction_hash(&branch.leaf);
    let got = root_of_branch(&hash, index, tx_count, &branch.siblings);
    let got = got.map_err(|cause| LedgerError::Branch { whose, cause })?;
    let expected = *root.get_or_insert(got);
    if got == expected {
        return Ok(hash);
    }
    Err(LedgerError::Mismatch { what: "root of the transaction tree", got, expected })
}
