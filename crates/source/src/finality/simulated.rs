//! Beacon chain of a simulated Ethereum or Gnosis: committees whose keys everybody knows sign for real.

use std::collections::BTreeMap;
use std::sync::Arc;

use superroot_proof::finality::beacon::{
    BeaconEvidence, BeaconHeader, BeaconParams, BeaconStep, SignedHeader,
};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::hash::sha256_joined;
use superroot_types::{Clock, Hash};

use super::committee::SimulatedCommittee;
use super::{FinalitySource, FinalitySourceError, NewestFinal, NumberedStep};
use crate::simulated::SimulatedChain;
use crate::{BlockSource, BoxFuture, ClaimedBlock};

/// Slots of a period before its step is signed.
const STEP_SLOTS: u64 = 3;

/// Simulated beacon chain: the slot of a block is its time in slots.
pub struct SimulatedBeacon {
    params: BeaconParams,
    clock: Arc<dyn Clock>,
    chain: Option<Arc<SimulatedChain>>,
    /// Last period with the usual committee.
    fork: Option<u64>,
}

impl SimulatedBeacon {
    /// Beacon chain of [`BeaconParams::SIMULATED`].
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with(BeaconParams::SIMULATED, clock)
    }

    /// Beacon chain of these params, all in one layout.
    #[must_use]
    pub const fn with(params: BeaconParams, clock: Arc<dyn Clock>) -> Self {
        Self { params, clock, chain: None, fork: None }
    }

    /// Beacon chain of a simulated chain: evidence is about the chain's own final block.
    #[must_use]
    pub fn of_chain(self, chain: Arc<SimulatedChain>) -> Self {
        Self { chain: Some(chain), ..self }
    }

    /// Beacon chain with false committees after `period`, signed by the committee for `period`.
    #[must_use]
    pub fn forked(self, period: u64) -> Self {
        Self { fork: Some(period), ..self }
    }

    fn committee(&self, period: u64) -> SimulatedCommittee {
        let is_other = self.fork.is_some_and(|fork| period > fork);
        SimulatedCommittee::of(&self.params, if is_other { u64::MAX - period } else { period })
    }

    /// Block to sign.
    async fn finalized(&self, held: NewestFinal) -> Result<NewestFinal, FinalitySourceError> {
        let Some(chain) = &self.chain else { return Ok(held) };
        let fault = |why: String| FinalitySourceError { endpoint: "simulated".to_owned(), why };
        let tip = chain.fetch_tip().await.map_err(|error| fault(error.to_string()))?;
        let ClaimedBlock { number, hash } = tip.finalized;
        // final blocks that wait for evidence do so for an epoch
        if held.hash != Hash::ZERO
            && number.0 < held.number.0.saturating_add(self.params.epoch_slots)
        {
            return Ok(held);
        }
        let timestamp = chain.time_of(number);
        Ok(NewestFinal { number, hash, timestamp })
    }

    /// Headers that name a block and the next committee, signed by the committee of the slot behind them.
    fn sign(&self, finalized_slot: u64, body_root: Hash, next: &SimulatedCommittee) -> SignedState {
        let params = &self.params;
        let finalized = header(finalized_slot, Hash::ZERO, body_root);
        let attested_slot = finalized_slot.saturating_add(1);
        let layout = params.layout_at(attested_slot);
        let (at_finalized, at_next) =
            layout.map_or((0, 0), |layout| (layout.finalized_root(), layout.next_committee()));
        let leaves = BTreeMap::from([(at_finalized, finalized.root()), (at_next, next.root())]);
        let attested = header(attested_slot, node(&leaves, 1), Hash::ZERO);
        let signature_slot = attested_slot.saturating_add(1);
        let signer = self.committee(params.period_of(signature_slot));
        let (bits, signature) = signer.sign(params, &attested, signature_slot);
        let finality_branch = branch(&leaves, at_finalized);
        let committee_branch = branch(&leaves, at_next);
        let signed =
            SignedHeader { attested, finalized, finality_branch, bits, signature, signature_slot };
        SignedState { signed, committee_branch }
    }

    fn next_committee(&self, slot: u64) -> SimulatedCommittee {
        self.committee(self.params.period_of(slot).saturating_add(1))
    }

    fn evidence(&self, held: NewestFinal) -> ConsensusEvidence {
        let slot = self.params.slot_at(held.timestamp);
        let index = self.params.layout_at(slot).map_or(0, |layout| layout.block_hash());
        let body = BTreeMap::from([(index, held.hash)]);
        let next = self.next_committee(slot.saturating_add(1));
        let SignedState { signed, .. } = self.sign(slot, node(&body, 1), &next);
        let block_branch = branch(&body, index);
        let evidence = BeaconEvidence { signed, block_hash: held.hash, block_branch };
        ConsensusEvidence {
            kind: FinalityKind::Beacon,
            number: held.number,
            hash: held.hash,
            body: evidence.encode(),
        }
    }

    fn step(&self, period: u64) -> Vec<u8> {
        let slot = self.params.first_slot(period).saturating_add(1);
        let next = self.next_committee(slot);
        let SignedState { signed, committee_branch } = self.sign(slot, Hash::ZERO, &next);
        let committee = next.bytes().to_vec();
        BeaconStep { signed, committee, committee_branch }.encode()
    }
}

struct SignedState {
    signed: SignedHeader,
    committee_branch: Vec<Hash>,
}

const fn header(slot: u64, state_root: Hash, body_root: Hash) -> BeaconHeader {
    BeaconHeader { slot, proposer_index: 0, parent_root: Hash::ZERO, state_root, body_root }
}

/// Node of a tree with these leaves, by generalised index; zero where there is none below.
fn node(leaves: &BTreeMap<u64, Hash>, index: u64) -> Hash {
    if let Some(leaf) = leaves.get(&index) {
        return *leaf;
    }
    let is_below = |leaf: &u64| {
        let above = leaf.leading_zeros().abs_diff(index.leading_zeros());
        *leaf > index && leaf.checked_shr(above) == Some(index)
    };
    if !leaves.keys().any(is_below) {
        return Hash::ZERO;
    }
    sha256_joined(&[&node(leaves, 2 * index).0, &node(leaves, 2 * index + 1).0])
}

/// A leaf's siblings, the lowest first.
fn branch(leaves: &BTreeMap<u64, Hash>, leaf: u64) -> Vec<Hash> {
    let path = std::iter::successors(Some(leaf), |index| Some(index / 2));
    path.take_while(|index| *index > 1).map(|index| node(leaves, index ^ 1)).collect()
}

impl FinalitySource for SimulatedBeacon {
    fn name(&self) -> &str {
        "simulated"
    }

    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        Box::pin(async move { Ok(self.evidence(self.finalized(held).await?)) })
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        Box::pin(async move {
            let now = self.params.slot_at(self.clock.now());
            let is_signed =
                |period: &u64| self.params.first_slot(*period).saturating_add(STEP_SLOTS) <= now;
            let periods = (first..first.saturating_add(count)).take_while(is_signed);
            Ok(periods.map(|period| (period, self.step(period))).collect())
        })
    }
}
