//! Members of entries of the Bitcoin family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "schema")]
use super::or_null::IndexInBlock;
use crate::Hex;

/// What an entry of the Bitcoin family has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
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

/// A header of the Bitcoin family. It names no number.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinHeader {
    /// Block hash, bytes in the order in which they are hashed.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Root over the transactions.
    pub merkle_root: Hash,
    /// Version.
    pub version: i32,
    /// Unix seconds, as the miner says.
    pub timestamp: u32,
    /// Target in compact form.
    pub bits: String,
    /// Nonce.
    pub nonce: u32,
}

/// A transaction of the Bitcoin family, read from its leaf; witnesses are no part of it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinTransaction {
    /// Its hash.
    pub hash: Hash,
    /// The same as explorers show it.
    pub txid: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Version.
    pub version: i32,
    /// Earliest block or time.
    pub lock_time: u32,
    /// What it spends.
    pub inputs: Vec<BitcoinInput>,
    /// What it makes.
    pub outputs: Vec<BitcoinOutput>,
}

/// An input: a coinbase has `coinbase`, any other the four members between.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinInput {
    /// Hash of the transaction whose output it spends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_hash: Option<Hash>,
    /// The same as explorers show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_txid: Option<String>,
    /// Which output of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_index: Option<u32>,
    /// What unlocks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub script_sig: Option<Hex>,
    /// What the miner put there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub coinbase: Option<Hex>,
    /// Sequence.
    pub sequence: u32,
}

/// An output.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinOutput {
    /// Which of the transaction.
    pub log_index: u32,
    /// As an event: position in the block; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Satoshi, as decimal text.
    pub value_sats: String,
    /// What locks it.
    pub script_pub_key: Hex,
}

/// A transaction of the Bitcoin family under its block's Merkle root.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
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
