//! What a chain is: its row, and how a block a node sent becomes a verified one. No I/O.
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
//! *Untrusted* or *raw* is what a node said; *claimed* is one value of it. A *leaf* is what hangs
//! in a block's own tree. An *extent* says which parts of a block were there to verify.
//!
//! What must always hold: a [`VerifiedBlock`] is made by [`verify`](fn@verify) alone, and every byte
//! it gives out is bound by its hash. Nothing from outside makes this crate panic.
//!
//! ```
//! use superroot_chain::evm::raw::RawEvmBlock;
//! use superroot_chain::{Registry, UntrustedBlock, verify};
//!
//! # fn read(json: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let ethereum = Registry::builtin().find("ethereum").ok_or("no such chain")?;
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

pub mod aptos;
pub mod bitcoin;
pub mod block;
pub mod cosmos;
pub mod error;
pub mod evm;
pub mod finality;
pub mod icp;
pub mod ledger;
pub mod polkadot;
pub mod registry;
pub mod solana;
pub mod sui;
pub mod tron;
mod unprovable;
mod verify;

pub use block::{VerifiedBlock, Withheld};
pub use error::{ChainError, Check};
pub use evm::{Encoding, EncodingFrom};
pub use finality::{Evidence, EvidenceKind, FinalBlock, FinalityRule, Verdict};
pub use ledger::{Ledger, Proves};
pub use registry::{ChainRow, Registry, RegistryError, RulesChecked};
pub use superroot_proof::ledger::Extent;
pub use unprovable::{Unprovable, UnprovablePart};
pub use verify::{Recomputed, UntrustedBlock, check_due, check_recorded_chain, recompute, verify};
