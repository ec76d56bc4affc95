//! Members of a scan answer.

use serde::Serialize;
use superroot_proof::scan::{Scan, ScanEvent, ScanFacts, ScanFilter};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Format name of [`ScanShown::scan_blob`].
pub const SCAN_FORMAT: &str = "srscan/1";

/// Event filter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanFilterBody {
    /// Addresses: an event must have one from the list; empty for any emitter.
    pub address: Vec<Hex>,
    /// Topics by position: an event must have one from the list; empty for any topic.
    pub topics: Vec<Vec<Hash>>,
    /// Topics at any position: an event must have all.
    pub topic: Vec<Hash>,
}

/// Matching event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ShownEvent {
    /// Block number.
    pub block_number: BlockNumber,
    /// Block hash.
    pub block_hash: Hash,
    /// Block time by the producer, in Unix seconds.
    pub block_timestamp: u64,
    /// Position in the block.
    pub transaction_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Emitting contract.
    pub address: Hex,
    /// Topics.
    pub topics: Vec<Hash>,
    /// Event data.
    pub data: Hex,
}

/// Result of a scan, which anyone can recompute from `scanBlob`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanShown {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block of this page.
    pub to_block: BlockNumber,
    /// Event filter.
    pub filter: ScanFilterBody,
    /// `absent`: no block on the page has a matching event; `events`: the list is complete.
    pub answer: &'static str,
    /// All matching events on the page, in order.
    pub events: Vec<ShownEvent>,
    /// Number of blocks excluded by the header bloom.
    pub blocks_by_bloom: u64,
    /// Number of blocks with all receipts in the scan.
    pub blocks_by_receipts: u64,
    /// Why the page's blooms are not binding, if applicable: all receipts are then in the scan.
    pub blooms_not_binding: Option<&'static str>,
    /// Logs listed by nodes but in no receipt: the scan shows nothing about them.
    pub outside_receipts: Option<&'static str>,
    /// Log origin.
    pub origin: String,
    /// SuperRoot sequence.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// `srscan/1`.
    pub scan_format: &'static str,
    /// Bytes of an `.srscan` file.
    pub scan_blob: Hex,
}

/// A scan's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanAnswer {
    /// Proven members.
    #[serde(flatten)]
    pub shown: ScanShown,
    /// First block of the next page; null at the end of the range. Not proven.
    pub next_from_block: Option<BlockNumber>,
    /// Members that no hash shows.
    pub not_proven: Vec<&'static str>,
}

/// Proof that the answer has all events in the range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Completeness {
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Number of matching events in the blocks, on this page or later.
    pub event_count: u64,
    /// Logs listed by nodes but in no receipt: the scan shows nothing about them.
    pub outside_receipts: Option<&'static str>,
    /// SuperRoot sequence.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// `srscan/1`.
    pub scan_format: &'static str,
    /// Bytes of an `.srscan` file: `superroot verify` checks the file together with the rest of the answer.
    pub scan_blob: Hex,
}

impl From<&ScanFilter> for ScanFilterBody {
    fn from(filter: &ScanFilter) -> Self {
        Self {
            address: filter.addresses().iter().map(|address| Hex(address.0.to_vec())).collect(),
            topics: filter.topics().to_vec(),
            topic: filter.anywhere().to_vec(),
        }
    }
}

impl From<&ScanEvent> for ShownEvent {
    fn from(event: &ScanEvent) -> Self {
        Self {
            block_number: event.number,
            block_hash: event.block_hash,
            block_timestamp: event.timestamp,
            transaction_index: event.tx_index,
            log_index: event.log_index,
            address: Hex(event.log.address.0.to_vec()),
            topics: event.log.topics.clone(),
            data: Hex(event.log.data.clone()),
        }
    }
}

impl ScanShown {
    /// Creates the body from facts by [`superroot_proof::scan::verify`] for the same scan.
    #[must_use]
    pub fn new(scan: &Scan, facts: &ScanFacts) -> Self {
        let statement = &facts.statement;
        let (sequence, super_root_hash) = end_of(facts);
        Self {
            chain_id: statement.chain.id,
            from_block: statement.from,
            to_block: statement.to,
            filter: (&statement.filter).into(),
            answer: if facts.events.is_empty() { "absent" } else { "events" },
            events: facts.events.iter().map(Into::into).collect(),
            blocks_by_bloom: facts.by_bloom,
            blocks_by_receipts: facts.by_receipts,
            blooms_not_binding: facts.blooms_not_binding,
            outside_receipts: facts.outside_receipts,
            origin: facts.last.origin.clone(),
            sequence,
            super_root_hash,
            scan_format: SCAN_FORMAT,
            scan_blob: Hex(scan.encode()),
        }
    }
}

impl Completeness {
    /// Creates the body from facts by [`superroot_proof::scan::verify`] for the same scan.
    #[must_use]
    pub fn new(scan: &Scan, facts: &ScanFacts) -> Self {
        let (sequence, super_root_hash) = end_of(facts);
        Self {
            from_block: facts.statement.from,
            to_block: facts.statement.to,
            event_count: facts.events.len() as u64,
            outside_receipts: facts.outside_receipts,
            sequence,
            super_root_hash,
            scan_format: SCAN_FORMAT,
            scan_blob: Hex(scan.encode()),
        }
    }
}

/// Returns sequence and hash of the SuperRoot, present in every verified scan.
fn end_of(facts: &ScanFacts) -> (u64, Hash) {
    let super_root = facts.last.super_root.as_ref();
    super_root.map_or((0, Hash::ZERO), |super_root| (super_root.sequence.0, super_root.hash()))
}
