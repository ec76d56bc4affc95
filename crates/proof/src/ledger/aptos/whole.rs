//! Whole block's versions, for proof generation.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::accumulator::{AccumulatorRows, Frozen, Tree};
use super::entry::{EventWay, VersionProof};
use super::header::Header;
use super::info::Info;
use super::{EVENT_BYTES_MAX, NO_ABSENCE, event_hash, info_hash};
use crate::codec::{ByteReader, put_long};
use crate::ledger::whole::WholeBody;
use crate::ledger::{LedgerError, NoEntry, ProofSubject};

/// All versions in a block: the state before, each result, and the events where stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AptosVersions {
    before: Frozen,
    infos: Vec<Vec<u8>>,
    hashes: Vec<Hash>,
    events: Vec<Option<Vec<Vec<u8>>>>,
}

/// Why versions do not form a block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionsError {
    /// No versions.
    #[error("there is no version")]
    Empty,
    /// Event list count differs from the version count.
    #[error("{got} lists of events for {expected} versions")]
    Events {
        /// Number of lists.
        got: usize,
        /// Number of versions.
        expected: usize,
    },
    /// Invalid info.
    #[error("info {index}: {cause}")]
    Info {
        /// Version index.
        index: usize,
        /// Cause.
        cause: LedgerError,
    },
    /// Event root differs from the version's info.
    #[error("events of info {index} have the root {got}, expected {expected}")]
    EventRoot {
        /// Version index.
        index: usize,
        /// Computed event root.
        got: Hash,
        /// Event root in the info.
        expected: Hash,
    },
}

impl AptosVersions {
    /// Versions after `before`, with each version's events if stored, under the info's event root.
    ///
    /// # Errors
    /// [`VersionsError`].
    pub fn build(
        before: Frozen,
        infos: Vec<Vec<u8>>,
        events: Vec<Option<Vec<Vec<u8>>>>,
    ) -> Result<Self, VersionsError> {
        if infos.is_empty() {
            return Err(VersionsError::Empty);
        }
        if events.len() != infos.len() {
            return Err(VersionsError::Events { got: events.len(), expected: infos.len() });
        }
        let mut hashes = Vec::with_capacity(infos.len());
        for (index, (info, events)) in infos.iter().zip(&events).enumerate() {
            let read = Info::decode(info).map_err(|cause| VersionsError::Info { index, cause })?;
            hashes.push(read.transaction_hash);
            let Some(events) = events else { continue };
            let got = event_root(events);
            let expected = read.event_root;
            if got != expected {
                return Err(VersionsError::EventRoot { index, got, expected });
            }
        }
        Ok(Self { before, infos, hashes, events })
    }

    /// First version in the block.
    #[must_use]
    pub const fn first_version(&self) -> u64 {
        self.before.count()
    }

    /// Roots after and before the block.
    #[must_use]
    pub fn roots(&self) -> (Hash, Hash) {
        (self.rows().map_or(Hash::ZERO, |rows| rows.root()), self.before.root())
    }

    /// Frozen subtrees after the block.
    #[must_use]
    pub fn after(&self) -> Option<Frozen> {
        self.before.with(&self.leaves())
    }

    fn leaves(&self) -> Vec<Hash> {
        self.infos.iter().map(|info| info_hash(info)).collect()
    }

    fn rows(&self) -> Option<AccumulatorRows> {
        AccumulatorRows::build(Tree::Transactions, &self.before, &self.leaves())
    }

    /// Transaction events in BCS; `None` if not stored.
    #[must_use]
    pub fn events(&self, tx_index: u32) -> Option<&[Vec<u8>]> {
        let at = usize::try_from(tx_index).ok()?;
        self.events.get(at)?.as_deref()
    }

    fn event_way(&self, at: usize, log_index: u32) -> Result<EventWay, NoEntry> {
        let events = self.events.get(at).and_then(Option::as_ref);
        let events = events.ok_or(NoEntry::NotHeld { part: "events" })?;
        let place = usize::try_from(log_index).unwrap_or(usize::MAX);
        NoEntry::check_event(log_index, events.len(), "event", "transaction")?;
        let event = events.get(place).cloned().unwrap_or_default();
        let leaves: Vec<Hash> = events.iter().map(|event| event_hash(event)).collect();
        let rows = AccumulatorRows::build(Tree::Events, &Frozen::empty(), &leaves);
        let siblings = rows.and_then(|rows| rows.siblings(log_index.into()));
        let siblings =
            siblings.ok_or_else(|| NoEntry::damaged(&"an event leads out of the tree"))?;
        Ok(EventWay { event, siblings })
    }
}

/// Root over a version's events.
#[must_use]
pub fn event_root(events: &[Vec<u8>]) -> Hash {
    let leaves: Vec<Hash> = events.iter().map(|event| event_hash(event)).collect();
    AccumulatorRows::root_over(Tree::Events, &leaves)
}

impl WholeBody for AptosVersions {
    type Header = Header;
    type Entry = VersionProof;

    fn has_events(&self) -> bool {
        self.events.iter().all(Option::is_some)
    }

    fn byte_count(&self) -> usize {
        let events = self.events.iter().flatten().flatten();
        self.infos.iter().chain(events).map(Vec::len).fold(0, usize::saturating_add)
    }

    fn leaves(&self) -> &[Vec<u8>] {
        &self.infos
    }

    fn hashes(&self) -> &[Hash] {
        &self.hashes
    }

    fn is_under(&self, header: &Header) -> bool {
        self.roots().0 == header.root
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<VersionProof>, NoEntry> {
        let (tx_index, log_index) = match subject {
            ProofSubject::Block => return Ok(None),
            ProofSubject::Absence { .. } => return Err(NoEntry::NotProvable(NO_ABSENCE)),
            ProofSubject::Transaction { tx_index } => (tx_index, None),
            ProofSubject::Log { tx_index, log_index } => (tx_index, Some(log_index)),
        };
        let at = usize::try_from(tx_index).unwrap_or(usize::MAX);
        let info = self.infos.get(at).cloned().ok_or(NoEntry::NoTransaction { tx_index })?;
        let event = log_index.map(|log_index| self.event_way(at, log_index)).transpose()?;
        let version = self.first_version().saturating_add(u64::from(tx_index));
        let siblings = self.rows().and_then(|rows| rows.siblings(version));
        let siblings =
            siblings.ok_or_else(|| NoEntry::damaged(&"a version leads out of the tree"))?;
        Ok(Some(VersionProof { version, info, siblings, event }))
    }

    /// `first_version:u64 ‖ frozen root* ‖ count:u32 ‖ (length:u32 ‖ info ‖ events)*`, with events `00`, or `01 ‖
    /// count:u32 ‖ (length:u32 ‖ event)*`.
    fn encode(&self, out: &mut Vec<u8>) {
        let count = |list: usize| u32::try_from(list).unwrap_or(u32::MAX).to_be_bytes();
        out.extend_from_slice(&self.before.count().to_be_bytes());
        self.before.roots().iter().for_each(|root| out.extend_from_slice(&root.0));
        out.extend_from_slice(&count(self.infos.len()));
        for (info, events) in self.infos.iter().zip(&self.events) {
            put_long(out, info);
            out.push(u8::from(events.is_some()));
            let Some(events) = events else { continue };
            out.extend_from_slice(&count(events.len()));
            events.iter().for_each(|event| put_long(out, event));
        }
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let first_version = reader.u64()?;
        let roots = (0..first_version.count_ones()).map(|_| reader.hash());
        let before = Frozen::new(first_version, roots.collect::<Option<Vec<Hash>>>()?)?;
        // they grow with what is really there, not with what is claimed
        let mut infos = Vec::new();
        let mut events = Vec::new();
        for _ in 0..reader.u32()? {
            infos.push(reader.long()?.to_vec());
            events.push(match reader.u8()? {
                0 => None,
                1 => Some(list(reader)?),
                _ => return None,
            });
        }
        Self::build(before, infos, events).ok()
    }
}

fn list(reader: &mut ByteReader<'_>) -> Option<Vec<Vec<u8>>> {
    let mut list = Vec::new();
    for _ in 0..reader.u32()? {
        list.push(reader.long().filter(|event| event.len() <= EVENT_BYTES_MAX)?.to_vec());
    }
    Some(list)
}
