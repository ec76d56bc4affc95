//! EVM family: raw blocks from nodes, consensus bytes, and the conversion.

pub mod encode;
mod encoding;
mod events;
mod params;
pub(crate) mod quantity;
pub mod raw;
pub mod verify;

pub use encoding::{Encoding, EncodingFrom};
pub use params::{AnchorRow, EvmParams};
pub use raw::RawEvmBlock;

use super::facts::LedgerFacts;
use crate::event::EventForm;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: Some(EventForm {
        address: "0x and 40 hex digits (an address of 20 bytes)",
        address_bytes: Some(20),
        topics: Ok(()),
        are_in_receipts: true,
        read: events::read,
    }),
    fee_unit: "wei per gas",
    fee_rates: Err("chains of the EVM family have a base fee and tips"),
};
