//! Receipts: leaves hash to the root; blooms and gas add up to the header values. Repeated block and transaction values
//! are not bound by a hash and not checked: the bytes state them.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Bloom, Header, Receipt, RememberedBits, leaf_type};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;

use super::dropped::TrieEntries;
use super::{Receipts, Transactions, agree, bits};
use crate::error::ChainError;
use crate::ledger::evm::Encoding;
use crate::ledger::evm::encode;
use crate::ledger::evm::raw::RawReceipt;

pub(super) struct HeaderSums<'a> {
    receipts_root: Hash,
    logs_bloom: &'a Bloom,
    /// Total gas of the receipts. `None` from Amsterdam on: the header counts gas before refunds (EIP-7778) and the
    /// larger of two kinds of gas (EIP-8037), a receipt the gas paid.
    gas_used: Option<u64>,
}

impl<'a> HeaderSums<'a> {
    pub(super) fn of(header: &'a Header) -> Self {
        let is_amsterdam = header.block_access_list_hash.is_some();
        Self {
            receipts_root: header.receipts_root,
            logs_bloom: &header.logs_bloom,
            gas_used: (!is_amsterdam).then_some(header.gas_used),
        }
    }
}

struct ReceiptSums {
    cumulative_gas_used: u64,
    bloom: Bloom,
    /// Values repeated between receipts.
    remembered: RememberedBits,
}

/// Receipts in transaction order: by claimed index, otherwise by cumulative gas, which is part of the bytes.
pub(super) fn receipts(
    encoding: Encoding,
    sealed: &HeaderSums<'_>,
    transactions: Option<&Transactions>,
    kept: &TrieEntries<'_>,
) -> Result<Receipts, ChainError> {
    let mut list = kept.receipts.clone().unwrap_or_default();
    let places = kept.places.as_ref().map(Vec::len);
    if let Some(expected) = places.filter(|expected| *expected != list.len()) {
        return Err(ChainError::mismatch("receipts", list.len(), expected));
    }
    let as_claimed = in_order(encoding, sealed, transactions, &list);
    let is_sorted = list.is_sorted_by_key(|receipt| receipt.cumulative_gas_used);
    if as_claimed.is_ok() || is_sorted {
        return as_claimed;
    }
    list.sort_by_key(|receipt| receipt.cumulative_gas_used);
    in_order(encoding, sealed, transactions, &list).or(as_claimed)
}

fn in_order(
    encoding: Encoding,
    sealed: &HeaderSums<'_>,
    transactions: Option<&Transactions>,
    list: &[&RawReceipt],
) -> Result<Receipts, ChainError> {
    let mut sum = ReceiptSums {
        cumulative_gas_used: 0,
        bloom: Bloom::ZERO,
        remembered: RememberedBits::new(),
    };
    let mut leaves: Vec<Vec<u8>> = Vec::with_capacity(list.len());
    for (tx_index, receipt) in list.iter().enumerate() {
        let of_transaction = transactions.and_then(|all| all.leaves.get(tx_index));
        let leaf = match of_transaction.map(|leaf| leaf_type(leaf)) {
            Some(tx_type) => encode::receipt_of_type(encoding, receipt, tx_type),
            None => encode::receipt_of(encoding, receipt),
        };
        let leaf = leaf.and_then(|leaf| add(encoding, sealed, &leaf, &mut sum).map(|()| leaf));
        leaves.push(leaf.map_err(|error| error.within(format_args!("receipts[{tx_index}]")))?);
    }
    if let Some(gas_used) = sealed.gas_used {
        agree("gasUsed", Some(gas_used), sum.cumulative_gas_used)?;
    }
    if *sealed.logs_bloom != sum.bloom {
        let got = bits(sealed.logs_bloom);
        let expected = bits(&sum.bloom);
        return Err(ChainError::mismatch("logsBloom", got, expected));
    }
    let trie = OrderedTrie::build(&leaves);
    agree("receiptsRoot", Some(sealed.receipts_root), trie.root())?;
    Ok(Receipts { leaves, trie })
}

/// Adds a receipt: the bloom must match the logs, and cumulative gas must rise if the header gas is the sum.
fn add(
    encoding: Encoding,
    sealed: &HeaderSums<'_>,
    leaf: &[u8],
    sum: &mut ReceiptSums,
) -> Result<(), ChainError> {
    let receipt = Receipt::check(leaf, &mut sum.remembered).map_err(|source| match source {
        LedgerError::Bloom { .. } => ChainError::ledger("logsBloom", source),
        _ => ChainError::ledger("leaf", source),
    })?;
    let got = receipt.cumulative_gas_used;
    let before = sum.cumulative_gas_used;
    let is_above = got > before || (got == before && encoding.is_unsigned(receipt.tx_type));
    if sealed.gas_used.is_some() && !is_above {
        let expected = format!("more than {before}");
        return Err(ChainError::mismatch("cumulativeGasUsed", got, expected));
    }
    sum.cumulative_gas_used = got;
    sum.bloom.accrue(&receipt.logs_bloom);
    Ok(())
}
