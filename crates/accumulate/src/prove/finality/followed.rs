//! Sets followed from a pinned or built-in set, and finality shown by them.

use std::sync::PoisonError;

use superroot_chain::ChainSpec;
use superroot_chain::finality::{SetPin, builtin_set, finality_params};
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, FinalityShown, Verdict, check,
};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Most steps checked for one answer.
const STEPS_AT_ONCE: u64 = 256;

/// Begin of the service's trust in signers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustBegin {
    /// A built-in key.
    BuiltIn,
    /// A set from the configuration, by number.
    Configured(u64),
}

/// A block's finality, checked by the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedFinality {
    /// Shown finality.
    pub shown: FinalityShown,
    /// Number of the evidence's block.
    pub target: BlockNumber,
    /// Number of the signing set.
    pub set: u64,
    /// First trusted set.
    pub begin: TrustBegin,
}

impl Prover {
    /// Configured begin of trust in signers.
    #[must_use]
    pub fn pin(&self, chain: ChainKey) -> Option<SetPin> {
        self.pins.get(&chain).copied()
    }

    /// Checks a block's finality by followed sets; `None` if not shown.
    ///
    /// # Errors
    /// Store errors.
    pub fn check_finality(
        &self,
        row: &ChainSpec,
        proof: &FinalityProof,
        asked: FinalityQuestion,
        now: UnixSeconds,
    ) -> Result<Option<FollowedFinality>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        let Some(signer) = proof.evidence.signer(&params) else { return Ok(None) };
        let Some((set, begin)) = self.followed_set(row, &params, signer, now)? else {
            return Ok(None);
        };
        let own = FinalityProof { steps: Vec::new(), ..proof.clone() };
        let target = proof.evidence.number;
        let shown = check(&params, &set, &own, asked, now).shown();
        Ok(shown.map(|shown| FollowedFinality { shown, target, set: signer, begin }))
    }

    /// Set with this number, if reached by checked steps.
    fn followed_set(
        &self,
        row: &ChainSpec,
        params: &FinalityParams,
        number: u64,
        now: UnixSeconds,
    ) -> Result<Option<(FinalitySet, TrustBegin)>, ProveError> {
        let chain = row.key();
        if let Some(set) = builtin_set(row, self.network()).filter(|set| set.number() == number) {
            return Ok(Some((set, TrustBegin::BuiltIn)));
        }
        let Some(pin) = self.pins.get(&chain).filter(|pin| pin.number <= number) else {
            return Ok(None);
        };
        let (mut at, mut id) = self.newest_followed(chain, number).unwrap_or((pin.number, pin.id));
        let first = at;
        while at < number && at.saturating_sub(first) < STEPS_AT_ONCE {
            let Some(set) = self.set_with_id(row, at, id)? else { return Ok(None) };
            let Some(step) = self.set_step(row, at)? else { return Ok(None) };
            // sets were trusted when they were followed, however long ago that was
            let until = set.trusted_until(params).map_or(now, |until| now.min(until));
            let next = match set.advance(params, &step, until) {
                Verdict::Shown(next) => next,
                Verdict::NotEnough(_) | Verdict::Refusal(_) => return Ok(None),
            };
            (at, id) = (at.saturating_add(1), next.id());
            let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            followed.insert((chain, at), id);
        }
        let set = self.set_with_id(row, number, id)?.filter(|_| at == number);
        Ok(set.map(|set| (set, TrustBegin::Configured(pin.number))))
    }

    fn newest_followed(&self, chain: ChainKey, number: u64) -> Option<(u64, Hash)> {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = followed.range((chain, 0)..=(chain, number)).next_back();
        newest.map(|((_, number), id)| (*number, *id))
    }

    fn set_with_id(
        &self,
        row: &ChainSpec,
        number: u64,
        id: Hash,
    ) -> Result<Option<FinalitySet>, ProveError> {
        Ok(self.set(row, number)?.filter(|set| set.id() == id))
    }
}
