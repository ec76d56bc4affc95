//! What nodes of the EVM family send: the shapes of `eth_getBlockByNumber` and
//! `eth_getBlockReceipts`, before anything is believed.
//!
//! Fields are those that consensus hashes, plus those that must agree with them. All others are
//! skipped while reading. Quantities are read as hex, as decimal text or as numbers.

mod transactions;

use alloy_primitives::{B64, Bloom, Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use super::quantity;
pub use transactions::RawTransactions;

/// A block and its receipts, as one or two answers of a node gave them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawEvmBlock {
    /// Header and transactions.
    pub block: RawBlock,
    /// Receipts in any order; `None` when the node gave none.
    #[serde(default)]
    pub receipts: Option<Vec<RawReceipt>>,
}

/// A block as `eth_getBlockByNumber` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawBlock {
    /// Hash the node claims; a block without one is never anchored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash>,
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Hash of the list of uncle headers.
    pub sha3_uncles: Hash,
    /// Beneficiary of fees.
    pub miner: Address,
    /// Root of the state trie.
    pub state_root: Hash,
    /// Root of the transaction trie.
    pub transactions_root: Hash,
    /// Root of the receipt trie.
    pub receipts_root: Hash,
    /// Union of the receipts' blooms.
    pub logs_bloom: Bloom,
    /// Difficulty; zero since the merge.
    #[serde(with = "quantity")]
    pub difficulty: U256,
    /// Block number.
    #[serde(with = "quantity")]
    pub number: u64,
    /// Gas limit.
    #[serde(with = "quantity")]
    pub gas_limit: u64,
    /// Gas used.
    #[serde(with = "quantity")]
    pub gas_used: u64,
    /// Unix seconds.
    #[serde(with = "quantity")]
    pub timestamp: u64,
    /// Free bytes of the block's maker.
    pub extra_data: Bytes,
    /// Mix hash, or the beacon's randomness since the merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix_hash: Option<Hash>,
    /// Proof-of-work nonce, 8 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<B64>,
    /// Base fee in wei (London).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub base_fee_per_gas: Option<u64>,
    /// Root of the withdrawals trie (Shanghai).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawals_root: Option<Hash>,
    /// Blob gas used (Cancun).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub blob_gas_used: Option<u64>,
    /// Excess blob gas (Cancun).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub excess_blob_gas: Option<u64>,
    /// Root of the parent beacon block (Cancun).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_beacon_block_root: Option<Hash>,
    /// Hash of the execution requests (Prague).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_hash: Option<Hash>,
    /// Hash of the block's access list (Amsterdam).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_access_list_hash: Option<Hash>,
    /// Beacon slot (Amsterdam).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub slot_number: Option<u64>,
    /// Transactions, in full or as hashes.
    #[serde(default, skip_serializing_if = "RawTransactions::is_absent")]
    pub transactions: RawTransactions,
    /// Withdrawals (Shanghai).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawals: Option<Vec<RawWithdrawal>>,
}

/// A transaction of any Ethereum type, 0 to 4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawTransaction {
    /// Claimed transaction hash.
    pub hash: Hash,
    /// Claimed block hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// Claimed place in the block.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// EIP-2718 type; old nodes leave it out.
    #[serde(rename = "type", default, with = "quantity::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// Chain id; not hashed in type 0, where `v` tells it.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
    /// Count of the sender's transactions before.
    #[serde(with = "quantity")]
    pub nonce: u64,
    /// Gas limit.
    #[serde(with = "quantity")]
    pub gas: u64,
    /// Wei per gas; from type 2 on the price that was paid, which is not hashed.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub gas_price: Option<U256>,
    /// Most wei per gas (types 2 to 4).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub max_fee_per_gas: Option<U256>,
    /// Most tip in wei per gas (types 2 to 4).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub max_priority_fee_per_gas: Option<U256>,
    /// Most wei per blob gas (type 3).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub max_fee_per_blob_gas: Option<U256>,
    /// Receiver; `None` creates a contract.
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    pub to: Option<Address>,
    /// Wei sent along.
    #[serde(with = "quantity")]
    pub value: U256,
    /// Call data or init code.
    pub input: Bytes,
    /// Access list (types 1 to 4); `None` is an empty one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_list: Option<Vec<RawAccess>>,
    /// Blob hashes (type 3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob_versioned_hashes: Option<Vec<Hash>>,
    /// Authorizations (type 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorization_list: Option<Vec<RawAuthorization>>,
    /// `v` of the signature: exact in type 0, the parity in the others.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub v: Option<U256>,
    /// Parity of the signature (types 1 to 4).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub y_parity: Option<u64>,
    /// `r` of the signature.
    #[serde(with = "quantity")]
    pub r: U256,
    /// `s` of the signature.
    #[serde(with = "quantity")]
    pub s: U256,
}

/// One entry of an access list (EIP-2930).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAccess {
    /// The account.
    pub address: Address,
    /// Its storage keys.
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub storage_keys: Vec<Hash>,
}

/// One authorization to set an account's code (EIP-7702).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAuthorization {
    /// Chain it holds on; 0 for any.
    #[serde(with = "quantity")]
    pub chain_id: U256,
    /// Account whose code is used.
    pub address: Address,
    /// Nonce of the authority.
    #[serde(with = "quantity")]
    pub nonce: u64,
    /// Parity of the signature, one byte.
    #[serde(with = "quantity")]
    pub y_parity: u64,
    /// `r` of the signature.
    #[serde(with = "quantity")]
    pub r: U256,
    /// `s` of the signature.
    #[serde(with = "quantity")]
    pub s: U256,
}

/// A withdrawal from the beacon chain (EIP-4895).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawWithdrawal {
    /// Running number over the whole chain.
    #[serde(with = "quantity")]
    pub index: u64,
    /// The validator.
    #[serde(with = "quantity")]
    pub validator_index: u64,
    /// Receiver.
    pub address: Address,
    /// Gwei.
    #[serde(with = "quantity")]
    pub amount: u64,
}

/// A receipt as `eth_getBlockReceipts` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawReceipt {
    /// Claimed hash of its transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_hash: Option<Hash>,
    /// Claimed place of its transaction; where it is left out, its place in the list sent.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// Claimed block hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// EIP-2718 type; where it is left out, that of its transaction.
    #[serde(rename = "type", default, with = "quantity::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// 1 success, 0 failure (since Byzantium).
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// State root after the transaction (before Byzantium); wins over a status.
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<Hash>,
    /// Gas used by this transaction and those before it.
    #[serde(with = "quantity")]
    pub cumulative_gas_used: u64,
    /// Gas used by this transaction; not hashed, must be the difference.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub gas_used: Option<u64>,
    /// Bloom of the logs.
    pub logs_bloom: Bloom,
    /// Logs in the order of emission.
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub logs: Vec<RawLog>,
}

/// A log of a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// Claimed hash of its transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_hash: Option<Hash>,
    /// Claimed place of its transaction.
    #[serde(default, with = "quantity::option", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// Claimed place among all logs of the block.
    #[serde(rename = "logIndex", default, with = "quantity::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_index_in_block: Option<u64>,
    /// True when a reorg took it away; such a log is of no block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<bool>,
}
