//! Members of SuperRoot answers.

use serde::Serialize;
use superroot_types::{Address, BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Chain reference with an open twig.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockReference {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// First number in the committed run.
    pub start: BlockNumber,
    /// Last number in the committed run.
    pub number: BlockNumber,
    /// The last block's hash.
    pub hash: Hash,
    /// The open twig's index.
    pub open_twig_index: u64,
    /// The open twig's root.
    pub open_twig_root: Hash,
}

/// Content of a SuperRoot preimage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPart {
    /// Version: always 5.
    pub version: u8,
    /// Log id, derived from the origin.
    pub log_id: Hash,
    /// Sequence: counts from 0 without gaps.
    pub sequence: u64,
    /// Time of creation as claimed by the service, in Unix seconds.
    pub timestamp: UnixSeconds,
    /// Root of the 64 slots.
    pub tree_root: Hash,
}

/// SuperRoot with hash.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootRow {
    /// Preimage content.
    #[serde(flatten)]
    pub part: SuperRootPart,
    /// SuperRoot hash.
    pub super_root_hash: Hash,
}

/// SuperRoot (`GET /v5/superroot`, `GET /kv/super-root/latest`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPage {
    /// SuperRoot.
    #[serde(flatten)]
    pub super_root: SuperRootRow,
    /// Log origin.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Mini-MMRs, one for each of the 9 families.
    pub mini_mmrs: Vec<MiniMmrRow>,
    /// References, one per chain; members are null for a chain without a block.
    pub block_references: Vec<ReferenceRow>,
    /// Slot 54.
    pub history_root: Hash,
    /// Earlier SuperRoots.
    pub history: HistoryRow,
    /// Slot 55.
    pub registry_root: Hash,
    /// Signatures.
    pub publication: Publication,
}

/// Signatures for a SuperRoot.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Publication {
    /// C2SP signed note by the log key, up to this SuperRoot; `null` without a signer. Cosignatures: `/v5/checkpoint`.
    pub note: Option<String>,
    /// RFC 9162 path of the SuperRoot as the last entry in the note's log, lowest first.
    pub siblings: Vec<Hash>,
    /// Current log keys (C2SP `vkey`); empty in an immutable answer. Compare with another source before pinning.
    pub keys: Vec<String>,
    /// Signature for anchor contracts; `null` from before the log had a key for them.
    pub evm_signature: Option<EvmSignatureRow>,
}

/// ECDSA signature over Keccak-256 of `0a` and the SuperRoot hash (EIP-2098).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EvmSignatureRow {
    /// The key's address.
    pub signer: Address,
    /// `r`.
    pub r: Hash,
    /// `s`, with the parity in the highest bit.
    pub vs: Hash,
}

/// Mini-MMR of a family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MiniMmrRow {
    /// Ledger family.
    pub family: Family,
    /// The family's display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Mini-MMR root.
    pub root: Hash,
    /// Range root.
    pub range_root: Hash,
    /// Number of sealed twigs.
    pub leaf_count: u64,
}

/// Chain progress. Only the reference is proven.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ReferenceRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// The chain's display name.
    pub name: String,
    /// The chain's service state, in one word.
    pub status: String,
    /// First number in the committed run.
    pub start: Option<BlockNumber>,
    /// Last number in the committed run.
    pub number: Option<BlockNumber>,
    /// The last block's hash.
    pub hash: Option<Hash>,
    /// The open twig's index.
    pub open_twig_index: Option<u64>,
    /// The open twig's root.
    pub open_twig_root: Option<Hash>,
    /// The last block's time, in Unix seconds.
    pub timestamp: Option<UnixSeconds>,
    /// Age of the last block in seconds.
    pub lag_seconds: Option<u64>,
}

/// SuperRoots before a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HistoryRow {
    /// Number of earlier SuperRoots.
    pub leaf_count: u64,
    /// RFC 6962 root of the earlier SuperRoots.
    pub log_root: Hash,
}

/// Blob, with the twigs sealed since the previous SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobBody {
    /// Everything behind the SuperRoot except block leaves.
    #[serde(flatten)]
    pub blob: SuperRootBlob,
    /// Number of twigs sealed since the previous SuperRoot: Mini-MMR leaves between the previous and current counts.
    pub appended_twig_count: u64,
    /// Appended twigs, by family in appending order; `null` for more than 4,096: see `/v5/mini-mmr/{family}/twigs`.
    pub appended_twigs: Option<Vec<TwigRow>>,
}

/// Consecutive Mini-MMR leaves (`GET /v5/mini-mmr/{family}/twigs`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TwigPage {
    /// Ledger family.
    pub family: Family,
    /// The first twig's leaf index; the following twigs are consecutive.
    pub from: u64,
    /// Twigs.
    pub twigs: Vec<TwigRow>,
}

/// Everything behind a SuperRoot except block leaves.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootBlob {
    /// SuperRoot hash.
    pub super_root_hash: Hash,
    /// Preimage content.
    pub super_root: SuperRootRow,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// All 64 slots.
    pub slots: Vec<Hash>,
    /// Mini-MMRs, one for each of the 9 families.
    pub mini_mmrs: Vec<MiniMmrRow>,
    /// Row and reference of each chain with blocks.
    pub block_references: Vec<BlobReference>,
    /// Earlier SuperRoots.
    pub history: HistoryRow,
    /// Slot 54.
    pub history_root: Hash,
    /// Chain profiles, in row order.
    pub registry: Vec<ProfileRow>,
    /// Slot 55.
    pub registry_root: Hash,
}

/// Blob with publication data (`GET /kv/blob/{superroot_hash}`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PublishedBlob {
    /// Blob.
    #[serde(flatten)]
    pub blob: BlobBody,
    /// Signatures, which are not part of the SuperRoot.
    pub publication: Publication,
}

/// Reference of a chain with blocks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobReference {
    /// Registry row, from 0.
    pub row: usize,
    /// Reference.
    #[serde(flatten)]
    pub reference: BlockReference,
}

/// Chain with block rules.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProfileRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// CAIP-2 name.
    pub caip2: String,
    /// Rules, in ascending order by number.
    pub rules: Vec<ProfileRule>,
}

/// Rule with the first applicable block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ProfileRule {
    /// First block number.
    pub from_number: u64,
    /// Rule code: two bytes.
    pub rule: String,
}

/// Sealed twig.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TwigRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// First block number / 2048.
    pub twig_index: u64,
    /// Twig root.
    pub twig_root: Hash,
}

/// Proof that one SuperRoot extends another (`GET /v5/superroot/consistency`).
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct ConsistencyProof {
    /// `history`: no SuperRoot was rewritten; `full`: no block either.
    pub strength: &'static str,
    /// Earlier SuperRoot.
    pub from: SuperRootRow,
    /// Later SuperRoot.
    pub to: SuperRootRow,
    /// Path of the earlier SuperRoot in the later history.
    pub inclusion_path: Vec<Hash>,
    /// History of the later SuperRoot, opened from slot 54.
    pub to_history: HistoryOpeningRow,
    /// History of the earlier SuperRoot, opened from slot 54.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub from_history: Option<HistoryOpeningRow>,
    /// RFC 9162 path from history to history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub consistency_path: Option<Vec<Hash>>,
    /// Blob of the earlier SuperRoot, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_blob: Option<SuperRootBlob>,
    /// Blob of the later SuperRoot, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_blob: Option<SuperRootBlob>,
    /// Path of each Mini-MMR, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_mmr_paths: Option<Vec<Vec<Hash>>>,
    /// Number of twigs sealed between both SuperRoots, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appended_twig_count: Option<u64>,
    /// Appended twigs, by family in appending order; `null` for more than 4,096: see `/v5/mini-mmr/{family}/twigs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appended_twigs: Option<Option<Vec<TwigRow>>>,
    /// Evidence that open twigs were only extended, with strength `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bridges: Option<Vec<BridgeRow>>,
}

/// Committed history of a SuperRoot, opened from slot 54.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct HistoryOpeningRow {
    /// Earlier SuperRoots.
    #[serde(flatten)]
    pub history: HistoryRow,
    /// 6 siblings, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// Evidence that an open twig in the earlier SuperRoot was only extended afterwards.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BridgeRow {
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family.
    pub family: Family,
    /// Leaf in the later SuperRoot, at the slot after the last number in the earlier SuperRoot.
    pub leaf: Hash,
    /// 11 siblings, from the leaf upward.
    pub siblings: Vec<Hash>,
}
