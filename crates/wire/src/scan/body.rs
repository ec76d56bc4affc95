//! What an answer says of a scan.

use serde::Serialize;
use superroot_proof::scan::{Scan, ScanEvent, ScanFacts, ScanFilter};
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Name of the form of [`ScanShown::scan_blob`].
pub const SCAN_FORMAT: &str = "srscan/1";

/// Which events are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanFilterBody {
    /// Addresses of which the event has one; empty: whoever emitted it.
    pub address: Vec<Hex>,
    /// By position, topics of which the event has one there; empty: whatever stands there.
    pub topics: Vec<Vec<Hash>>,
    /// Topics of which the event has every one, at any position.
    pub topic: Vec<Hash>,
}

/// An event that passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ShownEvent {
    /// Number of its block.
    pub block_number: BlockNumber,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Time of its block, in Unix seconds, as its producer says.
    pub block_timestamp: u64,
    /// Position of its transaction in the block.
    pub transaction_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// The contract.
    pub address: Hex,
    /// Its topics.
    pub topics: Vec<Hash>,
    /// Its data.
    pub data: Hex,
}

/// What a scan shows. Whoever has `scanBlob` computes all of it anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanShown {
    /// The chain.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block of this page.
    pub to_block: BlockNumber,
    /// Which events.
    pub filter: ScanFilterBody,
    /// `absent`: no block of the page has such an event; `events`: these are all.
    pub answer: &'static str,
    /// All events of the page that pass, in order.
    pub events: Vec<ShownEvent>,
    /// Blocks that their header's bloom rules out.
    pub blocks_by_bloom: u64,
    /// Blocks of which all receipts are in the scan.
    pub blocks_by_receipts: u64,
    /// Why blooms of the page do not bind, where that is so: all receipts are in the scan.
    pub blooms_not_binding: Option<&'static str>,
    /// Which logs that nodes list stand in no receipt of the chain: of those nothing is shown.
    pub outside_receipts: Option<&'static str>,
    /// Origin of the log.
    pub origin: String,
    /// Sequence of the SuperRoot that it leads to.
    pub sequence: u64,
    /// Its hash.
    pub super_root_hash: Hash,
    /// `srscan/1`.
    pub scan_format: &'static str,
    /// The bytes of an `.srscan` file.
    pub scan_blob: Hex,
}

/// A page of a scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ScanAnswer {
    /// What is shown.
    #[serde(flatten)]
    pub shown: ScanShown,
    /// Where the next page begins; null where the range is done. Not proven.
    pub next_from_block: Option<BlockNumber>,
    /// Members that no hash shows.
    pub not_proven: Vec<&'static str>,
}

/// That the events of an answer are all of its range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Completeness {
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Events of these blocks that pass, be they on this page or on a later one.
    pub event_count: u64,
    /// Which logs that nodes list stand in no receipt of the chain: of those nothing is shown.
    pub outside_receipts: Option<&'static str>,
    /// Sequence of the SuperRoot that it leads to.
    pub sequence: u64,
    /// Its hash.
    pub super_root_hash: Hash,
    /// `srscan/1`.
    pub scan_format: &'static str,
    /// The bytes of an `.srscan` file, which `superroot verify` checks with the rest of the answer.
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
    /// Of facts that [`superroot_proof::scan::verify`] gave back for this very scan.
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
    /// Of facts that [`superroot_proof::scan::verify`] gave back for this very scan.
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

/// Sequence and hash of the SuperRoot; a verified scan leads to one.
fn end_of(facts: &ScanFacts) -> (u64, Hash) {
    let super_root = facts.last.super_root.as_ref();
    super_root.map_or((0, Hash::ZERO), |super_root| (super_root.sequence, super_root.hash()))
}
