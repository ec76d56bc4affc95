//! Members of entries of the Sui family. Digests stand as `0x` hex, and in base58 as explorers show them.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "schema")]
use super::or_null::IndexInBlock;
use crate::Hex;

/// What an entry of the Sui family has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEntry {
    /// The transaction hash in base58.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_digest: Option<String>,
    /// Transactions of the checkpoint, as the contents show.
    pub transaction_count: u32,
    /// `CheckpointContents` in BCS: the list under the summary's content digest.
    pub raw_contents: Hex,
    /// `TransactionEffects` in BCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_effects: Option<Hex>,
    /// What they say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<SuiEffects>,
    /// `TransactionEvents` in BCS, in the proof of an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_events: Option<Hex>,
}

/// What came of a transaction of the Sui family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEffects {
    /// Digest of the effects.
    pub hash: Hash,
    /// The same in base58.
    pub digest: String,
    /// `success` or `failure`.
    pub status: &'static str,
    /// Digest of the events in base58; `null` where there are none.
    pub events_digest: Option<String>,
}

/// A transaction of the Sui family: what it does stands in its BCS.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiTransaction {
    /// Its hash.
    pub hash: Hash,
    /// The same in base58.
    pub digest: String,
    /// Position in the checkpoint.
    pub transaction_index: Option<u32>,
}

/// A summary of the Sui family, read from its bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiHeader {
    /// Digest of the checkpoint.
    pub hash: Hash,
    /// The same in base58.
    pub explorer_hash: String,
    /// Digest of the checkpoint before; zeros of the first.
    pub parent_hash: Hash,
    /// Sequence number.
    pub number: u64,
    /// Epoch whose committee signs.
    pub epoch: u64,
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
    /// Digest of the contents.
    pub content_digest: Hash,
    /// Transactions of the network so far.
    pub network_total_transactions: u64,
    /// Whether it is the last of its epoch.
    pub ends_epoch: bool,
}

/// An event of the Sui family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SuiEvent {
    /// Position in the transaction.
    pub log_index: u32,
    /// Position in the block, as nodes count, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Package whose function was called.
    pub package_id: Hash,
    /// Its module.
    pub module: String,
    /// Who sent the transaction.
    pub sender: Hash,
    /// The type as Move writes it, addresses in full.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The value of that type in BCS.
    pub contents: Hex,
    /// Hash of the transaction.
    pub transaction_hash: Hash,
}
