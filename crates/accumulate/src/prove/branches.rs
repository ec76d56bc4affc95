//! Level 1 of the Bitcoin family, out of the transactions of a block.

use superroot_proof::bundle::{EntryProof, Subject};
use superroot_proof::ledger::bitcoin::{Transaction, TransactionTree};
use superroot_types::{BlockNumber, ChainKey, Hash};

use super::ProveError;

/// The branches that show a subject, once it is certain that they can.
pub(super) fn prove(
    tree: &TransactionTree,
    chain: ChainKey,
    number: BlockNumber,
    subject: Subject,
) -> Result<EntryProof, ProveError> {
    let leaf = |tx_index: u32| usize::try_from(tx_index).ok().and_then(|at| tree.leaves().get(at));
    let none = |tx_index| ProveError::NotFound {
        chain,
        what: format!("transaction {tx_index} of block {number}"),
        checked_to: Some(number),
    };
    match subject {
        Subject::Block => {}
        Subject::Transaction { tx_index } => drop(leaf(tx_index).ok_or_else(|| none(tx_index))?),
        Subject::Absence { tx_index } if leaf(tx_index).is_some() => {
            return Err(ProveError::Present { chain, number, tx_index });
        }
        Subject::Absence { .. } => {}
        Subject::Log { tx_index, log_index } => {
            let read = Transaction::decode(leaf(tx_index).ok_or_else(|| none(tx_index))?);
            let count = read.map_err(|error| corrupt(&error))?.outputs.len();
            if usize::try_from(log_index).is_ok_and(|log_index| log_index >= count) {
                return Err(ProveError::OutputIndex { log_index, count });
            }
        }
    }
    let branches = tree.prove(subject).map_err(|error| corrupt(&error))?;
    let what = || ProveError::Corrupt { what: "a block's proof has no level 1".to_owned() };
    branches.map(EntryProof::Bitcoin).ok_or_else(what)
}

/// Whether the transaction at that place has that hash.
pub(super) fn has(tree: &TransactionTree, tx_index: u32, hash: &Hash) -> bool {
    let at = usize::try_from(tx_index).ok();
    at.and_then(|at| tree.hashes().get(at)) == Some(hash)
}

fn corrupt(error: &dyn std::error::Error) -> ProveError {
    ProveError::Corrupt { what: format!("a transaction: {error}") }
}
