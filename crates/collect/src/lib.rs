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

mod agreed;
mod backfill;
mod blocking;
mod body_wait;
mod checks;
mod collector;
mod commit;
mod config;
mod due;
mod error;
mod evidence;
mod fetch;
mod final_blocks;
mod head_blocks;
mod line;
mod new_watch;
mod progress;
mod received;
mod refused_bodies;
mod repair;
mod retraction;
mod room;
mod watching;

pub use backfill::Filled;
pub use checks::OWN_CHECKS;
pub use collector::{Collector, Stepping};
pub use config::Config;
pub use error::CollectError;
pub use progress::{Progress, Refusal, Search, Step};
pub use repair::Repaired;
pub use superroot_store::layout::Watch;
pub use watching::list_of;
