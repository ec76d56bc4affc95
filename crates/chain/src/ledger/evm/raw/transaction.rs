use alloy_primitives::{Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use crate::ledger::evm::quantity;

/// Transaction of any type in the EVM family. Fields used by one chain only name the chain.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    Option<Address> => #[serde(default, deserialize_with = "quantity::blank_as_none")],
    U256 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawEvmTransaction {
    pub hash: Hash,
    #[serde(default, with = "quantity::claim")]
    pub block_hash: Option<Hash>,
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// EIP-2718 type; missing from old nodes.
    #[serde_with(skip_apply)]
    #[serde(rename = "type", default, with = "quantity::claim")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// Chain id; not hashed in type 0, where `v` includes the id.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
    /// Sender's earlier transactions; not hashed for unsigned entries.
    pub nonce: Option<u64>,
    pub gas: Option<u64>,
    /// Wei per gas; from type 2 on the price paid, not hashed.
    pub gas_price: Option<U256>,
    /// Highest wei per gas (types 2 to 4).
    pub max_fee_per_gas: Option<U256>,
    /// Highest tip in wei per gas (types 2 to 4).
    pub max_priority_fee_per_gas: Option<U256>,
    /// Highest wei per blob gas (type 3).
    pub max_fee_per_blob_gas: Option<U256>,
    /// Receiver; `None` creates a contract.
    #[serde_with(skip_apply)]
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    pub to: Option<Address>,
    /// Wei transferred.
    pub value: U256,
    /// Call data or init code.
    pub input: Bytes,
    /// Access list (types 1 to 4); `None` is an empty list.
    pub access_list: Option<Vec<RawAccess>>,
    /// Blob hashes (type 3).
    pub blob_versioned_hashes: Option<Vec<Hash>>,
    pub authorization_list: Option<Vec<RawAuthorization>>,
    /// Signature `v`: exact in type 0, the parity in others.
    pub v: Option<U256>,
    /// Signature parity (types 1 to 4).
    pub y_parity: Option<u64>,
    /// Signature `r`; missing in unsigned entries.
    pub r: Option<U256>,
    pub s: Option<U256>,
    /// Sender; hashed in unsigned entries, otherwise derived from the signature.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// Source of a deposit (OP stack).
    pub source_hash: Option<Hash>,
    /// Wei minted by a deposit (OP stack).
    pub mint: Option<U256>,
    /// Whether a deposit uses no block gas (OP stack, before Regolith).
    pub is_system_tx: Option<bool>,
    /// Position in the L1 message queue (Scroll).
    pub queue_index: Option<u64>,
    /// Sender of an L1 message (Scroll).
    pub sender: Option<Address>,
    /// Fee token (Celo).
    pub fee_currency: Option<Address>,
    /// Gateway fee receiver (Celo, before the L2).
    pub gateway_fee_recipient: Option<Address>,
    pub gateway_fee: Option<U256>,
    /// Whether type 0 has only Ethereum fields (Celo, before the L2).
    pub eth_compatible: Option<bool>,
    /// L1 message number (Arbitrum).
    pub request_id: Option<Hash>,
    /// Redeemed retryable (Arbitrum).
    pub ticket_id: Option<Hash>,
    /// Receiver of the remainder (Arbitrum).
    pub refund_to: Option<Address>,
    /// Highest refund (Arbitrum).
    pub max_refund: Option<U256>,
    /// Submission fee refund (Arbitrum).
    pub submission_fee_refund: Option<U256>,
    /// L1 base fee (Arbitrum).
    pub l1_base_fee: Option<U256>,
    /// Wei deposited (Arbitrum).
    pub deposit_value: Option<U256>,
    /// Retryable receiver; `None` creates a contract (Arbitrum).
    pub retry_to: Option<Address>,
    /// Wei transferred with the retryable (Arbitrum).
    pub retry_value: Option<U256>,
    /// Retryable call data (Arbitrum).
    pub retry_data: Option<Bytes>,
    /// Account allowed to cancel the retryable (Arbitrum).
    pub beneficiary: Option<Address>,
    /// Highest submission fee (Arbitrum).
    pub max_submission_fee: Option<U256>,
}

/// Access list entry (EIP-2930).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAccess {
    pub address: Address,
    #[serde(default, deserialize_with = "quantity::null_as_empty")]
    pub storage_keys: Vec<Hash>,
}

/// Authorization to set an account's code (EIP-7702).
#[serde_with::apply(
    u64 => #[serde(with = "quantity")],
    U256 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAuthorization {
    /// Chain id; 0 for any chain.
    pub chain_id: U256,
    /// Account with the code to use.
    pub address: Address,
    pub nonce: u64,
    /// Signature parity, one byte.
    pub y_parity: u64,
    pub r: U256,
    pub s: U256,
}
