//! How nodes of the Cosmos family speak: the JSON-RPC of `CometBFT`. Numbers of 64 bits are decimal text,
//! hashes upper-case hex, transactions base64. Source: CometBFT `rpc/core`, `rpc/openapi/openapi.yaml`.
//!
//! What `block` gives has been committed: a node stores it together with the signatures of more than two
//! thirds of the voting power, which the next block repeats in canonical form. So the newest is final.

pub(crate) mod capture;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::cosmos::{RawCosmosBlock, RawHeader};
use superroot_types::Hash;

/// `() -> who and how far`
pub(crate) const STATUS: &str = "status";
/// `(height?) -> block`
pub(crate) const BLOCK: &str = "block";
/// `(lowest, highest) -> headers`, the highest first, at most 20
pub(crate) const BLOCKCHAIN: &str = "blockchain";

/// What is read of [`STATUS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Status {
    pub(crate) node_info: NodeInfo,
    pub(crate) sync_info: SyncInfo,
}

/// Who a node is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeInfo {
    /// Chain id.
    pub(crate) network: String,
    /// Version of `CometBFT`.
    pub(crate) version: String,
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyncInfo {
    pub(crate) latest_block_hash: String,
    pub(crate) latest_block_height: String,
    /// Lowest height that it has not pruned; nodes before 0.34 do not say.
    #[serde(default)]
    pub(crate) earliest_block_height: Option<String>,
}

/// The answer to [`BLOCK`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockAnswer {
    pub(crate) block_id: ShownId,
    /// `None` where the node has no such block.
    pub(crate) block: Option<ShownBlock>,
}

/// A block's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownId {
    pub(crate) hash: String,
}

/// A block, without what is not read of it: signatures of the one before, and evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownBlock {
    pub(crate) header: RawHeader,
    pub(crate) data: ShownData,
}

/// Transactions; old nodes write `null` for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownData {
    pub(crate) txs: Option<Vec<String>>,
}

/// The answer to [`BLOCKCHAIN`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Headers {
    pub(crate) last_height: String,
    pub(crate) block_metas: Vec<Meta>,
}

/// A header and its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub(crate) block_id: ShownId,
    pub(crate) header: RawHeader,
}

/// A hash as nodes write it.
pub(crate) fn shown(hash: &Hash) -> String {
    const_hex::encode_upper(hash.0)
}

/// Reads a hash as nodes write it.
pub(crate) fn parse_shown(text: &str) -> Option<Hash> {
    let is_plain = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    const_hex::decode(text).ok().filter(|_| is_plain)?.try_into().ok().map(Hash)
}

/// Hash of the block before, as the header names it; zeros where it names none.
pub(crate) fn parent_hash(raw: &RawCosmosBlock) -> Hash {
    let id = raw.header.last_block_id.as_ref();
    id.and_then(|id| parse_shown(&id.hash)).unwrap_or(Hash::ZERO)
}
