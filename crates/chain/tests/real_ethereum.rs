//! Every recorded block of Ethereum is accepted to exactly the extent that was recorded, a second
//! implementation agrees, and no altered field is accepted. Needs `SUPERROOT_DATA`.
#![allow(missing_docs)]

#[allow(dead_code, reason = "each test uses a part")]
mod real;

use std::collections::BTreeMap;

use alloy_consensus::{ReceiptEnvelope, TxEnvelope};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_rlp::Decodable;
use real::{Recording, Seeded, alter, ethereum, parse, pointers, samples};
use serde_json::Value;
use superroot_chain::evm::raw::RawEvmBlock;
use superroot_chain::evm::verify::verify_trees;
use superroot_chain::{
    ChainError, ChainRow, Extent, Registry, UntrustedBlock, VerifiedBlock, verify,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::leaf_type;

/// Fields of a block that no hash of Ethereum covers and no other field repeats. Of `uncles` only
/// hashes are sent, while `sha3Uncles` is the hash of their headers.
const BLOCK_UNBOUND: [&str; 6] =
    ["author", "calls", "sealFields", "size", "totalDifficulty", "uncles"];
/// The same of a transaction. `gasPrice` is bound in types 0 and 1.
const TRANSACTION_UNBOUND: [&str; 10] = [
    "blockTimestamp",
    "condition",
    "creates",
    "from",
    "isSystemTx",
    "priorityFeePerGas",
    "publicKey",
    "raw",
    "sourceHash",
    "standardV",
];
/// The same of a receipt.
const RECEIPT_UNBOUND: [&str; 7] = [
    "blobGasPrice",
    "blobGasUsed",
    "contractAddress",
    "depositNonce",
    "effectiveGasPrice",
    "from",
    "to",
];
/// The same of a log; `type` and `transactionLogIndex` are an old node's own.
const LOG_UNBOUND: [&str; 3] = ["blockTimestamp", "transactionLogIndex", "type"];

fn row() -> &'static ChainRow {
    Registry::builtin().find("ethereum").unwrap()
}

fn check(raw: RawEvmBlock) -> Result<VerifiedBlock, ChainError> {
    verify(row(), &UntrustedBlock::Evm(Box::new(raw)))
}

fn is_accepted(json: &Value) -> bool {
    parse(json).is_ok_and(|raw| check(raw).is_ok())
}

fn verified(recording: &Recording) -> Option<VerifiedBlock> {
    recording.is_ok("header").then(|| {
        check(recording.raw()).unwrap_or_else(|error| panic!("{}: {error}", recording.number))
    })
}

#[test]
fn recorded_blocks_are_accepted_to_exactly_their_extent() {
    let Some(recordings) = ethereum() else { return };
    let mut counts = BTreeMap::<String, usize>::new();
    for recording in &recordings {
        let raw = recording.raw();
        if !recording.is_ok("header") {
            let missing = ChainError::Missing { field: "hash".into() };
            assert_eq!(check(raw.clone()), Err(missing), "{}", recording.number);
            let extent = verify_trees(row(), &raw).unwrap();
            assert_eq!(extent.transactions, recording.is_ok("txs"));
            *counts.entry("refused, trees only".into()).or_default() += 1;
            continue;
        }
        let block = verified(recording).unwrap();
        let (transactions, receipts) = (recording.is_ok("txs"), recording.is_ok("receipts"));
        assert_eq!(block.extent(), Extent { transactions, receipts }, "{}", recording.number);
        assert_eq!(block.number().0, recording.number);
        assert_eq!(block.chain(), row().key());
        assert_eq!(keccak256(block.header()), block.hash());
        assert_eq!(Some(block.hash()), raw.block.hash);
        assert_eq!(block.parent_hash(), raw.block.parent_hash);
        assert_eq!(block.timestamp().0, raw.block.timestamp);
        *counts.entry(block.extent().to_string()).or_default() += 1;
    }
    println!("{} recorded blocks: {counts:?}", recordings.len());
    assert_eq!(counts.values().sum::<usize>(), recordings.len());
    assert_eq!(counts["refused, trees only"], 1);
    assert!(counts["header+transactions+receipts"] >= 56);
}

#[test]
fn a_second_implementation_agrees() {
    let Some(recordings) = ethereum() else { return };
    let (mut transactions, mut receipts) = (0, 0);
    let raw_bytes = |leaf: &Vec<u8>, out: &mut Vec<u8>| out.extend_from_slice(leaf);
    for block in recordings.iter().filter_map(verified) {
        let header = alloy_consensus::Header::decode(&mut block.header()).unwrap();
        assert_eq!(header.hash_slow().0, block.hash().0);
        for leaf in block.transactions().unwrap_or_default() {
            let envelope = TxEnvelope::decode_2718_exact(leaf).unwrap();
            assert_eq!(envelope.encoded_2718(), *leaf);
            transactions += 1;
        }
        for leaf in block.receipts().unwrap_or_default() {
            let envelope: ReceiptEnvelope = ReceiptEnvelope::decode_2718_exact(leaf).unwrap();
            assert_eq!(envelope.encoded_2718(), *leaf);
            receipts += 1;
        }
        for (leaves, root) in [
            (block.transactions(), header.transactions_root),
            (block.receipts(), header.receipts_root),
        ] {
            let Some(leaves) = leaves else { continue };
            let computed = alloy_trie::root::ordered_trie_root_with_encoder(leaves, raw_bytes);
            assert_eq!(computed, root, "{}", block.number());
        }
        let hashes = block.transaction_hashes().unwrap_or_default();
        let leaves = block.transactions().unwrap_or_default();
        assert!(hashes.iter().copied().eq(leaves.iter().map(|leaf| keccak256(leaf))));
    }
    println!("second computation: {transactions} transactions, {receipts} receipts");
    assert!(transactions > 10_000 && receipts > 8_000);
}

#[test]
fn json_of_a_block_leads_back_to_it() {
    let Some(recordings) = ethereum() else { return };
    for recording in &recordings {
        let raw = recording.raw();
        let again: RawEvmBlock =
            serde_json::from_str(&serde_json::to_string(&raw).unwrap()).unwrap();
        assert!(again == raw, "{}", recording.number);
    }
}

#[test]
fn every_bit_of_every_header_is_in_its_hash() {
    let Some(recordings) = ethereum() else { return };
    let mut bits = 0;
    for block in recordings.iter().filter_map(verified) {
        let mut header = block.header().to_vec();
        for bit in 0..header.len() * 8 {
            header[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(keccak256(&header), block.hash(), "{} bit {bit}", block.number());
            header[bit / 8] ^= 1 << (bit % 8);
            bits += 1;
        }
    }
    println!("{bits} header bits flipped");
    assert!(bits > 500_000);
}

/// The block without what hangs in its trees, so that a header alone decides.
fn header_only(recording: &Recording) -> Value {
    let mut json = recording.json.clone();
    json["receipts"] = Value::Null;
    json["block"].as_object_mut().unwrap().remove("transactions");
    json
}

#[test]
fn no_altered_header_field_is_accepted() {
    let Some(recordings) = ethereum() else { return };
    let (mut seeded, mut fields) = (Seeded(1), 0);
    for recording in recordings.iter().filter(|recording| recording.is_ok("header")) {
        let json = header_only(recording);
        assert!(is_accepted(&json));
        for pointer in pointers(&json["block"]) {
            let field = pointer.split('/').nth(1).unwrap();
            let mut altered = json.clone();
            let value = altered["block"].pointer_mut(&pointer).unwrap();
            if BLOCK_UNBOUND.contains(&field) || !alter(value, &mut seeded) {
                continue;
            }
            assert!(!is_accepted(&altered), "{} {pointer}", recording.number);
            fields += 1;
        }
    }
    println!("{fields} altered header fields refused");
    assert!(fields > 136 * 16);
}

/// Alters every bound field of `count` entries of each type, and expects each to be refused.
fn refuse_altered(
    list: &str,
    count: usize,
    is_unbound: impl Fn(&str, u8) -> bool,
) -> BTreeMap<u8, (usize, usize)> {
    let recordings = ethereum().expect("asked for by the caller");
    let mut seeded = Seeded(2);
    let mut done = BTreeMap::<u8, (usize, usize)>::new();
    for recording in recordings.iter().filter(|recording| recording.is_ok("header")) {
        let block = verified(recording).unwrap();
        let leaves = if list == "/receipts" { block.receipts() } else { block.transactions() };
        let mut of_this_block = BTreeMap::<u8, usize>::new();
        for (tx_index, leaf) in leaves.unwrap_or_default().iter().enumerate() {
            let tx_type = leaf_type(leaf);
            let (entries, fields) = done.entry(tx_type).or_default();
            let here = of_this_block.entry(tx_type).or_default();
            // spread over blocks, but for types that are rare
            if *entries >= count || (*here >= count.div_ceil(2)) {
                continue;
            }
            (*entries, *here) = (*entries + 1, *here + 1);
            let entry = format!("{list}/{tx_index}");
            for pointer in pointers(recording.json.pointer(&entry).unwrap()) {
                if is_unbound(&pointer, tx_type) {
                    continue;
                }
                let mut altered = recording.json.clone();
                let value = altered.pointer_mut(&format!("{entry}{pointer}")).unwrap();
                if alter(value, &mut seeded) {
                    let place = format!("{} {entry}{pointer}", recording.number);
                    assert!(!is_accepted(&altered), "{place} is not bound");
                    *fields += 1;
                }
            }
        }
    }
    done
}

#[test]
fn no_altered_transaction_field_is_accepted() {
    if ethereum().is_none() {
        return;
    }
    let done = refuse_altered("/block/transactions", samples(4), |pointer, tx_type| {
        let field = pointer.split('/').nth(1).unwrap();
        TRANSACTION_UNBOUND.contains(&field) || (field == "gasPrice" && tx_type >= 2)
    });
    println!("altered transactions by type, entries and fields: {done:?}");
    assert_eq!(done.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(done.values().all(|(entries, fields)| *entries >= 2 && *fields >= 12 * entries));
}

#[test]
fn no_altered_receipt_field_is_accepted() {
    if ethereum().is_none() {
        return;
    }
    let done = refuse_altered("/receipts", samples(4), |pointer, _| {
        let mut path = pointer.split('/').skip(1);
        let field = path.next().unwrap();
        let of_log = path.nth(1);
        RECEIPT_UNBOUND.contains(&field) || of_log.is_some_and(|field| LOG_UNBOUND.contains(&field))
    });
    println!("altered receipts by type, entries and fields: {done:?}");
    assert_eq!(done.keys().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(done.values().all(|(entries, fields)| *entries >= 2 && *fields >= 7 * entries));
}

#[test]
fn unbound_fields_change_nothing() {
    let Some(recordings) = ethereum() else { return };
    let (mut seeded, mut fields) = (Seeded(3), 0);
    for recording in recordings.iter().filter(|recording| recording.is_ok("header")) {
        let block = verified(recording).unwrap();
        let mut json = recording.json.clone();
        let lists = [
            ("/block", &BLOCK_UNBOUND[..]),
            ("/block/transactions/0", &TRANSACTION_UNBOUND),
            ("/receipts/0", &RECEIPT_UNBOUND),
            ("/receipts/0/logs/0", &LOG_UNBOUND),
        ];
        for (place, unbound) in lists {
            let Some(Value::Object(map)) = json.pointer_mut(place) else { continue };
            for field in unbound {
                let Some(value) = map.get_mut(*field) else { continue };
                if *field == "type" {
                    *value = Value::from("of another node");
                } else if !alter(value, &mut seeded) {
                    continue;
                }
                fields += 1;
            }
        }
        assert_eq!(check(parse(&json).unwrap()), Ok(block), "{}", recording.number);
    }
    println!("{fields} unbound fields altered without effect");
    assert!(fields > 400);
}

#[test]
fn lists_in_another_order_or_length() {
    let Some(recordings) = ethereum() else { return };
    let mut reversed = 0;
    for recording in recordings.iter().filter(|recording| recording.is_ok("receipts")) {
        let block = verified(recording).unwrap();
        let mut raw = recording.raw();
        let Some(receipts) = raw.receipts.as_mut() else { continue };
        if receipts.len() < 2 {
            continue;
        }
        if receipts.iter().all(|receipt| receipt.transaction_index.is_some()) {
            receipts.reverse();
            assert_eq!(check(raw.clone()), Ok(block), "receipts may come in any order");
            reversed += 1;
        }
        let short = raw.receipts.as_mut().unwrap().pop();
        assert!(short.is_some() && check(raw).is_err(), "a receipt is missing");
    }
    println!("{reversed} blocks with receipts in reverse order");
    assert!(reversed > 30);
}
