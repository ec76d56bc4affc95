//! Stream messages (`GET /v5/stream`, `GET /v5/ws`, webhooks), one object per event.

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::chain::Retraction;
use crate::logs::EventLog;

/// `superroot`: a SuperRoot was published.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPublished {
    /// SuperRoot sequence.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// Unix seconds.
    pub timestamp: UnixSeconds,
    /// URL of the SuperRoot with all parts.
    pub proof_url: String,
}

/// `anchored`: blocks entered a SuperRoot for the first time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksAnchored {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// SuperRoot sequence.
    pub sequence: u64,
    /// Awaited transaction; null if no transaction was awaited.
    pub transaction_hash: Option<Hash>,
    /// Proof URL of the last block, or of the transaction.
    pub proof_url: String,
}

/// `finality`: blocks were accepted, or became final.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksReached {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// The last block's hash.
    pub block_hash: Hash,
    /// `head` (blocks may be undone) or `finalized`.
    pub finality: &'static str,
    /// Proof URL of the last block; below `anchored` with `?level=2`.
    pub proof_url: String,
}

/// `undone`: a chain reorganisation removed accepted blocks and events.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksUndone {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Block hashes, in ascending block order.
    pub block_hashes: Vec<Hash>,
}

/// `retraction`: final blocks are no longer valid, because the chain's nodes agree on different blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksRetracted {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Retracted blocks, with sources and hashes.
    pub retractions: Vec<Retraction>,
    /// URL of the current information about the blocks.
    pub proof_url: String,
}

/// `logs`: an event in a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LogDelivered {
    /// Chain id.
    pub chain_id: ChainId,
    /// Whether the block was reported before without this event, because more block data arrived later. Late events may
    /// be duplicates.
    pub is_late: bool,
    /// Event.
    #[serde(flatten)]
    pub log: EventLog,
}

/// `orders`: an event at a protocol contract concerns an order across chains. `undone` reverts the event with the
/// block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStep {
    /// Chain id.
    pub chain_id: ChainId,
    /// Whether the block was reported before without this event.
    pub is_late: bool,
    /// Order id.
    pub order_id: String,
    /// Protocol.
    pub protocol: String,
    /// `opened`, `noted`, `filled`, `settled`, `cancelled`, `refunded`, `failed` or `wrapped`.
    pub step: &'static str,
    /// Reason why the event does not count; null if the event counts.
    pub mismatch: Option<&'static str>,
    /// Order state after the event.
    pub state: &'static str,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// Whether the fill is partial.
    pub is_partial: bool,
    /// Event name.
    pub event: String,
    /// Origin chain id, if the event names one.
    pub origin_chain_id: Option<ChainId>,
    /// Destination chain id, if the event names one.
    pub destination_chain_id: Option<ChainId>,
    /// Block number.
    pub block_number: BlockNumber,
    /// Block hash.
    pub block_hash: Hash,
    /// Unix seconds.
    pub block_timestamp: UnixSeconds,
    /// Transaction hash; null if transactions are not stored.
    pub transaction_hash: Option<Hash>,
    /// Position in the block.
    pub transaction_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Block finality: `head`, `finalized` or `anchored`.
    pub finality: &'static str,
    /// URL of the order with all legs.
    pub order_url: String,
    /// Proof URL of the event.
    pub proof_url: String,
}

/// `gap`: events missing from the stream. Request the given blocks separately.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamGap {
    /// Chain id.
    pub chain_id: ChainId,
    /// First block; null if unknown.
    pub from_block: Option<BlockNumber>,
    /// Last block; null if unknown.
    pub to_block: Option<BlockNumber>,
    /// Reason.
    pub why: &'static str,
}

/// `ready`: the subscription is active, and no later event is omitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamReady {
    /// Cursor before the next event, for the parameter `since`.
    pub cursor: String,
    /// Topics.
    pub topics: Vec<&'static str>,
    /// Chain ids; null for all chains.
    pub chain_ids: Option<Vec<ChainId>>,
    /// Chains with incomplete events in `logs`: not watched here, or on a ledger without events.
    pub not_indexed: Vec<ChainId>,
}

/// `stale`: events after the requested cursor are no longer stored. The stream continues with the oldest stored event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamStale {
    /// Requested cursor.
    pub since: String,
    /// Oldest stored cursor.
    pub oldest: String,
    /// Reason.
    pub why: &'static str,
}

/// `lagged` and `ended`: last event before the service closes the stream. Reconnect with this cursor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamEnded {
    /// Cursor of the last delivered event, for the parameter `since`.
    pub cursor: String,
    /// Reason.
    pub why: &'static str,
}
