//! Kind 12, *checkpoint*: a committee of Sui signs each checkpoint of its epoch; the last one names the next committee.
//!
//! ```text
//! committee of an epoch ──signs──► summary = number, digest
//!                                     └── last of the epoch: committee of the next
//! ```
//! A set is `as_of:u64 ‖ ValidatorCommittee in BCS`, with the time at which its epoch began; its id is the SHA-256 of the
//! committee. Evidence and steps are `length:u32 ‖ summary in BCS ‖ signature:48 ‖ bitmap of signers`.
//!
//! Sources: MystenLabs/sui-rust-sdk `sui-crypto` 0.4 (`bls12381.rs`), `sui-sdk-types` (`CheckpointSummary`,
//! `EndOfEpochData`, `signing_message`).

mod committee;
mod set;

pub use super::bls::STAKE_SUITE as DOMAIN;
pub use committee::{Certificate, Committee, INTENT, QuorumFault};
pub use set::{CheckpointParams, CheckpointSet, write_checkpoint};
