//! Of every recorded block of Ethereum a second implementation says the same, and what no hash covers
//! changes nothing. Needs `SUPERROOT_DATA`.

use crate::real;

use alloy_consensus::{ReceiptEnvelope, TxEnvelope};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_rlp::Decodable;
use real::{Recording, Seeded, alter, ethereum, parse};
use serde_json::Value;
use superroot_chain::ledger::evm::raw::RawEvmBlock;
use superroot_chain::{ChainError, ChainRegistry, UntrustedBlock, VerifiedBlock, verify};
use superroot_proof::hash::keccak256;

/// Fields of a block that no hash of Ethereum covers. Of `uncles` only
/// hashes are sent, while `sha3Uncles` is the hash of their headers.
const BLOCK_UNBOUND: [&str; 6] =
    ["author", "calls", "sealFields", "size", "totalDifficulty", "uncles"];
/// The same of a transaction. `gasPrice` is bound in types 0 and 1.
const TRANSACTION_UNBOUND: [&str; 13] = [
    "blockHash",
    "blockNumber",
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
    "transactionIndex",
];
/// The same of a receipt.
const RECEIPT_UNBOUND: [&str; 11] = [
    "blobGasPrice",
    "blobGasUsed",
    "blockHash",
    "blockNumber",
    "contractAddress",
    "depositNonce",
    "effectiveGasPrice",
    "from",
    "gasUsed",
    "to",
    "transactionIndex",
];
/// The same of a log; `type` and `transactionLogIndex` are an old node's own.
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

fn check(raw: RawEvmBlock) -> Result<VerifiedBlock, ChainError> {
    let row = ChainRegistry::builtin().find("ethereum").unwrap();
    verify(row, &UntrustedBlock::Evm(Box::new(raw)))
}

fn verified(recording: &Recording) -> Option<VerifiedBlock> {
    (recording.is_ok("header") && !recording.is_simulated()).then(|| {
        check(recording.raw()).unwrap_or_else(|error| panic!("{}: {error}", recording.number))
    })
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
fn unbound_fields_change_nothing() {
    let Some(recordings) = ethereum() else { return };
    let (mut seeded, mut fields) = (Seeded(3), 0);
    for recording in &recordings {
        let Some(block) = verified(recording) else { continue };
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
