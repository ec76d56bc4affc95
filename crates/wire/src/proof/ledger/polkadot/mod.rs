//! Polkadot family objects, from proven bytes. Hashes are in hashing form, as in explorers; addresses are omitted,
//! because decoding requires the runtime's metadata.
//!
//! ```text
//! transactionsRoot siblings rawTransaction   the extrinsic, under the header's extrinsics root
//! stateRoot eventSiblings event { .. }       of an event: the list of all, under the header's state root
//! ```

pub(in crate::proof) mod body;

use serde::Serialize;
use serde_json::{Value, json};
use superroot_proof::bundle::{
    ExtrinsicProofs, Facts, ProofSubject, ProvenEvent, ProvenEventList, ProvenTransaction,
};
use superroot_proof::hash::blake2b_256;
use superroot_proof::ledger::polkadot::{EVENTS_NODES_MAX, EXTRINSIC_NODES_MAX, Header, extrinsic};
use superroot_types::Hash;

use super::spelling::HashSpelling;
use super::{EventPlace, Named};
use crate::member::Member;
use crate::proof::body::{
    EventPart, LedgerEntry, ObjectForm, PolkadotDigest, PolkadotEntry, PolkadotEvent,
    PolkadotHeader, PolkadotTransaction, ProvenEntry,
};
use crate::proof::hex::hex;
use crate::{Hex, WireError};

/// Event proof members that no hash shows: the selected record, and the record's extrinsic.
pub(super) const UNSHOWN_OF_EVENTS: &[&str] = &["event.logIndex", "transactionIndex"];

/// Hashes in explorers.
pub(super) const SPELLING: Option<HashSpelling> = None;

/// Entry members that are only claims where no hash binds the position.
pub(super) const CLAIMED_WITH_INDEX: &[&str] = &[];

/// Why the ledger has no receipts root.
pub(super) const NO_RECEIPTS: Option<&str> = Some(
    "no tree of receipts is in a header of Polkadot: what came of an extrinsic stands among the events of \
                                  the block, under the state root",
);

/// Renders the header fields.
pub(super) fn header(header: &Header, block_hash: &Hash, _: ObjectForm) -> Value {
    value(&PolkadotHeader {
        hash: *block_hash,
        parent_hash: header.parent_hash,
        number: format!("{:#x}", header.number),
        state_root: header.state_root,
        extrinsics_root: header.extrinsics_root,
        digest: PolkadotDigest { logs: header.digest.iter().cloned().map(Hex).collect() },
    })
}

/// Renders level 1: tries, with decoded content.
pub(super) fn entry(proofs: &ExtrinsicProofs, facts: &Facts, form: ObjectForm) -> ProvenEntry {
    let list = |nodes: &Vec<Vec<u8>>| nodes.iter().cloned().map(Hex).collect();
    let proven = facts.transaction.as_ref();
    let state_root = match &facts.event {
        Some(ProvenEvent::List(list)) => Some(list.state_root),
        Some(_) | None => None,
    };
    ProvenEntry {
        transactions_root: facts.transactions_root,
        siblings: Some(list(&proofs.extrinsic)),
        transaction_hash: proven.map(|proven| proven.hash),
        raw_transaction: proven
            .filter(|proven| form.spells(&proven.raw))
            .map(|proven| Hex(proven.raw.clone())),
        transaction: proven
            .and_then(|proven| transaction(proven, facts))
            .map(|one| value(&one).into()),
        of_ledger: Some(LedgerEntry::Polkadot(PolkadotEntry {
            state_root,
            event_siblings: proofs.events.as_ref().map(list),
        })),
        ..ProvenEntry::default()
    }
}

/// Renders the event list, with the selected event.
pub(super) fn event(
    proven: &ProvenEventList,
    place: EventPlace,
    _: &Facts,
    form: ObjectForm,
) -> EventPart {
    let (log_index, log_index_in_block) = place;
    let ProvenEventList { value: list, record_count, .. } = proven;
    let record_count = *record_count;
    let list = form.spells(list).then(|| Hex(list.clone()));
    let event = PolkadotEvent { log_index, log_index_in_block, record_count, list };
    EventPart { event: value(&event).into(), bloom: None }
}

/// Decodes the first bytes of an extrinsic; `None` for an unknown format.
fn transaction(proven: &ProvenTransaction, facts: &Facts) -> Option<PolkadotTransaction> {
    let (first, rest) = extrinsic(&proven.raw)?.split_first()?;
    let kind = match (first >> 6, first & 0x3f) {
        (0, 4 | 5) => "bare",
        (1, 5) => "general",
        (2, 4) => "signed",
        _ => return None,
    };
    let call = |at: usize| rest.get(at).copied().filter(|_| kind == "bare");
    Some(PolkadotTransaction {
        hash: proven.hash,
        transaction_index: facts.statement.subject.tx_index(),
        format: first & 0x3f,
        kind,
        pallet: call(0),
        call: call(1),
    })
}

/// Whether the proof shows the transaction outcome (success or failure).
pub(super) const fn shows_outcome(_: &ExtrinsicProofs, _: &Facts) -> bool {
    false
}

/// Parses the tries.
pub(super) fn parse_entry(
    root: &Member<'_>,
    _: ProofSubject,
) -> Result<ExtrinsicProofs, WireError> {
    let extrinsic = root.get("siblings")?.byte_strings(EXTRINSIC_NODES_MAX)?;
    let events = root.optional("eventSiblings")?;
    let events = events.map(|nodes| nodes.byte_strings(EVENTS_NODES_MAX)).transpose()?;
    Ok(ExtrinsicProofs { extrinsic, events })
}

/// Lists the unverified content of a proof: each trie, with node figures.
pub(super) fn parts(proofs: &ExtrinsicProofs) -> Vec<(&'static str, Vec<Named>)> {
    let events = proofs.events.as_ref().map(|nodes| ("state trie", nodes));
    let tries = [Some(("extrinsics trie", &proofs.extrinsic)), events];
    tries.into_iter().flatten().map(|(what, nodes)| (what, figures(nodes))).collect()
}

fn figures(nodes: &[Vec<u8>]) -> Vec<Named> {
    let bytes: usize = nodes.iter().map(Vec::len).sum();
    vec![
        ("node_count", json!(nodes.len())),
        ("node_bytes", json!(bytes)),
        ("first_node_hash", json!(nodes.first().map(|node| blake2b_256(node)))),
    ]
}

/// Summarises the transaction bytes.
pub(super) fn transaction_in_short(
    _: &ExtrinsicProofs,
    proven: &ProvenTransaction,
    facts: &Facts,
) -> Vec<Named> {
    let read = transaction(proven, facts);
    read.map(|read| vec![("format", json!(read.format)), ("kind", json!(read.kind))])
        .unwrap_or_default()
}

/// Summarises the event in words, with the proven values.
pub(super) fn event_in_short(proven: &ProvenEventList, log_index: u32) -> (String, Vec<Named>) {
    let ProvenEventList { state_root, value: list, record_count } = proven;
    let members = vec![
        ("state_root", json!(state_root)),
        ("record_count", json!(record_count)),
        ("list", hex(list)),
    ];
    (
        format!(
            "the block's events, {record_count} in all, of which event {log_index} is said to be one"
        ),
        members,
    )
}

fn value(part: &impl Serialize) -> Value {
    crate::case::write(part, crate::Case::Camel)
}
