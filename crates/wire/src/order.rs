//! Orders across chains (`GET /events/{order_id}`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Position and proof of an order event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderEvent {
    /// Chain id.
    pub chain_id: ChainId,
    /// Block number.
    pub block_number: BlockNumber,
    /// Unix seconds.
    pub block_timestamp: u64,
    /// Transaction hash; null if transactions are not stored.
    pub tx_hash: Option<Hash>,
    /// Position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Event name.
    pub event: String,
    /// Block finality: `head` (may be undone), `finalized` or `anchored`.
    pub finality: &'static str,
    /// `anchored`: the proof leads to a SuperRoot; `pending`: not yet.
    pub anchor_status: &'static str,
    /// Proof URL; before the event is anchored, with `?level=1` or `2`.
    pub proof_url: String,
}

/// Amount in the smallest token unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderAmount {
    /// Protocol's name for the amount.
    pub name: String,
    /// Amount, as a decimal number.
    pub amount: String,
    /// The token's chain id; null if the event names no token.
    pub chain_id: Option<ChainId>,
    /// Token address, or `native`; null if the event names no token.
    pub token: Option<String>,
    /// Token symbol, if well known.
    pub symbol: Option<String>,
    /// Token decimals, if well known: not read from the chain, and never guessed.
    pub decimals: Option<u8>,
}

/// Content of one order event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderLeg {
    /// `opened`, `noted` (a step without a state change), `filled`, `settled`, `cancelled`, `refunded`, `failed` or
    /// `wrapped` (a wrapper's event next to the opening).
    pub kind: &'static str,
    /// Event.
    #[serde(flatten)]
    pub event: OrderEvent,
    /// Amounts in the event.
    pub amounts: Vec<OrderAmount>,
    /// Reason why the event does not count; null if the event counts.
    pub mismatch: Option<&'static str>,
}

/// Number of legs by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderLegCount {
    /// Leg kind.
    pub kind: &'static str,
    /// Number of legs.
    pub count: usize,
    /// Whether more legs exist.
    pub is_at_least: bool,
}

/// State change, with the event as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderTransition {
    /// State: `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired` or `cancelled`.
    pub state: &'static str,
    /// Time, in Unix seconds.
    pub at: u64,
    /// The event's chain id; null for `expired`, which has no event.
    pub chain_id: Option<ChainId>,
    /// Transaction hash.
    pub tx_hash: Option<Hash>,
    /// Position in the receipt.
    pub log_index: Option<u32>,
    /// Proof URL.
    pub proof_url: Option<String>,
    /// `anchored` or `pending`.
    pub anchor_status: Option<&'static str>,
}

/// Deadlines, in Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderDeadlines {
    /// Fill deadline, in Unix seconds; the order expires afterwards.
    pub fill: Option<u64>,
    /// Deadline for a swap on arrival, in Unix seconds: a later transfer still arrives, in another token.
    pub swap: Option<u64>,
}

/// Expected event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderAwaits {
    /// Event name.
    pub event: String,
    /// Chain id, if known.
    pub chain_id: Option<ChainId>,
    /// Deadline for the event, in Unix seconds.
    pub before: Option<u64>,
    /// `provable`, or `not_provable`: the ledger keeps the event outside all tries.
    pub proof: &'static str,
    /// Reason for `not_provable`.
    pub why: Option<String>,
}

/// Reason why no further event of an order is visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStuck {
    /// Stable reason code, such as `destination_not_collected`.
    pub reason: String,
    /// Reason in a sentence.
    pub detail: String,
}

/// Order created by a wrapper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderWrapper {
    /// Wrapper protocol.
    pub protocol: String,
    /// Wrapper order id.
    pub id: String,
}

/// Progress of an order across chains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStatus {
    /// Order id.
    pub order_id: String,
    /// Protocol.
    pub protocol: String,
    /// `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired`, `cancelled`, `failed`; `fill_seen` or
    /// `step_seen` without an opening.
    pub state: &'static str,
    /// Whether final events rule out any further change to the user's money.
    pub terminal: bool,
    /// `head`: the order is terminal once all events are final.
    pub deciding: Option<&'static str>,
    /// Opening event; null if the origin chain is not collected.
    pub origin: Option<OrderEvent>,
    /// Origin chain id.
    pub origin_chain_id: Option<ChainId>,
    /// Destination chain id.
    pub destination_chain_id: Option<ChainId>,
    /// Legs by time: all, or above 512 the oldest and newest of each kind.
    pub legs: Vec<OrderLeg>,
    /// Number of legs by kind, listed or not.
    pub leg_counts: Vec<OrderLegCount>,
    /// Whether legs are missing from the list.
    pub is_cut: bool,
    /// Number of identical transfers in the order; otherwise 1.
    pub identical_count: usize,
    /// States in order, each with the event as evidence.
    pub transitions: Vec<OrderTransition>,
    /// Amounts by name: first the opening, then additions by other events.
    pub amounts: Vec<OrderAmount>,
    /// Deadlines.
    pub deadlines: OrderDeadlines,
    /// Next expected event; null if no event is expected.
    pub next_expected: Option<OrderAwaits>,
    /// Reason why no further event is visible; null in normal progress.
    pub stuck: Option<OrderStuck>,
    /// Wrappers that created the order.
    pub wrappers: Vec<OrderWrapper>,
    /// Other orders with the requested name, given by the order makers.
    pub also_named: Vec<String>,
}

/// Order scan progress on one chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderScan {
    /// Chain id.
    pub chain_id: ChainId,
    /// Newest stored block; null if no block is stored.
    pub newest_block: Option<BlockNumber>,
    /// Whether every new order event on the chain is collected.
    pub is_followed: bool,
}

/// Candidate for an ambiguous order name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderCandidate {
    /// Order id.
    pub order_id: String,
    /// Protocol.
    pub protocol: String,
    /// Origin chain id.
    pub origin_chain_id: Option<ChainId>,
    /// Order state.
    pub state: &'static str,
}
