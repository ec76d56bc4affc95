//! BNB Smart Chain's evidence, sets and steps, from votes in stored headers.

use superroot_proof::finality::vote::{
    VoteParams, VoteSet, read_vote, signers_of, write_vote, write_vote_step,
};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind, FinalityProof};
use superroot_proof::hash::keccak256;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Blocks read first.
const FEW_BLOCKS: u64 = 8;
/// Most blocks from a block to a vote for the block; the headers between must fit in a link.
const CARRIER_BLOCKS_MAX: u64 = 64;

impl Prover {
    /// First stored vote for the block or a descendant, with the headers between.
    pub(super) fn vote(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        number: BlockNumber,
    ) -> Result<Option<FinalityProof>, ProveError> {
        // the next headers nearly always have one
        for blocks in [FEW_BLOCKS, CARRIER_BLOCKS_MAX] {
            let found = self.vote_within(chain, params, number, blocks)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn vote_within(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        number: BlockNumber,
        blocks: u64,
    ) -> Result<Option<FinalityProof>, ProveError> {
        let end = BlockNumber(number.0.saturating_add(blocks));
        let limit = usize::try_from(blocks).unwrap_or(usize::MAX);
        let blocks = read::load_blocks(&*self.store, chain, number..end, limit)?;
        let numbered = blocks.into_iter().zip(number.0..);
        let in_a_row = numbered.take_while(|((at, _), expected)| at.0 == *expected);
        let headers: Vec<_> = in_a_row.map(|((_, block), _)| block.header).collect();
        for carrier in headers.iter().skip(2) {
            let Some(vote) = read_vote(params, carrier) else { continue };
            let (source, target) = (vote.source.0, vote.target.0);
            let behind = source.0.checked_sub(number.0).and_then(|far| usize::try_from(far).ok());
            let Some(behind) = behind.filter(|_| source.0.checked_add(1) == Some(target.0)) else {
                continue;
            };
            let voted = (headers.get(behind), headers.get(behind + 1), headers.get(1..=behind));
            let (Some(of_source), Some(of_target), Some(link)) = voted else { continue };
            // a carrier at the head may say anything
            if [keccak256(of_source), keccak256(of_target)] != [vote.source.1, vote.target.1] {
                continue;
            }
            let Some(epoch) = self.signers(chain, params, target)? else { continue };
            let evidence = ConsensusEvidence {
                kind: FinalityKind::Vote,
                number: source,
                hash: vote.source.1,
                body: write_vote(epoch, &vote, of_target),
            };
            let link = link.iter().rev().cloned().collect();
            return Ok(Some(FinalityProof { evidence, link, steps: Vec::new() }));
        }
        Ok(None)
    }

    /// Signers' epoch for a target; `None` if the set before is not stored.
    pub(super) fn signers(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        target: BlockNumber,
    ) -> Result<Option<u64>, ProveError> {
        let epoch = target.0.checked_div(params.epoch_blocks);
        let Some(before) = epoch.and_then(|epoch| epoch.checked_sub(1)) else { return Ok(None) };
        let before = self.epoch_header(chain, params, before)?;
        Ok(before.and_then(|before| signers_of(params, &before, target)))
    }

    /// Epochs with a stored first block.
    pub(super) fn vote_range(
        &self,
        chain: ChainKey,
        params: &VoteParams,
    ) -> Result<Option<(u64, u64)>, ProveError> {
        let state = self.chain_state(chain)?;
        let range = state.and_then(|state| Some((state.start, state.indexed?.number)));
        Ok(range.and_then(|(start, last)| {
            let first = start.0.div_ceil(params.epoch_blocks.max(1));
            let last = last.0.checked_div(params.epoch_blocks)?;
            (first <= last).then_some((first, last))
        }))
    }

    pub(super) fn vote_set(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        epoch: u64,
    ) -> Result<Option<VoteSet>, ProveError> {
        let header = self.epoch_header(chain, params, epoch)?;
        Ok(header.and_then(|header| VoteSet::new(params, &header).ok()))
    }

    /// First header of an epoch, if final.
    fn epoch_header(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        epoch: u64,
    ) -> Result<Option<Vec<u8>>, ProveError> {
        let Some(number) = epoch.checked_mul(params.epoch_blocks) else { return Ok(None) };
        let block = read::load_block(&*self.store, chain, BlockNumber(number))?;
        Ok(block.filter(|block| block.is_final()).map(|block| block.header))
    }

    /// This set's vote for the next epoch's first block or a descendant.
    pub(super) fn vote_step(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        epoch: u64,
    ) -> Result<Option<Vec<u8>>, ProveError> {
        let next = epoch.checked_add(1).and_then(|next| next.checked_mul(params.epoch_blocks));
        let Some(next) = next.map(BlockNumber) else { return Ok(None) };
        let Some(block) = read::load_block(&*self.store, chain, next)? else { return Ok(None) };
        let Some(FinalityProof { evidence, mut link, .. }) = self.vote(chain, params, next)? else {
            return Ok(None);
        };
        let is_its = evidence.body.first_chunk().map(|epoch| u64::from_be_bytes(*epoch));
        link.headers.push(block.header.into());
        let step = write_vote_step(&link, &evidence.body);
        Ok((is_its == Some(epoch)).then_some(step))
    }
}
