//! Transactions: each hashes to its hash, all of them to the root.

use alloy_primitives::U256;
use superroot_proof::ledger::evm::transaction_hash;
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;

use super::dropped::Kept;
use super::{Transactions, agree};
use crate::error::ChainError;
use crate::evm::Encoding;
use crate::evm::encode;
use crate::evm::raw::{RawBlock, RawTransaction, RawTransactions};
use crate::registry::ChainRow;

/// Leaves and hashes of the transactions, if they were sent in full.
pub(super) fn transactions(
    row: &ChainRow,
    encoding: Encoding,
    raw: &RawBlock,
    kept: &Kept<'_>,
) -> Result<Option<Transactions>, ChainError> {
    let (RawTransactions::Full(list), Some(places)) = (&raw.transactions, &kept.places) else {
        return Ok(None);
    };
    let mut leaves = Vec::with_capacity(places.len());
    let mut hashes = Vec::with_capacity(places.len());
    for (place, transaction) in places.iter().filter_map(|place| Some((*place, list.get(*place)?)))
    {
        let (leaf, hash) = leaf(row, encoding, raw, place, transaction)
            .map_err(|error| error.within(format_args!("transactions[{place}]")))?;
        leaves.push(leaf);
        hashes.push(hash);
    }
    let trie = OrderedTrie::build(&leaves);
    agree("transactionsRoot", Some(raw.transactions_root), trie.root())?;
    Ok(Some(Transactions { leaves, hashes, trie }))
}

fn leaf(
    row: &ChainRow,
    encoding: Encoding,
    raw: &RawBlock,
    place: usize,
    transaction: &RawTransaction,
) -> Result<(Vec<u8>, Hash), ChainError> {
    agree("transactionIndex", transaction.transaction_index, place as u64)?;
    agree("blockNumber", transaction.block_number, raw.number)?;
    if let Some(hash) = raw.hash {
        agree("blockHash", transaction.block_hash, hash)?;
    }
    agree("chainId", transaction.chain_id, row.id.0)?;
    let leaf = encode::transaction_of(encoding, transaction)?;
    let hash = transaction_hash(&leaf);
    agree("hash", Some(transaction.hash), hash)?;
    let is_zero = |part: Option<U256>| part.is_none_or(|part| part.is_zero());
    let is_unsigned = is_zero(transaction.r) && is_zero(transaction.s);
    if is_unsigned && encoding.is_signed(encode::transaction_type_of(encoding, transaction)?) {
        return Err(ChainError::mismatch("r", 0, "a signature: every such transaction has one"));
    }
    Ok((leaf, hash))
}
