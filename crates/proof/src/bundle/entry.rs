//! Level 1: what a block's own tree holds, by family. Step 2 of `docs/protocol.md`.

use alloc::vec::Vec;

use superroot_types::{Family, Hash};

use super::error::Fault;
use super::facts::{Facts, ProvenEvent, ProvenLog, ProvenOutput, ProvenReceipt, ProvenTransaction};
use super::verify::same;
use super::{Branch, BranchProofs, EntryProof, Subject, TrieProofs};
use crate::ledger::bitcoin::{self, Transaction, root_of_branch};
use crate::ledger::evm::{self, Receipt, transaction_hash};
use crate::ledger::{Header, LedgerError};
use crate::mpt;
use crate::registry::Rule;

const TREE: &str = "transaction tree";

/// The parts that the subject needs are there.
pub(super) fn check_parts(subject: Subject, entry: &EntryProof) -> Result<(), Fault> {
    let EntryProof::Evm(TrieProofs { transaction, receipt }) = entry else { return Ok(()) };
    match subject {
        Subject::Transaction { .. } | Subject::Absence { .. } if transaction.is_none() => {
            Err(Fault::Parts { what: "the transaction trie is missing" })
        }
        Subject::Log { .. } if receipt.is_none() => {
            Err(Fault::Parts { what: "the receipt trie is missing" })
        }
        _ => Ok(()),
    }
}

/// Shows the entry under the header's root or, without a header, under the root it leads to.
pub(super) fn check(entry: &EntryProof, rule: Rule, facts: &mut Facts) -> Result<(), Fault> {
    match (facts.statement.chain.family, entry) {
        (Family::Evm, EntryProof::Evm(tries)) => check_tries(tries, facts),
        (Family::Bitcoin, EntryProof::Bitcoin(branches)) => check_branches(branches, facts),
        (Family::Evm | Family::Bitcoin, _) => {
            Err(Fault::Parts { what: "level 1 is not in the form of the chain's family" })
        }
        _ => Err(Fault::Ledger(LedgerError::Rule { code: rule.code() })),
    }
}

/// The leaf under `rlp(tx_index)` in the trie of the header's root.
fn check_tries(tries: &TrieProofs, facts: &mut Facts) -> Result<(), Fault> {
    let subject = facts.statement.subject;
    let Some(tx_index) = subject.tx_index() else { return Ok(()) };
    let absent = matches!(subject, Subject::Absence { .. });
    if let Some(nodes) = &tries.transaction {
        let trie = "transaction trie";
        let leaf = leaf(trie, &mut facts.transactions_root, tx_index, nodes)?;
        facts.transaction = present(trie, tx_index, absent, leaf)?
            .map(|leaf| ProvenTransaction { hash: transaction_hash(leaf), raw: leaf.to_vec() });
    }
    if let Some(nodes) = &tries.receipt {
        let header = facts.header.as_ref().and_then(Header::evm);
        if header.is_some_and(evm::Header::settles_other_blocks) {
            return Err(Fault::Ledger(LedgerError::OtherReceipts));
        }
        let trie = "receipt trie";
        let leaf = leaf(trie, &mut facts.receipts_root, tx_index, nodes)?;
        if let Some(leaf) = present(trie, tx_index, absent, leaf)? {
            let receipt = Receipt::decode(leaf).map_err(Fault::Ledger)?;
            let bloom =
                facts.header.as_ref().and_then(Header::evm).map(|header| &header.logs_bloom);
            if bloom.is_some_and(|bloom| !bloom.contains_all(&receipt.logs_bloom)) {
                return Err(Fault::Ledger(LedgerError::Bloom { whose: "header's" }));
            }
            facts.receipt = Some(ProvenReceipt { raw: leaf.to_vec(), receipt });
        }
    }
    if let (Subject::Log { log_index, .. }, Some(proven)) = (subject, &facts.receipt) {
        let logs = &proven.receipt.logs;
        let position = usize::try_from(log_index).unwrap_or(usize::MAX);
        let log = logs.get(position).cloned();
        let log = log.ok_or(Fault::LogIndex { log_index, count: logs.len() })?;
        let proven = ProvenLog { log, log_count: logs.len() };
        facts.event = Some(ProvenEvent::Log(proven));
    }
    Ok(())
}

/// Reads one trie; without a header above it, its first node gives the root it is shown under.
fn leaf<'a>(
    trie: &'static str,
    root: &mut Option<Hash>,
    tx_index: u32,
    nodes: &'a [Vec<u8>],
) -> Result<Option<&'a [u8]>, Fault> {
    let wrong = |cause| Fault::Trie { trie, cause };
    let root = match root {
        Some(root) => root,
        None => root.insert(mpt::first_node_hash(nodes).map_err(wrong)?),
    };
    mpt::verify(root, &mpt::index_key(u64::from(tx_index)), nodes).map_err(wrong)
}

fn present<'a>(
    trie: &'static str,
    tx_index: u32,
    absent: bool,
    leaf: Option<&'a [u8]>,
) -> Result<Option<&'a [u8]>, Fault> {
    match (absent, leaf) {
        (true, Some(_)) => Err(Fault::SomethingThere { trie, tx_index }),
        (false, None) => Err(Fault::NothingThere { trie, tx_index }),
        (_, leaf) => Ok(leaf),
    }
}

/// The branch of the transaction, and that of the coinbase: equally deep, or an inner node could
/// pass for a transaction.
fn check_branches(branches: &BranchProofs, facts: &mut Facts) -> Result<(), Fault> {
    let BranchProofs { tx_count, transaction, coinbase } = branches;
    let subject = facts.statement.subject;
    let Some(tx_index) = subject.tx_index() else { return Ok(()) };
    let is_absence = matches!(subject, Subject::Absence { .. });
    let index = match subject.branch_index(*tx_count) {
        Some(_) if is_absence && tx_index < *tx_count => {
            return Err(Fault::SomethingThere { trie: TREE, tx_index });
        }
        Some(index) if is_absence || tx_index < *tx_count => index,
        _ => return Err(Fault::NothingThere { trie: TREE, tx_index }),
    };
    let read = |whose, index, branch: &Branch, root: &mut Option<Hash>| {
        let hash = branch_leaf(whose, index, *tx_count, branch, root)?;
        let read = Transaction::decode(&branch.leaf).map_err(Fault::Ledger)?;
        Ok((hash, read))
    };
    let (hash, shown) = read("transaction", index, transaction, &mut facts.transactions_root)?;
    let is_first = match coinbase {
        None if index == 0 => shown.is_coinbase(),
        Some(first) if index > 0 => {
            read("coinbase", 0, first, &mut facts.transactions_root)?.1.is_coinbase()
        }
        None => return Err(Fault::Parts { what: "the branch of the coinbase is missing" }),
        Some(_) => return Err(Fault::Parts { what: "the branch of the coinbase is there twice" }),
    };
    if !is_first {
        return Err(Fault::Ledger(LedgerError::NoCoinbase));
    }
    // nothing stands right of the last transaction, so the count is shown
    facts.tx_count = (index.checked_add(1) == Some(*tx_count)).then_some(*tx_count);
    if is_absence {
        return Ok(());
    }
    facts.transaction = Some(ProvenTransaction { hash, raw: transaction.leaf.clone() });
    if let Subject::Log { log_index, .. } = subject {
        let count = shown.outputs.len();
        let position = usize::try_from(log_index).unwrap_or(usize::MAX);
        let output = shown.outputs.into_iter().nth(position);
        let output = output.ok_or(Fault::OutputIndex { log_index, count })?;
        facts.event = Some(ProvenEvent::Output(ProvenOutput { output, output_count: count }));
    }
    Ok(())
}

/// Hash of the leaf, once its branch leads to the root; without a header above it, the first branch
/// gives the root.
fn branch_leaf(
    whose: &'static str,
    index: u32,
    tx_count: u32,
    branch: &Branch,
    root: &mut Option<Hash>,
) -> Result<Hash, Fault> {
    bitcoin::check_leaf(&branch.leaf).map_err(Fault::Ledger)?;
    let hash = bitcoin::transaction_hash(&branch.leaf);
    let got = root_of_branch(&hash, index, tx_count, &branch.siblings);
    let got = got.map_err(|cause| Fault::Branch { whose, cause })?;
    same("root of the transaction tree", got, *root.get_or_insert(got))?;
    Ok(hash)
}
