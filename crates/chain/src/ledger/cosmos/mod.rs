//! Cosmos family: blocks from `CometBFT` nodes, in the bytes hashed by consensus.
//!
//! ```text
//! JSON of a node ── header ──► the message `Header` ── verify
//!                                                        │
//!                                                        ├ chain_id = the reference of the row's CAIP-2 name
//!                                                        ├ tree over its fields = the hash claimed
//!                                                        └ tree over the transactions = data_hash
//! ```
//!
//! On Celestia and similar chains `data_hash` is a root of other data (a square of shares): the rows mark the `body` as
//! unprovable, and blocks are headers alone.
//!
//! Votes and validators that come with a block become evidence if they show the block. Transaction results are not
//! checked here.

pub mod build;
mod commit;
mod header;
mod params;
mod raw;
pub mod verify;

pub(crate) use commit::{VoteForm, block_commit};
pub(crate) use header::read as read_header;
pub use params::CosmosParams;
pub use raw::{
    BLOCK_BYTES_MAX, RawBlockId, RawCommitSignature, RawCosmosBlock, RawCosmosCommit,
    RawCosmosHeader, RawParts, RawPublicKey, RawValidator, RawVersion,
};
pub use superroot_proof::ledger::cosmos::names_chain;
pub use verify::check_header;

use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: None,
    fee_unit: "uatom per gas",
    fee_rates: Err("its fee market is state that no block holds"),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no events and no bloom of them, so no proof shows that an event is absent \
          from a block",
    nearest: "that a block has no transaction at an index is proven by /v5/proof/absence",
};
