//! The single writer of roots: seals twigs, appends them, publishes SuperRoots; and the prover that
//! reads proofs out of what was published.
//!
//! ```text
//! store (final blocks) -> step -> store (SuperRoots) -> prove -> proof::Bundle
//! ```
//! What always holds: a SuperRoot is committed whole or not at all; it commits to final blocks of
//! the store and nothing else; SuperRoots follow each other without holes; and all of them come out
//! again when they are computed anew ([`recompute`]). A store is of one origin from before its first
//! block.

mod board;
mod config;
mod cosign;
mod error;
mod nodes;
mod notes;
mod open_twig;
pub mod prove;
mod recompute;
mod record;
mod recorded;
mod recover;
mod repeat;
mod step;
mod target;

pub use board::Board;
pub use config::Config;
pub use cosign::Cosigners;
pub use error::AccumulateError;
pub use notes::{is_signed, newest_note};
pub use recompute::{Recomputed, recompute};
pub use record::Published;
pub use recover::{Appended, check_origin, load_origin};
pub use step::{Accumulator, Progress};
pub use target::{Successors, Target, load_goal, put_goal};
