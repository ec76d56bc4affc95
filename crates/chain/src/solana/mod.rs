//! The Solana family: blocks as nodes send them, with the entries of their slots where somebody has them.
//!
//! ```text
//! entries ──┬ each from the hash before it, and the signatures of its transactions
//!           ├ the last = the blockhash claimed
//!           ├ as many ticks as the slot and those skipped before it have
//!           └ every signature fits its key and the message
//! ```
//!
//! A blockhash names no parent, number or time: those are the word of whoever sends the block, and
//! nodes have to agree on the hash of each block. JSON-RPC has no entries, so of blocks that come from
//! there the header alone is held.

mod params;
pub mod raw;
pub mod verify;

pub use params::Params;
pub use raw::{RawEntry, RawSolanaBlock};
pub use verify::TICKS_PER_SLOT;

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "a blockhash commits to signatures alone, so no proof shows that a log is absent from a block",
    nearest: "that a transaction was recorded in the block is proven by /v5/tx, where the \
              block's entries are held",
};
