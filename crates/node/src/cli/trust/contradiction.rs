//! Refusals of `trust`.

/// Contradiction to a pin, or within an answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct PinContradiction(pub(super) String);
