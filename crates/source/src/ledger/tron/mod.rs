//! java-tron HTTP API: a path per call, JSON posted, hex without `0x`. A missing object is `{}` and an error is an
//! object with `Error`, both with status 200. Source: <https://developers.tron.network/reference>.

pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
mod run;
mod run_plan;
mod signers;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::ledger::tron::RawTronBlock;
use superroot_proof::ledger::tron::Header;
use superroot_types::Hash;

/// `{id_or_num?, detail}`: block by number or id, or the newest; no transactions without `detail`.
pub(crate) const BLOCK: &str = "wallet/getblock";
/// Same for final blocks; default: the newest final block.
pub(crate) const FINAL_BLOCK: &str = "walletsolidity/getblock";
/// `{num}`: whole block by number.
pub(crate) const BLOCK_BY_NUMBER: &str = "wallet/getblockbynum";
/// `{value}`: whole block by id.
pub(crate) const BLOCK_BY_ID: &str = "wallet/getblockbyid";
/// `{}`: newest whole block.
pub(crate) const NEWEST_BLOCK: &str = "wallet/getnowblock";
/// `{}`: newest final whole block.
pub(crate) const NEWEST_FINAL_BLOCK: &str = "walletsolidity/getnowblock";
/// `{}`: node information.
pub(crate) const NODE_INFO: &str = "wallet/getnodeinfo";

pub(crate) const JSON: &str = "application/json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TronNodeInfo {
    #[serde(rename = "configNodeInfo")]
    pub(crate) config: ConfigInfo,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ConfigInfo {
    #[serde(rename = "codeVersion")]
    pub(crate) code_version: String,
}

/// Parent block id in the header; zeros if unreadable.
pub(crate) fn parent_hash(raw: &RawTronBlock) -> Hash {
    Header::decode(&raw.header).map_or(Hash::ZERO, |header| header.parent_hash)
}
