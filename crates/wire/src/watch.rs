//! Watches (`/api/v1/watches`).

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::{Address, BlockNumber, ChainId, Hash, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::logs::LogGap;

/// What is to be watched, or what is changed of it: of a change, what is left out stays.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchSettings {
    /// Of a new one: a chain.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = ChainName))]
    pub chain: Option<Value>,
    /// Of a new one, this or `topic`: a contract, all of whose events are wanted.
    pub address: Option<String>,
    /// A topic at any place of an event, or a signature such as `Transfer(address,address,uint256)`.
    pub topic: Option<String>,
    /// First block whose events are wanted; `null` or left out: those of blocks to come.
    pub from_block: Option<u64>,
    /// 1 to 64 printable characters; `null`: none.
    pub label: Option<String>,
}

/// A watch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Watch {
    /// Its id: a UUID, the same for the same target on the same chain.
    pub id: String,
    /// The chain.
    pub chain_id: ChainId,
    /// The contract that is watched; else `topic` is.
    pub address: Option<Address>,
    /// The topic that is watched.
    pub topic: Option<Hash>,
    /// First block whose events are wanted; null: those of blocks to come.
    pub from_block: Option<BlockNumber>,
    /// What it is called.
    pub label: Option<String>,
    /// When it was made.
    pub created_at: UnixSeconds,
    /// `pending`: new blocks are not collected under it yet; `backfilling`: they are, and blocks from
    /// `from_block` on are being fetched; `active`; `suspended`: the tier has not so many.
    pub state: String,
    /// How far it has come; null where no block is held with its events yet.
    pub progress: Option<WatchProgress>,
    /// Where its events are asked for.
    pub logs_url: String,
}

/// How far a watch has come: what the answers about events go by.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchProgress {
    /// First block looked at: `from_block`, or the first whose events are all held.
    pub from_block: BlockNumber,
    /// Newest block held.
    pub to_block: BlockNumber,
    /// Blocks of these whose events of this target are all held.
    pub held_blocks: u64,
    /// All of these blocks.
    pub total_blocks: u64,
    /// Runs whose events are not all held, the first hundred.
    pub gaps: Vec<LogGap>,
}

/// Watches of an account, a page of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WatchPage {
    /// Oldest first.
    pub watches: Vec<Watch>,
    /// How many the account has.
    pub count: u32,
    /// How many its tier has.
    pub watches_max: u32,
    /// `cursor` of the next page; null after the last.
    pub next_cursor: Option<String>,
}
