//! Receipts: their leaves hash to the root, their blooms and gas add up to the header's. What they and their logs
//! repeat of block and transaction is bound by no hash, and not looked at: the bytes say it.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Bloom, Header, Receipt, RememberedBits, leaf_type};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;

use super::dropped::Kept;
use super::{Receipts, Transactions, agree, bits};
use crate::error::ChainError;
use crate::evm::Encoding;
use crate::evm::encode;
use crate::evm::raw::RawReceipt;

/// What the header says of the receipts.
pub(super) struct Sealed<'a> {
    receipts_root: Hash,
    logs_bloom: &'a Bloom,
    /// Gas that the receipts add up to. `None` from Amsterdam on: the header counts gas before refunds (EIP-7778)
    /// and the larger of two kinds of it (EIP-8037), a receipt what was paid.
    gas_used: Option<u64>,
}

impl<'a> Sealed<'a> {
    /// Of a header that hashes to the block's hash.
    pub(super) fn of(header: &'a Header) -> Self {
        let is_amsterdam = header.block_access_list_hash.is_some();
        Self {
            receipts_root: header.receipts_root,
            logs_bloom: &header.logs_bloom,
            gas_used: (!is_amsterdam).then_some(header.gas_used),
        }
    }
}

/// What the receipts before one add up to.
struct Sum {
    cumulative_gas_used: u64,
    bloom: Bloom,
    /// What the receipts repeat of each other.
    remembered: RememberedBits,
}

/// The receipts, in the order of their transactions: in that of the places they claim, or else in that of the
/// gas they add up to, which their bytes say.
pub(super) fn receipts(
    encoding: Encoding,
    sealed: &Sealed<'_>,
    transactions: Option<&Transactions>,
    kept: &Kept<'_>,
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

/// The receipts, if they are those of the header in this order.
fn in_order(
    encoding: Encoding,
    sealed: &Sealed<'_>,
    transactions: Option<&Transactions>,
    list: &[&RawReceipt],
) -> Result<Receipts, ChainError> {
    let mut sum =
        Sum { cumulative_gas_used: 0, bloom: Bloom::ZERO, remembered: RememberedBits::new() };
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
        let (got, expected) = (bits(sealed.logs_bloom), bits(&sum.bloom));
        return Err(ChainError::mismatch("logsBloom", got, expected));
    }
    let trie = OrderedTrie::build(&leaves);
    agree("receiptsRoot", Some(sealed.receipts_root), trie.root())?;
    Ok(Receipts { leaves, trie })
}

/// Adds a receipt to those before it: its bloom is that of its logs, and its gas is above theirs where the
/// header's gas is the sum.
fn add(
    encoding: Encoding,
    sealed: &Sealed<'_>,
    leaf: &[u8],
    sum: &mut Sum,
) -> Result<(), ChainError> {
    let receipt = Receipt::check(leaf, &mut sum.remembered).map_err(|source| match source {
        LedgerError::Bloom { .. } => ChainError::ledger("logsBloom", source),
        _ => ChainError::ledger("leaf", source),
    })?;
    let (got, before) = (receipt.cumulative_gas_used, sum.cumulative_gas_used);
    let is_above = got > before || (got == before && encoding.is_unsigned(receipt.tx_type));
    if sealed.gas_used.is_some() && !is_above {
        let expected = format!("more than {before}");
        return Err(ChainError::mismatch("cumulativeGasUsed", got, expected));
    }
    sum.cumulative_gas_used = got;
    sum.bloom.accrue(&receipt.logs_bloom);
    Ok(())
}
