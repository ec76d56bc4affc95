//! Bitcoin's evidence, sets and steps, made of stored headers.

use superroot_proof::finality::work::{RETARGET_BLOCKS, WorkParams, WorkSet, write_headers};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::bitcoin::Header;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

impl Prover {
    /// Headers from the first of the period to the last confirmation.
    pub(super) fn work(
        &self,
        chain: ChainKey,
        params: &WorkParams,
        (number, hash): (BlockNumber, Hash),
    ) -> Result<Option<ConsensusEvidence>, ProveError> {
        let Some(set) = self.work_set(chain, params, period_of(number))? else {
            return Ok(None);
        };
        let last = BlockNumber(number.0.saturating_add(params.confirmations));
        let headers = self.headers(chain, BlockNumber(set.block().0 + 1), last)?;
        Ok(headers.map(|headers| ConsensusEvidence {
            kind: FinalityKind::Work,
            number,
            hash,
            body: write_headers(headers.iter().map(Vec::as_slice)),
        }))
    }

    pub(super) fn work_range(
        &self,
        chain: ChainKey,
        params: &WorkParams,
    ) -> Result<Option<(u64, u64)>, ProveError> {
        let state = self.chain_state(chain)?;
        let range = state.and_then(|state| Some((state.start, state.indexed?.number)));
        Ok(range.and_then(|(start, last)| {
            let last = period_of(last);
            let begins = start.0.is_multiple_of(RETARGET_BLOCKS) || !params.retargets;
            let first = period_of(start) + u64::from(!begins);
            (first <= last).then_some((first, last))
        }))
    }

    pub(super) fn work_step(
        &self,
        chain: ChainKey,
        params: &WorkParams,
        number: u64,
    ) -> Result<Option<Vec<u8>>, ProveError> {
        let Some(set) = self.work_set(chain, params, number)? else { return Ok(None) };
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
    pub(super) fn work_set(
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
}

fn period_of(number: BlockNumber) -> u64 {
    number.0 / RETARGET_BLOCKS
}
