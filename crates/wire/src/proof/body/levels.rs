//! Subject and levels of a block proof.

use serde::Serialize;
use superroot_types::{BlockNumber, ChainId, Family, Hash, Network};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::form::LedgerObject;
#[cfg(feature = "schema")]
use super::object::HeaderObject;
use crate::Hex;
use crate::superroot::body::{BlockReference, SuperRootPart};

/// A proof's subject.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema), schema(as = Place))]
pub struct SubjectPlace {
    /// `block`, `transaction`, `event` or `absence`.
    pub proof_kind: &'static str,
    /// Chain id.
    pub chain_id: ChainId,
    /// Ledger family: a chain id alone is ambiguous.
    pub family: Family,
    /// Log origin.
    pub origin: String,
    /// `live`, `recorded` or `simulated`.
    pub network: Network,
    /// Highest proof level, 1 to 5.
    pub proof_level: u8,
    /// Block number.
    pub block_number: BlockNumber,
}

/// A block proof's levels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Levels {
    /// Whether the block hash commits to the block number.
    pub number_bound: bool,
    /// Block hash, equal to the header hash.
    pub block_hash: Hash,
    /// Header in the ledger's own bytes.
    pub block_header: Hex,
    /// Decoded header, with JSON-RPC names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<HeaderObject>))]
    pub header: Option<LedgerObject>,
    /// Level 3: twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twig: Option<Twig>,
    /// Level 4: Mini-MMR, for a sealed twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mini_mmr: Option<MiniMmrPlace>,
    /// Block reference instead of `mini_mmr`, for an open twig.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_reference: Option<BlockReference>,
    /// Level 5: SuperRoot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root: Option<SuperRootPlace>,
    /// SuperRoot hash at the end of the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub super_root_hash: Option<Hash>,
    /// 6 siblings from the slot to the SuperRoot's tree root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siblings: Option<Vec<Hash>>,
    /// Chain profile in the log's registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<RegistryPlace>,
    /// Signed note for a log with the SuperRoot, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<NotePlace>,
}

/// Twig: 2,048 consecutive block numbers of one chain.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Twig {
    /// Twig index: number / 2048.
    pub index: u64,
    /// Slot: number % 2048.
    pub slot: u64,
    /// 11 siblings, from the block leaf upward.
    pub siblings: Vec<Hash>,
    /// Twig root.
    pub root: Hash,
}

/// Sealed twig in the Mini-MMR of a family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct MiniMmrPlace {
    /// Ledger family.
    pub family: Family,
    /// Leaf index.
    pub leaf_index: u64,
    /// Number of leaves.
    pub leaf_count: u64,
    /// Path in the range, lowest first.
    pub siblings: Vec<Hash>,
    /// Mini-MMR root.
    pub root: Hash,
}

/// SuperRoot at the end of a proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuperRootPlace {
    /// Preimage content.
    #[serde(flatten)]
    pub part: SuperRootPart,
    /// Slot of the Mini-MMR or the reference.
    pub index: u64,
    /// 82 bytes that hash to the SuperRoot hash.
    pub preimage: Hex,
    /// 6 siblings, from the slot upward.
    pub siblings: Vec<Hash>,
}

/// Chain profile in the registry committed by the SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct RegistryPlace {
    /// Profile preimage: chain definition, and withdrawals by the log.
    pub profile: Hex,
    /// Registry row.
    pub row: u8,
    /// Number of rows in the registry.
    pub count: u8,
    /// 6 siblings, from the row's slot to the registry tree root.
    pub siblings: Vec<Hash>,
    /// 6 siblings, from slot 55 upward.
    pub super_root_siblings: Vec<Hash>,
}

/// The log's signed note, with the SuperRoot's path in the log at the note's size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct NotePlace {
    /// Complete C2SP signed note.
    pub text: String,
    /// Number of log entries, above the SuperRoot's sequence.
    pub size: u64,
    /// RFC 9162 path of the SuperRoot, lowest first.
    pub siblings: Vec<Hash>,
}

/// Block proof in an entry proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Proof levels.
    #[serde(flatten)]
    pub levels: Levels,
}
