//! The single writer of roots: seals twigs, appends them, publishes SuperRoots; and the prover, for proofs from
//! published data.
//!
//! ```text
//! store (final blocks) -> step -> store (SuperRoots) -> prove -> proof::Bundle
//! ```
//! Invariants: a SuperRoot is committed whole or not at all; it commits to final blocks in the store and nothing else;
//! SuperRoots follow each other without gaps; recomputation ([`recompute`]) reproduces every SuperRoot. A store belongs
//! to one origin from before its first block.

mod board;
mod config;
mod cosign;
mod error;
mod evm_signer;
mod nodes;
mod notes;
mod open_twig;
pub mod prove;
mod recheck;
mod recompute;
mod record;
mod recorded;
mod recover;
mod repeat;
mod step;
mod target;

pub use board::Board;
pub use config::PublishConfig;
pub use cosign::Cosigners;
pub use error::AccumulateError;
pub use evm_signer::{EvmSignature, EvmSigner, load_evm_signature, newest_evm_signature};
pub use notes::{is_signed, newest_note};
pub use recheck::{RecheckedEvidence, recheck_evidence};
pub use recompute::{RecomputedLog, recompute};
pub use record::Published;
pub use recover::{RegistryAppend, check_origin, load_origin};
pub use step::{AccumulateProgress, Accumulator};
pub use target::{PublishedTarget, Successors, load_goal, put_goal};
