//! Members of entries of the Bitcoin family.

use serde::Serialize;
use superroot_types::Hash;
use utoipa::ToSchema;

use crate::Hex;

/// What an entry of the Bitcoin family has besides.
#[derive(Serialize, ToSchema)]
pub struct BitcoinEntry {
    /// The transaction hash as explorers show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txid: Option<String>,
    /// Transactions of the block; bound where the proof is of the last one.
    pub transaction_count: u32,
    /// Branch of the first transaction, where the other is not that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coinbase: Option<BranchPart>,
    /// Branch of the last one, where nothing stands at the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<BranchPart>,
}

/// A transaction of the Bitcoin family under its block's Merkle root.
#[derive(Serialize, ToSchema)]
pub struct BranchPart {
    /// Its hash.
    pub transaction_hash: Hash,
    /// The same as explorers show it.
    pub txid: String,
    /// The transaction without its witness.
    pub raw_transaction: Hex,
    /// From the leaf upward.
    pub siblings: Vec<Hash>,
}
