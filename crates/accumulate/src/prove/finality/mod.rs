//! Data for client-side finality checks: evidence, link headers, sets and steps.

mod anchor;
mod followed;
mod vote;
mod work;

pub use followed::{FollowedFinality, TrustBegin};

use superroot_chain::ChainSpec;
use superroot_chain::finality::{builtin_set, finality_params};
use superroot_proof::finality::{
    ConsensusEvidence, FinalityKind, FinalityParams, FinalityProof, FinalitySet, LINK_BYTES_MAX,
    LinkHeaders, STEPS_BYTES_MAX,
};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Most blocks from a block up to the evidence's block.
const LINK_BLOCKS_MAX: u64 = 1_024;
/// Most blocks looked at for the newest vote.
const VOTE_BLOCKS_MAX: u64 = 8;
/// Most steps of an answer.
pub const SET_STEPS_MAX: usize = 1_024;

/// Available sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSets {
    /// Kind of the chain's evidence.
    pub kind: FinalityKind,
    /// First set, by number.
    pub first: u64,
    /// Last set, by number.
    pub last: u64,
}

impl Prover {
    /// Consensus evidence for a stored block, unchecked, without steps; `None` if missing.
    ///
    /// # Errors
    /// [`ProveError::NotFound`] without the block; store errors.
    pub fn finality(
        &self,
        row: &ChainSpec,
        number: BlockNumber,
    ) -> Result<Option<FinalityProof>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        let chain = row.key();
        let block = self.block(chain, number)?;
        match &params {
            FinalityParams::Work(params) => {
                let evidence = self.work(chain, params, (number, block.hash))?;
                let link = LinkHeaders::default();
                return Ok(evidence.map(|evidence| FinalityProof {
                    evidence,
                    link,
                    steps: Vec::new(),
                }));
            }
            FinalityParams::Vote(params) => return self.vote(chain, params, number),
            FinalityParams::Anchor(params) => return self.anchored(chain, params, number),
            FinalityParams::Beacon(_)
            | FinalityParams::Checkpoint(_)
            | FinalityParams::Certificate(_)
            | FinalityParams::Commit(_)
            | FinalityParams::Producers(_) => {}
        }
        let last = BlockNumber(number.0.saturating_add(LINK_BLOCKS_MAX));
        let Some(evidence) = read::load_signed_from(&*self.store, chain, number, last)? else {
            return Ok(None);
        };
        let after = BlockNumber(number.0.saturating_add(1));
        let headers = self.headers(chain, after, evidence.number)?;
        let link = headers.map(|headers| headers.into_iter().rev().collect::<LinkHeaders>());
        let link = link.filter(|link| link.encode().len() <= LINK_BYTES_MAX);
        Ok(link.map(|link| FinalityProof { evidence, link, steps: Vec::new() }))
    }

    /// Newest consensus evidence, unchecked; `None` if missing.
    ///
    /// # Errors
    /// Store errors.
    pub fn newest_signed(&self, row: &ChainSpec) -> Result<Option<ConsensusEvidence>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        let chain = row.key();
        let Some(newest) = self.chain_state(chain)?.and_then(|state| state.indexed) else {
            return Ok(None);
        };
        let below = |blocks: u64| newest.number.0.checked_sub(blocks).map(BlockNumber);
        match &params {
            FinalityParams::Work(params) => {
                let Some(number) = below(params.confirmations) else { return Ok(None) };
                let block = read::load_block(&*self.store, chain, number)?;
                block.map_or(Ok(None), |block| self.work(chain, params, (number, block.hash)))
            }
            FinalityParams::Vote(params) => {
                for number in (0..VOTE_BLOCKS_MAX).filter_map(below) {
                    if let Some(proof) = self.vote(chain, params, number)? {
                        return Ok(Some(proof.evidence));
                    }
                }
                Ok(None)
            }
            FinalityParams::Anchor(_)
            | FinalityParams::Beacon(_)
            | FinalityParams::Checkpoint(_)
            | FinalityParams::Certificate(_)
            | FinalityParams::Commit(_)
            | FinalityParams::Producers(_) => {
                Ok(read::load_signed_to(&*self.store, chain, newest.number)?)
            }
        }
    }

    /// Available sets for a chain; `None` if there are none.
    ///
    /// # Errors
    /// Store errors.
    pub fn sets(&self, row: &ChainSpec) -> Result<Option<HeldSets>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        let kind = params.kind();
        let chain = row.key();
        let range = match &params {
            FinalityParams::Work(params) => self.work_range(chain, params)?,
            FinalityParams::Vote(params) => self.vote_range(chain, params)?,
            FinalityParams::Certificate(_) => Some((0, 0)),
            FinalityParams::Anchor(_)
            | FinalityParams::Beacon(_)
            | FinalityParams::Checkpoint(_)
            | FinalityParams::Commit(_)
            | FinalityParams::Producers(_) => {
                let signing = params.signing_chain().unwrap_or(chain);
                let steps = read::load_set_range(&*self.store, signing)?;
                steps.map(|(first, last)| (first.saturating_add(1), last.saturating_add(1)))
            }
        };
        Ok(range.map(|(first, last)| HeldSets { kind, first, last }))
    }

    /// This number's set, unchecked. `None` if missing.
    ///
    /// # Errors
    /// Store errors.
    pub fn set(&self, row: &ChainSpec, number: u64) -> Result<Option<FinalitySet>, ProveError> {
        let Some(params) = finality_params(row, self.network()) else { return Ok(None) };
        match &params {
            FinalityParams::Work(params) => {
                let set = self.work_set(row.key(), params, number)?;
                Ok(set.map(FinalitySet::Work))
            }
            FinalityParams::Vote(params) => {
                let set = self.vote_set(row.key(), params, number)?;
                Ok(set.map(FinalitySet::Vote))
            }
            FinalityParams::Certificate(_) => {
                Ok(builtin_set(row, self.network()).filter(|set| set.number() == number))
            }
            FinalityParams::Anchor(_)
            | FinalityParams::Beacon(_)
            | FinalityParams::Checkpoint(_)
            | FinalityParams::Commit(_)
            | FinalityParams::Producers(_) => {
                let Some(before) = number.checked_sub(1) else { return Ok(None) };
                let signing = params.signing_chain().unwrap_or(row.key());
                let step = read::load_set_step(&*self.store, signing, before)?;
                Ok(step.and_then(|step| FinalitySet::named_by(&params, &step)))
            }
        }
    }

    /// Steps from set `first` to set `last`, in order, up to the first missing step, [`STEPS_BYTES_MAX`] and
    /// [`SET_STEPS_MAX`].
    ///
    /// # Errors
    /// Store errors.
    pub fn set_steps(
        &self,
        row: &ChainSpec,
        first: u64,
        last: u64,
    ) -> Result<Vec<Vec<u8>>, ProveError> {
        let mut steps = Vec::new();
        let mut bytes = 2_usize;
        for number in (first..last).take(SET_STEPS_MAX) {
            let Some(step) = self.set_step(row, number)? else { break };
            bytes = bytes.saturating_add(step.len()).saturating_add(4);
            if bytes > STEPS_BYTES_MAX {
                break;
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn set_step(&self, row: &ChainSpec, number: u64) -> Result<Option<Vec<u8>>, ProveError> {
        let chain = row.key();
        match finality_params(row, self.network()) {
            Some(FinalityParams::Work(params)) => self.work_step(chain, &params, number),
            Some(FinalityParams::Vote(params)) => self.vote_step(chain, &params, number),
            params => {
                let signing = params.and_then(|params| params.signing_chain()).unwrap_or(chain);
                Ok(read::load_set_step(&*self.store, signing, number)?)
            }
        }
    }

    /// Final headers from `first` to `last`; `None` if a header is missing.
    fn headers(
        &self,
        chain: ChainKey,
        first: BlockNumber,
        last: BlockNumber,
    ) -> Result<Option<Vec<Vec<u8>>>, ProveError> {
        let count = last.0.saturating_add(1).saturating_sub(first.0);
        let limit = usize::try_from(count).unwrap_or(usize::MAX);
        let end = BlockNumber(last.0.saturating_add(1));
        let blocks = read::load_blocks(&*self.store, chain, first..end, limit)?;
        let is_whole = blocks.len() == limit;
        Ok(is_whole.then(|| blocks.into_iter().map(|(_, block)| block.header).collect()))
    }
}
