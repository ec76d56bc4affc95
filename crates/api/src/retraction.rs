//! Blocks that were final here and that a chain's nodes contradict: published, never hidden.

use serde_json::{Value, json};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

use crate::ApiError;
use crate::service::Api;

/// A contradiction of what was final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    /// Number of the block.
    pub number: BlockNumber,
    /// Hash of the block held, which was final.
    pub held_hash: Hash,
    /// Hash that the nodes agree on now.
    pub other_hash: Hash,
    /// Names of the nodes that agree on the other hash.
    pub sources: Vec<String>,
    /// How many were asked.
    pub of: u32,
    /// When they call a block final, in words.
    pub rule: String,
    /// When it was noticed.
    pub noticed_at: UnixSeconds,
}

impl Api {
    /// What was contradicted of a chain, oldest first.
    ///
    /// # Errors
    /// The store's.
    pub(crate) fn retractions(&self, chain: ChainKey) -> Result<Vec<Retraction>, ApiError> {
        Ok(self.status.retractions(chain))
    }
}

/// As the routes show it.
pub(crate) fn members(chain: ChainKey, retraction: &Retraction) -> Value {
    json!({
        "chain_id": chain.id,
        "number": retraction.number,
        "held_hash": retraction.held_hash,
        "other_hash": retraction.other_hash,
        "sources": retraction.sources,
        "source_count": retraction.of,
        "rule": retraction.rule,
        "noticed_at": retraction.noticed_at,
    })
}
