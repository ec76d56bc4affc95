//! Level 1 of a proof: transactions, events, and what is not there.

use serde_json::{Map, Value, json};
use superroot_proof::bundle::{
    Bundle, EntryProof, Facts, ProvenLog, ProvenReceipt, Subject, TrieProofs,
};
use superroot_proof::ledger::Header;
use superroot_proof::ledger::evm::{Bloom, Log};

use super::block::{self, hex, hex_list};
use super::{bitcoin, ethereum};

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
    match &bundle.entry {
        None => {}
        Some(EntryProof::Evm(tries)) => put_tries(&mut members, facts, tries),
        Some(EntryProof::Bitcoin(branches)) => bitcoin::put_entry(&mut members, facts, branches),
    }
    Value::Object(members)
}

fn put_tries(members: &mut Map<String, Value>, facts: &Facts, tries: &TrieProofs) {
    if let Subject::Log { log_index, .. } = facts.statement.subject
        && let (Some(ProvenLog { log, .. }), Some(receipt)) = (facts.log(), &facts.receipt)
    {
        members.insert("event".to_owned(), event(log, log_index));
        members.insert("bloom".to_owned(), bloom(log, receipt, facts));
    }
    if let Some(nodes) = &tries.transaction {
        put_transaction(members, facts, nodes);
    }
    if let Some(nodes) = &tries.receipt {
        put_receipt(members, facts, nodes);
    }
}

fn put_transaction(members: &mut Map<String, Value>, facts: &Facts, nodes: &[Vec<u8>]) {
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("transactionsRoot", json!(facts.transactions_root));
    put("siblings", hex_list(nodes));
    if let Some(transaction) = &facts.transaction {
        put("transactionHash", json!(transaction.hash));
        put("rawTransaction", hex(&transaction.raw));
        put("transaction", ethereum::transaction(transaction, facts));
    }
}

fn put_receipt(members: &mut Map<String, Value>, facts: &Facts, nodes: &[Vec<u8>]) {
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("receiptRoot", json!(facts.receipts_root));
    put("receiptSiblings", hex_list(nodes));
    if let Some(ProvenReceipt { raw, receipt }) = &facts.receipt {
        put("rawReceipt", hex(raw));
        put("receipt", ethereum::receipt(receipt));
    }
}

fn event(log: &Log, log_index: u32) -> Value {
    let Log { address, topics, data } = log;
    let data = hex(data);
    json!({ "address": address, "topics": topics, "data": data, "logIndex": log_index })
}

/// The bits of the address and of each topic, and where they are set.
fn bloom(log: &Log, receipt: &ProvenReceipt, facts: &Facts) -> Value {
    let topics = log.topics.iter().map(AsRef::as_ref);
    let bits = core::iter::once(log.address.as_ref()).chain(topics).map(Bloom::bits);
    let bits: Vec<[u16; 3]> = bits.collect();
    let all_in = |bloom: &Bloom| bits.iter().flatten().all(|bit| bloom.has_bit(*bit));
    let mut members = Map::new();
    members.insert("inReceipt".to_owned(), json!(all_in(&receipt.receipt.logs_bloom)));
    if let Some(header) = facts.header.as_ref().and_then(Header::evm) {
        members.insert("inHeader".to_owned(), json!(all_in(&header.logs_bloom)));
    }
    members.insert("bits".to_owned(), json!(bits));
    Value::Object(members)
}
