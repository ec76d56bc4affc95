//! What nodes of the EVM family send: the shapes of `eth_getBlockByNumber` and
//! `eth_getBlockReceipts`, before anything is believed.
//!
//! Fields are those that consensus hashes, plus those that must agree with them. All others are
//! skipped while reading. Quantities are read as hex, as decimal text or as numbers. Which fields a
//! chain's leaves hold is the matter of its encoding, not of what happens to be there.

mod receipt;
mod transaction;
mod transactions;

use alloy_primitives::{B64, Bloom, Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use super::quantity;
pub use receipt::{RawLog, RawReceipt};
pub use transaction::{RawAccess, RawAuthorization, RawTransaction};
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

impl RawEvmBlock {
    /// The header with its transactions, with its receipts, and alone.
    pub(crate) fn with_fewer_parts(&self) -> [Self; 3] {
        let header = RawBlock {
            transactions: RawTransactions::Absent,
            withdrawals: None,
            block_extra_data: None,
            ..self.block.clone()
        };
        [
            Self { block: self.block.clone(), receipts: None },
            Self { block: header.clone(), receipts: self.receipts.clone() },
            Self { block: header, receipts: None },
        ]
    }
}

/// A block as `eth_getBlockByNumber` shows it.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    u64 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawBlock {
    /// Hash the node claims; a block without one is never anchored.
    pub hash: Option<Hash>,
    /// Hash of the block before.
    pub parent_hash: Hash,
    /// Hash of the list of uncle headers; Celo had none before Gingerbread.
    pub sha3_uncles: Option<Hash>,
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
    pub difficulty: Option<U256>,
    /// Block number.
    pub number: u64,
    /// Gas limit.
    pub gas_limit: Option<u64>,
    /// Gas used.
    pub gas_used: u64,
    /// Unix seconds.
    pub timestamp: u64,
    /// Free bytes of the block's maker.
    pub extra_data: Bytes,
    /// Mix hash, or the beacon's randomness since the merge.
    pub mix_hash: Option<Hash>,
    /// Proof-of-work nonce, 8 bytes.
    pub nonce: Option<B64>,
    /// `AuRa` seal as RLP items: step and signature.
    pub seal_fields: Option<Vec<Bytes>>,
    /// `AuRa` step, as Nethermind and `OpenEthereum` name it.
    pub step: Option<u64>,
    /// `AuRa` signature, beside `step`.
    pub signature: Option<Bytes>,
    /// `AuRa` step, as Erigon names it.
    pub aura_step: Option<u64>,
    /// `AuRa` signature, beside `aura_step`.
    pub aura_seal: Option<Bytes>,
    /// Base fee in wei (London).
    pub base_fee_per_gas: Option<u64>,
    /// Root of the withdrawals trie (Shanghai).
    pub withdrawals_root: Option<Hash>,
    /// Blob gas used (Cancun).
    pub blob_gas_used: Option<u64>,
    /// Excess blob gas (Cancun).
    pub excess_blob_gas: Option<u64>,
    /// Root of the parent beacon block (Cancun).
    pub parent_beacon_block_root: Option<Hash>,
    /// Hash of the execution requests (Prague).
    pub requests_hash: Option<Hash>,
    /// Hash of the block's access list (Amsterdam).
    pub block_access_list_hash: Option<Hash>,
    /// Beacon slot (Amsterdam).
    pub slot_number: Option<u64>,
    /// Hash of the atomic transactions (Avalanche).
    pub ext_data_hash: Option<Hash>,
    /// Gas of the atomic transactions (Avalanche).
    pub ext_data_gas_used: Option<u64>,
    /// The atomic transactions (Avalanche).
    pub block_extra_data: Option<Bytes>,
    /// Gas paid for coming early (Avalanche).
    pub block_gas_cost: Option<u64>,
    /// Unix milliseconds (Avalanche).
    pub timestamp_milliseconds: Option<u64>,
    /// Least delay, as an exponent (Avalanche).
    pub min_delay_excess: Option<u64>,
    /// Gas target, as an exponent (Avalanche).
    pub target_exponent: Option<u64>,
    /// Least gas price, as an exponent (Avalanche).
    pub min_price_exponent: Option<u64>,
    /// Last block whose results are settled here (Avalanche).
    pub settled_height: Option<u64>,
    /// Gas clock there, in Unix seconds (Avalanche).
    pub settled_gas_unix: Option<u64>,
    /// Gas clock there, part of a second (Avalanche).
    pub settled_gas_numerator: Option<u64>,
    /// Gas above target there (Avalanche).
    pub settled_excess: Option<u64>,
    /// Transactions, in full or as hashes.
    #[serde(default, skip_serializing_if = "RawTransactions::is_absent")]
    pub transactions: RawTransactions,
    /// Withdrawals (Shanghai).
    pub withdrawals: Option<Vec<RawWithdrawal>>,
}

/// A withdrawal from the beacon chain (EIP-4895).
#[serde_with::apply(u64 => #[serde(with = "quantity")])]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawWithdrawal {
    /// Running number over the whole chain.
    pub index: u64,
    /// The validator.
    pub validator_index: u64,
    /// Receiver.
    pub address: Address,
    /// Gwei.
    pub amount: u64,
}
