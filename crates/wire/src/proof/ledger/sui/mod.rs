//! Sui family objects, from proven bytes. Digests are 0x hex, each with the base58 explorer form.
//!
//! ```text
//! rawContents       the checkpoint's list, whole: it shows the position and transactionCount
//! rawTransaction    the transaction at the position
//! rawEffects        what came of it
//! rawEvents         its events, in the proof of one
//! ```

pub(in crate::proof) mod body;

use serde_json::{Value, json};
use superroot_proof::bundle::{Facts, ProofSubject, ProvenTransaction};
use superroot_proof::ledger::ProvenMoveEvent;
use superroot_proof::ledger::sui::{
    Contents, ContentsProof, Effects, Event, Header, TransactionEffects, effects_digest,
};
use superroot_types::Hash;

use super::spelling::{self, HashSpelling};
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{
    EventPart, LedgerEntry, ObjectForm, ProvenEntry, SuiEffects, SuiEntry, SuiEvent, SuiHeader,
    SuiTransaction,
};
use crate::{Hex, WireError};

/// Event proof members that no hash shows.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &[];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = Some(spelling::BASE58);

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = Some(
    "a checkpoint of Sui has no tree of receipts: its contents name the digest of \
                           each transaction's effects, and these the digest of its events",
);

/// Returns a digest in explorer form.
#[must_use]
pub(super) fn base58(hash: &Hash) -> String {
    bs58::encode(hash.0).into_string()
}

/// Renders the summary fields.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    json!(SuiHeader {
        hash: *block_hash,
        explorer_hash: base58(block_hash),
        parent_hash: header.previous_digest.unwrap_or(Hash::ZERO),
        number: header.sequence_number,
        epoch: header.epoch,
        timestamp_ms: header.timestamp_ms,
        content_digest: header.content_digest,
        network_total_transactions: header.network_total_transactions,
        ends_epoch: header.ends_epoch,
    })
}

/// Renders level 1: list, with decoded content.
pub(super) fn entry(proof: &ContentsProof, facts: &Facts, _: ObjectForm) -> ProvenEntry {
    let proven = facts.transaction.as_ref();
    let outcome = proof.outcome.as_ref();
    let events = outcome.and_then(|outcome| outcome.events.clone());
    let transaction = proven.map(|proven| {
        json!(SuiTransaction {
            hash: proven.hash,
            digest: base58(&proven.hash),
            transaction_index: facts.statement.subject.tx_index(),
        })
    });
    ProvenEntry {
        transactions_root: facts.transactions_root,
        raw_transaction: proven.map(|proven| Hex(proven.raw.clone())),
        transaction_hash: proven.map(|proven| proven.hash),
        transaction: transaction.map(Value::into),
        of_ledger: Some(LedgerEntry::Sui(SuiEntry {
            transaction_digest: proven.map(|proven| base58(&proven.hash)),
            transaction_count: facts.tx_count.unwrap_or(0),
            raw_contents: Hex(proof.contents.clone()),
            raw_effects: outcome.map(|outcome| Hex(outcome.effects.clone())),
            effects: outcome.and_then(effects),
            raw_events: events.map(Hex),
        })),
        ..ProvenEntry::default()
    }
}

fn effects(outcome: &TransactionEffects) -> Option<SuiEffects> {
    let read = Effects::decode(&outcome.effects).ok()?;
    let hash = effects_digest(&outcome.effects);
    Some(SuiEffects {
        hash,
        digest: base58(&hash),
        status: status(&read),
        events_digest: read.events_digest.as_ref().map(base58),
    })
}

const fn status(effects: &Effects) -> &'static str {
    if effects.is_success { "success" } else { "failure" }
}

/// Renders an event; events have no bloom bits.
pub(super) fn event(
    proven: &ProvenMoveEvent,
    place: EventPlace,
    _: &Facts,
    _: ObjectForm,
) -> EventPart {
    let (log_index, log_index_in_block) = place;
    let Event { package, module, sender, type_name, contents } = proven.event.clone();
    let event = SuiEvent {
        log_index,
        log_index_in_block,
        package_id: package,
        module,
        sender,
        type_name,
        contents: Hex(contents),
        transaction_hash: proven.transaction_hash,
    };
    EventPart { event: json!(event).into(), bloom: None }
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(proof: &ContentsProof, _: &Facts) -> bool {
    proof.outcome.is_some()
}

/// Parses the parts required for the subject.
pub(super) fn parse_entry(
    root: &Member<'_>,
    subject: ProofSubject,
) -> Result<ContentsProof, WireError> {
    let contents = root.get("rawContents")?.bytes()?;
    let optional = |name| root.optional(name)?.map(|part| part.bytes()).transpose();
    let mut transaction = None;
    let mut outcome = None;
    match subject {
        ProofSubject::Block | ProofSubject::Absence { .. } => {}
        ProofSubject::Transaction { .. } => {
            transaction = Some(root.get("rawTransaction")?.bytes()?);
            let effects = root.get("rawEffects")?.bytes()?;
            outcome = Some(TransactionEffects { effects, events: None });
        }
        ProofSubject::Log { .. } => {
            transaction = optional("rawTransaction")?;
            let effects = root.get("rawEffects")?.bytes()?;
            outcome =
                Some(TransactionEffects { effects, events: Some(root.get("rawEvents")?.bytes()?) });
        }
    }
    Ok(ContentsProof { contents, transaction, outcome })
}

/// Lists the unverified content of a proof: each part in figures.
pub(super) fn parts(proof: &ContentsProof) -> Vec<(&'static str, Vec<Named>)> {
    let ContentsProof { contents, transaction, outcome } = proof;
    let mut figures = vec![("contents_bytes", json!(contents.len()))];
    if let Ok(read) = Contents::decode(contents) {
        figures.push(("content_digest", json!(base58(&read.digest))));
        figures.push(("transaction_count", json!(read.tx_count())));
    }
    let mut parts = vec![("contents of the checkpoint", figures)];
    if let Some(transaction) = transaction {
        parts.push(("transaction", vec![("transaction_bytes", json!(transaction.len()))]));
    }
    if let Some(TransactionEffects { effects, events }) = outcome {
        let mut figures = vec![("effects_bytes", json!(effects.len()))];
        let read = Effects::decode(effects).ok();
        figures.extend(read.map(|read| ("status", json!(status(&read)))));
        parts.push(("effects", figures));
        let events = events.iter().map(|events| vec![("events_bytes", json!(events.len()))]);
        parts.extend(events.map(|figures| ("events", figures)));
    }
    parts
}

/// Returns the transaction's other names besides the hash, and the outcome.
pub(super) fn transaction_in_short(
    proof: &ContentsProof,
    proven: &ProvenTransaction,
    _: &Facts,
) -> Vec<Named> {
    let hash = &proven.hash;
    let mut members = vec![("transaction_digest", json!(base58(hash)))];
    let read = proof.outcome.as_ref().and_then(|one| Effects::decode(&one.effects).ok());
    members.extend(read.map(|read| ("status", json!(status(&read)))));
    members
}

/// Summarises an event in words and values.
pub(super) fn event_in_short(proven: &ProvenMoveEvent, log_index: u32) -> (String, Vec<Named>) {
    let Event { package, module, sender, type_name, contents } = &proven.event;
    let members = vec![
        ("type", json!(type_name)),
        ("package_id", json!(package)),
        ("module", json!(module)),
        ("sender", json!(sender)),
        ("contents", json!(Hex(contents.clone()))),
    ];
    (format!("event {log_index} of the {}", proven.event_count), members)
}
