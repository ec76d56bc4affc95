//! Objects of Ethereum's JSON-RPC, made from proven bytes: quantities are hex without leading zeros.

use std::sync::LazyLock;

use alloy_consensus::{EthereumTxEnvelope, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use quick_cache::sync::Cache;
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Facts, ProvenTransaction};
use superroot_proof::ledger::evm::{Header, Log, Outcome, Receipt, leaf_type};
use superroot_types::{Address, Hash};

use super::leaf;
use crate::proof::hex::{hex, quantity, wide_quantity};

/// The header's fields, under the names nodes give them; a field that its fork had not brought, or
/// that the chain does not have, is not there.
pub(in crate::proof) fn header(header: &Header, block_hash: &Hash) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("hash", json!(block_hash));
    put("parentHash", json!(header.parent_hash));
    put("miner", json!(header.beneficiary));
    put("stateRoot", json!(header.state_root));
    put("transactionsRoot", json!(header.transactions_root));
    put("receiptsRoot", json!(header.receipts_root));
    put("logsBloom", hex(header.logs_bloom.0));
    put("number", quantity(header.number));
    put("gasUsed", quantity(header.gas_used));
    put("timestamp", quantity(header.timestamp));
    put("extraData", hex(&header.extra_data));
    if let Some(difficulty) = &header.difficulty {
        put("difficulty", wide_quantity(difficulty));
    }
    if let Some(nonce) = header.nonce {
        put("nonce", hex(nonce));
    }
    if let Some(seal) = &header.aura_seal {
        put("step", quantity(seal.step));
        put("signature", hex(seal.signature));
    }
    let more = header.avalanche.as_deref().cloned().unwrap_or_default();
    let settled = more.settled;
    for (name, value) in [
        ("gasLimit", header.gas_limit),
        ("baseFeePerGas", header.base_fee_per_gas),
        ("blobGasUsed", header.blob_gas_used),
        ("excessBlobGas", header.excess_blob_gas),
        ("slotNumber", header.slot_number),
        ("extDataGasUsed", more.ext_data_gas_used),
        ("blockGasCost", more.block_gas_cost),
        ("timestampMilliseconds", more.timestamp_milliseconds),
        ("minDelayExcess", more.min_delay_excess),
        ("targetExponent", more.target_exponent),
        ("minPriceExponent", more.min_price_exponent),
        ("settledHeight", settled.map(|settled| settled.height)),
        ("settledGasUnix", settled.map(|settled| settled.gas_unix)),
        ("settledGasNumerator", settled.map(|settled| settled.gas_numerator)),
        ("settledExcess", settled.map(|settled| settled.excess)),
    ] {
        value.into_iter().for_each(|value| put(name, quantity(value)));
    }
    for (name, value) in [
        ("sha3Uncles", header.ommers_hash),
        ("mixHash", header.mix_hash),
        ("withdrawalsRoot", header.withdrawals_root),
        ("parentBeaconBlockRoot", header.parent_beacon_block_root),
        ("requestsHash", header.requests_hash),
        ("blockAccessListHash", header.block_access_list_hash),
        ("extDataHash", more.ext_data_hash),
    ] {
        value.into_iter().for_each(|value| put(name, json!(value)));
    }
    Value::Object(members)
}

/// The transaction, read from its leaf, with its sender recovered from the signature. Of a type
/// that this build does not read, the hash, the type and the place are all there is.
pub(super) fn transaction(proven: &ProvenTransaction, facts: &Facts) -> Value {
    let fields = envelope(&proven.raw, &proven.hash).or_else(|| leaf::fields(&proven.raw));
    let mut members = match fields {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("hash", json!(proven.hash));
    put("type", quantity(leaf_type(&proven.raw).into()));
    put("blockNumber", quantity(facts.statement.number.0));
    if let Some(tx_index) = facts.statement.subject.tx_index() {
        put("transactionIndex", quantity(tx_index.into()));
    }
    if let Some(block_hash) = facts.block_hash {
        put("blockHash", json!(block_hash));
    }
    Value::Object(members)
}

/// Senders that are remembered, at some 60 bytes each.
const SENDERS_MAX: usize = 1 << 14;

/// Senders by the hash of the transaction, which the signature goes into: to recover one takes longer than all else
/// about the answer.
static SENDERS: LazyLock<Cache<Hash, Address>> = LazyLock::new(|| Cache::new(SENDERS_MAX));

/// The fields of a transaction of Ethereum's types 0 to 4; `None` for any other leaf.
fn envelope(raw: &[u8], hash: &Hash) -> Option<Value> {
    let envelope = EthereumTxEnvelope::<TxEip4844>::decode_2718_exact(raw).ok()?;
    if envelope.encoded_2718() != raw {
        return None;
    }
    let mut fields = serde_json::to_value(&envelope).ok()?;
    let sender = SENDERS.get_or_insert_with(hash, || {
        // of any s: before Homestead a high one was valid
        let sender = envelope.signature().recover_address_from_prehash(&envelope.signature_hash());
        sender.map(|sender| Address(sender.into_array()))
    });
    if let Ok(sender) = sender {
        fields.as_object_mut()?.insert("from".to_owned(), json!(sender));
    }
    Some(fields)
}

/// A log; its index is the place in the receipt.
pub(super) fn log(log: &Log, log_index: u32) -> Value {
    let Log { address, topics, data } = log;
    let data = hex(data);
    json!({ "address": address, "topics": topics, "data": data, "logIndex": log_index })
}

/// The receipt's own fields; nothing that a node derives from other transactions. Logs are in the form of JSON-RPC, as
/// clients read them; their index is the place in the receipt, where nodes count through the block.
pub(super) fn receipt(receipt: &Receipt, facts: &Facts) -> Value {
    let block_hash = facts.block_hash.map(|hash| ("blockHash", json!(hash)));
    let hash = facts.transaction.as_ref().map(|proven| ("transactionHash", json!(proven.hash)));
    let tx_index = facts.statement.subject.tx_index();
    let tx_index = tx_index.map(|index| ("transactionIndex", quantity(index.into())));
    let number = ("blockNumber", quantity(facts.statement.number.0));
    let place: Vec<_> = [block_hash, hash, tx_index, Some(number)].into_iter().flatten().collect();
    let logs = (0_u64..).zip(&receipt.logs).map(|(log_index, one)| {
        let Log { address, topics, data } = one;
        let mut members = json!({
            "address": address,
            "topics": topics,
            "data": hex(data),
            "logIndex": quantity(log_index),
            "removed": false,
        });
        place.iter().for_each(|(name, value)| members[*name] = value.clone());
        members
    });
    let (name, outcome) = match receipt.outcome {
        Outcome::Status(succeeded) => ("status", quantity(succeeded.into())),
        Outcome::StateRoot(root) => ("root", json!(root)),
    };
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    put("type", quantity(receipt.tx_type.into()));
    put(name, outcome);
    put("cumulativeGasUsed", quantity(receipt.cumulative_gas_used));
    put("logsBloom", hex(receipt.logs_bloom.0));
    put("logs", logs.collect());
    if let Some(deposit) = receipt.deposit {
        put("depositNonce", quantity(deposit.nonce));
        put("depositReceiptVersion", quantity(deposit.version));
    }
    if let Some(base_fee) = &receipt.fee_currency_base_fee {
        put("baseFee", wide_quantity(base_fee));
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of EIP-155: its text names key, fields and signature.
    #[test]
    fn a_known_transaction_reads_as_its_eip_says() {
        let raw = "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a7640000\
            8025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761a\
            ecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83";
        let raw = const_hex::decode(raw).unwrap();
        let hash = superroot_proof::hash::keccak256(&raw);
        let fields = envelope(&raw, &hash).unwrap();
        assert_eq!(envelope(&raw, &hash).as_ref(), Some(&fields), "out of memory it is the same");
        assert_eq!(fields["from"], "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
        assert_eq!(fields["to"], "0x3535353535353535353535353535353535353535");
        assert_eq!(fields["value"], "0xde0b6b3a7640000");
        assert_eq!(fields["nonce"], "0x9");
        assert_eq!(fields["gasPrice"], "0x4a817c800");
        assert_eq!(fields["chainId"], "0x1");
    }

    #[test]
    fn what_is_no_transaction_of_ethereum_has_no_fields() {
        for raw in [&b""[..], &[0x7e, 0xc0], &[0xc0], &[2, 0xc3, 1, 2, 3], &[0x80]] {
            assert_eq!(envelope(raw, &Hash::ZERO), None);
        }
    }
}
