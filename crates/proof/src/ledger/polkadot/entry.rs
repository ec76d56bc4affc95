//! Level 1 of the Polkadot family: trie nodes of the extrinsic and, of an event, of the block's list of
//! events.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::header::Header;
use super::scale::compact;
use super::verify::{first_node_hash, verify};
use super::{EVENTS_KEY, extrinsic, record_count, transaction_hash};
use crate::codec::{Reader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProvenEvent, ProvenEventList,
    ProvenTransaction, Shown, Subject,
};

/// Most nodes of an extrinsic: its key has at most ten nibbles, and its value may stand apart.
pub const EXTRINSIC_NODES_MAX: usize = 12;

/// Most nodes of the list of events: its key has 64 nibbles, and its value may stand apart.
pub const EVENTS_NODES_MAX: usize = 66;

const EXTRINSICS: &str = "extrinsics trie";
const STATE: &str = "state trie";

/// Trie nodes from a root of the header down to a key, a value that stands apart last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtrinsicProofs {
    /// In the trie of the extrinsics, to the position.
    pub extrinsic: Vec<Vec<u8>>,
    /// In the trie of the state, to [`EVENTS_KEY`]; there in the proof of an event, and in no other.
    pub events: Option<Vec<Vec<u8>>>,
}

impl EntryForm for ExtrinsicProofs {
    type Header = Header;

    /// Which record of the list an event is, and which extrinsic brought it about, takes the
    /// runtime's metadata.
    fn bound_indexes(subject: Subject) -> BoundIndexes {
        match subject {
            Subject::Log { .. } => BoundIndexes::NONE,
            Subject::Block | Subject::Transaction { .. } | Subject::Absence { .. } => {
                BoundIndexes::ALL
            }
        }
    }

    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        true
    }

    fn check_parts(&self, subject: Subject) -> Result<(), LedgerError> {
        match (subject, &self.events) {
            (Subject::Log { .. }, None) => {
                Err(LedgerError::Parts { what: "the list of events is missing" })
            }
            (Subject::Block | Subject::Transaction { .. } | Subject::Absence { .. }, Some(_)) => {
                Err(LedgerError::Parts {
                    what: "a list of events is there, of which nothing is said",
                })
            }
            _ => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: self.events.is_some() }
    }

    fn check(&self, subject: Subject, header: Option<&Header>) -> Result<Shown, LedgerError> {
        let extrinsics_root = root(header.map(|header| header.extrinsics_root), &self.extrinsic)
            .map_err(|cause| LedgerError::Trie { trie: EXTRINSICS, cause })?;
        let mut shown = Shown { transactions_root: Some(extrinsics_root), ..Shown::default() };
        let Some(tx_index) = subject.tx_index() else { return Ok(shown) };
        let leaf = verify(&extrinsics_root, &compact(tx_index.into()), &self.extrinsic)
            .map_err(|cause| LedgerError::Trie { trie: EXTRINSICS, cause })?;
        let leaf = match (leaf, subject) {
            (None, Subject::Absence { .. }) => return Ok(shown),
            (Some(_), Subject::Absence { .. }) => {
                return Err(LedgerError::SomethingThere { trie: EXTRINSICS, tx_index });
            }
            (None, _) => return Err(LedgerError::NothingThere { trie: EXTRINSICS, tx_index }),
            (Some(leaf), _) => leaf,
        };
        extrinsic(leaf).ok_or(LedgerError::Field { field: "extrinsic length" })?;
        let (hash, raw) = (transaction_hash(leaf), leaf.to_vec());
        shown.transaction = Some(ProvenTransaction { hash, raw });
        if let (Subject::Log { log_index, .. }, Some(nodes)) = (subject, &self.events) {
            let list = event_list(header.map(|header| header.state_root), nodes)?;
            let count = list.record_count;
            if usize::try_from(log_index).is_ok_and(|log_index| log_index >= count) {
                return Err(LedgerError::RecordIndex { log_index, count });
            }
            shown.event = Some(ProvenEvent::List(list));
        }
        Ok(shown)
    }

    /// `count:u8 ‖ (length:u32 ‖ node)*` of the extrinsic, then of the list of events, where it is there.
    fn encode(&self, out: &mut Vec<u8>) {
        put_nodes(out, &self.extrinsic);
        self.events.iter().for_each(|nodes| put_nodes(out, nodes));
    }

    fn decode(
        _: Subject,
        parts: EntryParts,
        reader: &mut Reader<'_>,
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

/// The header's root or, without a header, the one that the nodes lead to.
fn root(of_header: Option<Hash>, nodes: &[Vec<u8>]) -> Result<Hash, crate::mpt::MptError> {
    of_header.map_or_else(|| first_node_hash(nodes), Ok)
}

/// The list of events under a state root, with its count.
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

pub(super) fn nodes(reader: &mut Reader<'_>, max: usize) -> Option<Vec<Vec<u8>>> {
    let count = usize::from(reader.u8()?);
    if count > max {
        return None;
    }
    (0..count).map(|_| reader.long().map(<[u8]>::to_vec)).collect()
}
