//! How nodes of Aptos speak: a REST API below `/v1`, numbers as decimal text. It tells the accumulator's
//! root after every version, and no siblings. Source: <https://api.mainnet.aptoslabs.com/v1/spec>.

pub(crate) mod capture;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};
use superroot_types::Hash;

/// Media type of answers.
pub(crate) const JSON: &str = "application/json";
/// About the node and how far its chain has come.
pub(crate) const LEDGER: &str = "v1";
/// A block by its height.
pub(crate) const BLOCK: &str = "v1/blocks/by_height";
/// What a version did.
pub(crate) const VERSION: &str = "v1/transactions/by_version";

/// What is read of [`LEDGER`].
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LedgerInfo {
    pub(crate) chain_id: u8,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_height: u64,
    /// Version of its software; a replay server's name stands here.
    #[serde(default)]
    pub(crate) git_hash: String,
}

/// What is read of [`BLOCK`].
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_height: u64,
    /// Microseconds since 1970.
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) block_timestamp: u64,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) first_version: u64,
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) last_version: u64,
}

/// What is read of [`VERSION`].
#[serde_as]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) version: u64,
    pub(crate) accumulator_root_hash: Hash,
}
