//! Entry members of the Polkadot family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::IndexInBlock;

/// Additional entry members of the Polkadot family: in an event proof, the path to the list of all events in the block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PolkadotEntry {
    /// State root in the header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_root: Option<Hash>,
    /// Trie nodes from the state root down to `System.Events`, with the list last if stored separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_siblings: Option<Vec<Hex>>,
}

/// Polkadot family header, with the nodes' member names.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotHeader {
    /// Block hash.
    pub hash: Hash,
    /// Parent block hash.
    pub parent_hash: Hash,
    /// Block number, as a quantity.
    pub number: String,
    /// State root after the block.
    pub state_root: Hash,
    /// Extrinsics trie root.
    pub extrinsics_root: Hash,
    /// Consensus additions.
    pub digest: PolkadotDigest,
}

/// Header digest.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PolkadotDigest {
    /// Digest items, in SCALE.
    pub logs: Vec<Hex>,
}

/// Extrinsic, as far as readable without the runtime's metadata.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotTransaction {
    /// BLAKE2b-256 of the extrinsic with length prefix.
    pub hash: Hash,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Format version: 4 or 5.
    pub format: u8,
    /// `bare`, `general` or `signed`.
    pub kind: &'static str,
    /// The called pallet's index, for a bare extrinsic only: in other kinds the index follows data described by
    /// metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pallet: Option<u8>,
    /// Call index in the pallet, for a bare extrinsic only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub call: Option<u8>,
}

/// All events in a block, with the selected event.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotEvent {
    /// Selected record in the list. The number of records is proven; the record's bytes, and the link to the extrinsic,
    /// are not.
    pub log_index: u32,
    /// Position in the block as counted by nodes, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Number of records in the list.
    pub record_count: usize,
    /// List: the value of `System.Events`, in SCALE; omitted above 65,536 bytes: the last item in `eventSiblings`
    /// contains the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub list: Option<Hex>,
}
