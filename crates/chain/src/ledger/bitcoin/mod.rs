//! Bitcoin family: whole blocks or bare headers from nodes, in the bytes hashed by consensus.
//!
//! ```text
//! raw block ── split ──► header, transactions with and without witness
//!                 │
//!                 ├ hash of the header = the hash claimed, at most its target (work)
//!                 ├ tree over the txids = the header's root, nothing in it twice
//!                 ├ tree over the wtxids = what the coinbase commits to (BIP 141)
//!                 └ height in the coinbase = the number claimed (BIP 34)
//! ```
//!
//! A header alone shows neither the number nor the due target. Both need previous headers, as far as stored, passed to
//! [`check_due`]; each [`DifficultyCheckpoint`] of the row is always available.

mod checkpoint;
mod due;
mod events;
mod fees;
mod params;
pub mod raw;
mod row;
mod split;
pub mod verify;
mod work;

pub use checkpoint::DifficultyCheckpoint;
pub use due::{MEDIAN_BLOCKS, check_due};
pub use fees::{BlockRate, VIRTUAL_BYTES_MAX, block_rate, subsidy_sats};
pub use params::{BitcoinParams, EASY_BITS, Retarget};
pub use raw::{BLOCK_BYTES_MAX, RawBitcoinBlock};
pub use verify::height_script;
pub use work::{HeaderWork, check_work};

pub use superroot_proof::finality::work::RETARGET_BLOCKS;
use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;
use crate::event::EventForm;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: Some(EventForm {
        address: "0x and the hex digits of an output's script",
        address_bytes: None,
        topics: Err("none: outputs of Bitcoin have an address, which is their script"),
        are_in_receipts: false,
        read: events::read,
    }),
    fee_unit: "sat/vB",
    fee_rates: Ok(fees::read),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "an output is proven by /v5/proof/event, that a block has no transaction at an index by \
              /v5/proof/absence",
};
