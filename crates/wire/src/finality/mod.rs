//! Chain finality and evidence.

mod light_client;

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Network};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

pub use self::light_client::{LightClient, LightClientSet, LightClientSteps};
use crate::chain::{Anchored, CatchUp, Claimed, Point};

/// Chain finality (`GET /finality/{chain_id}`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainFinality {
    /// Chain id.
    pub chain_id: ChainId,
    /// Chain name.
    pub name: String,
    /// Ledger family.
    pub family: Family,
    /// Service state, as in the list of chains.
    pub state: String,
    /// Why the chain does not progress.
    pub why: Option<String>,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Newest stored final block; see `claimed`.
    pub finalized: Option<Point>,
    /// Newest block called safe by the nodes.
    pub safe: Option<Point>,
    /// Newest stored block.
    pub head: Option<Point>,
    /// Newest indexed final block number.
    pub indexed: Option<BlockNumber>,
    /// Last claim by enough agreeing nodes, with time; unchecked.
    pub claimed: Option<Claimed>,
    /// Final blocks not stored yet.
    pub behind_blocks: Option<u64>,
    /// Catch-up progress; `null` if the chain is not behind.
    pub catch_up: Option<CatchUp>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// Finality rule, in words.
    pub rule: Option<String>,
    /// `consensus`, `l1_anchored`, `node_quorum` or `recorded`; `null` if no block is final.
    pub evidence_kind: Option<String>,
    /// The agreeing sources' names.
    pub sources: Vec<String>,
    /// Number of agreeing sources.
    pub agreeing: Option<usize>,
    /// Number of sources asked.
    pub source_count: Option<u32>,
    /// Blocks from the stored final block to the newest block named by nodes.
    pub lag_blocks: Option<u64>,
    /// Age of the final block in seconds; `null` for recordings.
    pub lag_seconds: Option<u64>,
}

/// Finality of every chain (`GET /finality`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FinalityList {
    /// Chains in registry order.
    pub chains: Vec<ChainFinality>,
}

/// Why a block counts as final, and the reader's remaining trust. Not proven.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Finality {
    /// `finalized`, `not_final`, or `retracted` by nodes.
    pub status: String,
    /// Finality rule, in words.
    pub rule: Option<String>,
    /// `consensus`, `l1_anchored`, `node_quorum` or `recorded`.
    pub evidence_kind: Option<String>,
    /// Inspectable evidence.
    pub evidence: Option<NamedSources>,
    /// Trust that remains with the reader.
    pub trust: String,
}

/// Agreeing sources for a block, by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NamedSources {
    /// The agreeing sources' names.
    pub sources: Vec<String>,
    /// Number of agreeing sources.
    pub agreeing: usize,
    /// Number of sources asked.
    pub of: Option<u32>,
    /// Stored evidence in hex: `l6_finality_commitment` is the Keccak-256.
    pub encoded: String,
}
