//! Transactions: each hashes to the claimed hash, all together to the root. Values not bound by a hash (index, block,
//! sender, chain id of type 0) are not checked: the bytes state them.

use alloy_primitives::U256;
use superroot_proof::ledger::evm::{RlpFields, leaf_type, transaction_hash};
use superroot_proof::mpt::OrderedTrie;
use superroot_types::Hash;

use super::dropped::TrieEntries;
use super::{Transactions, agree};
use crate::error::ChainError;
use crate::ledger::evm::Encoding;
use crate::ledger::evm::encode;
use crate::ledger::evm::raw::{RawBlock, RawEvmTransaction, RawTransactions};
use crate::registry::ChainSpec;

/// Leaves and hashes of transactions sent in full.
pub(super) fn transactions(
    row: &ChainSpec,
    encoding: Encoding,
    raw: &RawBlock,
    kept: &TrieEntries<'_>,
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

/// Refuses a block of another chain under this name: two or more typed transactions, all naming another chain. A single
/// transaction may be foreign: Celo block 53619115 has one.
pub(crate) fn refuse_another_chain(row: &ChainSpec, leaves: &[Vec<u8>]) -> Result<(), ChainError> {
    let named: Vec<u64> = leaves.iter().filter_map(|leaf| named_chain(leaf)).collect();
    match named.as_slice() {
        [first, _, ..] if named.iter().all(|chain| *chain != row.id.0) => {
            Err(ChainError::mismatch("chainId", first, row.id))
        }
        _ => Ok(()),
    }
}

/// Chain id signed in an Ethereum transaction of types 1 to 4.
fn named_chain(leaf: &[u8]) -> Option<u64> {
    let (tx_type, fields) = leaf.split_first()?;
    let is_typed = matches!(tx_type, 1..=4);
    is_typed.then(|| RlpFields::of_list(fields, "transaction").ok()?.u64("chainId").ok())?
}

fn leaf(
    row: &ChainSpec,
    encoding: Encoding,
    transaction: &RawEvmTransaction,
) -> Result<(Vec<u8>, Hash), ChainError> {
    let leaf = leaf_of_hash(row, encoding, transaction)?;
    let is_zero = |part: Option<U256>| part.is_none_or(|part| part.is_zero());
    let is_unsigned = is_zero(transaction.r) && is_zero(transaction.s);
    if is_unsigned && encoding.is_signed(leaf_type(&leaf)) {
        return Err(ChainError::mismatch("r", 0, "a signature: every such transaction has one"));
    }
    Ok((leaf, transaction.hash))
}

/// Leaf with the transaction hash: from the fields as spelled by the node, or without known node errors.
fn leaf_of_hash(
    row: &ChainSpec,
    encoding: Encoding,
    transaction: &RawEvmTransaction,
) -> Result<Vec<u8>, ChainError> {
    let has_hash = |leaf: &Vec<u8>| transaction_hash(leaf) == transaction.hash;
    let as_sent = match encode::transaction_of(encoding, transaction) {
        Ok(leaf) if has_hash(&leaf) => return Ok(leaf),
        Ok(leaf) => ChainError::mismatch("hash", transaction.hash, transaction_hash(&leaf)),
        Err(error) => error,
    };
    let with_chain = RawEvmTransaction { chain_id: Some(row.id.0), ..transaction.clone() };
    let by_fields = RawEvmTransaction { tx_type: None, ..transaction.clone() };
    let both = RawEvmTransaction { tx_type: None, ..with_chain.clone() };
    let by_v = RawEvmTransaction { y_parity: None, ..transaction.clone() };
    let spellings = [with_chain, by_fields, both, by_v];
    let mut leaves = spellings.iter().filter_map(|one| encode::transaction_of(encoding, one).ok());
    leaves.find(has_hash).ok_or(as_sent)
}
