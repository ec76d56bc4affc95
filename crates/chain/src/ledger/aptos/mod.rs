//! Aptos: root after a block from nodes, with versions below the root if available.
//!
//! ```text
//! frozen subtrees before the block ─┐
//! infos of its versions ────────────┴─ accumulator ──► root after = the hash claimed
//! events of a version ─── accumulator ──► event root of its info
//! ```
//!
//! Public nodes give the root after every version but no siblings: live blocks are stored as a root alone, by node
//! agreement. A node's backup service gives ledger infos, with which validators sign roots.

mod events;
mod ledger_info;
mod params;
mod raw;
pub mod verify;

pub use ledger_info::{VersionOfBlock, evidence_of_version, steps_of_epochs};
pub use params::AptosParams;
pub use raw::{RawAptosBlock, RawVersions, VERSIONS_MAX};

use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;
use crate::event::EventForm;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: Some(EventForm {
        address: "0x and 64 hex digits (a module's or account's 32 bytes)",
        address_bytes: Some(32),
        topics: Ok(()),
        are_in_receipts: true,
        read: events::read,
    }),
    fee_unit: "octas per gas unit",
    fee_rates: Err("what is hashed of a version tells its gas, not its price"),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "nothing of Aptos commits to a bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "an event that is there is proven by /v5/proof/event",
};
