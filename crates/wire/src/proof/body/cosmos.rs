//! Members of entries and headers of the Cosmos family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// What an entry of the Cosmos family has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosEntry {
    /// The transaction hash as explorers show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer_transaction_hash: Option<String>,
    /// Transactions of the block; bound where the proof is of the last one, or of none.
    pub transaction_count: u32,
    /// First transactions of the perfect subtrees that hang left of the way, from the root down: they show where it
    /// stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peaks: Vec<CosmosPeak>,
    /// Branch of the last one, where nothing stands at the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<CosmosBranch>,
}

/// A transaction of the Cosmos family under its block's `data_hash`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosBranch {
    /// Its hash.
    pub transaction_hash: Hash,
    /// The transaction, whole.
    pub raw_transaction: Hex,
    /// From the leaf upward.
    pub siblings: Vec<Hash>,
}

/// The first transaction of a subtree, which shows how high that is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosPeak {
    /// Its hash.
    pub transaction_hash: Hash,
    /// From the leaf up to the subtree's root.
    pub siblings: Vec<Hash>,
}

/// A transaction of the Cosmos family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosTransaction {
    /// SHA-256 of the transaction.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Its length.
    pub byte_count: usize,
}

/// A header of the Cosmos family, read from its bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosHeader {
    /// Block hash.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Hash of the block before; zeros for a chain's first.
    pub parent_hash: Hash,
    /// Root over the parts in which the block before was sent; `null` for a chain's first.
    pub parent_parts_hash: Option<Hash>,
    /// Number of those parts.
    pub parent_part_count: Option<u32>,
    /// Chain id.
    pub chain_id: String,
    /// Height.
    pub number: u64,
    /// Unix seconds.
    pub timestamp: u64,
    /// Billionths of a second besides.
    pub timestamp_nanos: u32,
    /// Version of the protocol of blocks.
    pub version_block: u64,
    /// Version of the application's protocol.
    pub version_app: u64,
    /// Root over the signatures of the block before.
    pub last_commit_hash: Hash,
    /// Root over the transactions.
    pub data_hash: Hash,
    /// Root over the validators of this block.
    pub validators_hash: Hash,
    /// Root over those of the next.
    pub next_validators_hash: Hash,
    /// Hash of the parameters of consensus.
    pub consensus_hash: Hash,
    /// State of the application after the block before.
    pub app_hash: Hex,
    /// Root over code, data and gas of the transactions of the block before.
    pub last_results_hash: Hash,
    /// Root over evidence against validators.
    pub evidence_hash: Hash,
    /// Who proposed it.
    pub proposer: CosmosAddress,
}

/// A validator of the Cosmos family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CosmosAddress {
    /// 20 bytes.
    pub hex: Hex,
    /// As explorers show it (`cosmosvalcons1..`); `null` of chains whose prefix is not known here.
    pub bech32: Option<String>,
}
