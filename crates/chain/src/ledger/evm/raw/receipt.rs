use alloy_primitives::{Bloom, Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use crate::ledger::evm::quantity;

/// Receipt in the form of `eth_getBlockReceipts`.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    u64 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawReceipt {
    pub transaction_hash: Option<Hash>,
    /// Claimed transaction index; if missing, the position in the list sent.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    #[serde(default, with = "quantity::claim")]
    pub block_hash: Option<Hash>,
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// EIP-2718 type; if missing, the transaction's type.
    #[serde_with(skip_apply)]
    #[serde(rename = "type", default, with = "quantity::claim")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// 1 success, 0 failure (since Byzantium).
    pub status: Option<u64>,
    /// State root after the transaction (before Byzantium); takes precedence over a status.
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    pub root: Option<Hash>,
    /// Gas used by this and all previous transactions.
    pub cumulative_gas_used: u64,
    /// Gas used by this transaction; not hashed.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub gas_used: Option<u64>,
    pub logs_bloom: Bloom,
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub logs: Vec<RawLog>,
    /// Nonce of a deposit's sender; hashed if a version is present (OP stack).
    pub deposit_nonce: Option<u64>,
    /// A deposit receipt's version, since Canyon (OP stack).
    pub deposit_receipt_version: Option<u64>,
    /// Base fee in the fee token (Celo).
    pub base_fee: Option<U256>,
}

/// Log in a receipt: address, topics and data are hashed, other fields are claims.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::claim")],
    Option<Hash> => #[serde(default, with = "quantity::claim")],
    Option<bool> => #[serde(default, with = "quantity::claim")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawLog {
    pub address: Address,
    /// Up to four topics.
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub topics: Vec<Hash>,
    #[serde(default)]
    pub data: Bytes,
    pub block_hash: Option<Hash>,
    pub block_number: Option<u64>,
    pub transaction_hash: Option<Hash>,
    /// Claimed transaction index.
    pub transaction_index: Option<u64>,
    /// Claimed index in all logs of the block.
    #[serde(rename = "logIndex")]
    pub log_index_in_block: Option<u64>,
    /// Claimed removal by a reorg.
    pub removed: Option<bool>,
}
