//! Aptos family objects, from proven bytes.
//!
//! ```text
//! version transactionInfo siblings    the info, under the root after the block
//! rawEvent eventSiblings              one of its events, under the info's event root
//! ```

pub(in crate::proof) mod body;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction, ProvenVersionEvent};
use superroot_proof::ledger::aptos::{
    DEPTH_MAX, Event, EventWay, ExecutionStatus, Header, Info, VersionProof,
};
use superroot_types::Hash;

use super::spelling::HashSpelling;
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{
    AptosEntry, AptosEvent, AptosHeader, AptosTransaction, EventPart, LedgerEntry, ObjectForm,
    ProvenEntry,
};
use crate::{Hex, WireError};

/// Event proof members that no hash shows.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &[];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = None;

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = Some(
    "Aptos has no tree of receipts: the info, which is the transaction's leaf, says \
                           what came of it, and has the root of its events",
);

/// Renders the header: only the root.
pub(super) fn header(header: &Header, _: &Hash, _: ObjectForm) -> Value {
    value(&AptosHeader { accumulator_root_hash: header.root })
}

/// Renders level 1: info and event, with decoded content.
pub(super) fn entry(proof: &VersionProof, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let proven = facts.transaction.as_ref();
    let event = proof.event.as_ref();
    ProvenEntry {
        transactions_root: facts.transactions_root,
        siblings: Some(proof.siblings.iter().map(|one| Hex(one.0.to_vec())).collect()),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: proven
            .and_then(|proven| transaction(proven, proof.version))
            .map(|one| value(&one).into()),
        of_ledger: Some(LedgerEntry::Aptos(AptosEntry {
            version: proof.version,
            block_bound: facts.block_bound,
            transaction_info: Hex(proof.info.clone()),
            raw_event: event.map(|way| Hex(way.event.clone())),
            event_siblings: event.map(|way| way.siblings.clone()),
        })),
        ..ProvenEntry::default()
    }
}

/// Renders the event.
pub(super) fn event(
    proven: &ProvenVersionEvent,
    place: EventPlace,
    _: &Facts,
    _: ObjectForm,
) -> EventPart {
    let (log_index, log_index_in_block) = place;
    let ProvenVersionEvent { raw, event_root } = proven.clone();
    let read = Event::decode(&raw).ok();
    let account = read.as_ref().and_then(|event| event.handle).map(|handle| handle.account);
    let (type_name, data) = read.map(|event| (event.type_name, Hex(event.data))).unzip();
    let raw = Hex(raw);
    let event = AptosEvent {
        log_index,
        log_index_in_block,
        raw,
        type_name,
        data,
        account,
        event_root_hash: event_root,
    };
    EventPart { event: value(&event).into(), bloom: None }
}

fn transaction(proven: &ProvenTransaction, version: u64) -> Option<AptosTransaction> {
    let info = Info::decode(&proven.raw).ok()?;
    let (code, reason) = match &info.status {
        ExecutionStatus::MoveAbort { code, reason } => (Some(*code), reason.clone()),
        ExecutionStatus::Miscellaneous { code } => (*code, None),
        ExecutionStatus::Success
        | ExecutionStatus::OutOfGas
        | ExecutionStatus::ExecutionFailure => (None, None),
    };
    Some(AptosTransaction {
        hash: proven.hash,
        version,
        success: info.status == ExecutionStatus::Success,
        status: info.status.name(),
        status_code: code.map(|code| code.to_string()),
        abort_reason: reason,
        gas_used: info.gas_used.to_string(),
        event_root_hash: info.event_root,
        state_change_hash: info.state_change_hash,
        state_checkpoint_hash: info.state_checkpoint_hash,
    })
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &VersionProof, _: &Facts) -> bool {
    // the leaf says so
    true
}

/// Parses the info and event.
pub(super) fn parse_entry(root: &Member<'_>, _: ProofSubject) -> Result<VersionProof, WireError> {
    let event = match root.optional("rawEvent")? {
        Some(event) => Some(EventWay {
            event: event.bytes()?,
            siblings: root.get("eventSiblings")?.hashes(DEPTH_MAX)?,
        }),
        None => None,
    };
    Ok(VersionProof {
        version: root.get("version")?.integer()?,
        info: root.get("transactionInfo")?.bytes()?,
        siblings: root.get("siblings")?.hashes(DEPTH_MAX)?,
        event,
    })
}

/// Lists the unverified content of a proof.
pub(super) fn parts(proof: &VersionProof) -> Vec<(&'static str, Vec<Named>)> {
    let figures = |bytes: &[u8], siblings: &[Hash]| {
        vec![("leaf_bytes", json!(bytes.len())), ("sibling_count", json!(siblings.len()))]
    };
    let mut version = figures(&proof.info, &proof.siblings);
    version.insert(0, ("version", json!(proof.version)));
    let event = proof.event.as_ref();
    let event = event.map(|way| ("way of the event", figures(&way.event, &way.siblings)));
    [("way of the version", version)].into_iter().chain(event).collect()
}

/// Summarises the outcome of a transaction.
pub(super) fn transaction_in_short(
    proof: &VersionProof,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    let mut members = vec![("version", json!(proof.version))];
    let read = transaction(proven, proof.version);
    members.extend(read.map(|read| ("status", json!(read.status))));
    members
}

/// Summarises the proven event in words and values.
pub(super) fn event_in_short(proven: &ProvenVersionEvent, log_index: u32) -> (String, Vec<Named>) {
    let mut members = vec![
        ("event_root_hash", json!(proven.event_root)),
        ("raw", json!(Hex(proven.raw.clone()))),
    ];
    let read = Event::decode(&proven.raw).ok();
    members.extend(read.map(|event| ("type", json!(event.type_name))));
    (format!("event {log_index}"), members)
}

fn value(part: &impl Serialize) -> Value {
    crate::case::write(part, crate::Case::Camel)
}
