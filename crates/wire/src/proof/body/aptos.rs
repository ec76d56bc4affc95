//! Members of entries of the Aptos family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "schema")]
use super::or_null::IndexInBlock;
use crate::Hex;

/// What an entry of the Aptos family has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct AptosEntry {
    /// The transaction's place in the whole chain. Its place in the block is not shown: the root holds every earlier
    /// version as well.
    pub version: u64,
    /// Always false: the transaction is in the chain by this block, in this block or an earlier one.
    pub block_bound: bool,
    /// What the version did, `TransactionInfo` in BCS: the leaf of the accumulator.
    pub transaction_info: Hex,
    /// The event, `ContractEvent` in BCS, in the proof of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_event: Option<Hex>,
    /// Siblings of the event, from the leaf upward.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_siblings: Option<Vec<Hash>>,
}

/// A header of the Aptos family: nothing but the root.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosHeader {
    /// Root of the accumulator of transactions after the block: the block hash here. Explorers show the
    /// consensus' id of the block, to which no hash leads from its transactions.
    pub accumulator_root_hash: Hash,
}

/// What a version did.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosTransaction {
    /// Hash of the transaction.
    pub hash: Hash,
    /// Its version.
    pub version: u64,
    /// Whether it did what it should.
    pub success: bool,
    /// `success`, `out_of_gas`, `move_abort`, `execution_failure` or `miscellaneous_error`.
    pub status: &'static str,
    /// Code of the abort or error, as decimal text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub status_code: Option<String>,
    /// Reason of the abort, where the module names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub abort_reason: Option<String>,
    /// Gas used, in units, as decimal text.
    pub gas_used: String,
    /// Root of its events.
    pub event_root_hash: Hash,
    /// Hash of what it changed.
    pub state_change_hash: Hash,
    /// Root of the state after it, where it was taken.
    pub state_checkpoint_hash: Option<Hash>,
}

/// An event of a version.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AptosEvent {
    /// Position among the version's events.
    pub log_index: u32,
    /// Position in the block, as nodes count, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// `ContractEvent` in BCS.
    pub raw: Hex,
    /// Its type as Move writes it, addresses in full; left out where it is not read by this build.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub type_name: Option<String>,
    /// The value of that type, in BCS.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub data: Option<Hex>,
    /// Account of the handle that it stands under; left out of a module's event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub account: Option<Hash>,
    /// Root of the version's events.
    pub event_root_hash: Hash,
}
