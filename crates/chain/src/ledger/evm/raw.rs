//! EVM node data: untrusted results of `eth_getBlockByNumber` and `eth_getBlockReceipts`.
//!
//! Only hashed fields and fields that must agree with hashed fields are read. Quantities may be hex, decimal text or
//! numbers. The encoding, not the fields present, determines the leaf fields.

mod receipt;
mod transaction;
mod transactions;

use alloy_primitives::{B64, Bloom, Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use super::quantity;
pub use receipt::{RawLog, RawReceipt};
pub use transaction::{RawAccess, RawAuthorization, RawEvmTransaction};
pub use transactions::RawTransactions;

/// Block and receipts from one or two node responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawEvmBlock {
    pub block: RawBlock,
    /// Receipts in any order; `None` if not sent.
    #[serde(default)]
    pub receipts: Option<Vec<RawReceipt>>,
}

impl RawEvmBlock {
    /// Header with transactions, with receipts, and alone.
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

/// Block in the form of `eth_getBlockByNumber`.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    u64 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawBlock {
    /// Claimed hash; a block without a hash is never anchored.
    pub hash: Option<Hash>,
    pub parent_hash: Hash,
    /// The uncle list's hash; missing on Celo before Gingerbread.
    pub sha3_uncles: Option<Hash>,
    /// Fee beneficiary.
    pub miner: Address,
    pub state_root: Hash,
    pub transactions_root: Hash,
    pub receipts_root: Hash,
    pub logs_bloom: Bloom,
    /// Difficulty; zero since the merge.
    pub difficulty: Option<U256>,
    pub number: u64,
    pub gas_limit: Option<u64>,
    pub gas_used: u64,
    /// Unix seconds.
    pub timestamp: u64,
    /// The block producer's free bytes.
    pub extra_data: Bytes,
    /// Mix hash; beacon randomness since the merge.
    pub mix_hash: Option<Hash>,
    /// Proof-of-work nonce, 8 bytes.
    pub nonce: Option<B64>,
    /// `AuRa` seal as RLP items: step and signature.
    pub seal_fields: Option<Vec<Bytes>>,
    /// `AuRa` step, named by Nethermind and `OpenEthereum`.
    pub step: Option<u64>,
    /// `AuRa` signature, with `step`.
    pub signature: Option<Bytes>,
    /// `AuRa` step, named by Erigon.
    pub aura_step: Option<u64>,
    /// `AuRa` signature, with `aura_step`.
    pub aura_seal: Option<Bytes>,
    /// Base fee in wei (London).
    pub base_fee_per_gas: Option<u64>,
    /// Withdrawals root (Shanghai).
    pub withdrawals_root: Option<Hash>,
    /// Blob gas used (Cancun).
    pub blob_gas_used: Option<u64>,
    /// Excess blob gas (Cancun).
    pub excess_blob_gas: Option<u64>,
    /// Parent beacon block root (Cancun).
    pub parent_beacon_block_root: Option<Hash>,
    /// Execution requests hash (Prague).
    pub requests_hash: Option<Hash>,
    /// Access list hash (Amsterdam).
    pub block_access_list_hash: Option<Hash>,
    /// Beacon slot (Amsterdam).
    pub slot_number: Option<u64>,
    /// Hash of the atomic transactions (Avalanche).
    pub ext_data_hash: Option<Hash>,
    /// Gas of the atomic transactions (Avalanche).
    pub ext_data_gas_used: Option<u64>,
    /// Atomic transactions (Avalanche).
    pub block_extra_data: Option<Bytes>,
    /// Gas paid for an early block (Avalanche).
    pub block_gas_cost: Option<u64>,
    /// Unix milliseconds (Avalanche).
    pub timestamp_milliseconds: Option<u64>,
    /// Lowest delay, as an exponent (Avalanche).
    pub min_delay_excess: Option<u64>,
    /// Gas target, as an exponent (Avalanche).
    pub target_exponent: Option<u64>,
    /// Lowest gas price, as an exponent (Avalanche).
    pub min_price_exponent: Option<u64>,
    /// Last block settled here (Avalanche).
    pub settled_height: Option<u64>,
    /// Gas clock at the settled block, in Unix seconds (Avalanche).
    pub settled_gas_unix: Option<u64>,
    /// Gas clock at the settled block, part of a second (Avalanche).
    pub settled_gas_numerator: Option<u64>,
    /// Gas above target at the settled block (Avalanche).
    pub settled_excess: Option<u64>,
    /// Transactions, in full or as hashes.
    #[serde(default, skip_serializing_if = "RawTransactions::is_absent")]
    pub transactions: RawTransactions,
    pub withdrawals: Option<Vec<RawWithdrawal>>,
}

/// Withdrawal from the beacon chain (EIP-4895).
#[serde_with::apply(u64 => #[serde(with = "quantity")])]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawWithdrawal {
    /// Running number over the whole chain.
    pub index: u64,
    pub validator_index: u64,
    pub address: Address,
    /// Gwei.
    pub amount: u64,
}
