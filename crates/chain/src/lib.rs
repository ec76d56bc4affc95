//! Chain definitions, and verification of node blocks. No I/O.
//!
//! ```text
//!   chains.toml ── Registry ── ChainRow ─┐
//!                                        ▼
//!   node's JSON ── UntrustedBlock ──► verify ──► VerifiedBlock ──(+ Evidence)──► FinalBlock
//!                                    │
//!                                    ├ encode: the bytes that consensus hashes
//!                                    ├ hash of the header = the hash claimed
//!                                    ├ roots, blooms and gas = those of the header
//!                                    └ what one part repeats of another agrees
//! ```
//!
//! *Untrusted* or *raw*: data from a node; *claimed*: one such value. *Leaf*: an item in a block's own tree. *Extent*:
//! the parts of a block available for verification.
//!
//! Invariants: only [`verify`](fn@verify) makes a [`VerifiedBlock`], and the block hash binds every byte returned.
//! Outside data never make this crate panic.
//!
//! ```
//! use superroot_chain::ledger::evm::raw::RawEvmBlock;
//! use superroot_chain::{ChainRegistry, UntrustedBlock, verify};
//!
//! # fn read(json: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let ethereum = ChainRegistry::builtin().find("ethereum").ok_or("no such chain")?;
//! let untrusted: RawEvmBlock = serde_json::from_str(json)?;
//! let block = verify(ethereum, &UntrustedBlock::Evm(Box::new(untrusted)))?;
//! println!("block {} of {} is {} with {}", block.number(), block.chain(), block.hash(), block.extent());
//! # Ok(())
//! # }
//! ```
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::panic
    )
)]

pub mod block;
pub mod error;
pub mod event;
pub mod fee;
pub mod finality;
pub mod ledger;
pub mod registry;
mod unprovable;
mod verify;

pub use block::{SignedBlock, VerifiedBlock, Withheld};
pub use error::{BlockCheck, ChainError};
pub use finality::{EvidenceKind, EvidenceVerdict, FinalBlock, FinalityEvidence, FinalityRule};
pub use ledger::evm::{Encoding, EncodingFrom};
pub use ledger::{Ledger, ProofScope};
pub use registry::{ChainRegistry, ChainRegistryError, ChainSpec, RulesReview};
pub use superroot_proof::ledger::Extent;
pub use unprovable::{UnprovablePart, UnprovableRange};
pub use verify::{
    RecomputedBlock, UntrustedBlock, check_due, check_recorded_chain, recompute, verify,
};
