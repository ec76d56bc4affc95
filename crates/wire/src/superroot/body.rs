//! What stands in the answers about SuperRoots, member by member.

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// An open twig's place: its chain's reference.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockReference {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// First number of the committed run.
    pub start: BlockNumber,
    /// Last number of it.
    pub number: BlockNumber,
    /// Hash of the last block.
    pub hash: Hash,
    /// Which twig is open.
    pub open_twig_index: u64,
    /// Its root.
    pub open_twig_root: Hash,
}

/// What the preimage of a SuperRoot says.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPart {
    /// 5.
    pub version: u8,
    /// Log id, made of the origin.
    pub log_id: Hash,
    /// Counts from 0 without holes.
    pub sequence: u64,
    /// When it was made; the service's word.
    pub timestamp: UnixSeconds,
    /// Root over the 64 slots.
    pub tree_root: Hash,
}

/// A SuperRoot and its hash.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootRow {
    /// What its preimage says.
    #[serde(flatten)]
    pub part: SuperRootPart,
    /// The SuperRoot hash.
    pub super_root_hash: Hash,
}

/// A SuperRoot (`GET /v5/superroot`, `GET /kv/super-root/latest`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPage {
    /// The SuperRoot.
    #[serde(flatten)]
    pub super_root: SuperRootRow,
    /// Origin of the log.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
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
    /// Who signed it.
    pub publication: Publication,
}

/// Who signed a SuperRoot.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Publication {
    /// C2SP signed note of the log that it ends, by the log's key; `null` where nobody signs. Cosignatures are in
    /// `/v5/checkpoint`.
    pub note: Option<String>,
    /// RFC 9162 path of the SuperRoot, as the last entry, in the log of that note, lowest first.
    pub siblings: Vec<Hash>,
    /// The keys that sign the log now (C2SP `vkey`); none in an answer that never changes. Who pins one
    /// compares it with what another source says.
    pub keys: Vec<String>,
}

/// The Mini-MMR of a family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MiniMmrRow {
    /// Ledger family.
    pub family: Family,
    /// The family's name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Root of the Mini-MMR.
    pub root: Hash,
    /// Root of its range.
    pub range_root: Hash,
    /// Sealed twigs.
    pub leaf_count: u64,
}

/// How far a chain is. But for the reference nothing of it is proven.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
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
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HistoryRow {
    /// How many.
    pub leaf_count: u64,
    /// RFC 6962 root over them.
    pub log_root: Hash,
}

/// A blob and the twigs sealed since the SuperRoot before.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobBody {
    /// Everything behind the SuperRoot but the block leaves.
    #[serde(flatten)]
    pub blob: SuperRootBlob,
    /// Twigs sealed since the SuperRoot before: leaves of the Mini-MMRs from its counts to these.
    pub appended_twig_count: u64,
    /// These twigs, by family in the order of appending; `null` where they are more than 4,096: see
    /// `/v5/mini-mmr/{family}/twigs`.
    pub appended_twigs: Option<Vec<TwigRow>>,
}

/// Consecutive leaves of a Mini-MMR (`GET /v5/mini-mmr/{family}/twigs`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TwigPage {
    /// Ledger family.
    pub family: Family,
    /// Leaf index of the first twig; the others follow without a gap.
    pub from: u64,
    /// The twigs.
    pub twigs: Vec<TwigRow>,
}

/// Everything behind a SuperRoot but the block leaves.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootBlob {
    /// The SuperRoot hash.
    pub super_root_hash: Hash,
    /// What its preimage says.
    pub super_root: SuperRootRow,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// The 64 slots.
    pub slots: Vec<Hash>,
    /// One of each of the 9 families.
    pub mini_mmrs: Vec<MiniMmrRow>,
    /// Row and reference of each chain that has blocks.
    pub block_references: Vec<BlobReference>,
    /// The SuperRoots before it.
    pub history: HistoryRow,
    /// Slot 54.
    pub history_root: Hash,
    /// The profiles, in the order of their rows.
    pub registry: Vec<ProfileRow>,
    /// Slot 55.
    pub registry_root: Hash,
}

/// A blob with what was published beside it (`GET /kv/blob/{superroot_hash}`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PublishedBlob {
    /// The blob.
    #[serde(flatten)]
    pub blob: BlobBody,
    /// Who signed it: the SuperRoot says nothing of that.
    pub publication: Publication,
}

/// The reference of a chain that has blocks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobReference {
    /// Row of the registry, from 0.
    pub row: usize,
    /// The reference.
    #[serde(flatten)]
    pub reference: BlockReference,
}

/// A chain, and how its blocks are read.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProfileRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// CAIP-2 name.
    pub caip2: String,
    /// Rules, by rising numbers.
    pub rules: Vec<ProfileRule>,
}

/// From which block on a rule holds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProfileRule {
    /// Number of the first block.
    pub from_number: u64,
    /// Code of the rule: two bytes.
    pub rule: String,
}

/// A sealed twig.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TwigRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// Number of its first block / 2048.
    pub twig_index: u64,
    /// Root of the twig.
    pub twig_root: Hash,
}

/// That one SuperRoot extends another (`GET /v5/superroot/consistency`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ConsistencyProof {
    /// `history`: no SuperRoot was rewritten; `full`: no block either.
    pub strength: &'static str,
    /// The earlier SuperRoot.
    pub from: SuperRootRow,
    /// The later SuperRoot.
    pub to: SuperRootRow,
    /// Path of the earlier one in the later one's history.
    pub inclusion_path: Vec<Hash>,
    /// The later one's history, opened from slot 54.
    pub to_history: HistoryOpeningRow,
    /// The same of the earlier one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub from_history: Option<HistoryOpeningRow>,
    /// RFC 9162 path from history to history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub consistency_path: Option<Vec<Hash>>,
    /// Blob of the earlier one, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_blob: Option<SuperRootBlob>,
    /// Blob of the later one, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_blob: Option<SuperRootBlob>,
    /// Path of each Mini-MMR, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_mmr_paths: Option<Vec<Vec<Hash>>>,
    /// How many twigs were sealed between the two, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appended_twig_count: Option<u64>,
    /// These twigs, by family in the order of appending; `null` where they are more than 4,096: see
    /// `/v5/mini-mmr/{family}/twigs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appended_twigs: Option<Option<Vec<TwigRow>>>,
    /// Open twigs were only filled up, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bridges: Option<Vec<BridgeRow>>,
}

/// The history that a SuperRoot commits to, opened from slot 54.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HistoryOpeningRow {
    /// The SuperRoots before it.
    #[serde(flatten)]
    pub history: HistoryRow,
    /// 6, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// That a twig which was open in the earlier SuperRoot was only filled up since.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BridgeRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// What stands in the later one at the slot after the earlier one's last number.
    pub leaf: Hash,
    /// 11, from that leaf upward.
    pub siblings: Vec<Hash>,
}
