//! Gate for final blocks: evidence shown by the service's own followed sets.

use std::sync::{Mutex, PoisonError};

use superroot_accumulate::prove::{ProveError, Prover};
use superroot_chain::ChainSpec;
use superroot_collect::EvidenceGate;
use superroot_store::StoreError;
use superroot_store::layout::BlockTip;
use superroot_types::UnixSeconds;

/// Gate for a chain.
pub(crate) struct FollowedGate {
    prover: Prover,
    row: ChainSpec,
    /// Newest shown block: each piece of evidence is checked once.
    shown: Mutex<Option<BlockTip>>,
}

impl FollowedGate {
    pub(crate) fn new(prover: Prover, row: ChainSpec) -> Self {
        Self { prover, row, shown: Mutex::default() }
    }
}

impl EvidenceGate for FollowedGate {
    fn newest_shown(&self, now: UnixSeconds) -> Result<Option<BlockTip>, StoreError> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match self.prover.newest_shown(&self.row, *shown, now) {
            Ok(newer) => *shown = newer.or(*shown),
            Err(ProveError::Store(error)) => return Err(error),
            Err(error) => tracing::warn!(chain.id = %self.row.key(), "evidence not read: {error}"),
        }
        Ok(*shown)
    }
}
