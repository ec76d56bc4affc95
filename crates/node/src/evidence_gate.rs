//! Gate for final blocks: evidence shown by the service's own followed sets.

use std::sync::{Arc, Mutex, PoisonError};

use superroot_accumulate::prove::{ProveError, Prover};
use superroot_chain::ChainSpec;
use superroot_chain::finality::{LineBlock, LineEvidence, evidence_role, finality_params};
use superroot_collect::EvidenceGate;
use superroot_proof::finality::FinalityParams;
use superroot_store::layout::BlockTip;
use superroot_store::{Store, StoreError, WriteBatch, read, write};
use superroot_types::{BlockNumber, UnixSeconds};

/// Gate for a chain.
pub(crate) struct FollowedGate {
    prover: Prover,
    store: Arc<dyn Store>,
    row: ChainSpec,
    params: FinalityParams,
    /// Newest shown block: each piece of evidence is checked once.
    shown: Mutex<Option<BlockTip>>,
}

impl FollowedGate {
    /// `None` for a chain without a known evidence kind.
    pub(crate) fn new(prover: Prover, store: Arc<dyn Store>, row: ChainSpec) -> Option<Self> {
        let params = finality_params(&row, prover.network())?;
        Some(Self { prover, store, row, params, shown: Mutex::default() })
    }

    /// Value, or the default for evidence that cannot be read now.
    fn read<T>(&self, found: Result<T, ProveError>, otherwise: T) -> Result<T, StoreError> {
        match found {
            Ok(found) => Ok(found),
            Err(ProveError::Store(error)) => Err(error),
            Err(error) => {
                tracing::warn!(chain.id = %self.row.key(), "evidence not read: {error}");
                Ok(otherwise)
            }
        }
    }
}

impl EvidenceGate for FollowedGate {
    fn is_beside(&self) -> bool {
        evidence_role(&self.params).is_some()
    }

    fn newest_shown(
        &self,
        last: BlockNumber,
        now: UnixSeconds,
    ) -> Result<Option<BlockTip>, StoreError> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = self.prover.newest_shown(&self.row, (last, *shown), now);
        let newest = self.read(newest, None)?;
        *shown = newest.or(*shown);
        Ok(newest)
    }

    fn excludes(&self, shown: BlockTip, time: UnixSeconds) -> Result<bool, StoreError> {
        let (chain, number) = (self.row.key(), shown.number);
        let held = read::load_signed_from(&*self.store, chain, number, number)?;
        let place = held.and_then(|evidence| evidence.place(&self.params));
        if place == Some(self.params.place_at(number, time)) {
            return Ok(true);
        }
        tracing::error!(
            chain.id = %chain, block.number = %number,
            "evidence is about another block than its number says, and is dropped"
        );
        let mut batch = WriteBatch::new();
        write::delete_evidence(&mut batch, chain, number);
        self.store.commit(batch)?;
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(false)
    }

    fn shown_within(
        &self,
        line: &[LineBlock],
        now: UnixSeconds,
    ) -> Result<LineEvidence, StoreError> {
        self.read(self.prover.shown_within(&self.row, line, now), LineEvidence::Missing)
    }
}
