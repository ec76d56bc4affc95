//! What stands in the answers about SuperRoots, member by member.

use serde::Serialize;
use serde_json::Value;
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};
use utoipa::ToSchema;

use crate::Hex;

/// A SuperRoot (`GET /v5/superroot`).
#[derive(Serialize, ToSchema)]
pub struct SuperRootPage {
    /// 5.
    pub version: u8,
    /// Log id, made of the origin.
    pub log_id: Hash,
    /// Origin of the log.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Counts from 0 without holes.
    pub sequence: u64,
    /// The SuperRoot hash.
    pub super_root_hash: Hash,
    /// When it was made; the service's word.
    pub timestamp: UnixSeconds,
    /// Root over the 64 slots.
    pub tree_root: Hash,
    /// One of each of the 9 families.
    pub mini_mmrs: Vec<MiniMmrRow>,
    /// One for each chain; nulls where it has no block.
    pub block_references: Vec<ReferenceRow>,
    /// Slot 54.
    pub history_root: Hash,
    /// The SuperRoots before it.
    pub history: HistoryRow,
    /// Slot 55.
    pub registry_root: Hash,
    /// Where it was published; `null` where nowhere.
    pub publication: Value,
}

/// The Mini-MMR of a family.
#[derive(Serialize, ToSchema)]
pub struct MiniMmrRow {
    /// Ledger family.
    pub family: Family,
    /// The family's name for people.
    pub name: Option<String>,
    /// Root of the Mini-MMR.
    pub root: Hash,
    /// Root of its range.
    pub range_root: Hash,
    /// Sealed twigs.
    pub leaf_count: u64,
}

/// How far a chain is. But for the reference nothing of it is proven.
#[derive(Serialize, ToSchema)]
pub struct ReferenceRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// Its name for people.
    pub name: String,
    /// How the service stands with it, in one word.
    pub status: String,
    /// First number of the committed run.
    pub start: Option<BlockNumber>,
    /// Last number of it.
    pub number: Option<BlockNumber>,
    /// Hash of the last block.
    pub hash: Option<Hash>,
    /// Which twig is open.
    pub open_twig_index: Option<u64>,
    /// Its root.
    pub open_twig_root: Option<Hash>,
    /// Time of the last block.
    pub timestamp: Option<UnixSeconds>,
    /// Its age.
    pub lag_seconds: Option<u64>,
}

/// The SuperRoots before one.
#[derive(Serialize, ToSchema)]
pub struct HistoryRow {
    /// How many.
    pub leaf_count: u64,
    /// RFC 6962 root over them.
    pub log_root: Hash,
}

/// Everything behind a SuperRoot but the block leaves (`GET /kv/blob/{superroot_hash}`).
#[derive(Serialize, ToSchema)]
pub struct SuperRootBlob {
    /// The SuperRoot hash.
    pub super_root_hash: Hash,
    /// What its preimage says.
    pub super_root: Value,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// The 64 slots.
    pub slots: Vec<Hash>,
    /// One of each of the 9 families.
    pub mini_mmrs: Vec<MiniMmrRow>,
    /// Row and reference of each chain that has blocks.
    pub block_references: Vec<Value>,
    /// The SuperRoots before it.
    pub history: HistoryRow,
    /// Slot 54.
    pub history_root: Hash,
    /// The profiles, in the order of their rows.
    pub registry: Vec<Value>,
    /// Slot 55.
    pub registry_root: Hash,
    /// Twigs sealed since the SuperRoot before.
    pub appended_twigs: Vec<Value>,
}

/// That one SuperRoot extends another (`GET /v5/superroot/consistency`).
#[derive(Serialize, ToSchema)]
pub struct ConsistencyProof {
    /// `history`: no SuperRoot was rewritten; `full`: no block either.
    pub strength: String,
    /// The earlier SuperRoot.
    pub from: Value,
    /// The later SuperRoot.
    pub to: Value,
    /// Path of the earlier one in the later one's history.
    pub inclusion_path: Vec<Hash>,
    /// The later one's history, opened from slot 54.
    pub to_history: Value,
    /// The same of the earlier one.
    pub from_history: Value,
    /// RFC 9162 path from history to history.
    pub consistency_path: Vec<Hash>,
    /// Blob of the earlier one, with strength `full`.
    pub from_blob: Option<Value>,
    /// Blob of the later one, with strength `full`.
    pub to_blob: Option<Value>,
    /// Path of each Mini-MMR, with strength `full`.
    pub mini_mmr_paths: Option<Vec<Vec<Hash>>>,
    /// Every twig sealed between the two, in the order of appending within each family, with
    /// strength `full`.
    pub appended_twigs: Option<Vec<Value>>,
    /// Open twigs were only filled up, with strength `full`.
    pub bridges: Option<Vec<Value>>,
}
