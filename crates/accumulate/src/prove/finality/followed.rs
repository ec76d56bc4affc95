//! Sets followed from a pinned or built-in set, and finality shown by them.

use std::sync::PoisonError;

use superroot_chain::ChainSpec;
use superroot_chain::finality::{SetPin, builtin_set, finality_params, signing_row};
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, FinalityShown, check,
    check_evidence,
};
use superroot_store::layout::BlockTip;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::prove::caches::FollowedSet;
use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Most steps checked for one answer.
const STEPS_AT_ONCE: u64 = 64;

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
        let set = set.number();
        Ok(shown.map(|shown| FollowedFinality { shown, target, set, begin }))
    }

    /// Set with this number, if reached by checked steps; else the last one before, if it can show later blocks.
    pub(super) fn followed_set(
        &self,
        row: &ChainSpec,
        params: &FinalityParams,
        number: u64,
        now: UnixSeconds,
    ) -> Result<Option<(FinalitySet, TrustBegin)>, ProveError> {
        let chain = params.signing_chain().unwrap_or(row.key());
        if let Some(set) = builtin_set(row, self.network()).filter(|set| set.number() == number) {
            return Ok(Some((set, TrustBegin::BuiltIn)));
        }
        let Some(pin) = self.pins.get(&chain).filter(|pin| pin.number <= number) else {
            return Ok(None);
        };
        let known = self.newest_followed(chain, number);
        let is_followed = known.is_some();
        let begin = (pin.number, FollowedSet { id: pin.id, own: None });
        let (mut at, FollowedSet { id, own }) = known.unwrap_or(begin);
        let held = own.map_or_else(|| self.set(row, at), |own| Ok(Some(own)))?;
        let Some(mut set) = held.filter(|set| set.id() == id) else {
            self.forget_followed(chain, at);
            return Ok(None);
        };
        // what was followed while it was trusted goes on; a pin that is too old begins nothing
        let is_trusted = set.trusted_until(params).is_none_or(|until| now <= until);
        if !is_followed && !is_trusted {
            return Ok(None);
        }
        let first = at;
        while at < number && at.saturating_sub(first) < STEPS_AT_ONCE {
            let until = set.trusted_until(params).map_or(now, |until| now.min(until));
            let step = self.set_step(row, at)?;
            let next = step.and_then(|step| set.advance(params, &step, until).shown());
            let Some(next) = next else { break };
            set = next;
            at = at.saturating_add(1);
            let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            let own = matches!(set, FinalitySet::Producers(_)).then(|| set.clone());
            followed.insert((chain, at), FollowedSet { id: set.id(), own });
        }
        let may_show = at == number || params.kind().skips_sets();
        Ok(may_show.then_some((set, TrustBegin::Configured(pin.number))))
    }

    /// Newest block up to `last` with evidence shown by followed sets; `None` without. What is `known` is not checked
    /// again.
    ///
    /// # Errors
    /// Store errors.
    pub fn newest_shown(
        &self,
        row: &ChainSpec,
        (last, known): (BlockNumber, Option<BlockTip>),
        now: UnixSeconds,
    ) -> Result<Option<BlockTip>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        let newest = read::load_signed_to(&*self.store, row.key(), last)?;
        let Some(evidence) = newest else { return Ok(None) };
        let is_known =
            |known: &BlockTip| (evidence.number, evidence.hash) == (known.number, known.hash);
        if let Some(known) = known.filter(is_known) {
            return Ok(Some(known));
        }
        let signer = evidence.signer(&params);
        let followed = signer.map(|signer| self.followed_set(row, &params, signer, now));
        let Some((set, _)) = followed.transpose()?.flatten() else { return Ok(None) };
        let shown = check_evidence(&params, &set, &evidence, now).shown();
        Ok(shown.map(|_| BlockTip { number: evidence.number, hash: evidence.hash }))
    }

    /// Whether a set is pinned or built in.
    #[must_use]
    pub fn follows_sets(&self, row: &ChainSpec) -> bool {
        self.pins.contains_key(&signing_row(row).key())
            || builtin_set(row, self.network()).is_some()
    }

    /// Why nothing follows from a pinned set; `None` without a fault.
    ///
    /// # Errors
    /// Store errors.
    pub fn pin_fault(&self, row: &ChainSpec) -> Result<Option<String>, ProveError> {
        let Some(SetPin { number, id }) = self.pin(row.key()) else { return Ok(None) };
        Ok(match (self.set(row, number)?.map(|set| set.id()), self.sets(row)?) {
            (Some(held), _) if held == id => None,
            (Some(held), _) => Some(format!("set {number} has the id {held}, pinned is {id}")),
            (None, Some(held)) => {
                let (first, last) = (held.first, held.last);
                Some(format!("set {number} is not held, {first} to {last} are"))
            }
            (None, None) => Some("no set is held yet".to_owned()),
        })
    }

    /// Forgets sets from this number on.
    fn forget_followed(&self, chain: ChainKey, from: u64) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|(of, number), _| *of != chain || *number < from);
    }

    fn newest_followed(&self, chain: ChainKey, number: u64) -> Option<(u64, FollowedSet)> {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = followed.range((chain, 0)..=(chain, number)).next_back();
        newest.map(|((_, number), set)| (*number, set.clone()))
    }
}
