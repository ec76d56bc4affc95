//! Entry members of the Aptos family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::IndexInBlock;

/// Additional entry members of the Aptos family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AptosEntry {
    /// Transaction position in the whole chain; the one in the block is not shown.
    pub version: u64,
    /// Always false: the transaction is in this block or an earlier one.
    pub block_bound: bool,
    /// The version's outcome, `TransactionInfo` in BCS: the accumulator leaf.
    pub transaction_info: Hex,
    /// Event, `ContractEvent` in BCS; only in an event proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_event: Option<Hex>,
    /// The event's siblings, from the leaf upward.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_siblings: Option<Vec<Hash>>,
}

/// Aptos header: only the root.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosHeader {
    /// Transaction accumulator root after the block, used as block hash here. Explorers show the consensus block id, to
    /// which no hash leads from the transactions.
    pub accumulator_root_hash: Hash,
}

/// A version's outcome.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosTransaction {
    /// Transaction hash.
    pub hash: Hash,
    /// Version.
    pub version: u64,
    /// Whether the transaction succeeded.
    pub success: bool,
    /// `success`, `out_of_gas`, `move_abort`, `execution_failure` or `miscellaneous_error`.
    pub status: &'static str,
    /// Abort or error code, as decimal text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub status_code: Option<String>,
    /// Abort reason, if named by the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub abort_reason: Option<String>,
    /// Gas used, in units, as decimal text.
    pub gas_used: String,
    /// Event root.
    pub event_root_hash: Hash,
    /// The state changes' hash.
    pub state_change_hash: Hash,
    /// State root after the transaction, if a checkpoint was taken.
    pub state_checkpoint_hash: Option<Hash>,
}

/// A version's event.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosEvent {
    /// Position among the version's events.
    pub log_index: u32,
    /// Position in the block as counted by nodes, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// `ContractEvent` in BCS.
    pub raw: Hex,
    /// Move type with full addresses; omitted if this build cannot read the type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub type_name: Option<String>,
    /// Event value in BCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub data: Option<Hex>,
    /// The event handle's account; omitted for a module event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub account: Option<Hash>,
    /// The version's event root.
    pub event_root_hash: Hash,
}
