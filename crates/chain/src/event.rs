//! Events in a form shared by all ledgers.
//!
//! | ledger | addresses | first topic | data |
//! |---|---|---|---|
//! | EVM | the contract | the log's | the log's |
//! | Bitcoin | the output's script | none | value in satoshi, `u64` |
//! | Sui | package, and who sent the transaction | Keccak-256 of the type's name | the value, in BCS |
//! | Aptos | module of its type, zeros without one; account of its handle | Keccak-256 of the type's name | the value, in BCS |
//! | ICP | owner, recipient, spender, as far as there are such | Keccak-256 of the operation's name | the transaction |
//!
//! Other ledgers commit to no events, or only to events that need data outside the block to tell apart.

use superroot_proof::hash::keccak256;
use superroot_proof::ledger::Body;
use superroot_types::Hash;

/// A block's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockEvent {
    /// Transaction position in the block.
    pub tx_index: u32,
    /// Position among the transaction's events: `log_index` in the proof routes.
    pub log_index: u32,
    /// Transaction hash; `None` if transactions are not stored.
    pub transaction_hash: Option<Hash>,
    /// Addresses concerned, at least one: the first is the emitter.
    pub addresses: Vec<Vec<u8>>,
    /// Topics, up to four.
    pub topics: Vec<Hash>,
    /// Data; `None` if too long for the index and only in the block body.
    pub data: Option<Vec<u8>>,
}

/// First topic for a name: a Move type, or an ICP ledger operation.
#[must_use]
pub fn topic_of(name: &str) -> Hash {
    keccak256(name.as_bytes())
}

/// Appends the events of the transactions at the given positions, in block order. The transaction hash may be left out.
/// The error is the fault in the body, in words.
pub type EventReader =
    fn(&Body, &mut dyn Iterator<Item = u32>, &mut Vec<BlockEvent>) -> Result<(), String>;

/// A ledger's events.
#[derive(Clone, Copy, Debug)]
pub struct EventForm {
    /// Address in a query, in words.
    pub address: &'static str,
    /// Address length in bytes; `None` for any length.
    pub address_bytes: Option<usize>,
    /// Whether events have topics; the error is the expectation for a query with topics, in words.
    pub topics: Result<(), &'static str>,
    /// Whether events are in receipts; otherwise in transactions.
    pub are_in_receipts: bool,
    pub read: EventReader,
}
