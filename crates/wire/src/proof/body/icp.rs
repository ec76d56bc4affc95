//! Members of entries of the ICP ledger. Amounts are e8s (1 ICP is 100,000,000) and times nanoseconds
//! since 1970, both as decimal text; accounts and plain hashes are hex without `0x`.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "schema")]
use super::or_null::IndexInBlock;
use crate::Hex;

/// What an entry of the ICP ledger has besides.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IcpEntry {
    /// The transaction hash as explorers show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer_transaction_hash: Option<String>,
    /// Transactions of the block: always one.
    pub transaction_count: u32,
    /// The block, which is the only leaf of its tree.
    pub encoded_block: Hex,
}

/// A block, read from its bytes. It names no index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpHeader {
    /// Its hash.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Hash of the block before; null for the first block, which has none.
    pub parent_hash: Option<Hash>,
    /// The same as explorers show it.
    pub explorer_parent_hash: Option<String>,
    /// When the ledger made it, in seconds since 1970.
    pub timestamp: u64,
    /// The same in nanoseconds.
    pub timestamp_nanos: String,
}

/// A transaction, read from its bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpTransaction {
    /// Its hash.
    pub hash: Hash,
    /// The same as explorers show it.
    pub explorer_hash: String,
    /// Position in the block: always 0.
    pub transaction_index: u32,
    /// What it did.
    pub operation: IcpOperation,
    /// A number of the sender's.
    pub memo: String,
    /// When its sender made it; null where that was left to the ledger.
    pub created_at_nanos: Option<String>,
    /// Bytes of the sender's (ICRC-1); null where there are none.
    pub icrc1_memo: Option<Hex>,
}

/// The operation of a transaction, as its event.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpEvent {
    /// Position in the transaction: always 0.
    pub log_index: u32,
    /// Position in the block, as nodes count, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// What it did.
    #[serde(flatten)]
    pub operation: IcpOperation,
}

/// What a transaction did. What an operation has not is null.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpOperation {
    /// `burn`, `mint`, `transfer` or `approve`.
    pub kind: &'static str,
    /// Account whose tokens they are; null of a mint.
    pub from: Option<String>,
    /// Account that gets them; of a transfer or a mint.
    pub to: Option<String>,
    /// Account that acts in the owner's place or, of an approval, that may (ICRC-2).
    pub spender: Option<String>,
    /// Tokens burnt, made or moved, without the fee; null of an approval.
    pub amount_e8s: Option<String>,
    /// What it cost; null where nothing is paid.
    pub fee_e8s: Option<String>,
    /// Tokens that the spender may spend; of an approval.
    pub allowance_e8s: Option<String>,
    /// What the allowance had to be before; of an approval that asked for it.
    pub expected_allowance_e8s: Option<String>,
    /// Until when the allowance holds; of an approval that ends.
    pub expires_at_nanos: Option<String>,
}
