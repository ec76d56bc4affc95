//! What streams deliver (`GET /v5/stream`, `GET /v5/ws`, webhooks), an object an event.

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
    /// Its sequence.
    pub sequence: u64,
    /// Its hash.
    pub super_root_hash: Hash,
    /// When it was made, Unix seconds.
    pub timestamp: UnixSeconds,
    /// Where it is, with what it is made of.
    pub proof_url: String,
}

/// `anchored`: blocks stand in a SuperRoot, and in none before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksAnchored {
    /// The chain.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Sequence of the SuperRoot.
    pub sequence: u64,
    /// The transaction that was waited for; null where none was.
    pub transaction_hash: Option<Hash>,
    /// Where the proof of the last block is, or that of the transaction.
    pub proof_url: String,
}

/// `finality`: blocks were taken, or are final now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksReached {
    /// The chain.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Hash of the last block.
    pub block_hash: Hash,
    /// `head` (they may be undone) or `finalized`.
    pub finality: &'static str,
    /// Where the proof of the last block is; below `anchored` it can be had with `?level=2`.
    pub proof_url: String,
}

/// `undone`: blocks that were taken are gone, with their events. The chain reorganised.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksUndone {
    /// The chain.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Their hashes, by rising number.
    pub block_hashes: Vec<Hash>,
}

/// `retraction`: blocks that were final count no more, since their nodes agree on others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlocksRetracted {
    /// The chain.
    pub chain_id: ChainId,
    /// First block.
    pub from_block: BlockNumber,
    /// Last block.
    pub to_block: BlockNumber,
    /// Who says what of which block.
    pub retractions: Vec<Retraction>,
    /// Where what is known of them now is.
    pub proof_url: String,
}

/// `logs`: an event of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LogDelivered {
    /// The chain.
    pub chain_id: ChainId,
    /// Whether its block was told before, without this event: more of the block was held later. What comes
    /// so may have been delivered already.
    pub is_late: bool,
    /// The event.
    #[serde(flatten)]
    pub log: EventLog,
}

/// `orders`: an event of a protocol's contract says something of an order across chains. `undone` takes it back
/// with its block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStep {
    /// The chain.
    pub chain_id: ChainId,
    /// Whether its block was told before, without this event.
    pub is_late: bool,
    /// The order.
    pub order_id: String,
    /// Its protocol.
    pub protocol: String,
    /// `opened`, `noted`, `filled`, `settled`, `cancelled`, `refunded`, `failed` or `wrapped`.
    pub step: &'static str,
    /// Why it does not count; null: it does.
    pub mismatch: Option<&'static str>,
    /// State of its order, then.
    pub state: &'static str,
    /// Whether that is its end.
    pub terminal: bool,
    /// Whether a part was filled.
    pub is_partial: bool,
    /// The event.
    pub event: String,
    /// Where the order begins, where the event says so.
    pub origin_chain_id: Option<ChainId>,
    /// Where it ends, where the event says so.
    pub destination_chain_id: Option<ChainId>,
    /// Number of its block.
    pub block_number: BlockNumber,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Time of its block, Unix seconds.
    pub block_timestamp: UnixSeconds,
    /// Hash of its transaction; null where transactions are not held.
    pub transaction_hash: Option<Hash>,
    /// Position of its transaction in the block.
    pub transaction_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// How far its block has come: `head`, `finalized` or `anchored`.
    pub finality: &'static str,
    /// The order, with all its legs.
    pub order_url: String,
    /// Where the event's proof is.
    pub proof_url: String,
}

/// `gap`: what a stream could not tell. Ask for it where it says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamGap {
    /// The chain.
    pub chain_id: ChainId,
    /// First block; null where it is not known.
    pub from_block: Option<BlockNumber>,
    /// Last block; null where it is not known.
    pub to_block: Option<BlockNumber>,
    /// Why.
    pub why: &'static str,
}

/// `ready`: the subscription stands, and from here on nothing is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamReady {
    /// Place after which events are delivered; goes into `since`.
    pub cursor: String,
    /// Topics.
    pub topics: Vec<&'static str>,
    /// Chains; null: all.
    pub chain_ids: Option<Vec<ChainId>>,
    /// Chains of whose events `logs` cannot have all: not watched here, or of a ledger without any.
    pub not_indexed: Vec<ChainId>,
}

/// `stale`: what lies between is not kept any more. The stream goes on with the oldest event that is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamStale {
    /// The place asked for.
    pub since: String,
    /// The oldest place that is kept.
    pub oldest: String,
    /// Why.
    pub why: &'static str,
}

/// `lagged` and `ended`: the last event before the service closes. Come back with this cursor.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StreamEnded {
    /// Place of the last event delivered; goes into `since`.
    pub cursor: String,
    /// Why.
    pub why: &'static str,
}
