//! Entry members of the Bitcoin family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::IndexInBlock;

/// Additional entry members of the Bitcoin family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinEntry {
    /// Transaction hash in explorer form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txid: Option<String>,
    /// Number of transactions in the block; bound only if the proof is for the last transaction.
    pub transaction_count: u32,
    /// The first transaction's branch, unless already proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coinbase: Option<BranchPart>,
    /// The last transaction's branch, if the position is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<BranchPart>,
}

/// Bitcoin family header, without a block number.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinHeader {
    /// Block hash, in hashing byte order.
    pub hash: Hash,
    /// Block hash in explorer form.
    pub explorer_hash: String,
    /// Parent block hash.
    pub parent_hash: Hash,
    /// The transactions' Merkle root.
    pub merkle_root: Hash,
    /// Version.
    pub version: i32,
    /// Block time by the miner, in Unix seconds.
    pub timestamp: u32,
    /// Target in compact form.
    pub bits: String,
    /// Nonce.
    pub nonce: u32,
}

/// Bitcoin family transaction, decoded from the leaf, without witnesses.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinTransaction {
    /// Transaction hash.
    pub hash: Hash,
    /// Transaction hash in explorer form.
    pub txid: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Version.
    pub version: i32,
    /// Earliest block or time.
    pub lock_time: u32,
    /// Inputs.
    pub inputs: Vec<BitcoinInput>,
    /// Outputs.
    pub outputs: Vec<BitcoinOutput>,
}

/// Input: `coinbase` for a coinbase, otherwise the four members between.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinInput {
    /// Hash of the transaction with the spent output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_hash: Option<Hash>,
    /// Previous hash in explorer form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_txid: Option<String>,
    /// The spent output's index.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub previous_index: Option<u32>,
    /// Unlocking script.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub script_sig: Option<Hex>,
    /// Coinbase data from the miner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub coinbase: Option<Hex>,
    /// Sequence.
    pub sequence: u32,
}

/// Output.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BitcoinOutput {
    /// Output index in the transaction.
    pub log_index: u32,
    /// Position in the block, for an output as event; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Value in satoshi, as decimal text.
    pub value_sats: String,
    /// Locking script.
    pub script_pub_key: Hex,
}

/// Bitcoin family transaction under the block's Merkle root.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct BranchPart {
    /// Transaction hash.
    pub transaction_hash: Hash,
    /// Transaction hash in explorer form.
    pub txid: String,
    /// Transaction without witness.
    pub raw_transaction: Hex,
    /// Siblings, from the leaf upward.
    pub siblings: Vec<Hash>,
}
