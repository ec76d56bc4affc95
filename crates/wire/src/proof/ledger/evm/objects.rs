//! Ethereum JSON-RPC objects, from proven bytes: quantities are hex without leading zeros.

use std::sync::LazyLock;

use alloy_consensus::{EthereumTxEnvelope, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use quick_cache::sync::Cache;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Facts, ProvenTransaction};
use superroot_proof::ledger::evm::{Avalanche, Header, Log, Receipt, ReceiptStatus, leaf_type};
use superroot_types::{Address, Hash};

use super::leaf;
use crate::proof::body::ObjectForm;
use crate::proof::hex::{HexOf, HexQuantity, WideQuantity, quantity};

/// Header with the nodes' field names; fields absent from the fork or chain are omitted.
pub(in crate::proof) struct HeaderObject<'a> {
    pub(in crate::proof) header: &'a Header,
    pub(in crate::proof) block_hash: &'a Hash,
}

impl Serialize for HeaderObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { header, block_hash } = self;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("hash", block_hash)?;
        members.serialize_entry("parentHash", &header.parent_hash)?;
        members.serialize_entry("miner", &header.beneficiary)?;
        members.serialize_entry("stateRoot", &header.state_root)?;
        members.serialize_entry("transactionsRoot", &header.transactions_root)?;
        members.serialize_entry("receiptsRoot", &header.receipts_root)?;
        members.serialize_entry("logsBloom", &HexOf(&header.logs_bloom.0))?;
        members.serialize_entry("number", &HexQuantity(header.number))?;
        members.serialize_entry("gasUsed", &HexQuantity(header.gas_used))?;
        members.serialize_entry("timestamp", &HexQuantity(header.timestamp))?;
        members.serialize_entry("extraData", &HexOf(&header.extra_data))?;
        if let Some(difficulty) = &header.difficulty {
            members.serialize_entry("difficulty", &WideQuantity(difficulty))?;
        }
        if let Some(nonce) = &header.nonce {
            members.serialize_entry("nonce", &HexOf(nonce))?;
        }
        if let Some(seal) = &header.aura_seal {
            members.serialize_entry("step", &HexQuantity(seal.step))?;
            members.serialize_entry("signature", &HexOf(&seal.signature))?;
        }
        let more = header.avalanche.as_deref().cloned().unwrap_or_default();
        serialize_numbers(header, &more, &mut members)?;
        serialize_hashes(header, &more, &mut members)?;
        members.end()
    }
}

/// Numbers that some forks or chains have.
fn serialize_numbers<M: SerializeMap>(
    header: &Header,
    more: &Avalanche,
    members: &mut M,
) -> Result<(), M::Error> {
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
        if let Some(value) = value {
            members.serialize_entry(name, &HexQuantity(value))?;
        }
    }
    Ok(())
}

/// Hashes that some forks or chains have.
fn serialize_hashes<M: SerializeMap>(
    header: &Header,
    more: &Avalanche,
    members: &mut M,
) -> Result<(), M::Error> {
    for (name, value) in [
        ("sha3Uncles", &header.ommers_hash),
        ("mixHash", &header.mix_hash),
        ("withdrawalsRoot", &header.withdrawals_root),
        ("parentBeaconBlockRoot", &header.parent_beacon_block_root),
        ("requestsHash", &header.requests_hash),
        ("blockAccessListHash", &header.block_access_list_hash),
        ("extDataHash", &more.ext_data_hash),
    ] {
        if let Some(value) = value {
            members.serialize_entry(name, value)?;
        }
    }
    Ok(())
}

/// Renders the transaction from the leaf, with the sender recovered from the signature. For an unknown type, only hash,
/// type and position are rendered.
pub(super) fn transaction(proven: &ProvenTransaction, facts: &Facts) -> TransactionObject {
    let read = envelope(&proven.raw, &proven.hash);
    let (fields, from) = match read {
        Some((envelope, from)) => (ObjectFields::Envelope(Box::new(envelope)), from),
        None => {
            let mut fields = leaf::fields(&proven.raw, facts.rule).unwrap_or_default();
            fields.insert("hash".to_owned(), json!(proven.hash));
            fields.insert("type".to_owned(), quantity(leaf_type(&proven.raw).into()));
            (ObjectFields::Leaf(fields), None)
        }
    };
    let transaction_index = facts.statement.subject.tx_index();
    TransactionObject {
        fields,
        from,
        block_number: HexQuantity(facts.statement.number.0),
        transaction_index: transaction_index.map(|index| HexQuantity(index.into())),
        block_hash: facts.block_hash,
    }
}

/// Transaction with position.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransactionObject {
    #[serde(flatten)]
    fields: ObjectFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Address>,
    block_number: HexQuantity,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_index: Option<HexQuantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hash>,
}

/// Decoded transaction bytes, with hash and type.
#[derive(Serialize)]
#[serde(untagged)]
enum ObjectFields {
    Envelope(Box<EthereumTxEnvelope<TxEip4844>>),
    Leaf(Map<String, Value>),
}

/// Maximum cached senders, at some 60 bytes each.
const SENDERS_MAX: usize = 1 << 14;

/// Senders by transaction hash, which covers the signature: recovering a sender takes longer than the rest of the
/// answer.
static SENDERS: LazyLock<Cache<Hash, Address>> = LazyLock::new(|| Cache::new(SENDERS_MAX));

/// Decodes a transaction of Ethereum's types 0 to 4, with the sender if the signature yields one; `None` for any other
/// leaf.
fn envelope(raw: &[u8], hash: &Hash) -> Option<(EthereumTxEnvelope<TxEip4844>, Option<Address>)> {
    let envelope = EthereumTxEnvelope::<TxEip4844>::decode_2718_exact(raw).ok()?;
    if envelope.encoded_2718() != raw {
        return None;
    }
    let sender = SENDERS.get_or_insert_with(hash, || {
        // of any s: before Homestead a high one was valid
        let sender = envelope.signature().recover_address_from_prehash(&envelope.signature_hash());
        sender.map(|sender| Address(sender.into_array()))
    });
    Some((envelope, sender.ok()))
}

/// Proven event. The index is the position in the receipt; the position in the whole block is unproven.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventObject<'a> {
    address: &'a Address,
    topics: &'a [Hash],
    data: HexOf<'a>,
    log_index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_index_in_block: Option<Option<u64>>,
}

/// Renders the event, with unproven members if the form is an answer.
pub(super) fn event(log: &Log, log_index: u32, form: ObjectForm) -> EventObject<'_> {
    let Log { address, topics, data } = log;
    let log_index_in_block = form.beside().map(|beside| beside.log_index_in_block);
    EventObject { address, topics, data: HexOf(data), log_index, log_index_in_block }
}

/// Receipt with intrinsic fields only, without fields that nodes derive from other transactions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReceiptObject<'a> {
    r#type: HexQuantity,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<HexQuantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<Hash>,
    cumulative_gas_used: HexQuantity,
    logs_bloom: HexOf<'a>,
    logs: Vec<LogObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_nonce: Option<HexQuantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_receipt_version: Option<HexQuantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_fee: Option<WideQuantity<'a>>,
}

/// JSON-RPC log for clients; the index is the position in the receipt, unlike the block-wide index of nodes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogObject<'a> {
    address: &'a Address,
    topics: &'a [Hash],
    data: HexOf<'a>,
    log_index: HexQuantity,
    removed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_hash: Option<Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_index: Option<HexQuantity>,
    block_number: HexQuantity,
}

/// Renders the receipt. Without a transaction proof, the transaction hash is unproven.
pub(super) fn receipt<'a>(
    receipt: &'a Receipt,
    facts: &Facts,
    form: ObjectForm,
) -> ReceiptObject<'a> {
    let proven = facts.transaction.as_ref().map(|proven| proven.hash);
    let transaction_hash = proven.or_else(|| form.beside()?.transaction_hash);
    let tx_index = facts.statement.subject.tx_index();
    let logs = (0_u64..).zip(&receipt.logs).map(|(log_index, one)| LogObject {
        address: &one.address,
        topics: &one.topics,
        data: HexOf(&one.data),
        log_index: HexQuantity(log_index),
        removed: false,
        block_hash: facts.block_hash,
        transaction_hash,
        transaction_index: tx_index.map(|index| HexQuantity(index.into())),
        block_number: HexQuantity(facts.statement.number.0),
    });
    let (status, root) = match receipt.outcome {
        ReceiptStatus::Status(succeeded) => (Some(HexQuantity(succeeded.into())), None),
        ReceiptStatus::StateRoot(root) => (None, Some(root)),
    };
    ReceiptObject {
        r#type: HexQuantity(receipt.tx_type.into()),
        status,
        root,
        cumulative_gas_used: HexQuantity(receipt.cumulative_gas_used),
        logs_bloom: HexOf(&receipt.logs_bloom.0),
        logs: logs.collect(),
        deposit_nonce: receipt.deposit.map(|deposit| HexQuantity(deposit.nonce)),
        deposit_receipt_version: receipt.deposit.map(|deposit| HexQuantity(deposit.version)),
        base_fee: receipt.fee_currency_base_fee.as_ref().map(WideQuantity),
    }
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
        let (read, sender) = envelope(&raw, &hash).unwrap();
        assert_eq!(envelope(&raw, &hash).unwrap().1, sender, "out of memory it is the same");
        assert_eq!(sender.unwrap().to_string(), "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f");
        let fields = json!(read);
        assert_eq!((&fields["hash"], &fields["type"]), (&json!(hash), &json!("0x0")));
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
