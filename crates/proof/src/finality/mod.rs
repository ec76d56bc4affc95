//! Finality by a chain's own consensus, checked from a set that the client pinned.
//!
//! ```text
//! pinned set ──step──► set ──step──► set ──┐
//!                                          ├──► Shown: block hash, and what is still trusted
//! evidence about one block ────────────────┘
//! ```
//! A *set* is who may sign, a *step* leads from one to the next, *evidence* is what a set signed about a block. All three
//! come from anywhere: each is checked. A kind is `advance(params, set, step, now)` and `check(params, set, evidence,
//! now)`, both pure; params are the client's own. Sources: each kind's own page.

pub mod beacon;
mod bls;
mod ssz;
mod verdict;

pub use verdict::{Refusal, Shortfall, Verdict};
