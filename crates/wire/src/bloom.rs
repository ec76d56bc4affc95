//! Where an address or topic may be (`POST /bloom/query`).

#[cfg(feature = "schema")]
use crate::schema::ChainName;
use serde::Serialize;
use serde_json::Value;
use superroot_types::{BlockNumber, ChainId, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
use crate::logs::Searched;

/// What is asked for: blocks whose events name all of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomRequest {
    /// An address: 0x and 40 hex digits.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub address: Option<Hex>,
    /// A topic, at any place of an event.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub topic: Option<Hash>,
    /// More topics, at most 4, each at any place.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub topics: Option<Vec<Hash>>,
    /// The chains, by ids or names; every one whose headers have blooms if left out.
    #[cfg_attr(feature = "schema", schema(required = false, value_type = Vec<ChainName>))]
    pub chain_ids: Option<Vec<Value>>,
    /// First block; as far back as one answer goes if left out.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub from_block: Option<BlockNumber>,
    /// Last block; the newest final one if left out, or if that is lower.
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub to_block: Option<BlockNumber>,
}

/// What was asked for, as it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomQuery {
    /// The address.
    pub address: Option<Hex>,
    /// Every topic.
    pub topics: Vec<Hash>,
}

/// What can be said of one chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomResult {
    /// The chain.
    pub chain_id: ChainId,
    /// The blocks that were looked at, all final; null where none is held. A long range is cut: ask again from
    /// `next_from_block`.
    pub scanned: Option<Searched>,
    /// `absent`: no block of the range has such an event; `possible`: the candidates may.
    pub answer: &'static str,
    /// `header_blooms`: the headers show it to whoever has them; `own_filter`: it rests on filters of this
    /// service, and is its word.
    pub evidence: &'static str,
    /// Candidates, rising; at most 1,000 are listed.
    pub candidate_blocks: Vec<BlockNumber>,
    /// How many there are.
    pub candidate_count: u64,
    /// How many there are by the blooms of headers alone.
    pub header_candidate_count: u64,
    /// Blocks of `scanned` that are not held, of which nothing is said: then nothing is `absent`.
    pub missing_count: u64,
    /// Chance that a block without such an event is a candidate all the same; null where nothing was looked at.
    pub false_positive_rate: Option<f64>,
    /// Why an absence cannot be shown by headers: nodes list logs that stand outside their blooms.
    pub outside_bloom: Option<&'static str>,
    /// Where the rest of the range begins.
    pub next_from_block: Option<BlockNumber>,
    /// Where the proof of a block's header is, whose bloom shows that it is no candidate: `{block}` stands for its
    /// number. Null where headers show no absence.
    pub proof: Option<String>,
    /// Where the proof begins that no event of `scanned` names all of it (`/v5/scan`). Null unless it is `absent` by
    /// `header_blooms`.
    pub scan_proof: Option<String>,
}

/// A chain of which nothing can be said.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WithoutBloom {
    /// The chain.
    pub chain_id: ChainId,
    /// Why.
    pub why: String,
}

/// What can be said of each chain.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BloomAnswer {
    /// What was asked for.
    pub query: BloomQuery,
    /// The chains that are held.
    pub results: Vec<BloomResult>,
    /// Chains that were named and have no blooms, or of which nothing is held.
    pub left_out: Vec<WithoutBloom>,
}
