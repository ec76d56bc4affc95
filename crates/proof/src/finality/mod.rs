//! Finality by a chain's own consensus, checked from a set that the client pinned.
//!
//! ```text
//! pinned set ──step──► set ──step──► set ──┐
//!                                          ├──► Shown: a final block, and what is still trusted
//! evidence about one block ────────────────┘          │
//!                                                   link: the headers from it down to the block that was asked for
//! ```
//! A *set* is who may sign, a *step* leads from one to the next, *evidence* is what a set signed about a block. All three
//! come from anywhere: each is checked. A kind is `check` and `advance`, both pure; params are the client's own. Bytes:
//! `docs/protocol/finality.md`. Sources: each kind's own page.

pub mod anchor;
pub mod beacon;
mod bls;
pub mod certificate;
pub mod checkpoint;
pub mod commit;
mod conflict;
mod evidence;
pub mod grandpa;
mod kind;
pub mod ledger_info;
mod link;
pub mod milestone;
pub mod producers;
mod proof;
mod quorum;
mod rules;
mod ssz;
mod trusted;
mod verdict;
pub mod vote;
pub mod work;

pub use conflict::{ConflictShown, ConflictStatements, FinalityConflict, check_conflict};
pub use evidence::{ConsensusEvidence, EVIDENCE_BYTES_MAX};
pub use kind::{FinalityKind, FinalityParams, FinalitySet};
pub use link::{LINK_BYTES_MAX, LinkHeader, LinkHeaders};
pub use proof::{
    FinalityProof, FinalityQuestion, FinalityShown, ProofFile, STEPS_BYTES_MAX, check,
    check_evidence,
};
pub use rules::SignedPlace;
pub use trusted::TrustedSet;
pub use verdict::{Refusal, Shortfall, Verdict};
