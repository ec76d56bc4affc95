//! Source in, verified and final blocks out.
//!
//! ```text
//!                    the line is followed from the block agreed on, by hash, down to what is held
//! source ──► fetch ──► chain::verify ──► watch list ──► store: final with evidence, head without
//! ```
//! A step fetches a bounded run of final blocks, or, once all of them are held, follows the head.
//! It commits once. What always holds: a final block is never exchanged, nor is a block final that
//! the one agreed on does not descend from; between two held neighbours the parent link holds; a
//! block that does not recompute is blamed on its sender, noted, and never stepped over on a live or
//! simulated chain; a chain that reorganised below its finalized block is halted, with the evidence
//! kept. [`Collector::backfill_step`] adds older twigs, [`Collector::repair_step`] mends bodies.

mod backfill;
mod collector;
mod config;
mod due;
mod error;
mod fetch;
mod final_blocks;
mod hand;
mod head_blocks;
mod patience;
mod repair;
mod retraction;
mod watching;

pub use backfill::Filled;
pub use collector::{Collector, Progress, Refusal, Step};
pub use config::Config;
pub use error::CollectError;
pub use repair::Repaired;
pub use retraction::Search;
pub use superroot_store::layout::Watch;

/// Checks that are made here, beside those of a block itself
/// ([`Check`](superroot_chain::Check)): that the block is the one asked for, the one agreed on, and
/// that somebody has its body. Labels of `superroot_collect_failed_checks_total`.
pub const OWN_CHECKS: [&str; 3] = [BLOCK_ASKED_FOR, AGREEMENT, BODY_MISSING];

const BLOCK_ASKED_FOR: &str = "block_asked_for";
const AGREEMENT: &str = "agreement";
const BODY_MISSING: &str = "body_missing";
