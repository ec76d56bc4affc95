//! Parts shared by several chain bodies.

use serde::Serialize;
use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Block as reported by sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Point {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
    /// Unix seconds.
    pub timestamp: UnixSeconds,
}

/// Chain progress as claimed by enough agreeing nodes. Unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Claimed {
    /// Newest block number.
    pub head: BlockNumber,
    /// Newest block number called final by the nodes.
    pub finalized: BlockNumber,
    /// The claim's time, in Unix seconds.
    pub at: UnixSeconds,
}

/// Progress of a chain that is behind the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CatchUp {
    /// Final blocks not stored yet.
    pub behind_blocks: u64,
    /// Blocks per second since the chain fell behind; `null` in the first second.
    pub blocks_per_second: Option<f64>,
    /// Seconds left at this pace; `null` without a pace.
    pub seconds_left: Option<u64>,
}

/// Block range referenced by a SuperRoot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Anchored {
    /// First block number of the run.
    pub start: BlockNumber,
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
}

/// Last error with time.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LastError {
    /// Error message.
    pub message: String,
    /// The error's time, in Unix seconds.
    pub at: UnixSeconds,
}

/// Refused block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LeftOut {
    /// Block number.
    pub number: BlockNumber,
    /// Reason in words.
    pub reason: String,
}

/// Rule with the first applicable block number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RuleFrom {
    /// First block number.
    pub from: u64,
    /// Rule code: two bytes in hex, as in the protocol's rule table.
    pub code: String,
}

/// Blocks stored as headers only, because a part cannot be recomputed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Unprovable {
    /// First block number.
    pub from: u64,
    /// Last block number; `null` without an end.
    pub to: Option<u64>,
    /// `body`, `receipts`, `receipts if settled`, or `body` with an entry of a type.
    pub what: String,
    /// Reason in words.
    pub why: String,
}

/// Indexed entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchCounts {
    /// Whether every entry is indexed.
    pub all: bool,
    /// Number of watched addresses; `null` if every entry is indexed.
    pub address_count: Option<u64>,
    /// Number of watched topics; `null` if every entry is indexed.
    pub topic_count: Option<u64>,
}

/// A chain's watch list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchList {
    /// List hash, as in `watch_hash` of a range.
    pub hash: Hash,
    /// First 256 addresses; `null` if every entry is indexed.
    pub addresses: Option<Vec<Address>>,
    /// First 256 topics; `null` if every entry is indexed.
    pub topics: Option<Vec<Hash>>,
}

/// Backfill of older blocks, downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Backfill {
    /// Lowest requested block number.
    pub to: BlockNumber,
    /// Block numbers done since the start.
    pub done_blocks: u64,
    /// Total block numbers to do.
    pub total_blocks: u64,
    /// Start time, in Unix seconds.
    pub began_at: UnixSeconds,
}

/// Repair: bodies of stored blocks are requested again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Repair {
    /// Block numbers examined since the start.
    pub done_blocks: u64,
    /// Total block numbers to examine.
    pub total_blocks: u64,
    /// Blocks repaired so far.
    pub repaired_blocks: u64,
    /// Start time, in Unix seconds.
    pub began_at: UnixSeconds,
}

/// Node status.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EndpointReport {
    /// Node name, without secret address parts.
    pub name: String,
    /// Node operator: all nodes of one operator count once.
    pub operator: String,
    /// `untried`, `healthy`, `limited`, `lagging`, `wrong` or `down`.
    pub state: String,
    /// Share of good recent answers, 0 to 1.
    pub score: f64,
    /// Newest block named by the node.
    pub head: Option<BlockNumber>,
    /// Median time of recent answers, in milliseconds.
    pub latency_ms: Option<u64>,
    /// Number of calls since the start.
    pub call_count: u64,
    /// Number of failed calls and wrong answers.
    pub failure_count: u64,
    /// Last unresolved error.
    pub last_error: Option<String>,
}

/// Final block contradicted by nodes that agree on another block. Nothing is deleted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Retraction {
    /// Chain id.
    pub chain_id: ChainId,
    /// Block number.
    pub number: BlockNumber,
    /// The stored block's hash.
    pub held_hash: Hash,
    /// Hash agreed by the nodes.
    pub other_hash: Hash,
    /// Names of the nodes that agree on the other block.
    pub sources: Vec<String>,
    /// Number of nodes asked.
    pub source_count: Option<u32>,
    /// Nodes' finality rule, in words.
    pub rule: Option<String>,
    /// Time of detection, in Unix seconds.
    pub noticed_at: UnixSeconds,
    /// The other block's header, if available.
    pub other_header: Option<Hex>,
}
