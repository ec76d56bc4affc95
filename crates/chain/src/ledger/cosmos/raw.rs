//! Cosmos node data: JSON of `block` and `blockchain`, untrusted. 64-bit numbers are decimal text, hashes and addresses
//! upper-case hex, transactions base64.

use serde::{Deserialize, Serialize};
use superroot_types::Hash;

/// Largest block, in bytes: `CometBFT` `types/params.go`, `MaxBlockSizeBytes`.
pub const BLOCK_BYTES_MAX: usize = 100 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCosmosBlock {
    /// Claimed hash: `block_id.hash`.
    pub hash: Hash,
    pub header: RawCosmosHeader,
    /// Transactions in base64; `None` for a header alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub txs: Option<Vec<String>>,
    /// Votes for the block, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<RawCosmosCommit>,
}

impl RawCosmosBlock {
    /// Header alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 1] {
        let (header, commit) = (self.header.clone(), self.commit.clone());
        [Self { hash: self.hash, header, txs: None, commit }]
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCosmosHeader {
    pub version: RawVersion,
    pub chain_id: String,
    /// Decimal.
    pub height: String,
    /// RFC 3339 in UTC, with up to nine fractional digits.
    pub time: String,
    /// Previous block; missing or empty hashes for the first block.
    #[serde(default)]
    pub last_block_id: Option<RawBlockId>,
    pub last_commit_hash: String,
    pub data_hash: String,
    pub validators_hash: String,
    pub next_validators_hash: String,
    pub consensus_hash: String,
    /// Hex of any length.
    pub app_hash: String,
    pub last_results_hash: String,
    pub evidence_hash: String,
    /// 20 bytes in hex.
    pub proposer_address: String,
}

/// Protocol versions, decimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawVersion {
    pub block: String,
    /// Application version; missing if 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawBlockId {
    /// Hex; empty for no block.
    pub hash: String,
    pub parts: RawParts,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawParts {
    pub total: u32,
    /// Hex; empty for no block.
    pub hash: String,
}

/// Commit of a height, with the height's validators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCosmosCommit {
    pub round: u32,
    /// Parts of the block's id.
    pub parts: RawParts,
    /// By validator.
    pub signatures: Vec<RawCommitSignature>,
    pub validators: Vec<RawValidator>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawCommitSignature {
    /// 1 absent, 2 for the block, 3 for no block.
    pub block_id_flag: u8,
    /// RFC 3339; the year 1 if absent.
    pub timestamp: String,
    /// Base64; missing if absent.
    pub signature: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawValidator {
    pub pub_key: RawPublicKey,
    /// Decimal.
    pub voting_power: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawPublicKey {
    /// `tendermint/PubKeyEd25519`
    #[serde(rename = "type")]
    pub name: String,
    /// Base64.
    pub value: String,
}
