//! Statement of a proof, as JSON and in words.

use serde_json::{Value, json};
use superroot_proof::bundle::{Bundle, ProofSubject};
use superroot_proof::registry::Profile;
use superroot_types::ChainKey;

use super::levels::absence_trees;
use crate::chains;

/// Claim, without positions that no ledger proof binds.
pub(crate) fn statement_json(bundle: &Bundle) -> Value {
    let statement = &bundle.statement;
    json!({
        "kind": statement.subject.name(),
        "chain": chain_name(statement.chain),
        "family": statement.chain.family,
        "chain_id": statement.chain.id,
        "block_number": statement.number,
        "block_bound": bundle.shows_block(),
        "transaction_index": statement.tx_index(),
        "log_index": statement.log_index(),
        "sentence": statement_words(bundle),
    })
}

/// Chain name, if known, and key.
pub(crate) fn chain_name(chain: ChainKey) -> String {
    match chains::known().by_key(chain) {
        Some((_, row)) => format!("{} ({chain})", row.name),
        None => format!("chain {chain}"),
    }
}

/// A line per chain withdrawn by a log's registry.
pub(crate) fn withdrawals(registry: &[Profile]) -> Vec<String> {
    let withdrawn = registry.iter().filter_map(|row| row.withdrawn_from().map(|from| (row, from)));
    withdrawn.map(|(row, from)| format!("withdrawn: {} from block {from}", row.chain)).collect()
}

/// Statement text, without positions that no ledger proof binds.
pub(crate) fn statement_words(bundle: &Bundle) -> String {
    let statement = &bundle.statement;
    let block = format!("block {} of {}", statement.number, chain_name(statement.chain));
    let transaction = || match (statement.tx_index(), bundle.shows_block()) {
        (Some(tx_index), _) => format!("transaction {tx_index} of {block}"),
        (None, true) => format!("a transaction of {block}"),
        (None, false) => format!("a transaction in the chain by {block}"),
    };
    match statement.subject {
        ProofSubject::Block => block,
        ProofSubject::Transaction { .. } => transaction(),
        ProofSubject::Log { .. } => match statement.log_index() {
            Some(log_index) => {
                let noun = statement.chain.family.event_noun();
                format!("{noun} {log_index} of {}", transaction())
            }
            None => format!("an event of {block}"),
        },
        ProofSubject::Absence { tx_index } => {
            let trees = absence_trees(statement.chain.family);
            format!("no leaf at index {tx_index} {trees} of {block}")
        }
    }
}
