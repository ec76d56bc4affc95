//! Search for a hash (`GET /v5/find/{hash}`).

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// A hash's occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = Found))]
pub struct HashMatches {
    /// Requested hash.
    pub query: String,
    /// All matches, ascending on each chain: a hash can occur on several chains, equal bytes in several blocks.
    pub matches: Vec<Match>,
    /// Whether a chain has more than the 64 listed: continue with `from` after the last.
    pub more: bool,
}

/// Match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Match {
    /// `transaction`, `block` or `superRoot`.
    pub kind: &'static str,
    /// Chain id; `null` for a SuperRoot.
    pub chain_id: Option<ChainId>,
    /// Chain name; `null` for a SuperRoot.
    pub chain_name: Option<String>,
    /// Block number, or the transaction's block number; `null` for a SuperRoot.
    pub block_number: Option<BlockNumber>,
    /// Transaction position in the block; otherwise `null`.
    pub transaction_index: Option<u32>,
    /// SuperRoot sequence; otherwise `null`.
    pub sequence: Option<u64>,
    /// Proof URL, or the page of a SuperRoot. Before the block is anchored, the answer at the URL says so.
    pub proof_url: String,
}
