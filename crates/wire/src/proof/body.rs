//! Members of proof answers.
//!
//! [`render`](super::render) creates the proven parts, in `camelCase` under `/v5`; the service adds unproven members.
//! Absent members are omitted.

use serde::Serialize;
use serde_json::Value;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

mod answer;
#[cfg(feature = "schema")]
mod batch;
mod entry;
mod form;
mod levels;
#[cfg(feature = "schema")]
mod object;
#[cfg(feature = "schema")]
pub(super) mod or_null;

pub use super::ledger::LedgerEntry;
pub use super::ledger::members::*;
use crate::Hex;
pub use answer::{
    AbsenceProof, BlobPart, BlobProof, BlockProof, EventProof, LambdaBundle, LambdaPart,
    TransactionProof, Unproven,
};
#[cfg(feature = "schema")]
pub use batch::BatchProof;
pub(super) use entry::EntryPart;
pub use entry::{EventPart, NoReceipts, ProvenEntry};
pub(super) use form::ObjectForm;
pub use form::{LedgerObject, SPELLED_BYTES_MAX, WrittenJson};
pub use levels::{
    BlockPart, Levels, MiniMmrPlace, NotePlace, RegistryPlace, SubjectPlace, SuperRootPlace, Twig,
};
#[cfg(feature = "schema")]
pub use object::{EventObject, HeaderObject, TransactionObject};

/// Answer of a gateway (EIP-3668): what the contract's callback gets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct GatewayAnswer {
    /// Proof in calldata.
    pub data: Hex,
}

/// Request for several proofs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BatchRequest {
    /// 1 to 64 items, or up to the configured limit.
    pub items: Vec<BatchItem>,
    /// SuperRoot hash at the end of all proofs.
    pub root: Option<Hash>,
    /// SuperRoot sequence, instead of `root`.
    pub sequence: Option<u64>,
    /// Whether each proof includes the newest signed note.
    pub note: Option<bool>,
}

/// A block; with `txIndex` and `logIndex` an event; with `txIndex` and `absent` an absence; with `txHash` a transaction, or with `logIndex` its event. `block` and `txIndex` select one of several places.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BatchItem {
    /// Chain id or name.
    pub chain: String,
    /// Number or `latest`.
    pub block: Option<String>,
    /// Transaction hash.
    pub tx_hash: Option<Hash>,
    /// Position in the block.
    pub tx_index: Option<u32>,
    /// Position in the receipt.
    pub log_index: Option<u32>,
    /// Whether to prove an absence.
    pub absent: Option<bool>,
    /// Whether to bring evidence of finality: `finality_proof`.
    pub evidence: Option<bool>,
    /// Number of your own set of signers, for steps.
    pub set: Option<u64>,
    /// Least class: `node_quorum`, `l1_anchored` or `consensus`.
    pub finality: Option<String>,
}

/// Many proofs under one SuperRoot.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Batch {
    /// Every trie node and sibling, once.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Hex>))]
    pub nodes: Vec<String>,
    /// Proofs as in the other routes, with node indexes as siblings.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<BatchProof>))]
    pub items: Vec<Value>,
}
