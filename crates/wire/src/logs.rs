//! Events by chain, address, topics and range (`GET /v5/logs`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::scan::Completeness;

/// Event in a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventLog {
    /// Block number.
    pub block_number: BlockNumber,
    /// Block hash.
    pub block_hash: Hash,
    /// Unix seconds.
    pub block_timestamp: u64,
    /// Transaction hash; null if transactions are not stored.
    pub transaction_hash: Option<Hash>,
    /// Position in the block.
    pub transaction_index: u32,
    /// Event position in the transaction, as in the proof routes; nodes report the position in the whole block.
    pub log_index: u32,
    /// Emitting contract; for Bitcoin the output script, for Sui the package, for ICP the account.
    pub address: Hex,
    /// Other addresses involved: for Sui the sender, for ICP the other accounts; empty elsewhere.
    pub other_addresses: Vec<Hex>,
    /// Up to four topics; for Sui and ICP one, the Keccak-256 of the type name.
    pub topics: Vec<Hash>,
    /// Event data: for Bitcoin the value in satoshi in 8 bytes, for Sui the value in BCS, for ICP the transaction.
    pub data: Hex,
    /// `head` (may be undone), `finalized` or `anchored`.
    pub finality: &'static str,
    /// Proof URL; available once the event is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// Searched blocks, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Searched {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
}

/// Blocks with possibly missing events, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LogGap {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
    /// `not_watched`, `not_collected`, `no_body`, `skipped`, `refused`, `being_indexed` or `ledger_without_events`.
    pub reason: &'static str,
}

/// Events that pass a filter, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Logs {
    /// Chain id.
    pub chain_id: ChainId,
    /// Requested finality: no event is below this level.
    pub finality: &'static str,
    /// Blocks on this page. All matching events are included, except in `gaps`; the last block may continue at
    /// `nextCursor`. Null if no block has the requested finality yet.
    pub searched: Option<Searched>,
    /// Events.
    pub logs: Vec<EventLog>,
    /// Blocks with possibly missing events; only with `partial=1`. Without `partial=1` the request is refused.
    pub gaps: Vec<LogGap>,
    /// Cursor for the next page; null at the end of the range.
    pub next_cursor: Option<String>,
    /// With `complete=1`: evidence that no event in the range is missing.
    pub completeness: Option<Completeness>,
    /// First block above the range: the next `fromBlock` for following the chain. Null while `nextCursor` is given, and
    /// for newest-first order.
    pub next_block: Option<BlockNumber>,
}
