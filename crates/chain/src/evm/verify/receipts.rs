//! Receipts: their leaves hash to the root, their blooms and gas add up to the header's, and what
//! they repeat of block and transaction agrees.

use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Bloom, Header, Receipt, RememberedBits, leaf_type};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;

use super::dropped::{Kept, Sent};
use super::{Receipts, Transactions, agree, bits};
use crate::error::ChainError;
use crate::evm::Encoding;
use crate::evm::encode;
use crate::evm::raw::{RawLog, RawReceipt};

/// What the header says of the receipts.
pub(super) struct Sealed {
    block_hash: Hash,
    block_number: u64,
    receipts_root: Hash,
    logs_bloom: Bloom,
    gas_used: u64,
}

impl Sealed {
    /// Of a header that hashes to the block's hash.
    pub(super) fn of(header: &Header, block_hash: Hash) -> Self {
        Self {
            block_hash,
            block_number: header.number,
            receipts_root: header.receipts_root,
            logs_bloom: header.logs_bloom.clone(),
            gas_used: header.gas_used,
        }
    }
}

/// What the receipts before one add up to.
struct Sum {
    cumulative_gas_used: u64,
    /// Logs of every receipt as sent.
    logs_sent: u64,
    /// Logs of the receipts in the trie.
    logs_kept: u64,
    bloom: Bloom,
    /// What the receipts repeat of each other.
    remembered: RememberedBits,
}

/// What a receipt and its logs must repeat of the block and the transaction.
struct Claims<'a> {
    sealed: &'a Sealed,
    /// Place of the transaction, as sent.
    place: u64,
    /// Known when the node gave transactions or their hashes.
    tx_hash: Option<Hash>,
    /// Known when the node gave the transaction.
    tx_type: Option<u8>,
}

/// The receipts, in the order of their transactions.
pub(super) fn receipts(
    encoding: Encoding,
    sealed: &Sealed,
    transactions: Option<&Transactions>,
    kept: &Kept<'_>,
) -> Result<Receipts, ChainError> {
    let list: &[Sent<'_>] = kept.receipts.as_deref().unwrap_or_default();
    let count = list.iter().filter(|sent| !sent.dropped).count();
    let places = kept.places.as_deref();
    if let Some(expected) = places.map(<[usize]>::len).filter(|expected| *expected != count) {
        return Err(ChainError::mismatch("receipts", count, expected));
    }
    let mut sum = Sum {
        cumulative_gas_used: 0,
        logs_sent: 0,
        logs_kept: 0,
        bloom: Bloom::ZERO,
        remembered: RememberedBits::new(),
    };
    let mut leaves: Vec<Vec<u8>> = Vec::with_capacity(count);
    for (as_sent, sent) in list.iter().enumerate() {
        if sent.dropped {
            sum.logs_sent = sum.logs_sent.saturating_add(sent.receipt.logs.len() as u64);
            continue;
        }
        let tx_index = leaves.len();
        let place = places.map_or(Some(as_sent), |places| places.get(tx_index).copied());
        let claims = Claims {
            sealed,
            place: place.unwrap_or(as_sent) as u64,
            tx_hash: kept.hashes.get(tx_index).copied(),
            tx_type: transactions
                .and_then(|all| all.leaves.get(tx_index))
                .map(|leaf| leaf_type(leaf)),
        };
        let leaf = receipt_leaf(encoding, &claims, sent, &mut sum)
            .map_err(|error| error.within(format_args!("receipts[{}]", claims.place)))?;
        leaves.push(leaf);
    }
    agree("gasUsed", Some(sealed.gas_used), sum.cumulative_gas_used)?;
    if sealed.logs_bloom != sum.bloom {
        let (got, expected) = (bits(&sealed.logs_bloom), bits(&sum.bloom));
        return Err(ChainError::mismatch("logsBloom", got, expected));
    }
    let trie = OrderedTrie::build(&leaves);
    agree("receiptsRoot", Some(sealed.receipts_root), trie.root())?;
    Ok(Receipts { leaves, trie })
}

fn receipt_leaf(
    encoding: Encoding,
    claims: &Claims<'_>,
    sent: &Sent<'_>,
    sum: &mut Sum,
) -> Result<Vec<u8>, ChainError> {
    let raw = sent.receipt;
    agree("transactionIndex", Some(sent.claimed_index), claims.place)?;
    agree("blockHash", raw.block_hash, claims.sealed.block_hash)?;
    agree("blockNumber", raw.block_number, claims.sealed.block_number)?;
    if let Some(tx_hash) = claims.tx_hash {
        agree("transactionHash", raw.transaction_hash, tx_hash)?;
    }
    for (log_index, log) in raw.logs.iter().enumerate() {
        check_log(claims, raw, log, sum)
            .map_err(|error| error.within(format_args!("logs[{log_index}]")))?;
        sum.logs_sent = sum.logs_sent.saturating_add(1);
        sum.logs_kept = sum.logs_kept.saturating_add(1);
    }
    let leaf = match claims.tx_type {
        Some(tx_type) => {
            agree("type", raw.tx_type, tx_type.into())?;
            encode::receipt_of_type(encoding, raw, tx_type)?
        }
        None => encode::receipt_of(encoding, raw)?,
    };
    let receipt = Receipt::check(&leaf, &mut sum.remembered).map_err(|source| match source {
        LedgerError::Bloom { .. } => ChainError::ledger("logsBloom", source),
        _ => ChainError::ledger("leaf", source),
    })?;
    let (got, before) = (receipt.cumulative_gas_used, sum.cumulative_gas_used);
    let may_be_zero = encoding.is_unsigned(receipt.tx_type);
    let gas_used = got.checked_sub(before).filter(|gas| *gas > 0 || may_be_zero);
    let Some(gas_used) = gas_used else {
        let expected = format!("more than {before}");
        return Err(ChainError::mismatch("cumulativeGasUsed", got, expected));
    };
    agree("gasUsed", raw.gas_used, gas_used)?;
    sum.cumulative_gas_used = got;
    sum.bloom.accrue(&receipt.logs_bloom);
    Ok(leaf)
}

/// Nodes count logs over the whole block; where they add entries of their own, with or without the
/// logs of those.
fn check_log(
    claims: &Claims<'_>,
    receipt: &RawReceipt,
    log: &RawLog,
    sum: &Sum,
) -> Result<(), ChainError> {
    agree("removed", log.removed, false)?;
    if log.log_index_in_block != Some(sum.logs_kept) {
        agree("logIndex", log.log_index_in_block, sum.logs_sent)?;
    }
    agree("blockHash", log.block_hash, claims.sealed.block_hash)?;
    agree("blockNumber", log.block_number, claims.sealed.block_number)?;
    agree("transactionIndex", log.transaction_index, claims.place)?;
    match claims.tx_hash.or(receipt.transaction_hash) {
        Some(tx_hash) => agree("transactionHash", log.transaction_hash, tx_hash),
        None => Ok(()),
    }
}
