//! Polkadot node data: `chain_getBlock` or `chain_getHeader`, `state_getReadProof` of `System.Events`, and now and then
//! `grandpa_proveFinality`.

use alloy_primitives::Bytes;
use serde::{Deserialize, Serialize};
use superroot_proof::ledger::polkadot::Header;
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
    /// GRANDPA's votes for the block, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<RawGrandpaVotes>,
}

/// Votes for a block, with the authorities that may vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawGrandpaVotes {
    /// Set's number, by the parent's state.
    pub set_id: u64,
    /// Authorities in SCALE, by the parent's state.
    pub authorities: Bytes,
    /// Justification and headers behind the block, in the form of `grandpa_proveFinality`.
    pub proof: Bytes,
}

impl RawPolkadotBlock {
    /// Header with extrinsics, and alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 2] {
        [self.extrinsics.clone(), None].map(|extrinsics| {
            let header = self.header.clone();
            let votes = self.votes.clone();
            Self { hash: self.hash, header, extrinsics, read_proof: None, votes }
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

impl From<&Header> for RawPolkadotHeader {
    fn from(header: &Header) -> Self {
        let logs = header.digest.iter().cloned().map(Bytes::from).collect();
        Self {
            parent_hash: header.parent_hash,
            number: header.number,
            state_root: header.state_root,
            extrinsics_root: header.extrinsics_root,
            digest: RawDigest { logs },
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawDigest {
    /// Items, each in SCALE.
    pub logs: Vec<Bytes>,
}
