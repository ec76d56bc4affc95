//! Reasons for an invalid price.

use crate::{Differs, EnclosedProofError};

/// Reason for an invalid price.
#[derive(Debug, thiserror::Error)]
pub enum PriceCheckError {
    /// Not a price.
    #[error("not a price: {0}")]
    NoPrice(String),
    /// No proofs.
    #[error("the price carries no proofs: ask for it with proof=1")]
    NoProof,
    /// Invalid event proof.
    #[error("the proof of event {0}: {1}")]
    Proof(String, EnclosedProofError),
    /// The proofs lead to different SuperRoots, or to none.
    #[error("the proofs lead to more than one SuperRoot, or to none")]
    SuperRoots,
    /// Pool data does not follow from its events.
    #[error("pool {pool}: {why}")]
    Pool {
        /// Pool address.
        pool: String,
        /// Reason.
        why: String,
    },
    /// Pool figures differ from its events.
    #[error("pool {pool}: its {member} follows as {computed}, and {said} is said")]
    Shown {
        /// Pool address.
        pool: String,
        /// Member name.
        member: &'static str,
        /// Computed value.
        computed: String,
        /// Stated value.
        said: String,
    },
    /// The answer contradicts its SuperRoot.
    #[error(transparent)]
    Said(#[from] Differs),
    /// The computed price differs.
    #[error("the price of {token} follows as {computed}, and {said} is said")]
    Price {
        /// Token.
        token: String,
        /// Computed price.
        computed: String,
        /// Stated price.
        said: String,
    },
}
