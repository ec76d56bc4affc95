//! Entry members of the Sui family. Digests are `0x` hex, and base58 in explorer form.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::IndexInBlock;

/// Additional entry members of the Sui family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEntry {
    /// Transaction hash in base58.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_digest: Option<String>,
    /// Number of transactions in the checkpoint, by the contents.
    pub transaction_count: u32,
    /// `CheckpointContents` in BCS: the list under the summary's content digest.
    pub raw_contents: Hex,
    /// `TransactionEffects` in BCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_effects: Option<Hex>,
    /// Decoded effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<SuiEffects>,
    /// `TransactionEvents` in BCS; only in an event proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_events: Option<Hex>,
}

/// Effects of a Sui family transaction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEffects {
    /// Effects digest.
    pub hash: Hash,
    /// Effects digest in base58.
    pub digest: String,
    /// `success` or `failure`.
    pub status: &'static str,
    /// Events digest in base58; `null` without events.
    pub events_digest: Option<String>,
}

/// Sui family transaction; the BCS has the content.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiTransaction {
    /// Transaction hash.
    pub hash: Hash,
    /// Transaction hash in base58.
    pub digest: String,
    /// Position in the checkpoint.
    pub transaction_index: Option<u32>,
}

/// Sui family checkpoint summary, decoded from the bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiHeader {
    /// Checkpoint digest.
    pub hash: Hash,
    /// Checkpoint digest in base58.
    pub explorer_hash: String,
    /// Previous checkpoint digest; zeros for the first checkpoint.
    pub parent_hash: Hash,
    /// Sequence number.
    pub number: u64,
    /// The signing committee's epoch.
    pub epoch: u64,
    /// Checkpoint time, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// Contents digest.
    pub content_digest: Hash,
    /// Network transactions so far.
    pub network_total_transactions: u64,
    /// Whether the checkpoint is the last in the epoch.
    pub ends_epoch: bool,
}

/// Sui family event.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEvent {
    /// Position in the transaction.
    pub log_index: u32,
    /// Position in the block as counted by nodes, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// The called function's package.
    pub package_id: Hash,
    /// The package's module.
    pub module: String,
    /// Transaction sender.
    pub sender: Hash,
    /// Move type with full addresses.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Event value in BCS.
    pub contents: Hex,
    /// Transaction hash.
    pub transaction_hash: Hash,
}
