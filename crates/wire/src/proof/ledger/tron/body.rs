//! Entry members of the Tron family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// Additional entry members of the Tron family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronEntry {
    /// Transaction hash in explorer form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txid: Option<String>,
    /// Number of transactions in the block; bound only if the proof is for the last transaction, or for none.
    pub transaction_count: u32,
    /// First transactions of the perfect subtrees left of the path, from the root down: they show the path's position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peaks: Vec<TronBranch>,
    /// The last transaction's branch, if the position is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<TronBranch>,
}

/// Tron family transaction as a leaf in the block's tree.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronBranch {
    /// Leaf hash, different from the transaction hash.
    pub leaf_hash: Hash,
    /// Complete transaction.
    pub raw_transaction: Hex,
    /// Siblings, from the leaf upward.
    pub siblings: Vec<Hash>,
}

/// Tron family header, decoded from the bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronHeader {
    /// Block id.
    pub hash: Hash,
    /// Block id in explorer form.
    pub explorer_hash: String,
    /// Parent block id.
    pub parent_hash: Hash,
    /// Block number.
    pub number: u64,
    /// Block time, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// Transaction tree root; zeros for a block without transactions.
    pub tx_trie_root: Hash,
    /// Block producer; `null` in the first block.
    pub witness: Option<TronAddress>,
    /// Version of the producer's software.
    pub version: u64,
}

/// Tron family account.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronAddress {
    /// Explorer form: `T` and 33 digits of Base58Check.
    pub base58: String,
    /// Address in hex: 21 bytes, 0x41 first.
    pub hex: Hex,
}

/// Tron family transaction, decoded from the leaf.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronTransaction {
    /// The signed data's hash.
    pub hash: Hash,
    /// Transaction hash in explorer form.
    pub txid: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Outcome stated in the leaf by the block producer: `SUCCESS`, `REVERT` and similar, or a number without a known
    /// name; `null` if not stated.
    pub contract_ret: Option<String>,
    /// Contract call; `null` if the form is unknown.
    pub contract: Option<TronContract>,
}

/// Contract call of a Tron family transaction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronContract {
    /// Contract type number.
    pub contract_type: u64,
    /// Contract type name, if the fields are shown.
    pub name: Option<&'static str>,
    /// Caller.
    pub owner: Option<TronAddress>,
    /// Payee, or the called contract.
    pub to: Option<TronAddress>,
    /// Amount paid: millionths of a TRX, or token units.
    pub amount: Option<String>,
    /// Token paid instead of TRX: id or name.
    pub token: Option<Hex>,
    /// Call data.
    pub data: Option<Hex>,
}
