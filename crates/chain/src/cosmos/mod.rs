//! The Cosmos family: blocks as nodes of `CometBFT` send them, in the bytes that consensus hashes.
//!
//! ```text
//! JSON of a node ── header ──► the message `Header` ── verify
//!                                                        │
//!                                                        ├ chain_id = the reference of the row's CAIP-2 name
//!                                                        ├ tree over its fields = the hash claimed
//!                                                        └ tree over the transactions = data_hash
//! ```
//!
//! Of Celestia and its like `data_hash` is the root of something else (a square of shares): their rows say
//! that the `body` cannot be recomputed, and their blocks are headers alone.
//!
//! Signatures, validators and the results of transactions are not looked at here.

pub mod build;
mod header;
mod params;
mod raw;
pub mod verify;

pub use params::Params;
pub use raw::{BLOCK_BYTES_MAX, RawBlockId, RawCosmosBlock, RawHeader, RawParts, RawVersion};
pub use superroot_proof::ledger::cosmos::names_chain;
pub use verify::check_header;

use superroot_proof::ledger::NotProvable;

/// What a bloom would show, and what shows as much.
pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no events and no bloom of them, so no proof shows that an event is absent \
          from a block",
    nearest: "that a block has no transaction at an index is proven by /v5/proof/absence",
};
