//! Transactions: each hashes to its hash, all of them to the root. What no hash binds (place, block, sender, the
//! chain id of type 0) is not looked at: the bytes say it.

use alloy_primitives::U256;
use superroot_proof::ledger::evm::{Fields, leaf_type, transaction_hash};
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
        let (leaf, hash) = leaf(row, encoding, transaction)
            .map_err(|error| error.within(format_args!("transactions[{place}]")))?;
        leaves.push(leaf);
        hashes.push(hash);
    }
    let trie = OrderedTrie::build(&leaves);
    agree("transactionsRoot", Some(raw.transactions_root), trie.root())?;
    Ok(Some(Transactions { leaves, hashes, trie }))
}

/// Refuses a block of another chain under this one's name: two typed transactions or more, and each names another
/// chain. A single one may be foreign: Celo's block 53619115 has one.
pub(crate) fn refuse_another_chain(row: &ChainRow, leaves: &[Vec<u8>]) -> Result<(), ChainError> {
    let named: Vec<u64> = leaves.iter().filter_map(|leaf| named_chain(leaf)).collect();
    match named.as_slice() {
        [first, _, ..] if named.iter().all(|chain| *chain != row.id.0) => {
            Err(ChainError::mismatch("chainId", first, row.id))
        }
        _ => Ok(()),
    }
}

/// The chain that a transaction of Ethereum's types 1 to 4 was signed for.
fn named_chain(leaf: &[u8]) -> Option<u64> {
    let (tx_type, fields) = leaf.split_first()?;
    let is_typed = matches!(tx_type, 1..=4);
    is_typed.then(|| Fields::of_list(fields, "transaction").ok()?.u64("chainId").ok())?
}

fn leaf(
    row: &ChainRow,
    encoding: Encoding,
    transaction: &RawTransaction,
) -> Result<(Vec<u8>, Hash), ChainError> {
    let leaf = leaf_of_hash(row, encoding, transaction)?;
    let is_zero = |part: Option<U256>| part.is_none_or(|part| part.is_zero());
    let is_unsigned = is_zero(transaction.r) && is_zero(transaction.s);
    if is_unsigned && encoding.is_signed(leaf_type(&leaf)) {
        return Err(ChainError::mismatch("r", 0, "a signature: every such transaction has one"));
    }
    Ok((leaf, transaction.hash))
}

/// The leaf that has the transaction's hash: of the fields as the node spells them, or of the same without
/// what nodes get wrong.
fn leaf_of_hash(
    row: &ChainRow,
    encoding: Encoding,
    transaction: &RawTransaction,
) -> Result<Vec<u8>, ChainError> {
    let has_hash = |leaf: &Vec<u8>| transaction_hash(leaf) == transaction.hash;
    let as_sent = match encode::transaction_of(encoding, transaction) {
        Ok(leaf) if has_hash(&leaf) => return Ok(leaf),
        Ok(leaf) => ChainError::mismatch("hash", transaction.hash, transaction_hash(&leaf)),
        Err(error) => error,
    };
    let with_chain = RawTransaction { chain_id: Some(row.id.0), ..transaction.clone() };
    let by_fields = RawTransaction { tx_type: None, ..transaction.clone() };
    let both = RawTransaction { tx_type: None, ..with_chain.clone() };
    let by_v = RawTransaction { y_parity: None, ..transaction.clone() };
    let spellings = [with_chain, by_fields, both, by_v];
    let mut leaves = spellings.iter().filter_map(|one| encode::transaction_of(encoding, one).ok());
    leaves.find(has_hash).ok_or(as_sent)
}
