//! No altered field of a recorded block of any chain is accepted: headers by chain and layout,
//! transactions and receipts by chain and type. The smallest blocks are altered; ten times as many
//! with `SUPERROOT_TEST_ALL=1`. Needs `SUPERROOT_DATA`.

use crate::real;

use std::collections::BTreeMap;

use real::{Recording, Seeded, alter, parse, pointers, recordings, samples};
use serde_json::Value;
use superroot_chain::ledger::evm::verify::verify;
use superroot_chain::{Encoding, Ledger, VerifiedBlock};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Header, RlpFields, leaf_type};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash};

/// Fields of a block that its hash does not cover: what a node derives, or repeats of the L1.
const BLOCK_UNBOUND: [&str; 11] = [
    "author",
    "calls",
    "epochSnarkData",
    "l1BlockNumber",
    "milliTimestamp",
    "randomness",
    "sendCount",
    "sendRoot",
    "size",
    "totalDifficulty",
    "uncles",
];

/// Fields of a transaction that are never hashed.
const TRANSACTION_UNBOUND: [&str; 25] = [
    "arbSubType",
    "arbType",
    "blockHash",
    "blockNumber",
    "blockTimestamp",
    "chainId",
    "condition",
    "creates",
    "depositReceiptVersion",
    "index",
    "indexInParent",
    "l1BlockNumber",
    "l1SequenceNumber",
    "l1Timestamp",
    "l1TxOrigin",
    "parentRequestId",
    "priorityFeePerGas",
    "publicKey",
    "queueOrigin",
    "raw",
    "rawTransaction",
    "standardV",
    "test",
    "transactionIndex",
    "type",
];

/// Fields of a receipt that are never hashed.
const RECEIPT_UNBOUND: [&str; 26] = [
    "blobGasPrice",
    "blobGasUsed",
    "blockHash",
    "blockNumber",
    "contractAddress",
    "daFootprintGasScalar",
    "effectiveGasPrice",
    "feeStats",
    "from",
    "gasUsed",
    "gasUsedForL1",
    "l1BaseFeeScalar",
    "l1BlobBaseFee",
    "l1BlobBaseFeeScalar",
    "l1BlockNumber",
    "l1Fee",
    "l1FeeInfo",
    "l1FeeScalar",
    "l1GasPrice",
    "l1GasUsed",
    "returnData",
    "timeboosted",
    "to",
    "transactionHash",
    "transactionIndex",
    "type",
];

/// Fields of a log that are never hashed.
const LOG_UNBOUND: [&str; 9] = [
    "blockHash",
    "blockNumber",
    "blockTimestamp",
    "logIndex",
    "removed",
    "transactionHash",
    "transactionIndex",
    "transactionLogIndex",
    "type",
];

/// A recording that is accepted, and what it is accepted as.
struct Good {
    recording: Recording,
    block: VerifiedBlock,
    encoding: Encoding,
}

/// Every recording that is accepted under its row, the smallest first.
fn good() -> Option<Vec<Good>> {
    let recordings =
        recordings(|_| true)?.into_iter().filter(|recording| recording.row().is_some());
    let good = recordings.filter_map(|recording| {
        let row = recording.row().unwrap();
        let block = verify(row, &recording.raw()).ok()?;
        let Ledger::Evm(params) = &row.ledger else { panic!("a row of the EVM family") };
        let encoding = params.encoding_at(BlockNumber(recording.number)).unwrap();
        Some(Good { recording, block, encoding })
    });
    let mut good: Vec<Good> = good.collect();
    good.sort_by_cached_key(|good| good.recording.json.to_string().len());
    Some(good)
}

impl Good {
    /// The layout of its header: the rule, and how many fields there are.
    fn layout(&self) -> (String, String) {
        let row = self.recording.row().unwrap();
        let rule = row.rule_at(self.block.number()).unwrap();
        let fields = RlpFields::of_list(self.block.header(), "header").unwrap();
        let count = fields.count("header").unwrap();
        (self.recording.network.clone(), format!("{rule:?} of {count} fields"))
    }
}

fn is_accepted(good: &Good, json: &Value) -> bool {
    parse(json).is_ok_and(|raw| verify(good.recording.row().unwrap(), &raw).is_ok())
}

/// How many of each kind were altered, and in how many fields.
type Tally = BTreeMap<(String, String), (usize, usize)>;

fn print(what: &str, tally: &Tally) {
    for ((network, kind), (entries, fields)) in tally {
        println!("{network} {kind}: {entries} {what}, {fields} altered fields refused");
    }
}

#[test]
fn every_bit_of_a_header_of_every_layout_is_in_its_hash() {
    let Some(good) = good() else { return };
    let mut done = BTreeMap::<(String, String), usize>::new();
    for good in &good {
        let key = good.layout();
        let count = done.entry(key).or_default();
        if *count >= samples(1) {
            continue;
        }
        *count += 1;
        let row = good.recording.row().unwrap();
        let Some(HashRule::Evm(layout)) = row.rule_at(good.block.number()) else {
            panic!("a rule of the family");
        };
        let mut header = good.block.header().to_vec();
        let read = Header::decode(layout, &header).unwrap();
        for bit in 0..header.len() * 8 {
            header[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(keccak256(&header), good.block.hash(), "{} bit {bit}", good.recording);
            assert_ne!(
                Header::decode(layout, &header).as_ref(),
                Ok(&read),
                "bit {bit} says nothing"
            );
            header[bit / 8] ^= 1 << (bit % 8);
        }
    }
    println!("every bit of headers of {} chains and layouts: {done:?}", done.len());
    assert!(done.len() >= 60);
}

/// Whether a field of a block stands in no hash of its rule.
fn is_block_unbound(good: &Good, field: &str) -> bool {
    let has = |name: &str| good.recording.json["block"].get(name).is_some();
    let is_aura = has("auraSeal") || has("step");
    let named = good.recording.json["block"]["extDataHash"].as_str();
    let names_nothing = named.is_some_and(|hash| hash.trim_matches(['0', 'x']).is_empty());
    BLOCK_UNBOUND.contains(&field)
        || (is_aura && matches!(field, "mixHash" | "nonce"))
        || (!is_aura && field == "sealFields")
        // before Apricot Phase 1 nothing named the atomic transactions
        || (field == "blockExtraData" && names_nothing)
        // the seal that is not hashed is a part of it
        || (good.encoding == Encoding::CeloL1 && field == "extraData")
}

#[test]
fn no_altered_header_field_of_any_chain_is_accepted() {
    let Some(good) = good() else { return };
    let (mut seeded, mut tally) = (Seeded(4), Tally::new());
    for good in &good {
        let key = good.layout();
        let (blocks, fields) = tally.entry(key).or_default();
        if *blocks >= samples(2) {
            continue;
        }
        *blocks += 1;
        let mut json = good.recording.json.clone();
        json["receipts"] = Value::Null;
        json["block"].as_object_mut().unwrap().remove("transactions");
        assert!(is_accepted(good, &json), "{}", good.recording);
        for pointer in pointers(&json["block"]) {
            let field = pointer.split('/').nth(1).unwrap();
            let mut altered = json.clone();
            let value = altered["block"].pointer_mut(&pointer).unwrap();
            // without one of its entries the list of seal fields repeats nothing
            let is_unbound = pointer == "/sealFields" || is_block_unbound(good, field);
            if is_unbound || !alter(value, &mut seeded) {
                continue;
            }
            assert!(!is_accepted(good, &altered), "{} {pointer}", good.recording);
            *fields += 1;
        }
    }
    print("headers", &tally);
    assert!(tally.len() >= 60);
    assert!(tally.values().all(|(blocks, fields)| *fields >= 10 * blocks));
}

/// Whether a field of a transaction stands in no leaf of its type.
fn is_transaction_unbound(good: &Good, entry: &Value, field: &str, tx_type: u8) -> bool {
    let has = |name: &str| entry.get(name).is_some_and(|value| !value.is_null());
    if TRANSACTION_UNBOUND.contains(&field) || field == "gasPrice" && has("maxFeePerGas") {
        return true;
    }
    if !good.encoding.is_unsigned(tx_type) {
        // `v` is read where there is no parity, or where that is not the one that is hashed
        return matches!(field, "from" | "sourceHash" | "isSystemTx" | "queueIndex" | "yParity")
            || (field == "v" && has("yParity"));
    }
    let is_signature = matches!(field, "v" | "r" | "s" | "yParity");
    match tx_type {
        0x7e if good.encoding == Encoding::Scroll => {
            is_signature
                || field == "gasPrice"
                || field == "nonce" && has("queueIndex")
                || field == "from" && has("sender")
        }
        0x7e => is_signature || matches!(field, "gasPrice" | "nonce"),
        0x64 => is_signature || matches!(field, "gas" | "gasPrice" | "nonce" | "input"),
        0x68 => is_signature,
        0x69 => is_signature || matches!(field, "nonce" | "to" | "value" | "input"),
        0x6a => {
            is_signature || matches!(field, "nonce" | "gas" | "gasPrice" | "from" | "to" | "value")
        }
        _ => is_signature,
    }
}

/// Whether a field of a receipt stands in no leaf of its type.
fn is_receipt_unbound(entry: &Value, pointer: &str) -> bool {
    let mut path = pointer.split('/').skip(1);
    let field = path.next().unwrap();
    let of_log = path.nth(1);
    let has_root = entry["root"].as_str().is_some_and(|root| root.len() == 66);
    let has_version = entry.get("depositReceiptVersion").is_some();
    RECEIPT_UNBOUND.contains(&field)
        || of_log.is_some_and(|field| LOG_UNBOUND.contains(&field))
        || (field == "status" && has_root)
        || (field == "depositNonce" && !has_version)
}

/// Alters every bound field of up to `count` entries of each chain and type.
fn refuse_altered(list: &str, count: usize) -> Option<Tally> {
    let good = good()?;
    let (mut seeded, mut tally) = (Seeded(5), Tally::new());
    let is_receipts = list == "/receipts";
    for good in &good {
        let block = &good.block;
        let leaves = if is_receipts { block.receipts() } else { block.transactions() };
        let Some(leaves) = leaves else { continue };
        let sent = good.recording.json.pointer(list).and_then(Value::as_array).unwrap();
        for (place, entry) in sent.iter().enumerate() {
            // nodes add entries of their own that are in no trie
            let name = if is_receipts { "transactionHash" } else { "hash" };
            let is_it = |hash: &Hash| entry[name].as_str() == Some(hash.to_string().as_str());
            let hashes = block.transaction_hashes();
            let tx_index = hashes.map_or(Some(place), |hashes| hashes.iter().position(is_it));
            let Some(leaf) = tx_index.and_then(|tx_index| leaves.get(tx_index)) else { continue };
            let tx_type = leaf_type(leaf);
            let key = (good.recording.network.clone(), format!("type {tx_type:#04x}"));
            let (entries, fields) = tally.entry(key).or_default();
            if *entries >= count {
                continue;
            }
            *entries += 1;
            for pointer in pointers(entry) {
                let field = pointer.split('/').nth(1).unwrap();
                let is_unbound = match is_receipts {
                    true => is_receipt_unbound(entry, &pointer),
                    false => is_transaction_unbound(good, entry, field, tx_type),
                };
                let mut altered = good.recording.json.clone();
                let value = altered.pointer_mut(&format!("{list}/{place}{pointer}")).unwrap();
                if is_unbound || !alter(value, &mut seeded) {
                    continue;
                }
                let where_ = format!("{} {list}/{place}{pointer}", good.recording);
                assert!(!is_accepted(good, &altered), "{where_} is not bound");
                *fields += 1;
            }
        }
    }
    Some(tally)
}

#[test]
fn no_altered_transaction_field_of_any_chain_is_accepted() {
    let Some(tally) = refuse_altered("/block/transactions", samples(2)) else { return };
    print("transactions", &tally);
    assert!(tally.len() >= 70, "{} chains and types", tally.len());
    assert!(tally.values().all(|(entries, fields)| *fields >= 2 * entries));
}

#[test]
fn no_altered_receipt_field_of_any_chain_is_accepted() {
    let Some(tally) = refuse_altered("/receipts", samples(2)) else { return };
    print("receipts", &tally);
    assert!(tally.len() >= 40, "{} chains and types", tally.len());
    assert!(tally.values().all(|(entries, fields)| *fields >= 3 * entries));
}
