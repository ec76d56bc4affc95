//! What nodes of the Cosmos family send: the JSON of `block` and `blockchain`. Numbers of 64 bits are
//! decimal text, hashes and addresses upper-case hex, transactions base64. Nothing in it is believed.

use serde::{Deserialize, Serialize};
use superroot_types::Hash;

/// Largest block, in bytes: `CometBFT` `types/params.go`, `MaxBlockSizeBytes`.
pub const BLOCK_BYTES_MAX: usize = 100 << 20;

/// A block as a node gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCosmosBlock {
    /// Hash the node claims: `block_id.hash`.
    pub hash: Hash,
    /// The header.
    pub header: RawHeader,
    /// The transactions in base64; `None` where the header alone was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txs: Option<Vec<String>>,
}

/// A header, its fields named as nodes name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawHeader {
    /// Versions.
    pub version: RawVersion,
    /// Chain id.
    pub chain_id: String,
    /// Decimal.
    pub height: String,
    /// RFC 3339 in UTC, with up to nine digits behind the second.
    pub time: String,
    /// The block before; nothing or empty hashes for a chain's first.
    #[serde(default)]
    pub last_block_id: Option<RawBlockId>,
    /// Hex.
    pub last_commit_hash: String,
    /// Hex.
    pub data_hash: String,
    /// Hex.
    pub validators_hash: String,
    /// Hex.
    pub next_validators_hash: String,
    /// Hex.
    pub consensus_hash: String,
    /// Hex of any length.
    pub app_hash: String,
    /// Hex.
    pub last_results_hash: String,
    /// Hex.
    pub evidence_hash: String,
    /// 20 bytes of hex.
    pub proposer_address: String,
}

/// Versions of protocols, decimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawVersion {
    /// That of blocks.
    pub block: String,
    /// That of the application; left out where it is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
}

/// Name of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawBlockId {
    /// Hex; empty for no block.
    pub hash: String,
    /// The parts in which it is sent.
    pub parts: RawParts,
}

/// Parts of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawParts {
    /// How many.
    pub total: u32,
    /// Hex; empty for no block.
    pub hash: String,
}
