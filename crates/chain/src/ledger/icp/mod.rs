//! ICP family: blocks of the Internet Computer ledger, and certificates of the newest block.
//!
//! ```text
//! encoded block ── sha256 = the hash claimed; parent, time, operation read from it
//!
//! certificate ── hash tree ── root ── BLS signature of the subnet
//!   │              ├ time                    └ key: the root key, or one that a delegation
//!   │              └ canister/<id>/certified_data     signed by the root key gives to a subnet,
//!   │                     = hash of the newest block  with the range of its canisters
//!   └ delegation ── hash tree ── root ── BLS signature by the root key
//! ```
//!
//! The certified data are only the newest block hash: neither certificate nor block names an index, so the number is a
//! node claim.
//!
//! Sources: the Internet Computer interface specification, "Certification"; `rs/ledger_suite/icp` of dfinity/ic
//! (`set_certified_data` of the last block's hash).

mod encode;
mod events;
mod fees;
mod params;
pub mod raw;
mod sign;
pub mod verify;

pub use encode::encode_block;
pub use params::{IcpParams, SIMULATED_KEY, simulated_root_key};
pub use raw::RawIcpBlock;
pub use sign::sign_certificate;

pub use superroot_proof::finality::certificate::{
    CERTIFICATE_BYTES_MAX, CertificateError, Certified, KEY_PREFIX, Principal, check_certificate,
    read_cbor, take_bytes, take_member, write_cbor,
};
use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;
use crate::event::EventForm;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: Some(EventForm {
        address: "64 hex digits (an account identifier of 32 bytes)",
        address_bytes: Some(32),
        topics: Ok(()),
        are_in_receipts: false,
        read: events::read,
    }),
    fee_unit: "e8s per transfer",
    fee_rates: Ok(fees::read),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "blocks commit to no bloom of addresses and topics",
    nearest: "a block has one transaction with one operation, which /v5/proof/event proves whole; that \
              it has no other /v5/proof/absence",
};
