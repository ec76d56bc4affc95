//! Polkadot node data: `chain_getBlock` or `chain_getHeader`, and `state_getReadProof` of `System.Events`.

use alloy_primitives::Bytes;
use serde::{Deserialize, Serialize};
use superroot_types::Hash;

use crate::ledger::evm::quantity;

/// Largest total of extrinsics, and of read proof nodes, in bytes: above the block limit of ten million, and small
/// enough for a proof file.
pub const PART_BYTES_MAX: usize = 12 << 20;

/// Most extrinsics in a block, and most read proof nodes.
pub const PART_ITEMS_MAX: usize = 1 << 17;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawPolkadotBlock {
    /// Claimed hash.
    pub hash: Hash,
    pub header: RawPolkadotHeader,
    /// Extrinsics, each with length prefix; `None` if not requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrinsics: Option<Vec<Bytes>>,
    /// State trie nodes for `System.Events`, in any order; `None` if not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_proof: Option<Vec<Bytes>>,
}

impl RawPolkadotBlock {
    /// Header with extrinsics, and alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 2] {
        [self.extrinsics.clone(), None].map(|extrinsics| {
            let header = self.header.clone();
            Self { hash: self.hash, header, extrinsics, read_proof: None }
        })
    }
}

/// Header in the form of `chain_getHeader`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawPolkadotHeader {
    pub parent_hash: Hash,
    #[serde(with = "quantity")]
    pub number: u64,
    /// State root after the block.
    pub state_root: Hash,
    /// The extrinsics trie's root.
    pub extrinsics_root: Hash,
    /// Consensus data.
    pub digest: RawDigest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawDigest {
    /// Items, each in SCALE.
    pub logs: Vec<Bytes>,
}
