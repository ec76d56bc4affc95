//! Payments at registry contracts: a proven sale opens the tier.
//!
//! ```text
//! our own blocks ──► events of the registry ──► proof, verified here ──► BillingLedger::pay ──► tier
//! ```
//! Usage checkpoints are proven alike. A sale counts once its block is final and anchored, and its proof verifies under
//! the newest SuperRoot as a stranger would verify it. A restart reads all sales again: each counts once, by its chain,
//! transaction and log.

mod checkpoint;
mod event;
mod proven;
mod stage;

pub(crate) use event::number;
pub(crate) use proven::ProvenEvents;
pub(crate) use stage::CountPayments;
