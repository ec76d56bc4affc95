//! Events by chain, address, topics and range (`GET /v5/logs`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::scan::Completeness;

/// An event of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventLog {
    /// Number of its block.
    pub block_number: BlockNumber,
    /// Hash of its block.
    pub block_hash: Hash,
    /// Time of its block, in Unix seconds.
    pub block_timestamp: u64,
    /// Hash of its transaction; null where transactions are not held.
    pub transaction_hash: Option<Hash>,
    /// Position of its transaction in the block.
    pub transaction_index: u32,
    /// Position among the events of its transaction, as in the proof routes; nodes report one over the whole
    /// block.
    pub log_index: u32,
    /// Who emitted it: the contract; of Bitcoin the output's script, of Sui the package, of ICP the account.
    pub address: Hex,
    /// Whom else it is about: of Sui who sent the transaction, of ICP the other accounts; empty elsewhere.
    pub other_addresses: Vec<Hex>,
    /// Its topics, up to four; of Sui and ICP one, Keccak-256 of the name of its type.
    pub topics: Vec<Hash>,
    /// Its data: of Bitcoin the value in satoshi in 8 bytes, of Sui the value in BCS, of ICP the transaction.
    pub data: Hex,
    /// How far its block has come: `head` (it may be undone), `finalized` or `anchored` (the proof leads to a
    /// SuperRoot).
    pub finality: &'static str,
    /// Where its proof is; it can be had once the event is anchored, with `?level=1` or `2` before.
    pub proof_url: String,
}

/// Blocks that were searched, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Searched {
    /// First number.
    pub from: BlockNumber,
    /// Last number.
    pub to: BlockNumber,
}

/// Blocks whose events may be missing, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LogGap {
    /// First number.
    pub from: BlockNumber,
    /// Last number.
    pub to: BlockNumber,
    /// `not_watched`, `not_collected`, `no_body`, `skipped`, `refused`, `being_indexed` or
    /// `ledger_without_events`.
    pub reason: &'static str,
}

/// Events that pass a filter, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Logs {
    /// The chain.
    pub chain_id: ChainId,
    /// The finality asked for: no event is below it.
    pub finality: &'static str,
    /// Blocks of this page: every event of them that passes is in it, but for `gaps`; the last may go on at
    /// `nextCursor`. Null where none is that final yet.
    pub searched: Option<Searched>,
    /// The events.
    pub logs: Vec<EventLog>,
    /// Blocks of the range whose events may be missing; only with `partial=1`, a request without it is
    /// refused instead.
    pub gaps: Vec<LogGap>,
    /// Goes on where this page ends; null where the range is done.
    pub next_cursor: Option<String>,
    /// With `complete=1`: what shows that the events are all of the range.
    pub completeness: Option<Completeness>,
    /// First block above the range: the next `fromBlock` of who follows the chain. Null while `nextCursor` leads on,
    /// and newest first.
    pub next_block: Option<BlockNumber>,
}
