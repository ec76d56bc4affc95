//! Solana family: blocks from nodes, with slot entries if available.
//!
//! ```text
//! entries ──┬ each from the hash before it, and the signatures of its transactions
//!           ├ the last = the blockhash claimed
//!           ├ as many ticks as the slot and those skipped before it have
//!           └ every signature fits its key and the message
//! ```
//!
//! A blockhash does not bind parent, number or time: all three are sender claims, and nodes must agree on every block
//! hash. JSON-RPC has no entries, so blocks from JSON-RPC are stored as headers alone.

mod fees;
mod params;
pub mod raw;
pub mod verify;

pub use params::SolanaParams;
pub use raw::{RawEntry, RawSolanaBlock};
pub use verify::TICKS_PER_SLOT;

use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: None,
    fee_unit: "micro-lamports per compute unit",
    fee_rates: Ok(fees::read),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "a blockhash commits to signatures alone, so no proof shows that a log is absent from a block",
    nearest: "that a transaction was recorded in the block is proven by /v5/tx, where the \
              block's entries are held",
};
