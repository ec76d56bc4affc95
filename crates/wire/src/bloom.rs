//! Blocks where an address or topic may occur (`POST /bloom/query`).

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::logs::Searched;

/// Bloom query: finds blocks with events that name the address and every topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomRequest {
    /// Address: 0x and 40 hex digits.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub address: Option<Hex>,
    /// Topic, at any position in an event.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub topic: Option<Hash>,
    /// More topics, at most 4, each at any position.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub topics: Option<Vec<Hash>>,
    /// Chain ids or names; if omitted, every chain with blooms in the headers.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Vec<ChainName>))]
    pub chain_ids: Option<Vec<Value>>,
    /// First block; if omitted, as far back as one answer reaches.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub from_block: Option<BlockNumber>,
    /// Last block; if omitted or too high, the newest final block.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub to_block: Option<BlockNumber>,
}

/// Bloom query as interpreted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomQuery {
    /// Address.
    pub address: Option<Hex>,
    /// All topics.
    pub topics: Vec<Hash>,
}

/// Result for one chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomResult {
    /// Chain id.
    pub chain_id: ChainId,
    /// Scanned blocks, all final; null if no block is stored. A long range is cut: ask again from `next_from_block`.
    pub scanned: Option<Searched>,
    /// `absent`: no block in the range has a matching event; `possible`: the candidates may.
    pub answer: &'static str,
    /// `header_blooms`: provable from the headers; `own_filter`: derived from filters of this service, without proof.
    pub evidence: &'static str,
    /// Candidate blocks in ascending order; at most 1,000 are listed.
    pub candidate_blocks: Vec<BlockNumber>,
    /// Number of candidates.
    pub candidate_count: u64,
    /// Number of candidates by header blooms alone.
    pub header_candidate_count: u64,
    /// Blocks in `scanned` that are not stored and not judged: above 0, the answer is never `absent`.
    pub missing_count: u64,
    /// Chance that a block without a matching event is a candidate; null if no block was scanned.
    pub false_positive_rate: Option<f64>,
    /// Why headers cannot show an absence: nodes list logs that the header blooms leave out.
    pub outside_bloom: Option<&'static str>,
    /// The remaining range's first block.
    pub next_from_block: Option<BlockNumber>,
    /// URL of a header proof with `{block}` as the number: its bloom shows that the block is no candidate. Null if headers
    /// show no absence.
    pub proof: Option<String>,
    /// First URL of the proof that nothing in `scanned` matches (`/v5/scan`); null unless `absent` by `header_blooms`.
    pub scan_proof: Option<String>,
}

/// Chain without a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WithoutBloom {
    /// Chain id.
    pub chain_id: ChainId,
    /// Reason.
    pub why: String,
}

/// Bloom results for each chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomAnswer {
    /// Query as interpreted.
    pub query: BloomQuery,
    /// Results for stored chains.
    pub results: Vec<BloomResult>,
    /// Requested chains without blooms, or without stored blocks.
    pub left_out: Vec<WithoutBloom>,
}
