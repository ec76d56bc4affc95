//! Block tries, whole or reduced, for proof generation.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use superroot_types::Hash;

use super::entry::{EVENTS_NODES_MAX, ExtrinsicProofs, event_list, nodes, put_nodes};
use super::header::Header;
use super::scale::compact;
use super::transaction_hash;
use super::trie::Trie;
use crate::codec::{ByteReader, put_long};
use crate::ledger::form::BodyForm;
use crate::ledger::{BodyFault, CannotKeep, EventOffsets, Extent, NoEntry, ProofSubject};
use crate::mpt::MptError;

/// Block extrinsics trie and, if fetched, the path from the state root to the event list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockTries {
    /// Extrinsics trie.
    pub extrinsics: Trie,
    /// Nodes from the state root down, a separate event list last.
    pub events: Option<Vec<Vec<u8>>>,
}

impl BlockTries {
    fn leaf(&self, tx_index: u32) -> Result<Option<&[u8]>, MptError> {
        self.extrinsics.get(&compact(tx_index.into()))
    }

    fn check_record(&self, log_index: u32) -> Result<(), NoEntry> {
        let nodes = self.events.as_ref().ok_or(NoEntry::NotHeld { part: "events" })?;
        let list = event_list(None, nodes).map_err(|error| NoEntry::damaged(&error))?;
        NoEntry::check_event(log_index, list.record_count, "event", "block")
    }
}

impl BodyForm for BlockTries {
    type Header = Header;
    type Entry = ExtrinsicProofs;

    fn extent(&self) -> Extent {
        Extent { transactions: true, receipts: self.events.is_some() }
    }

    fn byte_count(&self) -> usize {
        let events = self.events.iter().flatten().map(Vec::len);
        self.extrinsics.nodes().map(<[u8]>::len).chain(events).sum()
    }

    fn keep(&self, tx_indexes: &[u32], tx_count: u32) -> Result<Self, CannotKeep> {
        if tx_indexes.last().is_some_and(|last| *last >= tx_count) {
            return Err(CannotKeep::NoSuchEntry);
        }
        let mut nodes = BTreeSet::new();
        for index in tx_indexes.iter().chain([&tx_count]) {
            let path = self.extrinsics.prove(&compact((*index).into()));
            nodes.extend(path.map_err(|_| CannotKeep::NoSuchEntry)?);
        }
        let extrinsics = Trie::from_nodes(self.extrinsics.root(), nodes);
        Ok(Self { extrinsics, events: self.events.clone() })
    }

    fn transaction_leaves(&self) -> Option<&[Vec<u8>]> {
        None
    }

    fn transaction_hashes(&self) -> Option<&[Hash]> {
        None
    }

    fn transaction_hash(&self, tx_index: u32) -> Result<Option<Hash>, BodyFault> {
        let leaf = self.leaf(tx_index).map_err(|_| BodyFault::NodeGone)?;
        Ok(leaf.map(transaction_hash))
    }

    /// An event position is already the block position.
    fn event_offsets(&self) -> EventOffsets {
        EventOffsets::OfBlock
    }

    fn check(
        &self,
        header: &Header,
        tx_count: u32,
        is_kept: &dyn Fn(u32) -> bool,
    ) -> Result<u64, BodyFault> {
        if self.extrinsics.root() != header.extrinsics_root {
            return Err(BodyFault::OtherHeader);
        }
        let mut entries = 0_u64;
        for index in (0..tx_count).filter(|index| is_kept(*index)) {
            let leaf = self.leaf(index).map_err(|_| BodyFault::NodeGone)?;
            leaf.ok_or(BodyFault::EntryGone)?;
            entries = entries.saturating_add(1);
        }
        if let Some(nodes) = &self.events {
            event_list(Some(header.state_root), nodes).map_err(|_| BodyFault::OtherHeader)?;
            entries = entries.saturating_add(1);
        }
        Ok(entries)
    }

    fn prove(&self, subject: ProofSubject, _: bool) -> Result<Option<ExtrinsicProofs>, NoEntry> {
        let damaged = |error: MptError| NoEntry::damaged(&error);
        let Some(tx_index) = subject.tx_index() else { return Ok(None) };
        let is_there = self.leaf(tx_index).map_err(damaged)?.is_some();
        let events = match subject {
            ProofSubject::Absence { .. } if is_there => return Err(NoEntry::Present { tx_index }),
            ProofSubject::Absence { .. } => None,
            _ if !is_there => return Err(NoEntry::NoTransaction { tx_index }),
            ProofSubject::Log { log_index, .. } => {
                self.check_record(log_index)?;
                self.events.clone()
            }
            ProofSubject::Block | ProofSubject::Transaction { .. } => None,
        };
        let extrinsic = self.extrinsics.prove(&compact(tx_index.into())).map_err(damaged)?;
        Ok(Some(ExtrinsicProofs { extrinsic, events }))
    }

    /// `root ‖ count:u32 ‖ (length:u32 ‖ node)*`, nodes in hash order; then `00`, or `01 ‖ count:u8 ‖ (length:u32 ‖
    /// node)*` from the state root down.
    fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.byte_count());
        out.extend_from_slice(&self.extrinsics.root().0);
        let count = u32::try_from(self.extrinsics.nodes().len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&count.to_be_bytes());
        self.extrinsics.nodes().for_each(|node| put_long(out, node));
        out.push(u8::from(self.events.is_some()));
        self.events.iter().for_each(|nodes| put_nodes(out, nodes));
    }

    fn decode(reader: &mut ByteReader<'_>) -> Option<Self> {
        let root = reader.hash()?;
        let count = reader.u32()?;
        let mut list = Vec::new(); // grows with what is really there, not with what is claimed
        for _ in 0..count {
            list.push(reader.long()?);
        }
        let extrinsics = Trie::from_nodes(root, &list);
        if !extrinsics.nodes().eq(list) {
            return None;
        }
        let events = match reader.u8()? {
            0 => None,
            1 => Some(nodes(reader, EVENTS_NODES_MAX)?),
            _ => return None,
        };
        Some(Self { extrinsics, events })
    }
}
