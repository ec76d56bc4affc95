//! Members of entries of the Polkadot family.

use serde::Serialize;
use superroot_types::Hash;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

#[cfg(feature = "schema")]
use super::or_null::IndexInBlock;
use crate::Hex;

/// What an entry of the Polkadot family has besides: in the proof of an event, the way to the list of
/// all events of the block.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PolkadotEntry {
    /// The header's state root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_root: Option<Hash>,
    /// Trie nodes from the state root down to `System.Events`, the list last where it stands apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_siblings: Option<Vec<Hex>>,
}

/// A header of the Polkadot family, in the names of its nodes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotHeader {
    /// Block hash.
    pub hash: Hash,
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Block number, as a quantity.
    pub number: String,
    /// Root of the state after the block.
    pub state_root: Hash,
    /// Root of the trie of the extrinsics.
    pub extrinsics_root: Hash,
    /// What consensus added.
    pub digest: PolkadotDigest,
}

/// The digest of a header.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct PolkadotDigest {
    /// Its items, in SCALE.
    pub logs: Vec<Hex>,
}

/// What an extrinsic's bytes say without the runtime's metadata.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotTransaction {
    /// BLAKE2b-256 of the extrinsic with its length before it.
    pub hash: Hash,
    /// Position in the block.
    pub transaction_index: Option<u32>,
    /// Version of its format: 4 or 5.
    pub format: u8,
    /// `bare`, `general` or `signed`.
    pub kind: &'static str,
    /// Index of the pallet that it calls, of a bare one: of others it stands behind what metadata
    /// describes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub pallet: Option<u8>,
    /// Index of the call in the pallet, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub call: Option<u8>,
}

/// All events of a block, and which of them is meant.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PolkadotEvent {
    /// Which record of the list is meant. That there are so many is proven; which bytes it has, and
    /// that the extrinsic brought it about, is not.
    pub log_index: u32,
    /// Position in the block, as nodes count, in an answer; not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    pub log_index_in_block: Option<Option<u64>>,
    /// Records of the list.
    pub record_count: usize,
    /// The list: the value of `System.Events`, in SCALE; left out above 65,536 bytes: the last of
    /// `eventSiblings` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub list: Option<Hex>,
}
