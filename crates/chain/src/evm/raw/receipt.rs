//! One receipt, and its logs, as nodes send them.

use alloy_primitives::{Bloom, Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use crate::evm::quantity;

/// A receipt as `eth_getBlockReceipts` shows it.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    u64 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawReceipt {
    /// Claimed hash of its transaction.
    pub transaction_hash: Option<Hash>,
    /// Claimed place of its transaction; where it is left out, its place in the list sent.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// Claimed block hash.
    #[serde(default, with = "quantity::claim")]
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// EIP-2718 type; where it is left out, that of its transaction.
    #[serde_with(skip_apply)]
    #[serde(rename = "type", default, with = "quantity::claim")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// 1 success, 0 failure (since Byzantium).
    pub status: Option<u64>,
    /// State root after the transaction (before Byzantium); wins over a status.
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    pub root: Option<Hash>,
    /// Gas used by this transaction and those before it.
    pub cumulative_gas_used: u64,
    /// Gas used by this transaction; not hashed.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub gas_used: Option<u64>,
    /// Bloom of the logs.
    pub logs_bloom: Bloom,
    /// Logs in the order of emission.
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub logs: Vec<RawLog>,
    /// Nonce of a deposit's sender; hashed where there is a version (OP stack).
    pub deposit_nonce: Option<u64>,
    /// Version of a deposit's receipt, since Canyon (OP stack).
    pub deposit_receipt_version: Option<u64>,
    /// Base fee in the token that paid (Celo).
    pub base_fee: Option<U256>,
}

/// A log of a receipt: its address, topics and data are hashed, the rest are claims.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::claim")],
    Option<Hash> => #[serde(default, with = "quantity::claim")],
    Option<bool> => #[serde(default, with = "quantity::claim")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawLog {
    /// Contract that emitted it.
    pub address: Address,
    /// Up to four topics.
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub topics: Vec<Hash>,
    /// Data.
    #[serde(default)]
    pub data: Bytes,
    /// Claimed block hash.
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    pub block_number: Option<u64>,
    /// Claimed hash of its transaction.
    pub transaction_hash: Option<Hash>,
    /// Claimed place of its transaction.
    pub transaction_index: Option<u64>,
    /// Claimed place among all logs of the block.
    #[serde(rename = "logIndex")]
    pub log_index_in_block: Option<u64>,
    /// Claim that a reorg took it away.
    pub removed: Option<bool>,
}
