//! Entry and header members of the Cosmos family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Additional entry members of the Cosmos family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosEntry {
    /// Transaction hash in explorer form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer_transaction_hash: Option<String>,
    /// Number of transactions in the block; bound only if the proof is for the last transaction, or for none.
    pub transaction_count: u32,
    /// First transactions of the perfect subtrees left of the path, from the root down: they show the path's position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peaks: Vec<CosmosPeak>,
    /// The last transaction's branch, if the position is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<CosmosBranch>,
}

/// Cosmos family transaction under the block's `data_hash`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosBranch {
    /// Transaction hash.
    pub transaction_hash: Hash,
    /// Complete transaction.
    pub raw_transaction: Hex,
    /// Siblings, from the leaf upward.
    pub siblings: Vec<Hash>,
}

/// First transaction of a subtree, which shows the subtree height.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosPeak {
    /// Transaction hash.
    pub transaction_hash: Hash,
    /// Siblings, from the leaf up to the subtree root.
    pub siblings: Vec<Hash>,
}

/// Cosmos family transaction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosTransaction {
    /// SHA-256 of the transaction.
    pub hash: Hash,
    /// Transaction hash in explorer form.
    pub explorer_hash: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Length in bytes.
    pub byte_count: usize,
}

/// Cosmos family header, decoded from the bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosHeader {
    /// Block hash.
    pub hash: Hash,
    /// Block hash in explorer form.
    pub explorer_hash: String,
    /// Parent block hash; zeros for the first block of a chain.
    pub parent_hash: Hash,
    /// Root of the parts in which the parent block was sent; `null` for the first block of a chain.
    pub parent_parts_hash: Option<Hash>,
    /// Number of parts.
    pub parent_part_count: Option<u32>,
    /// Chain id.
    pub chain_id: String,
    /// Height.
    pub number: u64,
    /// Unix seconds.
    pub timestamp: u64,
    /// The block time's fraction, in nanoseconds.
    pub timestamp_nanos: u32,
    /// Block protocol version.
    pub version_block: u64,
    /// Application protocol version.
    pub version_app: u64,
    /// Root of the parent block's signatures.
    pub last_commit_hash: Hash,
    /// The transactions' root.
    pub data_hash: Hash,
    /// Root of the validators for this block.
    pub validators_hash: Hash,
    /// Root of the validators for the next block.
    pub next_validators_hash: Hash,
    /// The consensus parameters' hash.
    pub consensus_hash: Hash,
    /// Application state after the parent block.
    pub app_hash: Hex,
    /// Root of code, data and gas for transactions in the parent block.
    pub last_results_hash: Hash,
    /// Root of the evidence against validators.
    pub evidence_hash: Hash,
    /// Block proposer.
    pub proposer: CosmosAddress,
}

/// Cosmos family validator.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosAddress {
    /// 20 bytes.
    pub hex: Hex,
    /// Explorer form (`cosmosvalcons1..`); `null` for chains with an unknown prefix.
    pub bech32: Option<String>,
}
