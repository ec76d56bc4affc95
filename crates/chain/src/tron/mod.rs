//! Tron: blocks as nodes send them over HTTP or gRPC, in the bytes that consensus hashes.
//!
//! ```text
//! JSON of a node ── http ──► header, transactions in protobuf ── verify
//!                                                                  │
//!   recording or gRPC: the bytes themselves ───────────────────────┤
//!                                                                  ├ block id of the header = the id claimed
//!                                                                  └ tree over the transactions = txTrieRoot
//! ```
//!
//! JSON is a view: nodes make it of the bytes, and we make the bytes of it again. That they are the same,
//! the block id and the tree show.

pub mod build;
mod http;
mod params;
mod raw;
mod results;
mod unknown;
pub mod verify;
mod write;

pub use http::{BlockHeader, HeaderData, HttpBlock, HttpTransaction};
pub use params::Params;
pub use raw::{BLOCK_BYTES_MAX, RawTronBlock};

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "that a block has no transaction at an index is proven by /v5/proof/absence",
};
