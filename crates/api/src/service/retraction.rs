//! Final blocks that a chain's nodes contradict: published, never hidden.

use superroot_store::layout::RetractionRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::{Hex, chain as wire};

use super::Api;
use crate::ApiError;

/// Contradiction to a final block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinalityContradiction {
    pub(crate) number: BlockNumber,
    /// Stored block, current node reports, and the nodes' names.
    pub(crate) row: RetractionRow,
}

/// Contradiction that affects a block directly or through an ancestor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contest {
    /// Contradiction for the block or the nearest one below; without one, the lowest above.
    pub(crate) retraction: FinalityContradiction,
    /// Whether the block is no longer final. Finality returns once the chain builds on it again.
    pub(crate) stands: bool,
}

impl Api {
    /// First contested number on a chain; all later blocks are contested too.
    pub(crate) fn contested(&self, chain: ChainKey) -> Result<Option<BlockNumber>, ApiError> {
        let from = read::load_contested(self.prover.store(), chain);
        from.map_err(ApiError::of_store)
    }

    /// Contradiction affecting this block; `None` for nearly every block.
    pub(crate) fn contest(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        hash: &Hash,
    ) -> Result<Option<Contest>, ApiError> {
        let mut known = self.retractions(chain)?;
        if known.is_empty() {
            return Ok(None);
        }
        let stands = self.contested(chain)?.is_some_and(|from| from <= number);
        // what stood on a block that was taken back was taken back as well, and keeps that
        let last = read::load_last_contest(self.prover.store(), chain);
        let last = last.map_err(ApiError::of_store)?;
        let holds = stands || last.is_some_and(|(from, to)| from <= number && number <= to);
        let concerns = |one: &FinalityContradiction| {
            let is_it = one.number == number && (stands || one.row.held_hash == *hash);
            is_it || (holds && one.number < number)
        };
        // where it is not known how deep one reaches, blocks below it are contested as well
        let place = known.iter().rposition(concerns).or(holds.then_some(0));
        Ok(place.map(|place| Contest { retraction: known.swap_remove(place), stands }))
    }

    pub(crate) fn retractions(
        &self,
        chain: ChainKey,
    ) -> Result<Vec<FinalityContradiction>, ApiError> {
        let rows = read::load_retractions(self.prover.store(), chain);
        let rows = rows.map_err(ApiError::of_store)?;
        Ok(rows.into_iter().map(|(number, row)| FinalityContradiction { number, row }).collect())
    }
}

pub(crate) fn body(chain: ChainKey, retraction: &FinalityContradiction) -> wire::Retraction {
    let FinalityContradiction { number, row } = retraction;
    wire::Retraction {
        chain_id: chain.id,
        number: *number,
        held_hash: row.held_hash,
        other_hash: row.other_hash,
        sources: row.evidence.sources(),
        source_count: Some(row.evidence.of()),
        rule: Some(row.evidence.rule().to_owned()),
        noticed_at: row.noticed_at,
        other_header: row.other_header.clone().map(Hex),
    }
}
