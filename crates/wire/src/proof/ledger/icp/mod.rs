//! ICP ledger objects, from proven bytes. Hashes are `0x` hex, each with the explorer form without `0x`.
//!
//! ```text
//! encodedBlock      level 1: the block, which is the only leaf of its tree
//! rawTransaction    the field of it that is the transaction
//! ```

pub(in crate::proof) mod body;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction};
use superroot_proof::ledger::icp::{BlockLeaf, Header, Operation, TX_COUNT, Transaction};
use superroot_types::Hash;

use super::spelling::{self, HashSpelling};
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{
    EventPart, IcpEntry, IcpEvent, IcpHeader, IcpOperation, IcpTransaction, LedgerEntry,
    ObjectForm, ProvenEntry,
};
use crate::{Hex, WireError};

const SECOND: u64 = 1_000_000_000;

/// Returns a hash in explorer form: hex without `0x`.
fn explorer_hash(hash: &Hash) -> String {
    const_hex::encode(hash.0)
}

fn value(body: &impl Serialize) -> Value {
    serde_json::to_value(body).unwrap_or_default()
}

/// Event proof members that no hash shows.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &[];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = Some(spelling::PLAIN_HEX);

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> =
    Some("the ledger has no receipts: its blocks hold only what was done");

/// Renders the block fields, which include no index.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    value(&IcpHeader {
        hash: *block_hash,
        explorer_hash: explorer_hash(block_hash),
        parent_hash: header.parent_hash,
        explorer_parent_hash: header.parent_hash.as_ref().map(explorer_hash),
        timestamp: header.timestamp_nanos / SECOND,
        timestamp_nanos: header.timestamp_nanos.to_string(),
    })
}

/// Renders level 1: the block, with decoded content.
pub(super) fn entry(leaf: &BlockLeaf, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let proven = facts.transaction.as_ref();
    ProvenEntry {
        transactions_root: facts.transactions_root,
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: proven.and_then(transaction).map(Value::into),
        of_ledger: Some(LedgerEntry::Icp(IcpEntry {
            explorer_transaction_hash: proven.map(|proven| explorer_hash(&proven.hash)),
            transaction_count: TX_COUNT,
            encoded_block: Hex(leaf.block.clone()),
        })),
        ..ProvenEntry::default()
    }
}

/// Renders the operation; operations have no bloom bits.
pub(super) fn event(event: &Operation, place: EventPlace, _: &Facts, _: ObjectForm) -> EventPart {
    let (log_index, log_index_in_block) = place;
    let event = IcpEvent { log_index, log_index_in_block, operation: operation(event) };
    EventPart { event: value(&event).into(), bloom: None }
}

fn transaction(proven: &ProvenTransaction) -> Option<Value> {
    let read = Transaction::decode(&proven.raw).ok()?;
    Some(value(&IcpTransaction {
        hash: proven.hash,
        explorer_hash: explorer_hash(&proven.hash),
        transaction_index: 0,
        operation: operation(&read.operation),
        memo: read.memo.to_string(),
        created_at_nanos: read.created_at_nanos.map(|time| time.to_string()),
        icrc1_memo: read.icrc1_memo.map(Hex),
    }))
}

fn operation(operation: &Operation) -> IcpOperation {
    let none = IcpOperation::default();
    let text = |number: &u64| Some(number.to_string());
    match operation {
        Operation::Burn { from, amount_e8s, spender } => IcpOperation {
            kind: "burn",
            from: Some(from.text()),
            spender: spender.as_ref().map(|spender| spender.text()),
            amount_e8s: text(amount_e8s),
            ..none
        },
        Operation::Mint { to, amount_e8s } => {
            IcpOperation { kind: "mint", to: Some(to.text()), amount_e8s: text(amount_e8s), ..none }
        }
        Operation::Transfer { from, to, amount_e8s, fee_e8s, spender } => IcpOperation {
            kind: "transfer",
            from: Some(from.text()),
            to: Some(to.text()),
            spender: spender.as_ref().map(|spender| spender.text()),
            amount_e8s: text(amount_e8s),
            fee_e8s: text(fee_e8s),
            ..none
        },
        Operation::Approve {
            from,
            spender,
            allowance_e8s,
            expected_allowance_e8s,
            expires_at_nanos,
            fee_e8s,
        } => IcpOperation {
            kind: "approve",
            from: Some(from.text()),
            spender: Some(spender.text()),
            fee_e8s: text(fee_e8s),
            allowance_e8s: text(allowance_e8s),
            expected_allowance_e8s: expected_allowance_e8s.as_ref().and_then(text),
            expires_at_nanos: expires_at_nanos.as_ref().and_then(text),
            ..none
        },
    }
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &BlockLeaf, _: &Facts) -> bool {
    // a failed transaction is not in a block
    true
}

/// Parses the block.
pub(super) fn parse_entry(root: &Member<'_>, _: ProofSubject) -> Result<BlockLeaf, WireError> {
    Ok(BlockLeaf { block: root.get("encodedBlock")?.bytes()? })
}

/// Lists the unverified content of a proof.
pub(super) fn parts(leaf: &BlockLeaf) -> Vec<(&'static str, Vec<Named>)> {
    vec![("encoded block", vec![("block_bytes", json!(leaf.block.len()))])]
}

/// Returns the transaction's other names besides the hash.
pub(super) fn transaction_in_short(
    _: &BlockLeaf,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    vec![("explorer_transaction_hash", json!(explorer_hash(&proven.hash)))]
}

/// Summarises an operation in words and values.
pub(super) fn event_in_short(proven: &Operation, _: u32) -> (String, Vec<Named>) {
    let IcpOperation {
        kind,
        from,
        to,
        spender,
        amount_e8s,
        fee_e8s,
        allowance_e8s,
        expected_allowance_e8s,
        expires_at_nanos,
    } = operation(proven);
    let members = [
        ("from", from),
        ("to", to),
        ("spender", spender),
        ("amount_e8s", amount_e8s),
        ("fee_e8s", fee_e8s),
        ("allowance_e8s", allowance_e8s),
        ("expected_allowance_e8s", expected_allowance_e8s),
        ("expires_at_nanos", expires_at_nanos),
    ];
    let there = members.into_iter().filter_map(|(name, text)| Some((name, json!(text?))));
    (format!("the operation, a {kind}"), there.collect())
}
