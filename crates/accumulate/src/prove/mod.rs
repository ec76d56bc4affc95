//! Proofs from published data. This module only reads; calls block, so async code wraps them in `spawn_blocking`.

mod block;
mod caches;
mod consistency;
mod entry;
mod error;
mod finality;
mod notes;
mod prover;
mod scan;
mod tiles;
mod twig;
mod verified;
mod verify;

pub use entry::{EventInBlock, Occurrence};
pub use error::ProveError;
pub use finality::{FollowedFinality, HeldSets, SET_STEPS_MAX, TrustBegin};
pub use prover::{Prover, UNANCHORED};
pub use tiles::{TILE_WIDTH, tiled};
pub use verified::VerifiedBase;
