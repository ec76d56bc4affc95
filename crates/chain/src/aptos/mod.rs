//! Aptos: the root after a block as nodes tell it, and the versions below it where they are had.
//!
//! ```text
//! frozen subtrees before the block ─┐
//! infos of its versions ────────────┴─ accumulator ──► root after = the hash claimed
//! events of a version ─── accumulator ──► event root of its info
//! ```
//!
//! Public nodes tell the root after every version, and no siblings: of their blocks the root alone is
//! held, as enough of them agree on it.

mod params;
mod raw;
pub mod verify;

pub use params::Params;
pub use raw::{RawAptosBlock, RawVersions, VERSIONS_MAX};

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "nothing of Aptos commits to a bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "an event that is there is proven by /v5/proof/event",
};
