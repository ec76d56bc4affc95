//! One transaction as nodes send it.

use alloy_primitives::{Bytes, U256};
use serde::{Deserialize, Serialize};
use superroot_types::{Address, Hash};

use crate::evm::quantity;

/// A transaction of any type that a chain of the family has. Fields of one chain alone name it.
#[serde_with::apply(
    Option => #[serde(skip_serializing_if = "Option::is_none")],
    Option<u64> => #[serde(default, with = "quantity::option")],
    Option<U256> => #[serde(default, with = "quantity::option")],
    Option<Address> => #[serde(default, deserialize_with = "quantity::blank_as_none")],
    U256 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawTransaction {
    /// Claimed transaction hash.
    pub hash: Hash,
    /// Claimed block hash.
    #[serde(default, with = "quantity::claim")]
    pub block_hash: Option<Hash>,
    /// Claimed block number.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub block_number: Option<u64>,
    /// Claimed place in the block.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub transaction_index: Option<u64>,
    /// EIP-2718 type; old nodes leave it out.
    #[serde_with(skip_apply)]
    #[serde(rename = "type", default, with = "quantity::claim")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tx_type: Option<u64>,
    /// Chain id; not hashed in type 0, where `v` tells it.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<u64>,
    /// Count of the sender's transactions before; not hashed where nobody signs.
    pub nonce: Option<u64>,
    /// Gas limit.
    pub gas: Option<u64>,
    /// Wei per gas; from type 2 on the price that was paid, which is not hashed.
    pub gas_price: Option<U256>,
    /// Most wei per gas (types 2 to 4).
    pub max_fee_per_gas: Option<U256>,
    /// Most tip in wei per gas (types 2 to 4).
    pub max_priority_fee_per_gas: Option<U256>,
    /// Most wei per blob gas (type 3).
    pub max_fee_per_blob_gas: Option<U256>,
    /// Receiver; `None` creates a contract.
    #[serde_with(skip_apply)]
    #[serde(default, deserialize_with = "quantity::blank_as_none")]
    pub to: Option<Address>,
    /// Wei sent along.
    pub value: U256,
    /// Call data or init code.
    pub input: Bytes,
    /// Access list (types 1 to 4); `None` is an empty one.
    pub access_list: Option<Vec<RawAccess>>,
    /// Blob hashes (type 3).
    pub blob_versioned_hashes: Option<Vec<Hash>>,
    /// Authorizations (type 4).
    pub authorization_list: Option<Vec<RawAuthorization>>,
    /// `v` of the signature: exact in type 0, the parity in the others.
    pub v: Option<U256>,
    /// Parity of the signature (types 1 to 4).
    pub y_parity: Option<u64>,
    /// `r` of the signature; none where nobody signs.
    pub r: Option<U256>,
    /// `s` of the signature.
    pub s: Option<U256>,
    /// Sender; hashed where nobody signs, else it follows from the signature.
    #[serde_with(skip_apply)]
    #[serde(default, with = "quantity::claim", skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// Where a deposit comes from (OP stack).
    pub source_hash: Option<Hash>,
    /// Wei minted by a deposit (OP stack).
    pub mint: Option<U256>,
    /// Whether a deposit uses no gas of the block (OP stack, before Regolith).
    pub is_system_tx: Option<bool>,
    /// Place in the queue of L1 messages (Scroll).
    pub queue_index: Option<u64>,
    /// Sender of an L1 message (Scroll).
    pub sender: Option<Address>,
    /// Token that pays fees (Celo).
    pub fee_currency: Option<Address>,
    /// Receiver of the gateway fee (Celo, before it was an L2).
    pub gateway_fee_recipient: Option<Address>,
    /// Gateway fee (Celo, before it was an L2).
    pub gateway_fee: Option<U256>,
    /// Whether type 0 has Ethereum's fields alone (Celo, before it was an L2).
    pub eth_compatible: Option<bool>,
    /// Number of the L1 message (Arbitrum).
    pub request_id: Option<Hash>,
    /// The retryable that is redeemed (Arbitrum).
    pub ticket_id: Option<Hash>,
    /// Receiver of what is left over (Arbitrum).
    pub refund_to: Option<Address>,
    /// Most that is refunded (Arbitrum).
    pub max_refund: Option<U256>,
    /// Refund of the submission fee (Arbitrum).
    pub submission_fee_refund: Option<U256>,
    /// Base fee of the L1 (Arbitrum).
    pub l1_base_fee: Option<U256>,
    /// Wei deposited (Arbitrum).
    pub deposit_value: Option<U256>,
    /// Receiver of the retryable; `None` creates a contract (Arbitrum).
    pub retry_to: Option<Address>,
    /// Wei sent along with the retryable (Arbitrum).
    pub retry_value: Option<U256>,
    /// Call data of the retryable (Arbitrum).
    pub retry_data: Option<Bytes>,
    /// Who may cancel the retryable (Arbitrum).
    pub beneficiary: Option<Address>,
    /// Most paid for submission (Arbitrum).
    pub max_submission_fee: Option<U256>,
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
#[serde_with::apply(
    u64 => #[serde(with = "quantity")],
    U256 => #[serde(with = "quantity")],
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawAuthorization {
    /// Chain it holds on; 0 for any.
    pub chain_id: U256,
    /// Account whose code is used.
    pub address: Address,
    /// Nonce of the authority.
    pub nonce: u64,
    /// Parity of the signature, one byte.
    pub y_parity: u64,
    /// `r` of the signature.
    pub r: U256,
    /// `s` of the signature.
    pub s: U256,
}
