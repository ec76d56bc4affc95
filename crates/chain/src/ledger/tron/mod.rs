//! Tron: blocks from nodes over HTTP or gRPC, in the bytes hashed by consensus.
//!
//! ```text
//! JSON of a node ── http ──► header, transactions in protobuf ── verify
//!                                                                  │
//!   recording or gRPC: the bytes themselves ───────────────────────┤
//!                                                                  ├ block id of the header = the id claimed
//!                                                                  └ tree over the transactions = txTrieRoot
//! ```
//!
//! JSON is a view of the bytes, converted back here. Block id and tree show that the bytes are the same.

pub mod build;
mod http;
mod params;
mod producers;
mod raw;
mod results;
mod unknown;
pub mod verify;
mod write;

pub use http::{BlockHeader, HeaderData, HttpBlock, HttpTransaction};
pub use params::{RUN_BLOCKS, TronParams};
pub use raw::{BLOCK_BYTES_MAX, RawTronBlock, RawTronHeader};

use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: None,
    fee_unit: "sun per energy",
    fee_rates: Err("energy and bandwidth are priced by parameters that no block holds"),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "that a block has no transaction at an index is proven by /v5/proof/absence",
};
