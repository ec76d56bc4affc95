//! Answers with one proof.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::entry::{EventPart, ProvenEntry};
use super::levels::{BlockPart, Levels, SubjectPlace};
use crate::Hex;
use crate::chain::Retraction;
use crate::finality::Finality;

/// Unproven members next to a proof: no hash shows them.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Unproven {
    /// `anchored`, or `pending` above the SuperRoot.
    pub anchor_status: String,
    /// Why the block counts as final.
    pub finality: Option<Finality>,
    /// Finality to check, with `?evidence=1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finality_proof: Option<String>,
    /// Retraction of the block, or of an ancestor, by nodes.
    pub retraction: Option<Retraction>,
    /// Members that no hash shows.
    pub not_proven: Vec<String>,
}

/// Block proof up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlockProof {
    /// Proven members.
    #[serde(flatten)]
    pub part: BlockPart,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proof of a transaction and receipt up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TransactionProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Log proof up to a SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct EventProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Event.
    #[serde(flatten)]
    pub event: EventPart,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Proof that a block position is empty.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AbsenceProof {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Entry.
    #[serde(flatten)]
    pub entry: ProvenEntry,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Header, roots and path of a block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaBundle {
    /// Proven members.
    #[serde(flatten)]
    pub part: LambdaPart,
    /// Whether finality evidence for the block exists; not proven.
    pub is_finalized: bool,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// A lambda bundle's proven members.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct LambdaPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Proof levels.
    #[serde(flatten)]
    pub levels: Levels,
    /// Transactions root in the header.
    pub transactions_root: Hash,
    /// Receipts root in the header, if the ledger has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipts_root: Option<Hash>,
}

/// Portable block proof.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobProof {
    /// Proven members.
    #[serde(flatten)]
    pub part: BlobPart,
    /// Layer: Keccak-256 of the finality evidence, `null` without evidence; not proven.
    pub l6_finality_commitment: Option<Hash>,
    /// Unproven members.
    #[serde(flatten)]
    pub unproven: Unproven,
}

/// Binary proof with layers. In a service answer, which reaches the SuperRoot, only the last member is ever `null`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BlobPart {
    /// Subject.
    #[serde(flatten)]
    pub place: SubjectPlace,
    /// Block hash.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub block_hash: Option<Hash>,
    /// SuperRoot hash at the end of the proof.
    #[cfg_attr(feature = "schema", schema(value_type = Hash))]
    pub super_root_hash: Option<Hash>,
    /// Complete proof: bytes of the .srproof file.
    pub proof_blob: Hex,
    /// `srproof/1`.
    pub proof_format: &'static str,
    /// Layer: 82 bytes of the SuperRoot.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l1_superroot: Option<Hex>,
    /// Layer: header.
    #[cfg_attr(feature = "schema", schema(value_type = Hex))]
    pub l2_chain_header: Option<Hex>,
    /// Layer: path to the SuperRoot.
    pub l3_superroot_proof: Vec<Hash>,
    /// Layer: path of the block.
    pub l4_block_proof: Vec<Hash>,
    /// Layer: transaction or receipt leaf; `null` for a block.
    pub l5_chain_event: Option<Hex>,
}
