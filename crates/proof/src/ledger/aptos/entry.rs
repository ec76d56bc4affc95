//! Level 1: a version's info path to the root, and an event's path to the info.

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, Network};

use super::accumulator::{DEPTH_MAX, Tree, root_of, root_of_path};
use super::header::Header;
use super::info::{INFO_BYTES_MAX, Info};
use super::{EVENT_BYTES_MAX, NO_ABSENCE, event_hash, info_hash};
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::EntryForm;
use crate::ledger::shown::ProvenVersionEvent;
use crate::ledger::{
    BoundIndexes, EntryParts, LedgerError, MalformedEntry, ProofSubject, ProvenEvent,
    ProvenTransaction, ShownFacts,
};

const TREE: &str = "transaction accumulator";

/// Version under the root. Its place in the block is not shown: the statement's `tx_index` is only the service's claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionProof {
    /// Version: position among all chain versions, shown by the path.
    pub version: u64,
    /// Version info in BCS.
    pub info: Vec<u8>,
    /// Siblings from the leaf upward.
    pub siblings: Vec<Hash>,
    /// Event, in an event proof.
    pub event: Option<EventWay>,
}

/// Event path to the info's event root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventWay {
    /// Event in BCS.
    pub event: Vec<u8>,
    /// Siblings from the leaf upward.
    pub siblings: Vec<Hash>,
}

impl EntryForm for VersionProof {
    type Header = Header;

    fn bound_indexes(_: ProofSubject) -> BoundIndexes {
        BoundIndexes::EVENT
    }

    /// Always false: the root covers the versions in all earlier blocks, without block boundaries.
    fn shows_block(&self, _: (ChainKey, BlockNumber), _: Network) -> bool {
        false
    }

    fn check_parts(&self, subject: ProofSubject) -> Result<(), LedgerError> {
        match (subject, &self.event) {
            (ProofSubject::Absence { .. }, _) => Err(LedgerError::NotProvable(NO_ABSENCE)),
            (ProofSubject::Log { .. }, None) => {
                Err(LedgerError::Parts { what: "the event is missing" })
            }
            (ProofSubject::Block | ProofSubject::Transaction { .. }, Some(_)) => {
                Err(LedgerError::Parts { what: "an event is there that is not asked for" })
            }
            (ProofSubject::Log { .. }, Some(_))
            | (ProofSubject::Block | ProofSubject::Transaction { .. }, None) => Ok(()),
        }
    }

    fn parts(&self) -> EntryParts {
        EntryParts { transaction: true, receipt: self.event.is_some() }
    }

    fn check(
        &self,
        subject: ProofSubject,
        header: Option<&Header>,
    ) -> Result<ShownFacts, LedgerError> {
        self.check_parts(subject)?;
        let expected = header.map(|header| header.root);
        let mut shown = ShownFacts { transactions_root: expected, ..ShownFacts::default() };
        if subject == ProofSubject::Block {
            return Ok(shown);
        }
        let info = Info::decode(&self.info)?;
        let got = root_of_path(&info_hash(&self.info), self.version, &self.siblings);
        let got = got.ok_or(LedgerError::Field { field: "version" })?;
        if let Some(expected) = expected.filter(|expected| *expected != got) {
            return Err(LedgerError::Mismatch {
                what: "root of the transaction accumulator",
                got,
                expected,
            });
        }
        shown.transactions_root = Some(got);
        shown.transaction =
            Some(ProvenTransaction { hash: info.transaction_hash, raw: self.info.clone() });
        if let (ProofSubject::Log { log_index, .. }, Some(way)) = (subject, &self.event) {
            shown.event = Some(ProvenEvent::OfVersion(shown_event(way, log_index, &info)?));
        }
        Ok(shown)
    }

    /// `version:u64 ‖ length:u32 ‖ info ‖ count:u8 ‖ sibling*`, and for an event `length:u32 ‖ event ‖ count:u8 ‖
    /// sibling*`.
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.version.to_be_bytes());
        put_way(out, &self.info, &self.siblings);
        if let Some(EventWay { event, siblings }) = &self.event {
            put_way(out, event, siblings);
        }
    }

    fn decode(
        _: ProofSubject,
        parts: EntryParts,
        reader: &mut ByteReader<'_>,
    ) -> Result<Self, MalformedEntry> {
        if !parts.transaction {
            return Err(MalformedEntry::Parts);
        }
        let malformed = MalformedEntry::Part;
        let version = reader.u64().ok_or(malformed(TREE))?;
        let (info, siblings) = way(reader, INFO_BYTES_MAX).ok_or(malformed(TREE))?;
        let event = match parts.receipt {
            true => Some(way(reader, EVENT_BYTES_MAX).ok_or(malformed("event accumulator"))?),
            false => None,
        };
        let event = event.map(|(event, siblings)| EventWay { event, siblings });
        Ok(Self { version, info, siblings, event })
    }
}

fn shown_event(
    way: &EventWay,
    log_index: u32,
    info: &Info,
) -> Result<ProvenVersionEvent, LedgerError> {
    let leaf = event_hash(&way.event);
    let got = root_of(Tree::Events, &leaf, log_index.into(), &way.siblings);
    let got = got.ok_or(LedgerError::Field { field: "log index" })?;
    let expected = info.event_root;
    if got != expected {
        return Err(LedgerError::Mismatch { what: "root of the event accumulator", got, expected });
    }
    Ok(ProvenVersionEvent { raw: way.event.clone(), event_root: expected })
}

fn put_way(out: &mut Vec<u8>, leaf: &[u8], siblings: &[Hash]) {
    put_long(out, leaf);
    out.push(u8::try_from(siblings.len()).unwrap_or(u8::MAX));
    siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
}

fn way(reader: &mut ByteReader<'_>, bytes_max: usize) -> Option<(Vec<u8>, Vec<Hash>)> {
    let leaf = reader.long().filter(|leaf| leaf.len() <= bytes_max)?.to_vec();
    let count = usize::from(reader.u8()?);
    if count > DEPTH_MAX {
        return None;
    }
    let siblings = (0..count).map(|_| reader.hash()).collect::<Option<Vec<Hash>>>()?;
    Some((leaf, siblings))
}
