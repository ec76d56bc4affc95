//! Level 1 in the Polkadot family: trie nodes for the extrinsic and, for an event, the block's event list.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::scale::compact;
use super::verify::{first_node_hash, verify};
use super::{EVENTS_KEY, extrinsic, record_count, transaction_hash};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent,
    ProvenEventList, ProvenTransaction, ShownFacts,
};

/// Most extrinsic nodes: the key has at most ten nibbles, and the value may be separate.
pub const EXTRINSIC_NODES_MAX: usize = 12;

/// Most event list nodes: the key has 64 nibbles, and the value may be separate.
pub const EVENTS_NODES_MAX: usize = 66;

const EXTRINSICS: &str = "extrinsics trie";
const STATE: &str = "state trie";

/// Trie nodes from a header root down to a key, a separate value last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtrinsicProofs {
    /// Nodes in the extrinsics trie, down to the position.
    pub extrinsic: Vec<Vec<u8>>,
    /// Nodes in the state trie, down to [`EVENTS_KEY`]; only in event proofs.
    pub events: Option<Vec<Vec<u8>>>,
}

impl EntryForm for ExtrinsicProofs {
    type Header = Header;

    /// An event's record position and source extrinsic need the runtime's metadata.
    fn bound_indexes(subject: ProofSubject) -> BoundIndexes {
        match subject {
            ProofSubject::Log { .. } => BoundIndexes::NONE,
            ProofSubject::Block
            | ProofSubject::Transaction { .. }
            | ProofSubject::Absence { .. } => BoundIndexes::ALL,
        }
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match (subject, &self.events) {
            (ProofSubject::Log { .. }, None) => {
                Err(LedgerError::Parts { what: "the list of events is missing" })
            }
            (
                ProofSubject::Block
                | ProofSubject::Transaction { .. }
                | ProofSubject::Absence { .. },
                Some(_),
            ) => Err(LedgerError::Parts {
                what: "a list of events is there, of which nothing is said",
            }),
            _ => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: self.events.is_some() }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        let extrinsics_root = root(header.map(|header| header.extrinsics_root), &self.extrinsic)
            .map_err(|cause| LedgerError::Trie { trie: EXTRINSICS, cause })?;
        let mut shown =
            ShownFacts { transactions_root: Some(extrinsics_root), ..ShownFacts::default() };
        let Some(tx_index) = subject.tx_index() else { return Ok(shown) };
        let leaf = verify(&extrinsics_root, &compact(tx_index.into()), &self.extrinsic)
            .map_err(|cause| LedgerError::Trie { trie: EXTRINSICS, cause })?;
        let leaf = match (leaf, subject) {
            (None, ProofSubject::Absence { .. }) => return Ok(shown),
            (Some(_), ProofSubject::Absence { .. }) => {
                return Err(LedgerError::SomethingThere { trie: EXTRINSICS, tx_index });
            }
            (None, _) => return Err(LedgerError::NothingThere { trie: EXTRINSICS, tx_index }),
            (Some(leaf), _) => leaf,
        };
        extrinsic(leaf).ok_or(LedgerError::Field { field: "extrinsic length" })?;
        let hash = transaction_hash(leaf);
        let raw = leaf.to_vec();
        shown.transaction = Some(ProvenTransaction { hash, raw });
        if let (ProofSubject::Log { log_index, .. }, Some(nodes)) = (subject, &self.events) {
            let list = event_list(header.map(|header| header.state_root), nodes)?;
            let count = list.record_count;
            if usize::try_from(log_index).is_ok_and(|log_index| log_index >= count) {
                return Err(LedgerError::RecordIndex { log_index, count });
            }
            shown.event = Some(ProvenEvent::List(list));
        }
        Ok(shown)
    }

    /// `count:u8 ‖ (length:u32 ‖ node)*` for the extrinsic, then for the event list, if present.
    fn encode(&self, out: &mut Vec<u8>) {
        put_nodes(out, &self.extrinsic);
        self.events.iter().for_each(|nodes| put_nodes(out, nodes));
    }

    fn decode(
        _: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if !parts.transaction {
            return Err(MalformedEntry::Parts);
        }
        let mut read = |max, part| nodes(reader, max).ok_or(MalformedEntry::Part(part));
        let extrinsic = read(EXTRINSIC_NODES_MAX, EXTRINSICS)?;
        let events = parts.receipt.then(|| read(EVENTS_NODES_MAX, STATE)).transpose()?;
        Ok(Self { extrinsic, events })
    }
}

/// Header root or, without a header, the root from the nodes.
fn root(of_header: Option<Hash>, nodes: &[Vec<u8>]) -> Result<Hash, crate::mpt::MptError> {
    of_header.map_or_else(|| first_node_hash(nodes), Ok)
}

pub(super) fn event_list(
    state_root: Option<Hash>,
    nodes: &[Vec<u8>],
) -> Result<ProvenEventList, LedgerError> {
    let wrong = |cause| LedgerError::Trie { trie: STATE, cause };
    let state_root = root(state_root, nodes).map_err(wrong)?;
    let value = verify(&state_root, &EVENTS_KEY, nodes).map_err(wrong)?;
    let value = value.ok_or(LedgerError::Parts { what: "the state has no list of events" })?;
    let record_count = record_count(value).ok_or(LedgerError::Field { field: "System.Events" })?;
    Ok(ProvenEventList { state_root, value: value.to_vec(), record_count })
}

pub(super) fn put_nodes(out: &mut Vec<u8>, nodes: &[Vec<u8>]) {
    out.push(u8::try_from(nodes.len()).unwrap_or(0));
    nodes.iter().for_each(|node| put_long(out, node));
}

pub(super) fn nodes(reader: &mut ByteReader<'_>, max: usize) -> Option<Vec<Vec<u8>>> {
    let count = usize::from(reader.u8()?);
    if count > max {
        return None;
    }
    (0..count).map(|_| reader.long().map(<[u8]>::to_vec)).collect()
}
