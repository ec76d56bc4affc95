//! The whole service at one glance: how each chain fares.

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::part::{
    Anchored, Backfill, CatchUp, Claimed, EndpointReport, LastError, LeftOut, Point, Repair,
    Retraction, WatchCounts,
};

/// How far a chain has come, and what keeps it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainStanding {
    /// Chain id.
    pub chain_id: ChainId,
    /// Name.
    pub name: String,
    /// What the service does with it, as in the list of chains.
    pub state: String,
    /// Why it does not move, or how far it is behind.
    pub why: Option<String>,
    /// Newest block held; see `claimed`.
    pub head: Option<Point>,
    /// Newest final block held; see `claimed`.
    pub finalized: Option<Point>,
    /// What its nodes said when enough of them agreed last, and when; not checked.
    pub claimed: Option<Claimed>,
    /// How it catches up; `null` where it is not behind.
    pub catch_up: Option<CatchUp>,
    /// Older blocks that are being fetched.
    pub backfill: Option<Backfill>,
    /// Blocks held whose bodies are asked for again.
    pub repair: Option<Repair>,
    /// Which entries are indexed; `null`: nothing is.
    pub watch: Option<WatchCounts>,
    /// Its nodes.
    pub endpoints: Vec<EndpointReport>,
    /// What went wrong last, and is not mended.
    pub last_error: Option<LastError>,
}

/// How a chain fares.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ChainStatus {
    /// How far it has come.
    #[serde(flatten)]
    pub standing: ChainStanding,
    /// Short word for paths.
    pub slug: String,
    /// When it last moved, or was halted.
    pub since: Option<UnixSeconds>,
    /// Newest block that its nodes call safe.
    pub safe: Option<Point>,
    /// Final blocks that its nodes have and that are not held.
    pub behind_blocks: Option<u64>,
    /// First number of what is held.
    pub start: Option<BlockNumber>,
    /// Newest final number held.
    pub indexed: Option<BlockNumber>,
    /// Newest number known to be final and examined.
    pub checked_to: Option<BlockNumber>,
    /// Newest block in the newest SuperRoot.
    pub anchored: Option<Anchored>,
    /// Blocks from the anchored one to the newest that its nodes name.
    pub lag_blocks: Option<u64>,
    /// Age of the anchored block; `null` for recordings.
    pub lag_seconds: Option<u64>,
    /// Final blocks held.
    pub block_count: Option<u64>,
    /// Numbers from `start` to `indexed` without a block.
    pub skipped_count: Option<u64>,
    /// Names of its sources.
    pub sources: Vec<String>,
    /// How many sources were asked.
    pub source_count: u32,
    /// Nodes that must agree on a final block; `null` without nodes.
    pub must_agree: Option<u32>,
    /// What to know of how its blocks count as final; mostly `null`.
    pub warning: Option<String>,
    /// Blocks not taken lately, newest last, 16 at most.
    pub left_out: Vec<LeftOut>,
}

/// How many chains are in each state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StateCounts {
    /// No source of them is configured.
    pub not_followed: u64,
    /// No block was taken yet.
    pub starting: u64,
    /// Their nodes have final blocks that are not held.
    pub catching_up: u64,
    /// Followed, and older blocks are fetched.
    pub backfilling: u64,
    /// Followed.
    pub following: u64,
    /// Nothing new for too long.
    pub stalled: u64,
    /// Their nodes contradict what was final.
    pub halted: u64,
    /// Nothing new will come.
    pub recorded: u64,
    /// The log takes nothing of them any more.
    pub withdrawn: u64,
}

/// The newest SuperRoot in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NewestSuperRoot {
    /// Counts from 0 without holes.
    pub sequence: u64,
    /// The SuperRoot hash.
    pub super_root_hash: Hash,
    /// When it was made.
    pub timestamp: UnixSeconds,
    /// Its age.
    pub age_seconds: u64,
}

/// The store.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StoreStatus {
    /// Bytes on disk, where known.
    pub bytes: Option<u64>,
    /// Bytes free on its disk, where known.
    pub free_bytes: Option<u64>,
    /// Why nothing is written: the disk is almost full; else null.
    pub read_only: Option<String>,
    /// Commits since it was made.
    pub commit_count: u64,
}

/// A witness of the log, and how far it cosigned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct WitnessStatus {
    /// Name of its key.
    pub name: String,
    /// Size of the newest note that it cosigned: SuperRoots 0 to size - 1.
    pub size: Option<u64>,
    /// Time of that cosignature, by the witness's clock.
    pub cosigned_at: Option<UnixSeconds>,
    /// Its age.
    pub age_seconds: Option<u64>,
    /// Size that it holds, where that is above the log's own: then this service is behind its log.
    pub ahead: Option<u64>,
    /// Why its last answer was no cosignature; `null` where it was one.
    pub last_error: Option<String>,
}

/// The whole service at one glance (`GET /api/v1/status`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Status {
    /// `ready`, `starting`, or `empty`: no recorded block counts.
    pub status: String,
    /// `on`; `held`: nothing is published, since this folder may be an older copy of its log;
    /// `repeating`: what was published once comes out again; `forked`: the key signed two histories.
    pub publishing: String,
    /// Why it is not `on`, and how to go on.
    pub publishing_why: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Log id, made of the origin.
    pub log_id: Option<Hash>,
    /// Origin of the log.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// What the network means; `null` on a live one.
    pub network_note: Option<String>,
    /// `null` before the first.
    pub super_root: Option<NewestSuperRoot>,
    /// Witnesses that are asked, by name.
    pub witnesses: Vec<WitnessStatus>,
    /// Chains of the registry.
    pub chain_count: usize,
    /// Chains by state.
    pub states: StateCounts,
    /// In the order of the registry.
    pub chains: Vec<ChainStatus>,
    /// Blocks that were final here and that nodes contradict.
    pub retractions: Vec<Retraction>,
    /// The store.
    pub store: StoreStatus,
    /// Since the service began to answer.
    pub uptime_seconds: u64,
    /// Now.
    pub time: UnixSeconds,
}
