//! Service overview with the status of each chain.

use serde::Serialize;
use superroot_types::{Address, BlockNumber, ChainId, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{
    Anchored, Backfill, CatchUp, Claimed, EndpointReport, LastError, LeftOut, Point, Repair,
    Retraction, WatchCounts,
};

/// Chain progress and obstacles.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainStanding {
    /// Chain id.
    pub chain_id: ChainId,
    /// Chain name.
    pub name: String,
    /// Service state, as in the list of chains.
    pub state: String,
    /// Why the chain does not progress.
    pub why: Option<String>,
    /// Newest stored block; see `claimed`.
    pub head: Option<Point>,
    /// Newest stored final block; see `claimed`.
    pub finalized: Option<Point>,
    /// Last claim by enough agreeing nodes, with time; unchecked.
    pub claimed: Option<Claimed>,
    /// Catch-up progress; `null` if the chain is not behind.
    pub catch_up: Option<CatchUp>,
    /// Backfill of older blocks.
    pub backfill: Option<Backfill>,
    /// Repair: bodies of stored blocks are requested again.
    pub repair: Option<Repair>,
    /// Indexed entries; `null` if nothing is indexed.
    pub watch: Option<WatchCounts>,
    /// Nodes.
    pub endpoints: Vec<EndpointReport>,
    /// Last unresolved error.
    pub last_error: Option<LastError>,
}

/// Chain status.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainStatus {
    /// Chain progress.
    #[serde(flatten)]
    pub standing: ChainStanding,
    /// Short word for paths.
    pub slug: String,
    /// Time of the last progress, or of the halt, in Unix seconds.
    pub since: Option<UnixSeconds>,
    /// Newest block called safe by the nodes.
    pub safe: Option<Point>,
    /// Final blocks not stored yet.
    pub behind_blocks: Option<u64>,
    /// First stored block number.
    pub start: Option<BlockNumber>,
    /// Newest stored final block number.
    pub indexed: Option<BlockNumber>,
    /// Newest block number known to be final and examined.
    pub checked_to: Option<BlockNumber>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// Blocks from the anchored block to the newest block named by nodes.
    pub lag_blocks: Option<u64>,
    /// Age of the anchored block in seconds; `null` for recordings.
    pub lag_seconds: Option<u64>,
    /// Number of stored final blocks.
    pub block_count: Option<u64>,
    /// Block numbers from `start` to `indexed` without a block.
    pub skipped_count: Option<u64>,
    /// Source names.
    pub sources: Vec<String>,
    /// Number of sources asked.
    pub source_count: u32,
    /// Number of nodes that must agree on a final block; `null` without nodes.
    pub must_agree: Option<u32>,
    /// Warning about block finality; mostly `null`.
    pub warning: Option<String>,
    /// Recently refused blocks, newest last, at most 16.
    pub left_out: Vec<LeftOut>,
}

/// Number of chains in each state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StateCounts {
    /// Chains without a configured source.
    pub not_followed: u64,
    /// Chains without a block so far.
    pub starting: u64,
    /// Chains with final blocks at nodes but not yet stored.
    pub catching_up: u64,
    /// Followed chains with a backfill of older blocks.
    pub backfilling: u64,
    /// Followed chains.
    pub following: u64,
    /// Chains without a new block for too long.
    pub stalled: u64,
    /// Chains with nodes that contradict final blocks.
    pub halted: u64,
    /// Recorded chains without further blocks.
    pub recorded: u64,
    /// Chains withdrawn from the log.
    pub withdrawn: u64,
}

/// Newest SuperRoot in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NewestSuperRoot {
    /// Sequence: counts from 0 without gaps.
    pub sequence: u64,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// Unix seconds.
    pub timestamp: UnixSeconds,
    /// Age in seconds.
    pub age_seconds: u64,
}

/// Store status.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StoreStatus {
    /// Bytes on disk, if known.
    pub bytes: Option<u64>,
    /// Free bytes on the disk, if known.
    pub free_bytes: Option<u64>,
    /// Reason for read-only mode: the disk is almost full; otherwise null.
    pub read_only: Option<String>,
    /// Number of commits since creation.
    pub commit_count: u64,
}

/// Log witness with cosigning progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WitnessStatus {
    /// Key name.
    pub name: String,
    /// Size of the newest cosigned note: SuperRoots 0 to size - 1.
    pub size: Option<u64>,
    /// Time of the cosignature by the witness's clock, in Unix seconds.
    pub cosigned_at: Option<UnixSeconds>,
    /// Age of the cosignature in seconds.
    pub age_seconds: Option<u64>,
    /// Log size at the witness, if larger than the log's own size: this service is then behind the log.
    pub ahead: Option<u64>,
    /// Why the last answer was not a cosignature; `null` if the witness cosigned.
    pub last_error: Option<String>,
}

/// Contract on one chain that the service writes to, each sequence once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ContractStatus {
    /// Chain id.
    pub chain_id: ChainId,
    /// Contract address.
    pub contract: Address,
    /// Account that pays.
    pub payer: Address,
    /// Newest sequence at the contract: of a SuperRoot, or of a usage checkpoint.
    pub sequence: Option<u64>,
    /// SuperRoots, or usage checkpoints, that the contract is behind.
    pub behind: u64,
    /// Transaction under way.
    pub transaction: Option<Hash>,
    /// Why nothing is sent now; `null` if nothing is wrong.
    pub last_error: Option<String>,
}

impl ContractStatus {
    /// Contract that was not asked yet.
    #[must_use]
    pub const fn new(chain_id: ChainId, contract: Address) -> Self {
        let payer = Address::ZERO;
        let (sequence, behind, transaction, last_error) = (None, 0, None, None);
        Self { chain_id, contract, payer, sequence, behind, transaction, last_error }
    }
}

/// Service overview (`GET /api/v1/status`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Status {
    /// `ready`, `starting`, or `empty`: no recorded block counts.
    pub status: String,
    /// `on`; `held`: this folder may be an older copy of the log; `repeating`: published SuperRoots are published again;
    /// `forked`: the key signed two histories.
    pub publishing: String,
    /// Why publishing is not `on`, and how to continue.
    pub publishing_why: Option<String>,
    /// Program version.
    pub version: String,
    /// Log id, derived from the origin.
    pub log_id: Option<Hash>,
    /// Log origin.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// The network's meaning; `null` on a live network.
    pub network_note: Option<String>,
    /// Newest SuperRoot; `null` before the first SuperRoot.
    pub super_root: Option<NewestSuperRoot>,
    /// Configured witnesses, by name.
    pub witnesses: Vec<WitnessStatus>,
    /// Configured anchor contracts, by chain.
    pub anchors: Vec<ContractStatus>,
    /// Registry contract that gets the usage checkpoints.
    pub registries: Vec<ContractStatus>,
    /// Number of chains in the registry.
    pub chain_count: usize,
    /// Number of chains by state.
    pub states: StateCounts,
    /// Chains in registry order.
    pub chains: Vec<ChainStatus>,
    /// Final blocks contradicted by nodes.
    pub retractions: Vec<Retraction>,
    /// Store status.
    pub store: StoreStatus,
    /// Seconds since the service began to answer.
    pub uptime_seconds: u64,
    /// Current time, in Unix seconds.
    pub time: UnixSeconds,
}
