//! Objects of Ethereum's JSON-RPC, made from proven bytes: quantities are hex without leading zeros.

use std::sync::LazyLock;

use alloy_consensus::{EthereumTxEnvelope, TxEip4844};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use quick_cache::sync::Cache;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use superroot_proof::bundle::{Facts, ProvenTransaction};
use superroot_proof::ledger::evm::{Header, Log, Outcome, Receipt, leaf_type};
use superroot_types::{Address, Hash};

use super::leaf;
use crate::proof::body::Form;
use crate::proof::hex::{HexOf, Quantity, WideQuantity, quantity};

/// A header, under the names nodes give its fields; a field that its fork had not brought, or that the chain does not
/// have, is not there.
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
        members.serialize_entry("number", &Quantity(header.number))?;
        members.serialize_entry("gasUsed", &Quantity(header.gas_used))?;
        members.serialize_entry("timestamp", &Quantity(header.timestamp))?;
        members.serialize_entry("extraData", &HexOf(&header.extra_data))?;
        if let Some(difficulty) = &header.difficulty {
            members.serialize_entry("difficulty", &WideQuantity(difficulty))?;
        }
        if let Some(nonce) = &header.nonce {
            members.serialize_entry("nonce", &HexOf(nonce))?;
        }
        if let Some(seal) = &header.aura_seal {
            members.serialize_entry("step", &Quantity(seal.step))?;
            members.serialize_entry("signature", &HexOf(&seal.signature))?;
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
            if let Some(value) = value {
                members.serialize_entry(name, &Quantity(value))?;
            }
        }
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
        members.end()
    }
}

/// The transaction, read from its leaf, with its sender recovered from the signature. Of a type
/// that this build does not read, the hash, the type and the place are all there is.
pub(super) fn transaction(proven: &ProvenTransaction, facts: &Facts) -> TransactionObject {
    let read = envelope(&proven.raw, &proven.hash);
    let (fields, from) = match read {
        Some((envelope, from)) => (Fields::Envelope(Box::new(envelope)), from),
        None => {
            let mut fields = leaf::fields(&proven.raw, facts.rule).unwrap_or_default();
            fields.insert("hash".to_owned(), json!(proven.hash));
            fields.insert("type".to_owned(), quantity(leaf_type(&proven.raw).into()));
            (Fields::Leaf(fields), None)
        }
    };
    let transaction_index = facts.statement.subject.tx_index();
    TransactionObject {
        fields,
        from,
        block_number: Quantity(facts.statement.number.0),
        transaction_index: transaction_index.map(|index| Quantity(index.into())),
        block_hash: facts.block_hash,
    }
}

/// A transaction with its place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransactionObject {
    #[serde(flatten)]
    fields: Fields,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Address>,
    block_number: Quantity,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_index: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hash>,
}

/// What its bytes say, with its hash and its type.
#[derive(Serialize)]
#[serde(untagged)]
enum Fields {
    /// Of Ethereum's types.
    Envelope(Box<EthereumTxEnvelope<TxEip4844>>),
    /// Of any other.
    Leaf(Map<String, Value>),
}

/// Senders that are remembered, at some 60 bytes each.
const SENDERS_MAX: usize = 1 << 14;

/// Senders by the hash of the transaction, which the signature goes into: to recover one takes longer than all else
/// about the answer.
static SENDERS: LazyLock<Cache<Hash, Address>> = LazyLock::new(|| Cache::new(SENDERS_MAX));

/// A transaction of Ethereum's types 0 to 4, and its sender where the signature has one; `None` for any other leaf.
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

/// An event that is proven. Its index is the place in the receipt; over the whole block it is what the service says.
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

/// The event, and what is said of it in that form of an answer.
pub(super) fn event(log: &Log, log_index: u32, form: Form) -> EventObject<'_> {
    let Log { address, topics, data } = log;
    let log_index_in_block = form.beside().map(|beside| beside.log_index_in_block);
    EventObject { address, topics, data: HexOf(data), log_index, log_index_in_block }
}

/// The receipt's own fields; nothing that a node derives from other transactions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReceiptObject<'a> {
    r#type: Quantity,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<Hash>,
    cumulative_gas_used: Quantity,
    logs_bloom: HexOf<'a>,
    logs: Vec<LogObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_nonce: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_receipt_version: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_fee: Option<WideQuantity<'a>>,
}

/// A log in the form of JSON-RPC, as clients read it; its index is the place in the receipt, where nodes count through
/// the block.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogObject<'a> {
    address: &'a Address,
    topics: &'a [Hash],
    data: HexOf<'a>,
    log_index: Quantity,
    removed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_hash: Option<Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_hash: Option<Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_index: Option<Quantity>,
    block_number: Quantity,
}

/// The receipt. The hash of a transaction that is not proven with it is what the service says.
pub(super) fn receipt<'a>(receipt: &'a Receipt, facts: &Facts, form: Form) -> ReceiptObject<'a> {
    let proven = facts.transaction.as_ref().map(|proven| proven.hash);
    let transaction_hash = proven.or_else(|| form.beside()?.transaction_hash);
    let tx_index = facts.statement.subject.tx_index();
    let logs = (0_u64..).zip(&receipt.logs).map(|(log_index, one)| LogObject {
        address: &one.address,
        topics: &one.topics,
        data: HexOf(&one.data),
        log_index: Quantity(log_index),
        removed: false,
        block_hash: facts.block_hash,
        transaction_hash,
        transaction_index: tx_index.map(|index| Quantity(index.into())),
        block_number: Quantity(facts.statement.number.0),
    });
    let (status, root) = match receipt.outcome {
        Outcome::Status(succeeded) => (Some(Quantity(succeeded.into())), None),
        Outcome::StateRoot(root) => (None, Some(root)),
    };
    ReceiptObject {
        r#type: Quantity(receipt.tx_type.into()),
        status,
        root,
        cumulative_gas_used: Quantity(receipt.cumulative_gas_used),
        logs_bloom: HexOf(&receipt.logs_bloom.0),
        logs: logs.collect(),
        deposit_nonce: receipt.deposit.map(|deposit| Quantity(deposit.nonce)),
        deposit_receipt_version: receipt.deposit.map(|deposit| Quantity(deposit.version)),
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
