//! Sui family: checkpoints from full nodes, each part in the BCS hashed to the digest.
//!
//! ```text
//! summary ── blake2b ─► the digest claimed; the row's genesis, of checkpoint 0
//!    ├ signature of the committee that the row knows: two thirds of its stake and more
//!    └ content_digest ─► contents ─┬ transaction digests ─► transactions
//!                                  └ effects digests ─► effects ─ events_digest ─► events
//! ```
//! A committee is known only from the row, for one epoch. For all other checkpoints, node agreement shows the network.

mod build;
mod events;
mod params;
mod raw;
mod sign;
pub(crate) mod verify;

pub use build::{CheckpointPlan, TransactionPlan, build_checkpoint};
pub use params::SuiParams;
pub use raw::{CONTENTS_BYTES_MAX, RawContents, RawSuiBlock, RawSuiTransaction};
pub use sign::{sign_summary, simulated_members};

pub use superroot_proof::finality::checkpoint::{Certificate, Committee, QuorumFault};
use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;
use crate::event::EventForm;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: Some(EventForm {
        address: "0x and 64 hex digits (a package or address of 32 bytes)",
        address_bytes: Some(32),
        topics: Ok(()),
        are_in_receipts: false,
        read: events::read,
    }),
    fee_unit: "mist per gas unit",
    fee_rates: Err("the reference price of an epoch stands in state that no checkpoint holds"),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "checkpoints commit to no bloom of addresses and types, so no proof shows that an event is \
          absent from one",
    nearest: "an event is proven by /v5/proof/event, that a checkpoint has no transaction at an index \
              by /v5/proof/absence",
};
