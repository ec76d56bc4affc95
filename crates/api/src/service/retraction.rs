//! Blocks that were final here and that a chain's nodes contradict: published, never hidden.

use superroot_store::layout::RetractionRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::{Hex, chain as wire};

use super::Api;
use crate::ApiError;

/// A contradiction of what was final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Retraction {
    /// Number of the block.
    pub(crate) number: BlockNumber,
    /// What is held, what the nodes say now, who they are.
    pub(crate) row: RetractionRow,
}

/// What was taken back that a block is, or stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contest {
    /// The retraction: of the block itself, or of the nearest one below it; of the lowest one above
    /// it where none is.
    pub(crate) retraction: Retraction,
    /// Whether the block counts as final no more. It does again once its chain went on from it.
    pub(crate) stands: bool,
}

impl Api {
    /// First number of a chain that is taken back at the moment, with all that stands on it.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn contested(&self, chain: ChainKey) -> Result<Option<BlockNumber>, ApiError> {
        let from = read::load_contested(self.prover.store(), chain);
        from.map_err(|error| ApiError::of_store(&error))
    }

    /// What was taken back that this block is, or stands on; `None` for nearly every block.
    ///
    /// # Errors
    /// The store's.
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
        let last = last.map_err(|error| ApiError::of_store(&error))?;
        let holds = stands || last.is_some_and(|(from, to)| from <= number && number <= to);
        let concerns = |one: &Retraction| {
            let is_it = one.number == number && (stands || one.row.held_hash == *hash);
            is_it || (holds && one.number < number)
        };
        // where it is not known how deep one reaches, blocks below it are contested as well
        let place = known.iter().rposition(concerns).or(holds.then_some(0));
        Ok(place.map(|place| Contest { retraction: known.swap_remove(place), stands }))
    }

    /// What was contradicted of a chain, by rising number.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn retractions(&self, chain: ChainKey) -> Result<Vec<Retraction>, ApiError> {
        let rows = read::load_retractions(self.prover.store(), chain);
        let rows = rows.map_err(|error| ApiError::of_store(&error))?;
        Ok(rows.into_iter().map(|(number, row)| Retraction { number, row }).collect())
    }
}

/// As answers have it.
pub(crate) fn body(chain: ChainKey, retraction: &Retraction) -> wire::Retraction {
    let Retraction { number, row } = retraction;
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
