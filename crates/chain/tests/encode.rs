//! The encoder against a second implementation over random fields, and what it refuses.

use alloy_consensus::transaction::Transaction;
use alloy_consensus::{Header, ReceiptEnvelope, TxEnvelope, TxReceipt, Typed2718};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{B64, B256, Bloom, Bytes, U256};
use alloy_rlp::Decodable;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use superroot_chain::ledger::evm::encode;
use superroot_chain::ledger::evm::raw::{
    RawBlock, RawEvmBlock, RawEvmTransaction, RawReceipt, RawTransactions, RawWithdrawal,
};
use superroot_chain::{BlockCheck, ChainError};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::Layout;
use superroot_proof::mpt::EMPTY_ROOT;
use superroot_types::Hash;

fn transaction_json(tx_type: u64) -> Value {
    let word = format!("0x{}", "11".repeat(32));
    let address = format!("0x{}", "22".repeat(20));
    let authorization = json!({
        "chainId": "0x1", "address": address, "nonce": "0x1", "yParity": "0x0", "r": "0x1", "s": "0x2",
    });
    json!({
        "hash": word, "type": tx_type, "chainId": "0x1", "nonce": "0x0", "gas": "0x5208",
        "gasPrice": "0x1", "maxFeePerGas": "0x3", "maxPriorityFeePerGas": "0x2",
        "maxFeePerBlobGas": "0x4", "to": address, "value": "0x0", "input": "0x",
        "accessList": [{ "address": address, "storageKeys": [word] }],
        "blobVersionedHashes": [word], "authorizationList": [authorization],
        "v": if tx_type == 0 { "0x25" } else { "0x1" }, "r": word, "s": "0x2",
    })
}

fn transaction(json: &Value) -> RawEvmTransaction {
    serde_json::from_str(&json.to_string()).unwrap()
}

fn with(tx_type: u64, key: &str, value: Value) -> RawEvmTransaction {
    let mut json = transaction_json(tx_type);
    json[key] = value;
    transaction(&json)
}

fn without(tx_type: u64, key: &str) -> RawEvmTransaction {
    let mut json = transaction_json(tx_type);
    json.as_object_mut().unwrap().remove(key).unwrap();
    transaction(&json)
}

fn receipt(json: &Value) -> RawReceipt {
    serde_json::from_str(&json.to_string()).unwrap()
}

fn receipt_json() -> Value {
    json!({ "cumulativeGasUsed": "0x5208", "logsBloom": Bloom::ZERO, "status": "0x1", "logs": [] })
}

/// A word with any number of leading zero bytes.
fn word() -> impl Strategy<Value = U256> {
    (any::<[u64; 4]>(), 0..=256_usize)
        .prop_map(|(limbs, shift)| U256::from_limbs(limbs).checked_shr(shift).unwrap_or_default())
}

fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(number, shift)| number >> shift)
}

proptest! {
    #[test]
    fn transactions_are_those_of_a_second_implementation(
        tx_type in 0..=4_u64, nonce in number(), gas in number(), prices in any::<[u64; 4]>(),
        value in word(), r in word(), s in word(), creates: bool, parity in 0..=1_u64,
        keys in vec(any::<[u8; 32]>(), 0..4), input in vec(any::<u8>(), 0..300),
        authority in (word(), number(), word(), word()), eip155: bool,
    ) {
        let keys: Vec<B256> = keys.into_iter().map(B256::from).collect();
        let address = alloy_primitives::Address::repeat_byte(0x33);
        let [price, max, tip, blob] = prices;
        let mut json = transaction_json(tx_type);
        let map = json.as_object_mut().unwrap();
        let v = match (tx_type, eip155) { (0, true) => 37 + parity, (0, false) => 27 + parity, _ => parity };
        let (chain_id, authority_nonce, authority_r, authority_s) = authority;
        for (key, value) in [
            ("nonce", json!(nonce)), ("gas", json!(gas)), ("value", json!(value)), ("r", json!(r)),
            ("s", json!(s)), ("v", json!(v)), ("gasPrice", json!(price)), ("maxFeePerGas", json!(max)),
            ("maxPriorityFeePerGas", json!(tip)), ("maxFeePerBlobGas", json!(blob)),
            ("blobVersionedHashes", json!(keys)), ("input", json!(Bytes::from(input.clone()))),
            ("accessList", json!([{ "address": address, "storageKeys": keys }, { "address": address }])),
            ("authorizationList", json!([{
                "chainId": chain_id, "address": address, "nonce": authority_nonce, "yParity": parity,
                "r": authority_r, "s": authority_s,
            }])),
        ] {
            map.insert(key.into(), value);
        }
        if creates && tx_type < 3 {
            map.insert("to".into(), Value::Null);
        }
        let leaf = encode::transaction(&transaction(&json)).unwrap();
        let theirs = TxEnvelope::decode_2718_exact(&leaf).unwrap();
        prop_assert_eq!(theirs.encoded_2718(), leaf);
        prop_assert_eq!(u64::from(theirs.ty()), tx_type);
        prop_assert_eq!((theirs.nonce(), theirs.gas_limit(), theirs.value()), (nonce, gas, value));
        prop_assert_eq!(theirs.input().as_ref(), input.as_slice());
        prop_assert_eq!(theirs.to().is_none(), creates && tx_type < 3);
        let (signature, theirs_max) = (theirs.signature(), theirs.max_fee_per_gas());
        prop_assert_eq!((signature.r(), signature.s(), u64::from(signature.v())), (r, s, parity));
        prop_assert_eq!(theirs_max, u128::from(if tx_type < 2 { price } else { max }));
        if tx_type > 0 {
            let list = theirs.access_list().unwrap();
            prop_assert_eq!((list.0.len(), &list.0[0].storage_keys), (2, &keys));
        }
        if tx_type == 3 {
            prop_assert_eq!(theirs.max_fee_per_blob_gas(), Some(u128::from(blob)));
            prop_assert_eq!(theirs.blob_versioned_hashes().unwrap(), keys.as_slice());
        }
        if tx_type == 4 {
            let authorization = &theirs.authorization_list().unwrap()[0];
            prop_assert_eq!((authorization.chain_id, authorization.nonce), (chain_id, authority_nonce));
            prop_assert_eq!((authorization.r(), authorization.s()), (authority_r, authority_s));
        }
    }

    #[test]
    fn receipts_are_those_of_a_second_implementation(
        tx_type in 0..=4_u64, status: bool, gas in number(), bloom in any::<[u8; 8]>(),
        logs in vec((any::<[u8; 20]>(), vec(any::<[u8; 32]>(), 0..=4), vec(any::<u8>(), 0..300)), 0..5),
    ) {
        let bloom = Bloom::from_slice(&bloom.repeat(32));
        let mut json = receipt_json();
        json["type"] = json!(tx_type);
        json["status"] = json!(u8::from(status));
        json["cumulativeGasUsed"] = json!(gas);
        json["logsBloom"] = json!(bloom);
        json["logs"] = logs.iter().map(|(address, topics, data)| json!({
            "address": alloy_primitives::Address::from(address),
            "topics": topics.iter().map(B256::from).collect::<Vec<_>>(),
            "data": Bytes::from(data.clone()),
        })).collect();
        let leaf = encode::receipt(&receipt(&json)).unwrap();
        let theirs: ReceiptEnvelope = ReceiptEnvelope::decode_2718_exact(&leaf).unwrap();
        prop_assert_eq!(theirs.encoded_2718(), leaf);
        prop_assert_eq!(u64::from(theirs.ty()), tx_type);
        prop_assert_eq!((theirs.status(), theirs.cumulative_gas_used()), (status, gas));
        prop_assert_eq!(theirs.bloom(), bloom);
        prop_assert_eq!(theirs.logs().len(), logs.len());
        for (theirs, (address, topics, data)) in theirs.logs().iter().zip(&logs) {
            prop_assert_eq!(theirs.address, alloy_primitives::Address::from(address));
            prop_assert!(theirs.topics().iter().map(|topic| topic.0).eq(topics.iter().copied()));
            prop_assert_eq!(theirs.data.data.as_ref(), data.as_slice());
        }
    }

    #[test]
    fn headers_are_those_of_a_second_implementation(
        appended in 0..=4_usize, numbers in [number(), number(), number(), number(), number(), number()],
        difficulty in word(), extra in vec(any::<u8>(), 0..100),
    ) {
        let mut block = block();
        let [number, gas_limit, gas_used, base_fee, blob_gas, excess] = numbers;
        (block.number, block.gas_limit, block.gas_used) = (number, Some(gas_limit), gas_used);
        (block.difficulty, block.extra_data) = (Some(difficulty), extra.into());
        block.base_fee_per_gas = (appended > 0).then_some(base_fee);
        block.withdrawals_root = (appended > 1).then_some(Hash([9; 32]));
        block.blob_gas_used = (appended > 2).then_some(blob_gas);
        block.excess_blob_gas = (appended > 2).then_some(excess);
        block.parent_beacon_block_root = (appended > 2).then_some(Hash([10; 32]));
        block.requests_hash = (appended > 3).then_some(Hash([11; 32]));
        let bytes = encode::header(&block, Layout::Ethereum).unwrap();
        let theirs = Header::decode(&mut bytes.as_slice()).unwrap();
        prop_assert_eq!(alloy_rlp::encode(&theirs), bytes.clone());
        prop_assert_eq!(theirs.hash_slow().0, keccak256(&bytes).0);
        prop_assert_eq!((theirs.number, theirs.gas_limit, theirs.gas_used), (number, gas_limit, gas_used));
        prop_assert_eq!((theirs.difficulty, theirs.base_fee_per_gas), (difficulty, block.base_fee_per_gas));
        prop_assert_eq!(theirs.excess_blob_gas, block.excess_blob_gas);
        prop_assert_eq!(theirs.requests_hash.map(|hash| hash.0), block.requests_hash.map(|hash| hash.0));
        let found = encode::header_of_hash(&block, Layout::Ethereum, &keccak256(&bytes)).unwrap();
        prop_assert_eq!(found, bytes);
    }

    #[test]
    fn arbitrary_json_never_panics(text in "[\\[\\]{}\":,0-9a-fx\\-.e ]{0,200}") {
        let _ = serde_json::from_str::<RawEvmBlock>(&text);
        let _ = serde_json::from_str::<RawTransactions>(&text);
        let _ = serde_json::from_str::<RawReceipt>(&text);
    }
}

fn block() -> RawBlock {
    RawBlock {
        parent_hash: Hash([1; 32]),
        sha3_uncles: Some(Hash([2; 32])),
        miner: superroot_types::Address([3; 20]),
        state_root: Hash([4; 32]),
        transactions_root: Hash([5; 32]),
        receipts_root: Hash([6; 32]),
        logs_bloom: Bloom::repeat_byte(7),
        difficulty: Some(U256::ZERO),
        gas_limit: Some(0),
        mix_hash: Some(Hash([8; 32])),
        nonce: Some(B64::repeat_byte(9)),
        ..RawBlock::default()
    }
}

#[test]
fn a_type_left_out_is_inferred_from_the_fields() {
    let fields = [
        ("accessList", 1),
        ("maxFeePerGas", 2),
        ("maxPriorityFeePerGas", 2),
        ("maxFeePerBlobGas", 3),
        ("blobVersionedHashes", 3),
        ("authorizationList", 4),
    ];
    for tx_type in 0..=4 {
        let mut json = transaction_json(tx_type);
        for (key, _) in fields.iter().filter(|(_, since)| *since > tx_type) {
            json[*key] = Value::Null;
        }
        let stated = encode::transaction(&transaction(&json)).unwrap();
        json["type"] = Value::Null;
        let raw = transaction(&json);
        assert_eq!(u64::from(encode::transaction_type(&raw).unwrap()), tx_type);
        assert_eq!(encode::transaction(&raw).unwrap(), stated);
    }
}

#[test]
fn a_field_its_type_needs_is_missed_by_name() {
    for (tx_type, key) in [
        (0, "gasPrice"),
        (0, "v"),
        (1, "chainId"),
        (1, "gasPrice"),
        (2, "maxFeePerGas"),
        (2, "maxPriorityFeePerGas"),
        (3, "maxFeePerBlobGas"),
        (3, "blobVersionedHashes"),
        (3, "to"),
        (4, "authorizationList"),
        (4, "to"),
    ] {
        let missing = ChainError::Missing { field: key.into() };
        assert_eq!(encode::transaction(&without(tx_type, key)), Err(missing), "type {tx_type}");
    }
    for tx_type in 1..=4 {
        let missing = ChainError::Missing { field: "yParity".into() };
        assert_eq!(encode::transaction(&without(tx_type, "v")), Err(missing));
    }
}

#[test]
fn values_out_of_range_are_refused() {
    let far = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    for (tx_type, key, value, field) in [
        (1, "v", json!(29), "v"),
        (1, "yParity", json!(27), "yParity"),
        (2, "v", json!(far), "v"),
        (
            4,
            "authorizationList",
            json!([{
                "chainId": 1, "address": format!("0x{}", "22".repeat(20)), "nonce": 1, "yParity": 256,
                "r": 1, "s": 1,
            }]),
            "authorizationList[0].yParity",
        ),
    ] {
        match encode::transaction(&with(tx_type, key, value)) {
            Err(ChainError::OutOfRange { field: got, .. }) => assert_eq!(got, field),
            other => panic!("{field}: {other:?}"),
        }
    }
    for stated in [json!(5), json!("0x7e"), json!(256), json!(u64::MAX)] {
        let error = encode::transaction(&with(0, "type", stated)).unwrap_err();
        assert_eq!(error.check(), BlockCheck::TxType, "{error}");
    }
}

#[test]
fn an_absurd_quantity_is_refused_while_reading() {
    let long = format!("0x1{}", "0".repeat(64));
    let hash = format!("0x{}", "1".repeat(63));
    for (key, value) in [
        ("nonce", "0x10000000000000000"),
        ("gas", "0x10000000000000000"),
        ("value", &long),
        ("r", &long),
        ("gasPrice", &long),
        ("hash", &hash),
        ("hash", "0x"),
        ("to", "0x01"),
        ("input", "0x0"),
        ("input", "0xzz"),
        ("nonce", ""),
        ("nonce", "0x"),
        ("nonce", "five"),
    ] {
        let mut json = transaction_json(2);
        json[key] = value.into();
        assert!(
            serde_json::from_str::<RawEvmTransaction>(&json.to_string()).is_err(),
            "{key} {value}"
        );
    }
}

#[test]
fn absent_and_empty_access_lists_are_the_same() {
    let empty = encode::transaction(&with(2, "accessList", json!([]))).unwrap();
    assert_eq!(encode::transaction(&with(2, "accessList", Value::Null)).unwrap(), empty);
    assert_eq!(encode::transaction(&without(2, "accessList")).unwrap(), empty);
}

#[test]
fn a_state_root_wins_over_a_status() {
    let mut json = receipt_json();
    json["root"] = json!(B256::repeat_byte(1));
    let both = encode::receipt(&receipt(&json)).unwrap();
    json["status"] = Value::Null;
    assert_eq!(encode::receipt(&receipt(&json)).unwrap(), both);
    json["root"] = json!("0x");
    let missing = ChainError::Missing { field: "status".into() };
    assert_eq!(encode::receipt(&receipt(&json)), Err(missing));
    json["status"] = json!(2);
    assert!(matches!(encode::receipt(&receipt(&json)), Err(ChainError::OutOfRange { .. })));
}

#[test]
fn a_log_has_at_most_four_topics() {
    let mut json = receipt_json();
    let log = |count| json!({ "address": alloy_primitives::Address::ZERO, "topics": vec![B256::ZERO; count], "data": "0x" });
    json["logs"] = json!([log(0), log(4)]);
    assert!(encode::receipt(&receipt(&json)).is_ok());
    json["logs"] = json!([log(0), log(5)]);
    let error = encode::receipt(&receipt(&json)).unwrap_err();
    assert_eq!(error.to_string(), "logs[1].topics is 5, expected at most 4");
}

#[test]
fn appended_header_fields_leave_no_hole() {
    let mut block = block();
    block.withdrawals_root = Some(EMPTY_ROOT);
    let error = encode::header(&block, Layout::Ethereum).unwrap_err();
    let expected = "a field that comes before it is missing";
    assert_eq!(error, ChainError::Unexpected { field: "withdrawalsRoot".into(), expected });
    block.base_fee_per_gas = Some(1);
    let whole = encode::header(&block, Layout::Ethereum).unwrap();
    block.withdrawals_root = None;
    let shorter = encode::header(&block, Layout::Ethereum).unwrap();
    assert_ne!(whole, shorter);
    let claimed = keccak256(&whole);
    assert_eq!(encode::header_of_hash(&block, Layout::Ethereum, &claimed), Ok(whole));
    let claimed = Hash::ZERO;
    let error = encode::header_of_hash(&block, Layout::Ethereum, &claimed).unwrap_err();
    let expected = keccak256(&shorter).to_string();
    let got = claimed.to_string();
    assert_eq!(error, ChainError::Mismatch { field: "hash".into(), got, expected });
}

#[test]
fn withdrawals_are_lists_of_four() {
    let address = superroot_types::Address([3; 20]);
    let raw = RawWithdrawal { index: 1, validator_index: 0, address, amount: 1_000 };
    let theirs = alloy_eips::eip4895::Withdrawal {
        index: 1,
        validator_index: 0,
        address: address.0.into(),
        amount: 1_000,
    };
    assert_eq!(encode::withdrawal(&raw), alloy_rlp::encode(theirs));
}

#[test]
fn a_list_of_transactions_is_full_or_hashes_or_absent() {
    let read = |json: Value| serde_json::from_str::<RawTransactions>(&json.to_string());
    let (hash, full) = (json!(B256::ZERO), transaction_json(2));
    assert_eq!(read(Value::Null).unwrap(), RawTransactions::Absent);
    assert_eq!(read(json!([])).unwrap().count(), Some(0));
    assert_eq!(read(json!([hash, hash])).unwrap(), RawTransactions::Hashes(vec![Hash::ZERO; 2]));
    assert_eq!(read(json!([full])).unwrap().count(), Some(1));
    for mixed in [json!([hash, full]), json!([full, hash]), json!([1]), json!({}), json!("0x")] {
        assert!(read(mixed.clone()).is_err(), "{mixed}");
    }
}
