//! What is held of one chain, what is not, and how to have more.

use serde::Serialize;
use superroot_types::{BlockNumber, Hash};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{Retraction, WatchList};
use super::status::ChainStanding;

/// Numbers of which one thing can be said, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CoverageRange {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number.
    pub to: BlockNumber,
    /// `whole`, `watched`, `header_only`, `partial` or `skipped`.
    pub held: String,
    /// Why not everything is held.
    pub why: Option<String>,
    /// The watch list by which entries were kept.
    pub watch_hash: Option<Hash>,
}

/// Numbers that are not held, both ends included.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CoverageGap {
    /// First block number.
    pub from: BlockNumber,
    /// Last block number; `null` where nobody knows an end.
    pub to: Option<BlockNumber>,
    /// `before_start`, `backfilling`, `missing`, `refused`, `not_collected_yet`, `recordings_end`,
    /// `planned`, `not_followed`, `stalled`, `halted` or `withdrawn`.
    pub reason: String,
    /// The same in words.
    pub detail: String,
}

/// What is held of a chain, what is not and why, and how to have more (`GET
/// /api/v1/coverage/{chain}`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Coverage {
    /// How far it has come.
    #[serde(flatten)]
    pub standing: ChainStanding,
    /// Rising, at most `limit` of them.
    pub ranges: Vec<CoverageRange>,
    /// Rising; none is left unsaid.
    pub gaps: Vec<CoverageGap>,
    /// `cursor` of the next page; `null` on the last.
    pub next_cursor: Option<BlockNumber>,
    /// The list itself.
    pub watch_list: Option<WatchList>,
    /// Ways to have more of the chain.
    pub how_to_widen: Vec<String>,
    /// Blocks that were final here and that nodes contradict.
    pub retractions: Vec<Retraction>,
}
