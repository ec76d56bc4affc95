//! Watches (`/api/v1/watches`).

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::logs::LogGap;

/// Settings of a new or changed watch: in a change, omitted members stay unchanged.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchSettings {
    /// Chain id or name; for a new watch.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = ChainName))]
    pub chain: Option<Value>,
    /// Contract to watch with all events; a new watch needs this or `topic`.
    pub address: Option<String>,
    /// Topic at any event position, or a signature such as `Transfer(address,address,uint256)`.
    pub topic: Option<String>,
    /// First block to watch; `null` or omitted for future blocks only.
    pub from_block: Option<u64>,
    /// 1 to 64 printable characters; `null` for no label.
    pub label: Option<String>,
}

/// Watch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Watch {
    /// Watch id (UUID), equal for the same target on the same chain.
    pub id: String,
    /// Chain id.
    pub chain_id: ChainId,
    /// Watched contract; otherwise `topic` is given.
    pub address: Option<Address>,
    /// Watched topic.
    pub topic: Option<Hash>,
    /// First watched block; null for future blocks only.
    pub from_block: Option<BlockNumber>,
    /// Label.
    pub label: Option<String>,
    /// Unix seconds.
    pub created_at: UnixSeconds,
    /// `pending`: new blocks are not collected yet; `backfilling`: stored blocks are fetched too; `active`; `suspended`:
    /// over the tier's limit.
    pub state: String,
    /// Progress; null if no block is stored with events yet.
    pub progress: Option<WatchProgress>,
    /// URL for requesting the events.
    pub logs_url: String,
}

/// Watch progress, as used by event answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchProgress {
    /// First examined block: `from_block`, or the first block with complete events.
    pub from_block: BlockNumber,
    /// Newest stored block.
    pub to_block: BlockNumber,
    /// Number of examined blocks with complete events for the target.
    pub held_blocks: u64,
    /// Total number of examined blocks.
    pub total_blocks: u64,
    /// Block ranges with incomplete events, first hundred only.
    pub gaps: Vec<LogGap>,
}

/// Page of an account's watches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchPage {
    /// Watches, oldest first.
    pub watches: Vec<Watch>,
    /// Number of watches in the account.
    pub count: u32,
    /// Maximum number of watches in the tier.
    pub watches_max: u32,
    /// `cursor` of the next page; null after the last page.
    pub next_cursor: Option<String>,
}
