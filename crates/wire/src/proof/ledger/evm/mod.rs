//! Level 1 of the EVM family: transactions and receipts under the trie roots, with the nodes' names.

#[cfg(feature = "schema")]
pub(in crate::proof) mod body;
#[cfg(not(feature = "schema"))]
pub(in crate::proof) mod body {}
mod leaf;
mod objects;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{
    Facts, ProofSubject, ProvenLog, ProvenReceipt, ProvenTransaction, TRIE_NODES_MAX, TrieProofs,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Header as AnyHeader;
use superroot_proof::ledger::evm::{Bloom, Header, Log, ReceiptStatus};
use superroot_types::Hash;

use super::spelling::HashSpelling;
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{EventPart, LedgerObject, ObjectForm, ProvenEntry};
use crate::proof::hex::hex;
use crate::{Hex, WireError};

use self::objects::HeaderObject;

/// The ledger has a receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = None;

/// Event proof members that no hash shows.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &[];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = None;

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Renders the header fields.
pub(super) fn header(header: &Header, block_hash: &Hash, form: ObjectForm) -> LedgerObject {
    form.make(&HeaderObject { header, block_hash })
}

/// Renders level 1: tries, with decoded content.
pub(super) fn entry(tries: &TrieProofs, facts: &Facts, form: ObjectForm) -> ProvenEntry {
    let list = |nodes: &Vec<Vec<u8>>| nodes.iter().cloned().map(Hex).collect();
    let transaction = facts.transaction.as_ref();
    let receipt = facts.receipt.as_ref();
    let spelled = transaction.filter(|proven| form.spells(&proven.raw));
    let receipt = receipt.filter(|proven| form.spells(&proven.raw));
    ProvenEntry {
        transactions_root: tries.transaction.as_ref().and(facts.transactions_root),
        siblings: tries.transaction.as_ref().map(list),
        transaction_hash: transaction.map(|proven| proven.hash),
        raw_transaction: spelled.map(|proven| Hex(proven.raw.clone())),
        transaction: spelled.map(|proven| form.make(&objects::transaction(proven, facts))),
        // the header has it, also where receipts are not held
        receipt_root: facts.receipts_root.or_else(|| header_receipts_root(facts)),
        receipt_siblings: tries.receipt.as_ref().map(list),
        raw_receipt: receipt.map(|proven| Hex(proven.raw.clone())),
        receipt: receipt.map(|proven| form.make(&objects::receipt(&proven.receipt, facts, form))),
        ..ProvenEntry::default()
    }
}

fn header_receipts_root(facts: &Facts) -> Option<Hash> {
    match facts.header.as_ref()? {
        AnyHeader::Evm(header) => Some(header.receipts_root),
        _ => None,
    }
}

/// Renders a log, with the bloom positions.
pub(super) fn event(
    proven: &ProvenLog,
    (log_index, _): EventPlace,
    facts: &Facts,
    form: ObjectForm,
) -> EventPart {
    let bloom = log_bloom(facts).map(|bloom| form.make(&bloom));
    EventPart { event: form.make(&objects::event(&proven.log, log_index, form)), bloom }
}

/// A log's bloom positions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogBloom {
    /// Whether all bits are set in the receipt bloom.
    pub(crate) in_receipt: bool,
    /// Whether all bits are set in the header bloom, if part of the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) in_header: Option<bool>,
    /// Bits for the address, then for each topic.
    pub(crate) bits: Vec<[u16; 3]>,
}

/// Computes the bloom bits of the proven log's address and topics, and checks both blooms.
pub(crate) fn log_bloom(facts: &Facts) -> Option<LogBloom> {
    let log = &facts.log()?.log;
    let receipt = facts.receipt.as_ref()?;
    let topics = log.topics.iter().map(AsRef::as_ref);
    let bits = core::iter::once(log.address.as_ref()).chain(topics).map(Bloom::bits);
    let bits: Vec<[u16; 3]> = bits.collect();
    let all_in = |bloom: &Bloom| bits.iter().flatten().all(|bit| bloom.has_bit(*bit));
    let in_receipt = all_in(&receipt.receipt.logs_bloom);
    let in_header = facts.header.as_ref().and_then(AnyHeader::logs_bloom).map(all_in);
    Some(LogBloom { in_receipt, in_header, bits })
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &TrieProofs, facts: &Facts) -> bool {
    facts.receipt.is_some()
}

/// Parses the tries.
pub(super) fn parse_entry(root: &Member<'_>, _: ProofSubject) -> Result<TrieProofs, WireError> {
    let nodes = |name| match root.optional(name)? {
        None => Ok(None),
        Some(nodes) => nodes.byte_strings(TRIE_NODES_MAX).map(Some),
    };
    Ok(TrieProofs { transaction: nodes("siblings")?, receipt: nodes("receiptSiblings")? })
}

/// Lists the unverified content of a proof: each trie, with node figures.
pub(super) fn parts(tries: &TrieProofs) -> Vec<(&'static str, Vec<Named>)> {
    let TrieProofs { transaction, receipt } = tries;
    let tries = [("transaction trie", transaction), ("receipt trie", receipt)];
    let there = tries.into_iter().filter_map(|(what, nodes)| Some((what, nodes.as_ref()?)));
    there.map(|(what, nodes)| (what, trie(nodes))).collect()
}

fn trie(nodes: &[Vec<u8>]) -> Vec<Named> {
    let root = nodes.first().map(|node| keccak256(node));
    let bytes: usize = nodes.iter().map(Vec::len).sum();
    vec![
        ("node_count", json!(nodes.len())),
        ("node_bytes", json!(bytes)),
        ("first_node_hash", json!(root)),
    ]
}

/// Summarises the transaction bytes, if this build can decode them.
pub(super) fn transaction_in_short(
    _: &TrieProofs,
    proven: &ProvenTransaction,
    facts: &Facts,
) -> Vec<Named> {
    let fields = json!(objects::transaction(proven, facts));
    let ends = ["from", "to"].into_iter();
    let ends = ends.filter_map(|name| Some((name, fields.get(name)?.clone())));
    let value = fields
        .get("value")
        .map(|value| wei(value).map_or_else(|| ("value", value.clone()), |wei| ("value_wei", wei)));
    ends.chain(value).collect()
}

/// Converts a JSON-RPC quantity to decimal text; no existing amount reaches 2^128 wei.
fn wei(quantity: &Value) -> Option<Value> {
    let digits = quantity.as_str()?.strip_prefix("0x")?;
    Some(json!(u128::from_str_radix(digits, 16).ok()?.to_string()))
}

/// Summarises the receipt.
pub(super) fn receipt_in_short(proven: &ProvenReceipt) -> Vec<Named> {
    let outcome = match proven.receipt.outcome {
        ReceiptStatus::Status(true) => ("status", json!("succeeded")),
        ReceiptStatus::Status(false) => ("status", json!("failed")),
        ReceiptStatus::StateRoot(root) => ("state_root", json!(root)),
    };
    vec![outcome, ("log_count", json!(proven.receipt.logs.len()))]
}

/// Summarises a log in words and values.
pub(super) fn event_in_short(proven: &ProvenLog, log_index: u32) -> (String, Vec<Named>) {
    let Log { address, topics, data } = &proven.log;
    let members = vec![("address", json!(address)), ("topics", json!(topics)), ("data", hex(data))];
    (format!("log {log_index} of the {} in the receipt", proven.log_count), members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wei_are_decimal() {
        assert_eq!(wei(&json!("0xde0b6b3a7640000")), Some(json!("1000000000000000000")));
        assert_eq!(wei(&json!("0x0")), Some(json!("0")));
        let widest = format!("0x{}", "f".repeat(32));
        assert_eq!(wei(&json!(widest)), Some(json!(u128::MAX.to_string())));
        for none in [json!("0x"), json!("12"), json!(12), json!(format!("0x1{}", "0".repeat(32)))] {
            assert_eq!(wei(&none), None, "{none}");
        }
    }
}
