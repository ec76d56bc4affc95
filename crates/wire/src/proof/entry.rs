//! Level 1 of a proof: transactions, events, and what is not there.

use serde_json::{Value, json};
use superroot_proof::bundle::{Bundle, Facts};

use super::{block, ledger};

/// The entry answer in camelCase.
pub(super) fn render(bundle: &Bundle, facts: &Facts) -> Value {
    let mut members = block::statement(facts, facts.statement.subject.name());
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("transactionIndex", json!(facts.statement.subject.tx_index()));
    if bundle.block.is_some() {
        put("block", block::render(bundle, facts));
    }
    if let Some(super_root_hash) = facts.super_root_hash() {
        put("superRootHash", json!(super_root_hash));
    }
    if let Some(entry) = &bundle.entry {
        ledger::put_entry(&mut members, facts, entry);
    }
    Value::Object(members)
}
