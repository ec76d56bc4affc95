//! The Sui family: checkpoints as full nodes send them, each part in the BCS that its digest is of.
//!
//! ```text
//! summary ── blake2b ─► the digest claimed; the row's genesis, of checkpoint 0
//!    ├ signature of the committee that the row knows: two thirds of its stake and more
//!    └ content_digest ─► contents ─┬ transaction digests ─► transactions
//!                                  └ effects digests ─► effects ─ events_digest ─► events
//! ```
//! A committee is known where the row has it, and for its own epoch alone. Of all other checkpoints it
//! is the agreement of nodes that says which are the network's.

mod build;
mod committee;
mod params;
mod raw;
pub(crate) mod verify;

pub use build::{CheckpointPlan, TransactionPlan, build_checkpoint};
pub use committee::{Committee, QuorumFault};
pub use params::Params;
pub use raw::{CONTENTS_BYTES_MAX, Certificate, RawContents, RawSuiBlock, RawTransaction};

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "checkpoints commit to no bloom of addresses and types, so no proof shows that an event is \
          absent from one",
    nearest: "an event is proven by /v5/proof/event, that a checkpoint has no transaction at an index \
              by /v5/proof/absence",
};
