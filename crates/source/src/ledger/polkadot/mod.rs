//! Substrate JSON-RPC of Polkadot nodes: all values in `0x` hex. Source: <https://polkadot.js.org/docs/substrate/rpc>,
//! paritytech/polkadot-sdk `sc-rpc-api`.

mod authorities;
pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;
pub(crate) mod votes;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use superroot_chain::ledger::polkadot::RawPolkadotHeader;
use superroot_proof::ledger::polkadot::EVENTS_KEY;
use superroot_types::Hash;

/// `(number) -> hash`; newest block without a number
pub(crate) const BLOCK_HASH: &str = "chain_getBlockHash";
/// `() -> hash`
pub(crate) const FINALIZED_HEAD: &str = "chain_getFinalizedHead";
/// `(hash) -> header`; newest block without a hash
pub(crate) const HEADER: &str = "chain_getHeader";
/// `(hash) -> block and justifications`
pub(crate) const BLOCK: &str = "chain_getBlock";
/// `(keys, hash) -> nodes of the state's trie`
pub(crate) const READ_PROOF: &str = "state_getReadProof";
/// `() -> version of the client`
pub(crate) const VERSION: &str = "system_version";

/// Error code: block state no longer available.
pub(crate) const STATE_GONE: i64 = 4003;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignedBlock {
    pub(crate) block: PolkadotBlockAnswer,
    /// List of engines and bytes, once the block is final; on some blocks alone.
    #[serde(default)]
    pub(crate) justifications: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolkadotBlockAnswer {
    pub(crate) header: RawPolkadotHeader,
    pub(crate) extrinsics: Vec<alloy_primitives::Bytes>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadProof {
    pub(crate) at: Hash,
    pub(crate) proof: Vec<alloy_primitives::Bytes>,
}

/// Storage key of `System.Events`, formatted for nodes.
pub(crate) fn events_key() -> String {
    const_hex::encode_prefixed(EVENTS_KEY)
}
