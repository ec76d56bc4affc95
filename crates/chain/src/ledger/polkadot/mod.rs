//! Polkadot family: headers and extrinsics from nodes, in the bytes hashed by consensus.
//!
//! ```text
//! raw block ─► SCALE header ── its hash = the hash claimed
//!         ├ extrinsics ─────── their trie, of state version 0 or 1 = the header's extrinsics root
//!         └ read proof ─────── the nodes from the header's state root to System.Events
//! ```
//!
//! The header has no time: the time is in the extrinsic `timestamp.set`; the row gives the call index.
//!
//! GRANDPA's votes that come with a final block become evidence if they show the block.

mod build;
mod params;
pub mod raw;
mod timestamp;
pub mod verify;
mod votes;

pub use build::{BlockPlan, build_block, timestamp_extrinsic};
pub use params::PolkadotParams;
pub use raw::{RawDigest, RawGrandpaVotes, RawPolkadotBlock, RawPolkadotHeader};
pub use verify::{hash_of, read_header};
pub use votes::{VOTED_BLOCKS, has_votes, names_authorities};

use superroot_proof::ledger::NotProvable;

use super::facts::LedgerFacts;

pub(crate) const FACTS: LedgerFacts = LedgerFacts {
    events: None,
    fee_unit: "planck",
    fee_rates: Err("the weight of an extrinsic is priced by state that no block holds"),
};

pub(crate) const NO_BLOOM: NotProvable = NotProvable {
    why: "headers commit to no bloom of addresses and topics, so no proof shows that an event is \
          absent from a block",
    nearest: "the list of all events of a block is proven by /v5/proof/event, that a block has no \
              extrinsic at an index by /v5/proof/absence",
};
