//! Data for client-side finality checks: evidence, link headers, sets and steps.

use superroot_chain::ChainSpec;
use superroot_chain::finality::{builtin_sets, finality_params};
use superroot_proof::finality::work::{RETARGET_BLOCKS, WorkParams, WorkSet, write_headers};
use superroot_proof::finality::{
    ConsensusEvidence, FinalityKind, FinalityParams, FinalityProof, FinalitySet, LINK_BYTES_MAX,
    LinkHeaders, STEPS_BYTES_MAX,
};
use superroot_proof::ledger::bitcoin::Header;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use super::error::ProveError;
use super::prover::Prover;

/// Most blocks from a block up to the evidence's block.
const LINK_BLOCKS_MAX: u64 = 1_024;
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
        if let FinalityParams::Work(params) = &params {
            let Some(set) = self.work_set(chain, params, period_of(number))? else {
                return Ok(None);
            };
            let last = BlockNumber(number.0.saturating_add(params.confirmations));
            let headers = self.headers(chain, BlockNumber(set.block().0 + 1), last)?;
            let evidence = headers.map(|headers| ConsensusEvidence {
                kind: FinalityKind::Work,
                number,
                hash: block.hash,
                body: write_headers(headers.iter().map(Vec::as_slice)),
            });
            let link = LinkHeaders::default();
            return Ok(evidence.map(|evidence| FinalityProof {
                evidence,
                link,
                steps: Vec::new(),
            }));
        }
        let last = BlockNumber(number.0.saturating_add(LINK_BLOCKS_MAX));
        let Some(evidence) = read::load_signed_from(&*self.store, chain, number, last)? else {
            return Ok(None);
        };
        let after = BlockNumber(number.0.saturating_add(1));
        let headers = self.headers(chain, after, evidence.number)?;
        let link =
            headers.map(|headers| LinkHeaders { headers: headers.into_iter().rev().collect() });
        let link = link.filter(|link| link.encode().len() <= LINK_BYTES_MAX);
        Ok(link.map(|link| FinalityProof { evidence, link, steps: Vec::new() }))
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
            FinalityParams::Work(params) => {
                let state = self.chain_state(chain)?;
                let range = state.and_then(|state| Some((state.start, state.indexed?.number)));
                range.and_then(|(start, last)| {
                    let last = period_of(last);
                    let begins = start.0.is_multiple_of(RETARGET_BLOCKS) || !params.retargets;
                    let first = period_of(start) + u64::from(!begins);
                    (first <= last).then_some((first, last))
                })
            }
            FinalityParams::Certificate(_) => Some((0, 0)),
            FinalityParams::Beacon(_) | FinalityParams::Checkpoint(_) => {
                let steps = read::load_set_range(&*self.store, chain)?;
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
            FinalityParams::Certificate(_) => {
                Ok(builtin_sets(row, self.network()).into_iter().find(|set| set.number() == number))
            }
            FinalityParams::Beacon(_) | FinalityParams::Checkpoint(_) => {
                let Some(before) = number.checked_sub(1) else { return Ok(None) };
                let step = read::load_set_step(&*self.store, row.key(), before)?;
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
        let Some(FinalityParams::Work(params)) = finality_params(row, self.network()) else {
            return Ok(read::load_set_step(&*self.store, chain, number)?);
        };
        let Some(set) = self.work_set(chain, &params, number)? else { return Ok(None) };
        let Some(end) = number.checked_add(1).and_then(|next| next.checked_mul(RETARGET_BLOCKS))
        else {
            return Ok(None);
        };
        let first = set.block();
        let headers = self.headers(chain, BlockNumber(first.0 + 1), BlockNumber(end))?;
        Ok(headers.map(|headers| {
            let headers = write_headers(headers.iter().map(Vec::as_slice));
            [&first.0.to_be_bytes()[..], &headers].concat()
        }))
    }

    /// First stored header in a period; with constant targets, the run may begin within a period.
    fn work_set(
        &self,
        chain: ChainKey,
        params: &WorkParams,
        period: u64,
    ) -> Result<Option<WorkSet>, ProveError> {
        let Some(state) = self.chain_state(chain)? else { return Ok(None) };
        let Some(begin) = period.checked_mul(RETARGET_BLOCKS) else { return Ok(None) };
        let number = BlockNumber(begin.max(state.start.0));
        let block = read::load_block(&*self.store, chain, number)?;
        let header = block.and_then(|block| Header::decode(&block.header).ok());
        let is_of_period = period_of(number) == period;
        let set = header.and_then(|header| WorkSet::new(params, number, header).ok());
        Ok(set.filter(|_| is_of_period))
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

fn period_of(number: BlockNumber) -> u64 {
    number.0 / RETARGET_BLOCKS
}
