//! Parts that several bodies about chains share.

use serde::Serialize;
use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// A block, as its sources tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Point {
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
    /// Its time.
    pub timestamp: UnixSeconds,
}

/// What a chain's nodes say of it, as far as enough of them agree. Nothing of it was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Claimed {
    /// Newest block number.
    pub head: BlockNumber,
    /// Newest number that they call final.
    pub finalized: BlockNumber,
    /// When they said so.
    pub at: UnixSeconds,
}

/// How a chain gets on that is behind its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CatchUp {
    /// Final blocks that its nodes have and that are not held.
    pub behind_blocks: u64,
    /// Pace since it fell behind; `null` in the first second.
    pub blocks_per_second: Option<f64>,
    /// At that pace; `null` where none is taken.
    pub seconds_left: Option<u64>,
}

/// What a SuperRoot refers to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Anchored {
    /// First number of the run.
    pub start: BlockNumber,
    /// Block number.
    pub number: BlockNumber,
    /// Block hash.
    pub hash: Hash,
}

/// What went wrong, and when.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LastError {
    /// In words.
    pub message: String,
    /// When it was seen.
    pub at: UnixSeconds,
}

/// A block that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LeftOut {
    /// Block number.
    pub number: BlockNumber,
    /// Why, in words.
    pub reason: String,
}

/// A rule and the first number that it holds for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RuleFrom {
    /// First block number.
    pub from: u64,
    /// Two bytes in hex, as in the protocol's table of rules.
    pub code: String,
}

/// Blocks of which a part cannot be recomputed, and is held as a header alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Unprovable {
    /// First block number.
    pub from: u64,
    /// Last block number; `null` where there is no end.
    pub to: Option<u64>,
    /// `body`, `receipts`, `receipts if settled`, or `body` with an entry of a type.
    pub what: String,
    /// Why, in words.
    pub why: String,
}

/// Which entries are indexed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchCounts {
    /// Whether every entry is.
    pub all: bool,
    /// Addresses watched; `null` where all is indexed.
    pub address_count: Option<u64>,
    /// Topics watched; `null` where all is indexed.
    pub topic_count: Option<u64>,
}

/// The watch list that a chain is collected under.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchList {
    /// Names the list in `watch_hash` of a range.
    pub hash: Hash,
    /// The first 256; `null` where all is indexed.
    pub addresses: Option<Vec<Address>>,
    /// The first 256; `null` where all is indexed.
    pub topics: Option<Vec<Hash>>,
}

/// Older blocks that are being fetched, downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Backfill {
    /// Lowest number that is wanted.
    pub to: BlockNumber,
    /// Numbers done since it began.
    pub done_blocks: u64,
    /// Numbers to do in all.
    pub total_blocks: u64,
    /// When it began.
    pub began_at: UnixSeconds,
}

/// Blocks held whose bodies are asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Repair {
    /// Numbers looked at since it began.
    pub done_blocks: u64,
    /// Numbers to look at in all.
    pub total_blocks: u64,
    /// Blocks mended so far.
    pub repaired_blocks: u64,
    /// When it began.
    pub began_at: UnixSeconds,
}

/// How a node fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EndpointReport {
    /// Its name; nothing secret of its address.
    pub name: String,
    /// Who runs it: nodes of one operator count once.
    pub operator: String,
    /// `untried`, `healthy`, `limited`, `lagging`, `wrong` or `down`.
    pub state: String,
    /// Share of its recent answers that were good, 0 to 1.
    pub score: f64,
    /// Newest block that it named.
    pub head: Option<BlockNumber>,
    /// Median time of its recent answers.
    pub latency_ms: Option<u64>,
    /// Calls since the start.
    pub call_count: u64,
    /// Those that failed or whose answer was wrong.
    pub failure_count: u64,
    /// What went wrong last, and is not mended.
    pub last_error: Option<String>,
}

/// A block that was final here, and the other that nodes agree on. Nothing is deleted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Retraction {
    /// Chain id.
    pub chain_id: ChainId,
    /// Block number.
    pub number: BlockNumber,
    /// Hash of the block held.
    pub held_hash: Hash,
    /// Hash that the nodes agree on.
    pub other_hash: Hash,
    /// Names of the nodes that agree on the other.
    pub sources: Vec<String>,
    /// How many were asked.
    pub source_count: Option<u32>,
    /// When they call a block final, in words.
    pub rule: Option<String>,
    /// When it was noticed.
    pub noticed_at: UnixSeconds,
    /// Header of the other block, where it could be had.
    pub other_header: Option<Hex>,
}
