//! What the documents say of members that are objects of each ledger's own: the names of Ethereum's JSON-RPC, or those
//! that `docs/chains.md` gives for another ledger.

use superroot_types::{Address, Hash};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Ref, Schema};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Hex;

/// A header as JSON-RPC has it, without what its fork had not.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmHeader {
    hash: Hash,
    parent_hash: Hash,
    miner: Address,
    state_root: Hash,
    transactions_root: Hash,
    receipts_root: Hash,
    logs_bloom: Hex,
    number: Hex,
    gas_used: Hex,
    timestamp: Hex,
    extra_data: Hex,
    difficulty: Option<Hex>,
    nonce: Option<Hex>,
    gas_limit: Option<Hex>,
    base_fee_per_gas: Option<Hex>,
    blob_gas_used: Option<Hex>,
    excess_blob_gas: Option<Hex>,
    sha3_uncles: Option<Hash>,
    mix_hash: Option<Hash>,
    withdrawals_root: Option<Hash>,
    parent_beacon_block_root: Option<Hash>,
    requests_hash: Option<Hash>,
}

/// A transaction as JSON-RPC has it; some types have more members.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmTransaction {
    hash: Hash,
    r#type: Hex,
    block_number: Hex,
    block_hash: Option<Hash>,
    transaction_index: Option<Hex>,
    from: Option<Address>,
    to: Option<Address>,
    value: Option<Hex>,
    nonce: Option<Hex>,
    gas: Option<Hex>,
    gas_price: Option<Hex>,
    max_fee_per_gas: Option<Hex>,
    max_priority_fee_per_gas: Option<Hex>,
    input: Option<Hex>,
    chain_id: Option<Hex>,
    access_list: Option<Vec<EvmAccess>>,
    r: Option<Hex>,
    s: Option<Hex>,
    v: Option<Hex>,
    y_parity: Option<Hex>,
}

/// What a transaction says beforehand that it touches (EIP-2930).
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
struct EvmAccess {
    address: Address,
    storage_keys: Vec<Hash>,
}

/// A log as JSON-RPC has it; `logIndex` is the place in the receipt.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmLog {
    address: Address,
    topics: Vec<Hash>,
    data: Hex,
    log_index: Hex,
    block_number: Hex,
    block_hash: Option<Hash>,
    transaction_hash: Option<Hash>,
    transaction_index: Option<Hex>,
    removed: bool,
}

/// A receipt: its own fields alone.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmReceipt {
    r#type: Hex,
    status: Option<Hex>,
    root: Option<Hash>,
    cumulative_gas_used: Hex,
    logs_bloom: Hex,
    logs: Vec<EvmLog>,
}

/// An event.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmEvent {
    address: Address,
    topics: Vec<Hash>,
    data: Hex,
    log_index: u32,
    log_index_in_block: Option<u32>,
}

/// The bits of an event's address and topics in blooms.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it stands for what `ledger::evm` writes")]
pub struct EvmBloom {
    /// Whether all are set in that of the receipt.
    in_receipt: bool,
    /// The same of the header, where the proof has it.
    in_header: Option<bool>,
    /// Three bits of the address, then of each topic.
    bits: Vec<Vec<u16>>,
}

/// That of the EVM family, or an object of another ledger.
macro_rules! of_any_ledger {
    ($($name:ident of $evm:ident),*) => { $(
        #[doc = concat!("`", stringify!($evm), "`, or what another ledger has there.")]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let other = ObjectBuilder::new().schema_type(Type::Object);
                let evm = Ref::from_schema_name(stringify!($evm));
                AnyOfBuilder::new().item(evm).item(other).into()
            }
        }

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                schemas.push((stringify!($evm).to_owned(), $evm::schema()));
                $evm::schemas(schemas);
            }
        }
    )* };
}

of_any_ledger!(
    HeaderObject of EvmHeader,
    TransactionObject of EvmTransaction,
    ReceiptObject of EvmReceipt,
    EventObject of EvmEvent
);
