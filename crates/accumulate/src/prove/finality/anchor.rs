//! Links from a rollup's anchored block down: headers, and collected ancestors' hashes.

use superroot_chain::finality::{HISTORY_FAR_STEP, HISTORY_STEP};
use superroot_proof::finality::anchor::AnchorParams;
use superroot_proof::finality::{FinalityProof, LINK_BYTES_MAX, LinkHeader, LinkHeaders};
use superroot_proof::ledger::evm::{self, HistorySlot};
use superroot_proof::registry::HashRule;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Most blocks from a block up to an anchored block: a day of the fastest chain.
const ANCHOR_BLOCKS_MAX: u64 = 432_000;
/// Anchored blocks tried for one block.
const ANCHORS_TRIED: usize = 3;
/// Most headers that fit in a link.
const HEADERS_MAX: usize = 128;

impl Prover {
    /// First stored evidence for the block or a descendant, with the link between.
    pub(super) fn anchored(
        &self,
        chain: ChainKey,
        params: &AnchorParams,
        number: BlockNumber,
    ) -> Result<Option<FinalityProof>, ProveError> {
        let last = BlockNumber(number.0.saturating_add(ANCHOR_BLOCKS_MAX));
        let mut from = number;
        // where states in between are missing, a later anchor may lead around
        for _ in 0..ANCHORS_TRIED {
            let Some(evidence) = read::load_signed_from(&*self.store, chain, from, last)? else {
                return Ok(None);
            };
            let link = self.path(chain, params, (evidence.number, number))?;
            if let Some(link) = link.filter(|link| link.encode().len() <= LINK_BYTES_MAX) {
                return Ok(Some(FinalityProof { evidence, link, steps: Vec::new() }));
            }
            from = BlockNumber(evidence.number.0.saturating_add(1));
        }
        Ok(None)
    }

    /// Link from a block down to an earlier block; `None` for a missing header or a too long link.
    fn path(
        &self,
        chain: ChainKey,
        params: &AnchorParams,
        (from, to): (BlockNumber, BlockNumber),
    ) -> Result<Option<LinkHeaders>, ProveError> {
        let mut headers = Vec::new();
        let mut at = from;
        while at > to {
            if headers.len() >= HEADERS_MAX {
                return Ok(None);
            }
            let block = read::load_block(&*self.store, chain, at)?;
            let Some(block) = block.filter(|block| block.is_final()) else { return Ok(None) };
            let ancestor = match at.0.is_multiple_of(HISTORY_STEP) {
                true => self.ancestor(chain, params, (at, &block.header), to)?,
                false => None,
            };
            at = match &ancestor {
                Some(ancestor) => ancestor.number,
                None => BlockNumber(at.0.saturating_sub(1)),
            };
            headers.push(LinkHeader { header: block.header, ancestor });
        }
        Ok(Some(LinkHeaders { headers }))
    }

    /// Lowest collected ancestor from `to` on, or a nearer ancestor with a shorter way.
    fn ancestor(
        &self,
        chain: ChainKey,
        params: &AnchorParams,
        (at, header): (BlockNumber, &[u8]),
        to: BlockNumber,
    ) -> Result<Option<HistorySlot>, ProveError> {
        let Some(proof) = read::load_ancestors(&*self.store, chain, at)? else { return Ok(None) };
        let HashRule::Evm(layout) = params.rule else { return Ok(None) };
        let Ok(header) = evm::Header::decode(layout, header) else { return Ok(None) };
        let reached = proof.words.iter().map(|(number, _)| *number).filter(|number| *number >= to);
        let lowest = reached.clone().min();
        let is_far = at.0.saturating_sub(to.0) > HISTORY_FAR_STEP;
        let mut junction = reached.filter(|number| number.0.is_multiple_of(HISTORY_FAR_STEP)).min();
        if let Some(number) = junction.filter(|number| *number > to) {
            junction = read::load_ancestors(&*self.store, chain, number)?.map(|_| number);
        }
        let best = junction.filter(|_| is_far).or(lowest);
        // a state that was replaced before it was final, or a node that lied
        let Some(slot) = best.and_then(|number| proof.slot(number)) else { return Ok(None) };
        let hash = slot.hash(params.history_blocks, at, &header.state_root);
        let held = read::load_block(&*self.store, chain, slot.number)?.map(|block| block.hash);
        Ok(Some(slot).filter(|_| hash.is_some() && hash == held))
    }
}
