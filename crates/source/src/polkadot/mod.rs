//! How nodes of Polkadot speak, in the words of Substrate's JSON-RPC: everything is `0x` hex.
//! Source: <https://polkadot.js.org/docs/substrate/rpc>, paritytech/polkadot-sdk `sc-rpc-api`.

pub(crate) mod capture;
pub(crate) mod nodes;
pub(crate) mod replay;
pub(crate) mod simulated;

use serde::{Deserialize, Serialize};
use superroot_chain::polkadot::RawHeader;
use superroot_proof::ledger::polkadot::EVENTS_KEY;
use superroot_types::Hash;

/// `(number) -> hash`, of the newest block without a number
pub(crate) const BLOCK_HASH: &str = "chain_getBlockHash";
/// `() -> hash`
pub(crate) const FINALIZED_HEAD: &str = "chain_getFinalizedHead";
/// `(hash) -> header`, of the newest block without a hash
pub(crate) const HEADER: &str = "chain_getHeader";
/// `(hash) -> block and justifications`
pub(crate) const BLOCK: &str = "chain_getBlock";
/// `(keys, hash) -> nodes of the state's trie`
pub(crate) const READ_PROOF: &str = "state_getReadProof";
/// `() -> version of the client`
pub(crate) const VERSION: &str = "system_version";

/// Code of a block whose state the node no longer has.
pub(crate) const STATE_GONE: i64 = 4003;

/// What is read of [`BLOCK`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SignedBlock {
    pub(crate) block: Block,
}

/// Header and extrinsics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) header: RawHeader,
    pub(crate) extrinsics: Vec<alloy_primitives::Bytes>,
}

/// What is read of [`READ_PROOF`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadProof {
    pub(crate) at: Hash,
    pub(crate) proof: Vec<alloy_primitives::Bytes>,
}

/// The key of `System.Events` as nodes write it.
pub(crate) fn events_key() -> String {
    const_hex::encode_prefixed(EVENTS_KEY)
}
