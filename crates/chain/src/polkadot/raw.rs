//! What nodes of the Polkadot family send: `chain_getBlock` or `chain_getHeader`, and
//! `state_getReadProof` of `System.Events`.

use alloy_primitives::Bytes;
use serde::{Deserialize, Serialize};
use superroot_types::Hash;

use crate::evm::quantity;

/// Largest sum of extrinsics, and of nodes of a read proof, in bytes: above a block's limit of ten
/// million, and small enough for a proof file.
pub const PART_BYTES_MAX: usize = 12 << 20;

/// Most extrinsics of a block, and most nodes of a read proof.
pub const PART_ITEMS_MAX: usize = 1 << 17;

/// A block as a node gave it, before anything is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawPolkadotBlock {
    /// Hash under which the node gave it.
    pub hash: Hash,
    /// Its header.
    pub header: RawHeader,
    /// Its extrinsics, each with its length before it; `None` where they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrinsics: Option<Vec<Bytes>>,
    /// Nodes of the state's trie that show `System.Events`, in any order; `None` where the node gave
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_proof: Option<Vec<Bytes>>,
}

/// A header as `chain_getHeader` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawHeader {
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Block number.
    #[serde(with = "quantity")]
    pub number: u64,
    /// Root of the state after the block.
    pub state_root: Hash,
    /// Root of the trie of the extrinsics.
    pub extrinsics_root: Hash,
    /// What consensus added.
    pub digest: RawDigest,
}

/// The digest of a header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawDigest {
    /// Its items, each in SCALE.
    pub logs: Vec<Bytes>,
}
