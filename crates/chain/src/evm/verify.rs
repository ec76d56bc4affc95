//! Recomputes what a node claims of a block: header hash, transaction tree, receipt tree, blooms,
//! gas, and every place where one part of an answer repeats another.

use core::fmt::Display;

use superroot_proof::hash::keccak256;
use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::evm::{Bloom, Header, Receipt, leaf_type, transaction_hash};
use superroot_proof::mpt::OrderedTrie;
use superroot_proof::registry::Rule;
use superroot_types::{BlockNumber, Family, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::encode;
use super::raw::{
    RawBlock, RawEvmBlock, RawLog, RawReceipt, RawTransaction, RawTransactions, RawWithdrawal,
};
use crate::block::{Extent, Transactions, VerifiedBlock};
use crate::error::ChainError;
use crate::registry::{ChainRow, Encoding};

/// Recomputes a block of the EVM family. Parts that were not sent are left out of its extent.
///
/// # Errors
/// [`ChainError`] naming the first field at fault. A block without a hash is refused: what it
/// would be compared with is missing.
pub fn verify(row: &ChainRow, untrusted: &RawEvmBlock) -> Result<VerifiedBlock, ChainError> {
    require_ethereum(row)?;
    let raw = &untrusted.block;
    let number = BlockNumber(safe("number", raw.number)?);
    let timestamp = UnixSeconds(safe("timestamp", raw.timestamp)?);
    let rule = row.rule_at(number).filter(|rule| *rule != Rule::Withdrawn);
    let rule = rule.ok_or(ChainError::NoRule { chain: row.key(), number })?;
    let hash = raw.hash.ok_or_else(|| ChainError::missing("hash"))?;
    let bytes = encode::header_of_hash(raw, rule, &hash)?;
    let ledger = |source| ChainError::ledger("header", source);
    let header = Header::decode(rule, &bytes).map_err(ledger)?;
    check_withdrawals(raw.withdrawals.as_deref(), header.withdrawals_root)?;
    let transactions = transactions(row, raw)?;
    let receipts = match untrusted.receipts.as_deref() {
        Some(list) => Some(receipts(raw, &header, hash, transactions.as_ref(), list)?),
        None => None,
    };
    Ok(VerifiedBlock {
        chain: row.key(),
        number,
        hash,
        parent_hash: header.parent_hash,
        timestamp,
        header: bytes,
        transactions,
        receipts,
    })
}

/// Checks the transaction tree alone, against the root the node claims: for a block without a
/// hash. Nothing is anchored by it, so no [`VerifiedBlock`] comes of it.
///
/// # Errors
/// As [`verify`], for the transactions.
pub fn verify_trees(row: &ChainRow, untrusted: &RawEvmBlock) -> Result<Extent, ChainError> {
    require_ethereum(row)?;
    let transactions = transactions(row, &untrusted.block)?;
    Ok(Extent { transactions: transactions.is_some(), receipts: false })
}

fn require_ethereum(row: &ChainRow) -> Result<(), ChainError> {
    match (row.family, row.encoding) {
        (Family::Evm, Some(Encoding::Ethereum)) => Ok(()),
        _ => Err(ChainError::NotCollected { chain: row.key() }),
    }
}

fn safe(field: &str, value: u64) -> Result<u64, ChainError> {
    if value <= SAFE_INTEGER_MAX {
        return Ok(value);
    }
    let (field, got) = (field.into(), value.to_string());
    Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX })
}

/// Refuses a value that is there and is not the expected one.
fn agree<T: PartialEq + Display>(
    field: &str,
    claimed: Option<T>,
    expected: T,
) -> Result<(), ChainError> {
    match claimed {
        Some(got) if got != expected => Err(ChainError::mismatch(field, got, expected)),
        _ => Ok(()),
    }
}

fn check_withdrawals(
    withdrawals: Option<&[RawWithdrawal]>,
    root: Option<Hash>,
) -> Result<(), ChainError> {
    let Some(withdrawals) = withdrawals else { return Ok(()) };
    let Some(root) = root else {
        let expected = "the header has no withdrawalsRoot";
        return Err(ChainError::Unexpected { field: "withdrawals".into(), expected });
    };
    let leaves: Vec<Vec<u8>> = withdrawals.iter().map(encode::withdrawal).collect();
    agree("withdrawalsRoot", Some(root), OrderedTrie::build(&leaves).root())
}

/// Leaves and hashes of the transactions, if they were sent in full.
fn transactions(row: &ChainRow, raw: &RawBlock) -> Result<Option<Transactions>, ChainError> {
    let RawTransactions::Full(list) = &raw.transactions else { return Ok(None) };
    let mut leaves = Vec::with_capacity(list.len());
    let mut hashes = Vec::with_capacity(list.len());
    for (tx_index, transaction) in (0_u64..).zip(list) {
        let (leaf, hash) = transaction_leaf(row, raw, tx_index, transaction)
            .map_err(|error| error.within(format_args!("transactions[{tx_index}]")))?;
        leaves.push(leaf);
        hashes.push(hash);
    }
    agree("transactionsRoot", Some(raw.transactions_root), OrderedTrie::build(&leaves).root())?;
    Ok(Some(Transactions { leaves, hashes }))
}

fn transaction_leaf(
    row: &ChainRow,
    raw: &RawBlock,
    tx_index: u64,
    transaction: &RawTransaction,
) -> Result<(Vec<u8>, Hash), ChainError> {
    agree("transactionIndex", transaction.transaction_index, tx_index)?;
    agree("blockNumber", transaction.block_number, raw.number)?;
    if let Some(hash) = raw.hash {
        agree("blockHash", transaction.block_hash, hash)?;
    }
    agree("chainId", transaction.chain_id, row.id.0)?;
    let leaf = encode::transaction(transaction)?;
    let hash = transaction_hash(&leaf);
    agree("hash", Some(transaction.hash), hash)?;
    Ok((leaf, hash))
}

/// What the receipts before one add up to.
struct Sum {
    cumulative_gas_used: u64,
    log_count: u64,
    bloom: Bloom,
}

/// Leaves of the receipts, in the order of their transactions.
fn receipts(
    raw: &RawBlock,
    header: &Header,
    block_hash: Hash,
    transactions: Option<&Transactions>,
    list: &[RawReceipt],
) -> Result<Vec<Vec<u8>>, ChainError> {
    if let Some(expected) = raw.transactions.count().filter(|count| *count != list.len()) {
        return Err(ChainError::mismatch("receipts", list.len(), expected));
    }
    let mut sum = Sum { cumulative_gas_used: 0, log_count: 0, bloom: Bloom::ZERO };
    let mut leaves = Vec::with_capacity(list.len());
    for (tx_index, receipt) in in_order(list)?.into_iter().enumerate() {
        let claims = Claims {
            block_hash,
            block_number: header.number,
            tx_index: tx_index as u64,
            tx_hash: raw.transactions.claimed_hash(tx_index).copied(),
            tx_type: transactions
                .and_then(|all| all.leaves.get(tx_index))
                .map(|leaf| leaf_type(leaf)),
        };
        let leaf = receipt_leaf(&claims, receipt, &mut sum)
            .map_err(|error| error.within(format_args!("receipts[{tx_index}]")))?;
        leaves.push(leaf);
    }
    agree("gasUsed", Some(header.gas_used), sum.cumulative_gas_used)?;
    if header.logs_bloom != sum.bloom {
        let (got, expected) = (bits(&header.logs_bloom), bits(&sum.bloom));
        return Err(ChainError::mismatch("logsBloom", got, expected));
    }
    agree("receiptsRoot", Some(header.receipts_root), OrderedTrie::build(&leaves).root())?;
    Ok(leaves)
}

/// A bloom for a message.
fn bits(bloom: &Bloom) -> String {
    format!("{bloom:?} with hash {}", keccak256(&bloom.0))
}

/// Receipts by transaction index: nodes send them in any order, and old ones without the index.
fn in_order(list: &[RawReceipt]) -> Result<Vec<&RawReceipt>, ChainError> {
    let indexed = (0_u64..).zip(list);
    let indexed =
        indexed.map(|(place, receipt)| (receipt.transaction_index.unwrap_or(place), receipt));
    let mut ordered: Vec<(u64, &RawReceipt)> = indexed.collect();
    ordered.sort_by_key(|(tx_index, _)| *tx_index);
    for (expected, (got, _)) in (0_u64..).zip(&ordered) {
        agree("transactionIndex", Some(*got), expected)
            .map_err(|error| error.within(format_args!("receipts[{expected}]")))?;
    }
    Ok(ordered.into_iter().map(|(_, receipt)| receipt).collect())
}

/// What a receipt and its logs must repeat of the block and the transaction.
struct Claims {
    block_hash: Hash,
    block_number: u64,
    tx_index: u64,
    /// Known when the node gave transactions or their hashes.
    tx_hash: Option<Hash>,
    /// Known when the node gave the transaction.
    tx_type: Option<u8>,
}

fn receipt_leaf(claims: &Claims, raw: &RawReceipt, sum: &mut Sum) -> Result<Vec<u8>, ChainError> {
    agree("blockHash", raw.block_hash, claims.block_hash)?;
    agree("blockNumber", raw.block_number, claims.block_number)?;
    if let Some(tx_hash) = claims.tx_hash {
        agree("transactionHash", raw.transaction_hash, tx_hash)?;
    }
    for (log_index, log) in raw.logs.iter().enumerate() {
        check_log(claims, raw, log, sum.log_count)
            .map_err(|error| error.within(format_args!("logs[{log_index}]")))?;
        sum.log_count = sum.log_count.saturating_add(1);
    }
    let leaf = match claims.tx_type {
        Some(tx_type) => {
            agree("type", raw.tx_type, tx_type.into())?;
            encode::receipt_of_type(raw, tx_type)?
        }
        None => encode::receipt(raw)?,
    };
    let receipt = Receipt::decode(&leaf).map_err(|source| match source {
        LedgerError::Bloom { .. } => ChainError::ledger("logsBloom", source),
        _ => ChainError::ledger("leaf", source),
    })?;
    let (got, before) = (receipt.cumulative_gas_used, sum.cumulative_gas_used);
    let Some(gas_used) = got.checked_sub(before).filter(|gas| *gas > 0) else {
        let expected = format!("more than {before}");
        return Err(ChainError::mismatch("cumulativeGasUsed", got, expected));
    };
    agree("gasUsed", raw.gas_used, gas_used)?;
    sum.cumulative_gas_used = got;
    sum.bloom.accrue(&receipt.logs_bloom);
    Ok(leaf)
}

fn check_log(
    claims: &Claims,
    receipt: &RawReceipt,
    log: &RawLog,
    log_index_in_block: u64,
) -> Result<(), ChainError> {
    agree("removed", log.removed, false)?;
    agree("logIndex", log.log_index_in_block, log_index_in_block)?;
    agree("blockHash", log.block_hash, claims.block_hash)?;
    agree("blockNumber", log.block_number, claims.block_number)?;
    agree("transactionIndex", log.transaction_index, claims.tx_index)?;
    match claims.tx_hash.or(receipt.transaction_hash) {
        Some(tx_hash) => agree("transactionHash", log.transaction_hash, tx_hash),
        None => Ok(()),
    }
}
