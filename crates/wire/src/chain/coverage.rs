//! Stored and missing blocks of one chain, and ways to extend coverage.

use serde::Serialize;
use superroot_types::{BlockNumber, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{Retraction, WatchList};
use super::status::ChainStanding;

/// Block range with uniform coverage, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CoverageRange {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
    /// `whole`, `watched`, `header_only`, `partial` or `skipped`.
    pub held: String,
    /// Reason for incomplete storage.
    pub why: Option<String>,
    /// Hash of the watch list used for the entries.
    pub watch_hash: Option<Hash>,
}

/// Range of missing blocks, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CoverageGap {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number; `null` if the end is unknown.
    pub to: Option<BlockNumber>,
    /// `before_start`, `backfilling`, `missing`, `refused`, `not_collected_yet`, `recordings_end`, `planned`,
    /// `not_followed`, `stalled`, `halted` or `withdrawn`.
    pub reason: String,
    /// Reason in words.
    pub detail: String,
}

/// Stored and missing blocks of a chain with reasons, and ways to extend coverage (`GET /api/v1/coverage/{chain}`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Coverage {
    /// Chain progress.
    #[serde(flatten)]
    pub standing: ChainStanding,
    /// Ranges in ascending order, at most `limit`.
    pub ranges: Vec<CoverageRange>,
    /// All gaps in ascending order.
    pub gaps: Vec<CoverageGap>,
    /// `cursor` of the next page; `null` on the last page.
    pub next_cursor: Option<BlockNumber>,
    /// Watch list.
    pub watch_list: Option<WatchList>,
    /// Ways to extend coverage of the chain.
    pub how_to_widen: Vec<String>,
    /// Final blocks contradicted by nodes.
    pub retractions: Vec<Retraction>,
}
