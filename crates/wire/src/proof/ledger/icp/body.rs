//! Entry members of the ICP ledger. Amounts are e8s (1 ICP is 100,000,000) and times nanoseconds since 1970, both as
//! decimal text; accounts and plain hashes are hex without `0x`.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::IndexInBlock;

/// Additional entry members of the ICP ledger.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IcpEntry {
    /// Transaction hash in explorer form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explorer_transaction_hash: Option<String>,
    /// Number of transactions in the block: always one.
    pub transaction_count: u32,
    /// Block, the only leaf in the tree.
    pub encoded_block: Hex,
}

/// Block, decoded from the bytes, without an index.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpHeader {
    /// Block hash.
    pub hash: Hash,
    /// Block hash in explorer form.
    pub explorer_hash: String,
    /// Parent block hash; null for the first block.
    pub parent_hash: Option<Hash>,
    /// Parent block hash in explorer form.
    pub explorer_parent_hash: Option<String>,
    /// Time of creation by the ledger, in seconds since 1970.
    pub timestamp: u64,
    /// Time of creation in nanoseconds.
    pub timestamp_nanos: String,
}

/// Transaction, decoded from the bytes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpTransaction {
    /// Transaction hash.
    pub hash: Hash,
    /// Transaction hash in explorer form.
    pub explorer_hash: String,
    /// Position in the block: always 0.
    pub transaction_index: u32,
    /// Operation.
    pub operation: IcpOperation,
    /// Number chosen by the sender.
    pub memo: String,
    /// Time of creation by the sender; null if left to the ledger.
    pub created_at_nanos: Option<String>,
    /// Bytes chosen by the sender (ICRC-1); null without a memo.
    pub icrc1_memo: Option<Hex>,
}

/// Transaction operation, as an event.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpEvent {
    /// Position in the transaction: always 0.
    pub log_index: u32,
    /// Position in the block as counted by nodes, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Operation.
    #[serde(flatten)]
    pub operation: IcpOperation,
}

/// Transaction operation. Absent members are null.
#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IcpOperation {
    /// `burn`, `mint`, `transfer` or `approve`.
    pub kind: &'static str,
    /// The token owner's account; null for a mint.
    pub from: Option<String>,
    /// Receiving account, for a transfer or a mint.
    pub to: Option<String>,
    /// Account that acts for the owner or, for an approval, may act for the owner (ICRC-2).
    pub spender: Option<String>,
    /// Tokens burned, minted or moved, without the fee; null for an approval.
    pub amount_e8s: Option<String>,
    /// Fee; null if no fee is paid.
    pub fee_e8s: Option<String>,
    /// Tokens that the spender may spend, for an approval.
    pub allowance_e8s: Option<String>,
    /// Required previous allowance, for an approval with this condition.
    pub expected_allowance_e8s: Option<String>,
    /// Allowance expiry, for an approval that expires.
    pub expires_at_nanos: Option<String>,
}
