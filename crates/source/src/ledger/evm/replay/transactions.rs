//! Single transactions and receipts in recorded blocks.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use superroot_types::Hash;

use super::block_hash as hash_of;
use crate::ledger::evm::capture::{receipts, transactions};
use crate::recorded::Capture;
use crate::replay::methods::{Methods, Outcome, RpcFault, exactly, json, unreadable};

/// Hash member in a transaction and in a receipt.
#[derive(Deserialize)]
struct TransactionName {
    #[serde(alias = "transactionHash")]
    hash: Hash,
}

fn named(entry: &RawValue) -> Option<Hash> {
    serde_json::from_str::<TransactionName>(entry.get()).ok().map(|named| named.hash)
}

/// `eth_getTransactionByHash`
pub(super) fn transaction(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let Some((hash, capture)) = found(methods, params)? else { return json(&()) };
    let entries = transactions(&capture).ok_or_else(unreadable)?;
    match entries.iter().find(|entry| named(entry) == Some(hash)) {
        Some(entry) => json(entry),
        None => Err(RpcFault::not_recorded("of this transaction the hash alone is recorded")),
    }
}

/// `eth_getTransactionReceipt`
pub(super) fn receipt(methods: &Methods<'_>, params: &[Value]) -> Outcome {
    let Some((hash, capture)) = found(methods, params)? else { return json(&()) };
    let Some(receipts) = receipts(&capture) else {
        return Err(RpcFault::not_recorded("the receipts of this block are not recorded"));
    };
    let entries: Vec<&RawValue> = serde_json::from_str(receipts.get()).map_err(|_| unreadable())?;
    json(&entries.iter().find(|entry| named(entry) == Some(hash)))
}

/// Hash and block of the requested transaction.
fn found(methods: &Methods<'_>, params: &[Value]) -> Result<Option<(Hash, Capture)>, RpcFault> {
    let [hash] = exactly(params)?;
    let hash = hash_of(hash).ok_or_else(|| RpcFault::params("params[0] is no hash"))?;
    let number = methods.number_of_transaction(&hash, hashes)?;
    Ok(methods.capture(number)?.map(|capture| (hash, capture)))
}

/// Transaction hashes of a block, from full or hash-only recordings.
fn hashes(capture: &Capture) -> Vec<Hash> {
    let entries = transactions(capture).unwrap_or_default();
    let hash = |entry: &&RawValue| named(entry).or_else(|| serde_json::from_str(entry.get()).ok());
    entries.iter().filter_map(hash).collect()
}
