//! Chain collection: verified and final blocks from a source.
//!
//! ```text
//!                    the line is followed from the block agreed on, by hash, down to what is held
//! source ──► fetch ──► chain::verify ──► watch list ──► store: final with evidence, head without
//! ```
//! A step fetches a bounded run of final blocks or, once all are stored, follows the head; each step commits once.
//! Invariants: final blocks are never replaced, and each is an ancestor of an agreed block; neighbouring stored blocks
//! link by parent; a block that fails recomputation is blamed on its sender, recorded, and never skipped on a live or
//! simulated chain; a chain that reorganised below its finalized block is halted, with the evidence kept.
//! [`Collector::backfill_step`] adds older twigs, [`Collector::repair_step`] repairs bodies.

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
mod gate;
mod head_blocks;
mod line;
mod new_watch;
mod progress;
mod received;
mod refused_bodies;
mod repair;
mod retraction;
mod room;
mod steps;
mod watching;

pub use backfill::Filled;
pub use checks::OWN_CHECKS;
pub use collector::{Collector, Stepping};
pub use config::CollectConfig;
pub use error::CollectError;
pub use gate::EvidenceGate;
pub use progress::{CollectProgress, CollectStep, DivergenceSearch, RefusedBlock};
pub use repair::Repaired;
pub use superroot_store::layout::WatchFilter;
pub use watching::list_of;
