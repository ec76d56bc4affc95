//! Ledger-specific parts of a proof, and the modules to render and parse each ledger.

use serde_json::{Value, json};
use superroot_proof::bundle::{EntryProof, Facts, ProofSubject, ProvenEvent};
use superroot_proof::ledger::Header;
use superroot_types::{Family, Hash};

mod aptos;
mod bitcoin;
mod cosmos;
mod evm;
mod icp;
mod polkadot;
mod solana;
mod sui;
mod tron;

mod spelling;
#[cfg(feature = "grpc")]
pub(crate) use evm::{LogBloom, log_bloom};
pub use spelling::{parse_spelled_hash, spelled_hash};

use super::body::{EventPart, LedgerObject, NoReceipts, ObjectForm, ProvenEntry};
use crate::WireError;
use crate::member::Member;

/// Named value.
pub type Named = (&'static str, Value);

/// Names reserved for proven members of level 1. An answer must not use a reserved name without proof.
pub(super) const RESERVED: [&str; 40] = [
    "blockBound",
    "bloom",
    "coinbase",
    "effects",
    "encodedBlock",
    "event",
    "eventSiblings",
    "explorerHash",
    "explorerTransactionHash",
    "hashBefore",
    "header",
    "indexBound",
    "lastTransaction",
    "peaks",
    "rawContents",
    "rawEffects",
    "rawEvent",
    "rawEvents",
    "rawReceipt",
    "rawTransaction",
    "receipt",
    "receiptRoot",
    "receiptSiblings",
    "receiptsRoot",
    "signatureCount",
    "signatureIndex",
    "signatureSiblings",
    "stateRoot",
    "tailHashes",
    "transaction",
    "transactionCount",
    "transactionDigest",
    "transactionHash",
    "transactionIndex",
    "transactionInfo",
    "transactionSignature",
    "transactionsRoot",
    "txHash",
    "txid",
    "version",
];

/// Objects of level 1 with only proven members.
pub(super) const CLOSED: [&str; 8] = [
    "bloom",
    "coinbase",
    "effects",
    "event",
    "header",
    "lastTransaction",
    "receipt",
    "transaction",
];

/// Lists of level 1 with items shared in a batch, and the objects that may contain the lists.
pub(super) const SHARED: [&str; 2] = ["eventSiblings", "receiptSiblings"];
pub(super) const PARTS: [&str; 2] = ["coinbase", "lastTransaction"];

/// Renders the header fields. Text form exists for Ethereum only.
pub(super) fn header(header: &Header, block_hash: &Hash, form: ObjectForm) -> LedgerObject {
    let made = match header {
        Header::Evm(header) => return form.make(&evm::HeaderObject { header, block_hash }),
        Header::Aptos(header) => aptos::header(header),
        Header::Bitcoin(header) => bitcoin::header(header, block_hash),
        Header::Cosmos(header) => cosmos::header(header, block_hash),
        Header::Icp(header) => icp::header(header, block_hash),
        Header::Polkadot(header) => polkadot::header(header, block_hash),
        Header::Tron(header) => tron::header(header, block_hash),
        Header::Sui(header) => sui::header(header, block_hash),
        Header::Solana(header) => solana::header(header),
    };
    made.into()
}

/// Renders level 1: proof, with decoded content.
pub(super) fn entry(entry: &EntryProof, facts: &Facts, form: ObjectForm) -> ProvenEntry {
    let reason = no_receipts(entry);
    let no_receipts =
        reason.map(|reason| NoReceipts { receipt_root: None, receipt_root_reason: reason });
    let shown = match entry {
        EntryProof::Evm(tries) => evm::entry(tries, facts, form),
        EntryProof::Aptos(proof) => aptos::entry(proof, facts),
        EntryProof::Bitcoin(branches) => bitcoin::entry(branches, facts, form),
        EntryProof::Cosmos(tree) => cosmos::entry(tree, facts),
        EntryProof::Icp(leaf) => icp::entry(leaf, facts),
        EntryProof::Polkadot(proofs) => polkadot::entry(proofs, facts, form),
        EntryProof::Tron(edge) => tron::entry(edge, facts),
        EntryProof::Sui(proof) => sui::entry(proof, facts),
        EntryProof::Solana(proof) => solana::entry(proof, facts),
    };
    ProvenEntry { no_receipts, ..shown }
}

/// Returns why the ledger has no receipts root; `None` for a ledger with one.
const fn no_receipts(entry: &EntryProof) -> Option<&'static str> {
    match entry {
        EntryProof::Evm(_) => None,
        EntryProof::Aptos(_) => Some(aptos::NO_RECEIPTS),
        EntryProof::Bitcoin(_) => Some(bitcoin::NO_RECEIPTS),
        EntryProof::Cosmos(_) => Some(cosmos::NO_RECEIPTS),
        EntryProof::Icp(_) => Some(icp::NO_RECEIPTS),
        EntryProof::Polkadot(_) => Some(polkadot::NO_RECEIPTS),
        EntryProof::Tron(_) => Some(tron::NO_RECEIPTS),
        EntryProof::Sui(_) => Some(sui::NO_RECEIPTS),
        EntryProof::Solana(_) => Some(solana::NO_RECEIPTS),
    }
}

/// Event position: in the transaction and, in an answer, in the whole block.
type EventPlace = (u32, Option<Option<u64>>);

/// Renders the event, in an event proof.
pub(super) fn event(facts: &Facts, form: ObjectForm) -> Option<EventPart> {
    let ProofSubject::Log { log_index, .. } = facts.statement.subject else { return None };
    let place = (log_index, form.beside().map(|beside| beside.log_index_in_block));
    Some(match facts.event.as_ref()? {
        ProvenEvent::Log(proven) => evm::event(&proven.log, log_index, facts, form),
        ProvenEvent::Output(proven) => bitcoin::event(&proven.output, place),
        ProvenEvent::Operation(proven) => icp::event(proven, place),
        ProvenEvent::OfVersion(proven) => aptos::event(proven, place),
        ProvenEvent::List(proven) => polkadot::event(proven, place, form),
        ProvenEvent::Move(proven) => sui::event(proven, place),
    })
}

/// Returns event members only in the statement: no hash shows them.
#[must_use]
pub fn unshown(facts: &Facts) -> &'static [&'static str] {
    match &facts.event {
        Some(ProvenEvent::List(_)) => &polkadot::UNSHOWN_OF_EVENTS,
        Some(_) | None => &[],
    }
}

/// Whether the proof shows the transaction outcome (success or failure).
#[must_use]
pub fn shows_outcome(entry: &EntryProof, facts: &Facts) -> bool {
    match entry {
        EntryProof::Evm(_) => facts.receipt.is_some(),
        // a transaction that fails is not in a block, or the leaf says so
        EntryProof::Aptos(_)
        | EntryProof::Bitcoin(_)
        | EntryProof::Icp(_)
        | EntryProof::Tron(_) => true,
        EntryProof::Sui(proof) => proof.outcome.is_some(),
        EntryProof::Cosmos(_) | EntryProof::Polkadot(_) | EntryProof::Solana(_) => false,
    }
}

/// Parses level 1, in the form of the body's family.
pub(super) fn parse_entry(
    root: &Member<'_>,
    subject: ProofSubject,
) -> Result<EntryProof, WireError> {
    match root.family()? {
        Family::Evm => evm::parse_entry(root).map(EntryProof::Evm),
        Family::Aptos => aptos::parse_entry(root).map(EntryProof::Aptos),
        Family::Bitcoin => bitcoin::parse_entry(root, subject).map(EntryProof::Bitcoin),
        Family::Cosmos => cosmos::parse_entry(root, subject).map(EntryProof::Cosmos),
        Family::Icp => icp::parse_entry(root).map(EntryProof::Icp),
        Family::Polkadot => polkadot::parse_entry(root).map(EntryProof::Polkadot),
        Family::Solana => solana::parse_entry(root),
        Family::Sui => sui::parse_entry(root, subject).map(EntryProof::Sui),
        Family::Tron => tron::parse_entry(root, subject).map(EntryProof::Tron),
    }
}

/// Lists the unverified content of level 1: parts in words, with figures.
#[must_use]
pub fn entry_parts(entry: &EntryProof) -> Vec<(&'static str, Vec<Named>)> {
    match entry {
        EntryProof::Evm(tries) => evm::parts(tries),
        EntryProof::Aptos(proof) => aptos::parts(proof),
        EntryProof::Bitcoin(branches) => bitcoin::parts(branches),
        EntryProof::Cosmos(tree) => cosmos::parts(tree),
        EntryProof::Icp(leaf) => icp::parts(leaf),
        EntryProof::Polkadot(proofs) => polkadot::parts(proofs),
        EntryProof::Tron(edge) => tron::parts(edge),
        EntryProof::Sui(proof) => sui::parts(proof),
        EntryProof::Solana(proof) => solana::parts(proof),
    }
}

/// Summarises the proven transaction: hash, and content if this build can decode the bytes.
#[must_use]
pub fn transaction_in_short(entry: &EntryProof, facts: &Facts) -> Vec<Named> {
    let Some(proven) = &facts.transaction else { return Vec::new() };
    let mut members = vec![("transaction_hash", json!(proven.hash))];
    members.extend(match entry {
        EntryProof::Evm(_) => evm::transaction_in_short(proven, facts),
        EntryProof::Aptos(proof) => aptos::transaction_in_short(proof, proven),
        EntryProof::Bitcoin(_) => bitcoin::transaction_in_short(proven),
        EntryProof::Cosmos(_) => cosmos::transaction_in_short(proven),
        EntryProof::Icp(_) => icp::transaction_in_short(proven),
        EntryProof::Polkadot(_) => polkadot::transaction_in_short(proven, facts),
        EntryProof::Tron(_) => tron::transaction_in_short(proven),
        EntryProof::Sui(proof) => sui::transaction_in_short(proof, &proven.hash),
        EntryProof::Solana(_) => solana::transaction_in_short(proven),
    });
    members
}

/// Summarises the proven receipt.
#[must_use]
pub fn receipt_in_short(facts: &Facts) -> Vec<Named> {
    facts.receipt.as_ref().map(evm::receipt_in_short).unwrap_or_default()
}

/// Summarises the proven event in words and values.
#[must_use]
pub fn event_in_short(event: &ProvenEvent, log_index: u32) -> (String, Vec<Named>) {
    match event {
        ProvenEvent::Log(proven) => evm::log_in_short(proven, log_index),
        ProvenEvent::Output(proven) => bitcoin::output_in_short(proven, log_index),
        ProvenEvent::Operation(proven) => icp::operation_in_short(proven),
        ProvenEvent::OfVersion(proven) => aptos::event_in_short(proven, log_index),
        ProvenEvent::List(proven) => polkadot::list_in_short(proven, log_index),
        ProvenEvent::Move(proven) => sui::event_in_short(proven, log_index),
    }
}
