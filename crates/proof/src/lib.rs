//! Everything a client must trust, and nothing else: hashing leads from a single fact ("this log was emitted") to a
//! 32-byte SuperRoot hash. Pure, `no_std` + `alloc`, never panics on input.
//!
//! ```text
//! level 1  transaction, log   mpt, ledger      trie of the block, key = rlp(position)
//! level 2  block              ledger           header -> block hash, by the rule of the chain
//! level 3  twig               twig             2,048 consecutive numbers of one chain
//! level 4  Mini-MMR           range            sealed twigs of one ledger family
//! level 5  SuperRoot          superroot        9 Mini-MMRs, block references, history, registry
//! ```
//!
//! [`bundle::Bundle`] is a proof over these levels; most callers check it with [`bundle::verify`]. [`scan::Scan`] shows
//! all events in a block range. Bytes: `docs/protocol.md`.

#![warn(missing_docs)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unreachable
    )
)]

extern crate alloc;

pub mod bundle;
pub mod calldata;
mod codec;
pub mod consistency;
#[cfg(feature = "finality")]
pub mod finality;
pub mod hash;
pub mod ledger;
pub mod mpt;
pub mod note;
pub mod perfect;
pub mod range;
pub mod registry;
pub mod scan;
pub mod superroot;
pub mod twig;
pub mod usage;
