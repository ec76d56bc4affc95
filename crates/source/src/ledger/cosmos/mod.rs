//! `CometBFT` JSON-RPC for Cosmos-family nodes: 64-bit numbers as decimal text, hashes in upper-case hex, transactions
//! in base64. Source: CometBFT `rpc/core`, `rpc/openapi/openapi.yaml`.
//!
//! Every block from `block` is committed: a node stores a block together with signatures from more than two thirds of
//! the voting power, repeated in canonical form in the next block. Therefore the newest block is final.

pub(crate) mod capture;
pub(crate) mod commit;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;
mod votes;

use serde::{Deserialize, Serialize};
use superroot_chain::ledger::cosmos::{RawCosmosBlock, RawCosmosHeader};
use superroot_types::Hash;

/// `() -> who and how far`
pub(crate) const STATUS: &str = "status";
/// `(height?) -> block`
pub(crate) const BLOCK: &str = "block";
/// `(lowest, highest) -> headers`, highest first, at most 20
pub(crate) const BLOCKCHAIN: &str = "blockchain";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CosmosStatus {
    pub(crate) node_info: CosmosNodeInfo,
    pub(crate) sync_info: SyncInfo,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CosmosNodeInfo {
    /// Chain id.
    pub(crate) network: String,
    pub(crate) version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyncInfo {
    pub(crate) latest_block_hash: String,
    pub(crate) latest_block_height: String,
    /// Lowest height not pruned; absent before version 0.34.
    #[serde(default)]
    pub(crate) earliest_block_height: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockAnswer {
    pub(crate) block_id: ShownId,
    /// `None` if the node has no such block.
    pub(crate) block: Option<CosmosNodeBlock>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownId {
    pub(crate) hash: String,
}

/// Block without unused parts: signatures for the parent block, and evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CosmosNodeBlock {
    pub(crate) header: RawCosmosHeader,
    pub(crate) data: ShownData,
}

/// Transactions; old nodes write `null` for an empty list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownData {
    pub(crate) txs: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Headers {
    pub(crate) last_height: String,
    pub(crate) block_metas: Vec<Meta>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) block_id: ShownId,
    pub(crate) header: RawCosmosHeader,
}

pub(crate) fn shown(hash: &Hash) -> String {
    const_hex::encode_upper(hash.0)
}

pub(crate) fn parse_shown(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok().map(Hash)
}

/// Parent hash in the header; zeros if absent.
pub(crate) fn parent_hash(raw: &RawCosmosBlock) -> Hash {
    let id = raw.header.last_block_id.as_ref();
    id.and_then(|id| parse_shown(&id.hash)).unwrap_or(Hash::ZERO)
}
