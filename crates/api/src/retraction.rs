//! Blocks that were final here and that a chain's nodes contradict: published, never hidden.

use serde_json::{Value, json};
use superroot_chain::Evidence;
use superroot_store::layout::RetractionRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use crate::ApiError;
use crate::finality::{rule, source_count, sources};
use crate::service::Api;

/// A contradiction of what was final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    /// Number of the block.
    pub number: BlockNumber,
    /// What is held, what the nodes say now, who they are.
    pub row: RetractionRow,
}

impl Api {
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

/// As the routes show it.
pub(crate) fn members(chain: ChainKey, retraction: &Retraction) -> Value {
    let Retraction { number, row } = retraction;
    let evidence: &Evidence = &row.evidence;
    json!({
        "chain_id": chain.id,
        "number": number,
        "held_hash": row.held_hash,
        "other_hash": row.other_hash,
        "sources": sources(evidence),
        "source_count": source_count(evidence),
        "rule": rule(evidence),
        "noticed_at": row.noticed_at,
        "other_header": row.other_header.as_ref()
            .map(|header| format!("0x{}", const_hex::encode(header))),
    })
}
