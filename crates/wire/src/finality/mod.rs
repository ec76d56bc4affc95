//! Chain finality and evidence.

mod light_client;

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

pub use self::light_client::{LightClient, LightClientConflict, LightClientSet, LightClientSteps};
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
    /// Newest block with finality for clients to check; `null` without evidence.
    pub checkable: Option<CheckableBlock>,
}

/// Newest block with consensus evidence, for `?evidence=1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CheckableBlock {
    /// Kind of evidence: `beacon`, `work`, ..
    pub kind: String,
    /// Number.
    pub number: BlockNumber,
    /// Hash.
    pub hash: Hash,
    /// Blocks up to the newest block named by nodes.
    pub lag_blocks: Option<u64>,
    /// Age of the block in seconds; `null` for recordings.
    pub lag_seconds: Option<u64>,
    /// Signing set's number.
    pub set: Option<u64>,
    /// End of trust in the set; `null` for ever, or if the set is missing.
    pub trusted_until: Option<UnixSeconds>,
}

/// Finality of every chain (`GET /finality`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FinalityList {
    /// Chains in registry order.
    pub chains: Vec<ChainFinality>,
}

/// Why a block counts as final, and the reader's remaining trust. Not proven.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
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
    /// `consensus` or `l1_anchored` if clients can check that, with `?evidence=1`; else `null`.
    pub checkable: Option<String>,
    /// Kind of evidence in this answer, checked by the service: `beacon`, `work`, ..
    pub kind: Option<String>,
    /// Signed block: this block or a descendant.
    pub target: Option<FinalityTarget>,
    /// Signing set.
    pub set: Option<SigningSet>,
    /// Time of the signature, in Unix seconds, if shown.
    pub as_of: Option<UnixSeconds>,
    /// Trust that remains with the reader.
    pub trust: String,
}

/// Signed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct FinalityTarget {
    /// Number.
    pub number: BlockNumber,
    /// Hash.
    pub hash: Hash,
}

/// Signing set, followed by the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SigningSet {
    /// Number, as counted by the chain.
    pub number: u64,
    /// Id.
    pub id: Hash,
    /// Begin of the service's trust: `configured` or `built_in`.
    pub from: String,
    /// First trusted set's number.
    pub start: u64,
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
