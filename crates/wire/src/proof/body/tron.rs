//! Members of entries of the Tron family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;

/// What an entry of the Tron family has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronEntry {
    /// The transaction hash as explorers show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txid: Option<String>,
    /// Transactions of the block; bound where the proof is of the last one, or of none.
    pub transaction_count: u32,
    /// First transactions of the perfect subtrees that hang left of the way, from the root down: they show where it
    /// stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peaks: Vec<TronBranch>,
    /// Branch of the last one, where nothing stands at the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_transaction: Option<TronBranch>,
}

/// A transaction of the Tron family as a leaf of its block's tree.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronBranch {
    /// Hash of the leaf, which is not the transaction's.
    pub leaf_hash: Hash,
    /// The transaction, whole.
    pub raw_transaction: Hex,
    /// From the leaf upward.
    pub siblings: Vec<Hash>,
}

/// A header of the Tron family, read from its bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronHeader {
    /// Block id.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Block id of the block before.
    pub parent_hash: Hash,
    /// Number.
    pub number: u64,
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
    /// Root of the tree of transactions; zeros of a block without any.
    pub tx_trie_root: Hash,
    /// Who produced it; `null` in the first block.
    pub witness: Option<TronAddress>,
    /// Version of the producer's software.
    pub version: u64,
}

/// An account of the Tron family.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronAddress {
    /// As explorers show it: `T` and 33 digits of Base58Check.
    pub base58: String,
    /// The same 21 bytes, 0x41 first.
    pub hex: Hex,
}

/// A transaction of the Tron family, read from its leaf.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronTransaction {
    /// Hash of what was signed.
    pub hash: Hash,
    /// The same as explorers show it.
    pub txid: String,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// What came of it, as the block's producer says inside the leaf: `SUCCESS`, `REVERT` and the like,
    /// or a number that has no name here; `null` where it does not say.
    pub contract_ret: Option<String>,
    /// What it calls; `null` where it is not of a form known here.
    pub contract: Option<TronContract>,
}

/// What a transaction of the Tron family calls.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct TronContract {
    /// Number of the contract's type.
    pub contract_type: u64,
    /// Its name, where its fields are shown.
    pub name: Option<&'static str>,
    /// Who calls.
    pub owner: Option<TronAddress>,
    /// Who is paid, or the contract that is called.
    pub to: Option<TronAddress>,
    /// What is paid: millionths of a TRX, or units of the token.
    pub amount: Option<String>,
    /// The token that is paid in place of TRX: its id or name.
    pub token: Option<Hex>,
    /// What a contract is called with.
    pub data: Option<Hex>,
}
