//! How far chains are final, and what stands behind it.

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Network};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::chain::{Anchored, CatchUp, Claimed, Point};

/// How far a chain is final (`GET /finality/{chain_id}`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainFinality {
    /// Chain id.
    pub chain_id: ChainId,
    /// Name.
    pub name: String,
    /// Ledger family.
    pub family: Family,
    /// What the service does with it, as in the list of chains.
    pub state: String,
    /// Why it does not move, or how far it is behind.
    pub why: Option<String>,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Newest final block held; see `claimed`.
    pub finalized: Option<Point>,
    /// Newest block that its nodes call safe.
    pub safe: Option<Point>,
    /// Newest block held.
    pub head: Option<Point>,
    /// Its number: final blocks are indexed up to it.
    pub indexed: Option<BlockNumber>,
    /// What its nodes said when enough of them agreed last, and when; not checked.
    pub claimed: Option<Claimed>,
    /// Final blocks that its nodes have and that are not held.
    pub behind_blocks: Option<u64>,
    /// How it catches up; `null` where it is not behind.
    pub catch_up: Option<CatchUp>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// When a block counts as final, in words.
    pub rule: Option<String>,
    /// `consensus`, `l1_anchored`, `node_quorum` or `recorded`; `null` where no block is final.
    pub evidence_kind: Option<String>,
    /// Names of the sources that agree.
    pub sources: Vec<String>,
    /// How many agree.
    pub agreeing: Option<usize>,
    /// How many were asked.
    pub source_count: Option<u32>,
    /// Blocks from the final one held to the newest that its nodes name.
    pub lag_blocks: Option<u64>,
    /// Age of the final block; `null` for recordings.
    pub lag_seconds: Option<u64>,
}

/// How far every chain is final (`GET /finality`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FinalityList {
    /// In the order of the registry.
    pub chains: Vec<ChainFinality>,
}

/// Why a block counts as final, and what a reader still trusts. Not proven.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Finality {
    /// `finalized`, `not_final`, or `retracted`: nodes took it back.
    pub status: String,
    /// When a block counts as final, in words.
    pub rule: Option<String>,
    /// `consensus`, `l1_anchored`, `node_quorum` or `recorded`.
    pub evidence_kind: Option<String>,
    /// What can be looked at.
    pub evidence: Option<NamedSources>,
    /// What the reader still trusts.
    pub trust: String,
}

/// The sources that agree on a block, by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NamedSources {
    /// Names of the sources that agree.
    pub sources: Vec<String>,
    /// How many agree.
    pub agreeing: usize,
    /// How many were asked.
    pub of: Option<u32>,
    /// The evidence as it is stored, in hex: `l6_finality_commitment` is its Keccak-256.
    pub encoded: String,
}
