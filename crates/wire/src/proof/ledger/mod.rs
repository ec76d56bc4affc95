//! What of a proof depends on the ledger, and which module here reads and writes it.

use serde_json::{Value, json};
use superroot_proof::bundle::{EntryProof, Facts, ProvenEvent, Subject};
use superroot_proof::ledger::Header;
use superroot_types::{Family, Hash};

mod bitcoin;
mod evm;
mod polkadot;
mod solana;

mod spelling;
pub use spelling::{parse_spelled_hash, spelled_hash};

use super::body::{Entry, EventPart};
use crate::WireError;
use crate::member::Member;

/// A value under its name.
pub type Named = (&'static str, Value);

/// Names under which level 1 says what it shows. Where the proof at hand does not show it, no answer
/// may say it.
pub(super) const RESERVED: [&str; 28] = [
    "bloom",
    "coinbase",
    "event",
    "eventSiblings",
    "explorerHash",
    "hashBefore",
    "header",
    "indexBound",
    "lastTransaction",
    "rawReceipt",
    "rawTransaction",
    "receipt",
    "receiptRoot",
    "receiptSiblings",
    "receiptsRoot",
    "signatureCount",
    "signatureIndex",
    "signatureSiblings",
    "tailHashes",
    "stateRoot",
    "transaction",
    "transactionCount",
    "transactionHash",
    "transactionIndex",
    "transactionSignature",
    "transactionsRoot",
    "txHash",
    "txid",
];

/// Objects of level 1 in which every member is proven.
pub(super) const CLOSED: [&str; 7] =
    ["bloom", "coinbase", "event", "header", "lastTransaction", "receipt", "transaction"];

/// Lists of level 1 whose items a batch shares, and the objects in which they may lie.
pub(super) const SHARED: [&str; 2] = ["eventSiblings", "receiptSiblings"];
pub(super) const PARTS: [&str; 2] = ["coinbase", "lastTransaction"];

/// The header's fields.
pub(super) fn header(header: &Header, block_hash: &Hash) -> Value {
    match header {
        Header::Evm(header) => evm::header(header, block_hash),
        Header::Bitcoin(header) => bitcoin::header(header, block_hash),
        Header::Solana(header) => solana::header(header),
        Header::Polkadot(header) => polkadot::header(header, block_hash),
    }
}

/// Level 1: the proof, and what it shows.
pub(super) fn entry(entry: &EntryProof, facts: &Facts) -> Entry {
    match entry {
        EntryProof::Evm(tries) => evm::entry(tries, facts),
        EntryProof::Bitcoin(branches) => bitcoin::entry(branches, facts),
        EntryProof::Solana(proof) => solana::entry(proof, facts),
        EntryProof::Polkadot(proofs) => polkadot::entry(proofs, facts),
    }
}

/// The event that it shows, in a proof of one.
pub(super) fn event(facts: &Facts) -> Option<EventPart> {
    let Subject::Log { log_index, .. } = facts.statement.subject else { return None };
    Some(match facts.event.as_ref()? {
        ProvenEvent::Log(proven) => evm::event(&proven.log, log_index, facts),
        ProvenEvent::Output(proven) => bitcoin::event(&proven.output, log_index),
        ProvenEvent::List(proven) => polkadot::event(proven, log_index),
    })
}

/// Members of what the ledger shows of an entry that stand in the statement alone: no hash shows them.
#[must_use]
pub fn unshown(facts: &Facts) -> &'static [&'static str] {
    match &facts.event {
        Some(ProvenEvent::List(_)) => &polkadot::UNSHOWN_OF_EVENTS,
        Some(ProvenEvent::Log(_) | ProvenEvent::Output(_)) | None => &[],
    }
}

/// Reads level 1, in the form of the body's family.
pub(super) fn parse_entry(root: &Member<'_>, subject: Subject) -> Result<EntryProof, WireError> {
    match root.family()? {
        Family::Evm => evm::parse_entry(root).map(EntryProof::Evm),
        Family::Bitcoin => bitcoin::parse_entry(root, subject).map(EntryProof::Bitcoin),
        Family::Polkadot => polkadot::parse_entry(root).map(EntryProof::Polkadot),
        Family::Solana => solana::parse_entry(root),
        Family::Tron | Family::Aptos | Family::Sui | Family::Icp | Family::Cosmos => {
            Err(root.get("family")?.wrong("a family whose transactions this build can verify"))
        }
    }
}

/// What level 1 of a proof holds, unverified: its parts in words, and figures of each.
#[must_use]
pub fn entry_parts(entry: &EntryProof) -> Vec<(&'static str, Vec<Named>)> {
    match entry {
        EntryProof::Evm(tries) => evm::parts(tries),
        EntryProof::Bitcoin(branches) => bitcoin::parts(branches),
        EntryProof::Solana(proof) => solana::parts(proof),
        EntryProof::Polkadot(proofs) => polkadot::parts(proofs),
    }
}

/// What was proven of a transaction, in short: its hash, and what its bytes say where this build reads
/// them.
#[must_use]
pub fn transaction_in_short(entry: &EntryProof, facts: &Facts) -> Vec<Named> {
    let Some(proven) = &facts.transaction else { return Vec::new() };
    let mut members = vec![("transaction_hash", json!(proven.hash))];
    members.extend(match entry {
        EntryProof::Evm(_) => evm::transaction_in_short(proven, facts),
        EntryProof::Bitcoin(_) => bitcoin::transaction_in_short(proven),
        EntryProof::Solana(_) => solana::transaction_in_short(proven),
        EntryProof::Polkadot(_) => polkadot::transaction_in_short(proven, facts),
    });
    members
}

/// What was proven of a receipt, in short.
#[must_use]
pub fn receipt_in_short(facts: &Facts) -> Vec<Named> {
    facts.receipt.as_ref().map(evm::receipt_in_short).unwrap_or_default()
}

/// Which event was proven in words, and what it says.
#[must_use]
pub fn event_in_short(event: &ProvenEvent, log_index: u32) -> (String, Vec<Named>) {
    match event {
        ProvenEvent::Log(proven) => evm::log_in_short(proven, log_index),
        ProvenEvent::Output(proven) => bitcoin::output_in_short(proven, log_index),
        ProvenEvent::List(proven) => polkadot::list_in_short(proven, log_index),
    }
}
