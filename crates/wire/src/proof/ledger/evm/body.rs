//! Schemas of EVM family objects, with Ethereum JSON-RPC names.

use superroot_types::{Address, Hash};
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Hex;
#[cfg(feature = "schema")]
use crate::proof::body::or_null::{IndexInBlock, Receiver};

/// JSON-RPC header, without fields absent from chain or fork. Early Gnosis: `step`, `signature`; from `extDataHash` on: Avalanche.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmHeader {
    hash: Hash,
    parent_hash: Hash,
    miner: Address,
    state_root: Hash,
    transactions_root: Hash,
    receipts_root: Hash,
    logs_bloom: Hex,
    number: Quantity,
    gas_used: Quantity,
    timestamp: Quantity,
    extra_data: Hex,
    difficulty: Option<Quantity>,
    nonce: Option<Hex>,
    gas_limit: Option<Quantity>,
    base_fee_per_gas: Option<Quantity>,
    blob_gas_used: Option<Quantity>,
    excess_blob_gas: Option<Quantity>,
    sha3_uncles: Option<Hash>,
    mix_hash: Option<Hash>,
    withdrawals_root: Option<Hash>,
    parent_beacon_block_root: Option<Hash>,
    requests_hash: Option<Hash>,
    block_access_list_hash: Option<Hash>,
    slot_number: Option<Quantity>,
    step: Option<Quantity>,
    signature: Option<Hex>,
    ext_data_hash: Option<Hash>,
    ext_data_gas_used: Option<Quantity>,
    block_gas_cost: Option<Quantity>,
    timestamp_milliseconds: Option<Quantity>,
    min_delay_excess: Option<Quantity>,
    target_exponent: Option<Quantity>,
    min_price_exponent: Option<Quantity>,
    settled_height: Option<Quantity>,
    settled_gas_unix: Option<Quantity>,
    settled_gas_numerator: Option<Quantity>,
    settled_excess: Option<Quantity>,
}

/// JSON-RPC transaction; from `feeCurrency` on the members are specific to Celo, Arbitrum, the OP stack and Scroll.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmTransaction {
    hash: Hash,
    r#type: Quantity,
    block_number: Quantity,
    block_hash: Option<Hash>,
    transaction_index: Option<Quantity>,
    from: Option<Address>,
    /// `false` for an unsigned transaction: a signature of zeros.
    signed: Option<bool>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<Receiver>))]
    to: Option<Address>,
    value: Option<Quantity>,
    nonce: Option<Quantity>,
    gas: Option<Quantity>,
    gas_price: Option<Quantity>,
    max_fee_per_gas: Option<Quantity>,
    max_priority_fee_per_gas: Option<Quantity>,
    input: Option<Hex>,
    chain_id: Option<Quantity>,
    access_list: Option<Vec<EvmAccess>>,
    max_fee_per_blob_gas: Option<Quantity>,
    blob_versioned_hashes: Option<Vec<Hash>>,
    authorization_list: Option<Vec<EvmAuthorization>>,
    r: Option<Quantity>,
    s: Option<Quantity>,
    v: Option<Quantity>,
    y_parity: Option<Quantity>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<Receiver>))]
    fee_currency: Option<Address>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<Receiver>))]
    gateway_fee_recipient: Option<Address>,
    gateway_fee: Option<Quantity>,
    request_id: Option<Hash>,
    ticket_id: Option<Hash>,
    refund_to: Option<Address>,
    max_refund: Option<Quantity>,
    submission_fee_refund: Option<Quantity>,
    l1_base_fee: Option<Quantity>,
    deposit_value: Option<Quantity>,
    #[cfg_attr(feature = "schema", schema(value_type = Option<Receiver>))]
    retry_to: Option<Address>,
    retry_value: Option<Quantity>,
    retry_data: Option<Hex>,
    beneficiary: Option<Address>,
    max_submission_fee: Option<Quantity>,
    source_hash: Option<Hash>,
    mint: Option<Quantity>,
    is_system_tx: Option<bool>,
    queue_index: Option<Quantity>,
    sender: Option<Address>,
}

/// Authorization for a contract to act for an account (EIP-7702).
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
struct EvmAuthorization {
    chain_id: Quantity,
    address: Address,
    nonce: Quantity,
    y_parity: Quantity,
    r: Quantity,
    s: Quantity,
}

/// JSON-RPC quantity: hex without leading zeros.
struct Quantity;

impl PartialSchema for Quantity {
    fn schema() -> RefOr<Schema> {
        let pattern = Some("^0x(0|[1-9a-f][0-9a-f]*)$");
        ObjectBuilder::new().schema_type(Type::String).pattern(pattern).into()
    }
}

impl ToSchema for Quantity {}

/// Access list entry, declared before execution (EIP-2930).
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
struct EvmAccess {
    address: Address,
    storage_keys: Vec<Hash>,
}

/// JSON-RPC log; `logIndex` is the position in the receipt.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmLog {
    address: Address,
    topics: Vec<Hash>,
    data: Hex,
    log_index: Quantity,
    block_number: Quantity,
    block_hash: Option<Hash>,
    transaction_hash: Option<Hash>,
    transaction_index: Option<Quantity>,
    removed: bool,
}

/// Receipt with intrinsic fields only.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmReceipt {
    r#type: Quantity,
    status: Option<Quantity>,
    root: Option<Hash>,
    cumulative_gas_used: Quantity,
    logs_bloom: Hex,
    logs: Vec<EvmLog>,
    deposit_nonce: Option<Quantity>,
    deposit_receipt_version: Option<Quantity>,
    base_fee: Option<Quantity>,
}

/// Event.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmEvent {
    address: Address,
    topics: Vec<Hash>,
    data: Hex,
    log_index: u32,
    #[cfg_attr(feature = "schema", schema(required = false, value_type = IndexInBlock))]
    log_index_in_block: Option<Option<u64>>,
}

/// Bloom bits of an event's address and topics.
#[cfg_attr(feature = "schema", derive(ToSchema))]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmBloom {
    /// Whether all bits are set in the receipt bloom.
    in_receipt: bool,
    /// Whether all bits are set in the header bloom, if part of the proof.
    in_header: Option<bool>,
    /// Three bits for the address, then for each topic.
    bits: Vec<Vec<u16>>,
}
