//! Orders across chains (`GET /events/{order_id}`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Where an event of an order stands, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderEvent {
    /// Its chain.
    pub chain_id: ChainId,
    /// Its block.
    pub block_number: BlockNumber,
    /// Time of its block, in Unix seconds.
    pub block_timestamp: u64,
    /// Its transaction; null where transactions are not held.
    pub tx_hash: Option<Hash>,
    /// Position of its transaction in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
    /// Its name.
    pub event: String,
    /// How far its block has come: `head` (it may be undone), `finalized` or `anchored`.
    pub finality: &'static str,
    /// `anchored`: the proof leads to a SuperRoot; `pending`: it does not yet.
    pub anchor_status: &'static str,
    /// Where its proof is; before it is anchored with `?level=1` or `2`.
    pub proof_url: String,
}

/// An amount in a token's smallest unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderAmount {
    /// What the protocol calls it.
    pub name: String,
    /// How much, as a decimal number.
    pub amount: String,
    /// Chain of the token; null where the event names no token.
    pub chain_id: Option<ChainId>,
    /// Its address, or `native`; null where the event names none.
    pub token: Option<String>,
    /// Its symbol, where it is well known.
    pub symbol: Option<String>,
    /// Its decimals, where they are well known: they are not read from the chain, and never guessed.
    pub decimals: Option<u8>,
}

/// What one event says of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderLeg {
    /// `opened`, `noted` (a step that changes no state), `filled`, `settled`, `cancelled`, `refunded`, `failed` or
    /// `wrapped` (a wrapper's event beside the opening).
    pub kind: &'static str,
    /// The event.
    #[serde(flatten)]
    pub event: OrderEvent,
    /// Amounts that it says.
    pub amounts: Vec<OrderAmount>,
    /// Why it does not count; null: it does.
    pub mismatch: Option<&'static str>,
}

/// How many legs of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderLegCount {
    /// The kind.
    pub kind: &'static str,
    /// How many.
    pub count: usize,
    /// Whether there are more.
    pub is_at_least: bool,
}

/// A change of state, and the event that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderTransition {
    /// The state: `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired` or `cancelled`.
    pub state: &'static str,
    /// When, in Unix seconds.
    pub at: u64,
    /// Chain of the event; null of `expired`, which no event shows.
    pub chain_id: Option<ChainId>,
    /// Its transaction.
    pub tx_hash: Option<Hash>,
    /// Its position in the receipt.
    pub log_index: Option<u32>,
    /// Where its proof is.
    pub proof_url: Option<String>,
    /// `anchored` or `pending`.
    pub anchor_status: Option<&'static str>,
}

/// Last moments, in Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderDeadlines {
    /// Of a fill; after it the order expires.
    pub fill: Option<u64>,
    /// Of a swap on arrival: the transfer arrives after it as well, in another token.
    pub swap: Option<u64>,
}

/// What is awaited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderAwaits {
    /// The event.
    pub event: String,
    /// Its chain, where that is known.
    pub chain_id: Option<ChainId>,
    /// Until when it counts, in Unix seconds.
    pub before: Option<u64>,
    /// `provable`, or `not_provable`: its ledger keeps it outside its tries, and it will never be shown here.
    pub proof: &'static str,
    /// Why it is not provable.
    pub why: Option<String>,
}

/// Why nothing more is to be seen of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStuck {
    /// A stable word, such as `destination_not_collected`.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
}

/// An order that a wrapper made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderWrapper {
    /// The wrapper.
    pub protocol: String,
    /// Its id.
    pub id: String,
}

/// How far an order across chains has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderStatus {
    /// Its id.
    pub order_id: String,
    /// Its protocol.
    pub protocol: String,
    /// `opened`, `filled`, `partially_filled`, `settled`, `refunded`, `expired`, `cancelled`, `failed`; `fill_seen` or
    /// `step_seen` without its opening.
    pub state: &'static str,
    /// Whether nothing more happens to the user's money, by events that are final.
    pub terminal: bool,
    /// `head`: terminal once its events are final.
    pub deciding: Option<&'static str>,
    /// The event that opened it; null where its chain is not collected.
    pub origin: Option<OrderEvent>,
    /// Where it begins.
    pub origin_chain_id: Option<ChainId>,
    /// Where it ends.
    pub destination_chain_id: Option<ChainId>,
    /// What its events say, by time: all, or of more than 512 the oldest and the newest of each kind.
    pub legs: Vec<OrderLeg>,
    /// Legs by kind, listed or not.
    pub leg_counts: Vec<OrderLegCount>,
    /// Whether legs are left out of the list.
    pub is_cut: bool,
    /// Transfers that say the same and are one order: 1 elsewhere.
    pub identical_count: usize,
    /// Its states, in order, each with the event that shows it.
    pub transitions: Vec<OrderTransition>,
    /// Amounts by name: of the opening, then what the other events add.
    pub amounts: Vec<OrderAmount>,
    /// Last moments.
    pub deadlines: OrderDeadlines,
    /// What is awaited; null where nothing is.
    pub next_expected: Option<OrderAwaits>,
    /// Why nothing more is to be seen of it; null where all goes its way.
    pub stuck: Option<OrderStuck>,
    /// Wrappers that made it.
    pub wrappers: Vec<OrderWrapper>,
    /// Other orders whose makers gave them the name asked for.
    pub also_named: Vec<String>,
}

/// How far a chain is scanned for orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderScan {
    /// The chain.
    pub chain_id: ChainId,
    /// Its newest block that is held; null: none is.
    pub newest_block: Option<BlockNumber>,
    /// Whether every event of orders is collected there as it comes.
    pub is_followed: bool,
}

/// One of several orders that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct OrderCandidate {
    /// Its id.
    pub order_id: String,
    /// Its protocol.
    pub protocol: String,
    /// Where it begins.
    pub origin_chain_id: Option<ChainId>,
    /// How far it has come.
    pub state: &'static str,
}
