//! The ICP family: blocks of the Internet Computer's ledger, and the certificates of its newest one.
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
//! The certified data of this ledger are the hash of its newest block alone: neither a certificate nor
//! a block names an index, so the number is the nodes' word.
//!
//! Sources: the Internet Computer interface specification, "Certification"; `rs/ledger_suite/icp` of
//! dfinity/ic (`set_certified_data` of the last block's hash).

mod cbor;
mod certificate;
mod encode;
mod params;
mod principal;
pub mod raw;
mod sign;
pub mod verify;

pub use cbor::{read_cbor, take_bytes, take_member, write_cbor};
pub use certificate::{
    CERTIFICATE_BYTES_MAX, CertificateError, Certified, KEY_PREFIX, check_certificate,
};
pub use encode::encode_block;
pub use params::{Params, SIMULATED_KEY, simulated_root_key};
pub use principal::Principal;
pub use raw::RawIcpBlock;
pub use sign::sign_certificate;

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "blocks commit to no bloom of addresses and topics",
    nearest: "a block has one transaction with one operation, which /v5/proof/event proves whole; that \
              it has no other /v5/proof/absence",
};
