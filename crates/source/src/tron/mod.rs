//! How nodes of Tron speak, in the words of java-tron's HTTP API: a path for each call, JSON posted, hex
//! without `0x`. What is not there is `{}`, and an error an object with `Error`, both under status 200.
//! Source: <https://developers.tron.network/reference>.

pub(crate) mod capture;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::tron::RawTronBlock;
use superroot_proof::ledger::tron::Header;
use superroot_types::Hash;

/// `{id_or_num?, detail}`: a block by number or id, or the newest; without `detail` no transactions.
pub(crate) const BLOCK: &str = "wallet/getblock";
/// The same of the newest final block, and those below it.
pub(crate) const FINAL_BLOCK: &str = "walletsolidity/getblock";
/// `{num}`: a block, whole.
pub(crate) const BLOCK_BY_NUMBER: &str = "wallet/getblockbynum";
/// `{value}`: a block by its id, whole.
pub(crate) const BLOCK_BY_ID: &str = "wallet/getblockbyid";
/// `{}`: the newest block, whole.
pub(crate) const NEWEST_BLOCK: &str = "wallet/getnowblock";
/// The same of the newest final block.
pub(crate) const NEWEST_FINAL_BLOCK: &str = "walletsolidity/getnowblock";
/// `{}`: about the node.
pub(crate) const NODE_INFO: &str = "wallet/getnodeinfo";

/// Media type of requests and answers.
pub(crate) const JSON: &str = "application/json";

/// What is read of [`NODE_INFO`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NodeInfo {
    #[serde(rename = "configNodeInfo")]
    pub(crate) config: ConfigInfo,
}

/// How a node is set up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ConfigInfo {
    /// Version of its software.
    #[serde(rename = "codeVersion")]
    pub(crate) code_version: String,
}

/// Block id of the block before, as the header names it; zeros where it cannot be read.
pub(crate) fn parent_hash(raw: &RawTronBlock) -> Hash {
    Header::decode(&raw.header).map_or(Hash::ZERO, |header| header.parent_hash)
}
