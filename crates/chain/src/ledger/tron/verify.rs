use superroot_proof::ledger::tron::{Header, TX_COUNT_MAX, TronTransactionTree};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::HashRule;
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};

use super::raw::{BLOCK_BYTES_MAX, RawTronBlock};
use crate::block::{BodyLeaves, VerifiedBlock};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

const SECOND_MS: u64 = 1000;

/// Recomputes a Tron block. A header alone has the extent `header`. The error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawTronBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Tron(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawTronBlock { number, hash, header: bytes, transactions, run, .. } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        return Err(too_large("number", number.0, SAFE_INTEGER_MAX));
    }
    if row.rule_at(*number) != Some(HashRule::Tron) {
        return Err(ChainError::NoRule { chain: row.key(), number: *number });
    }
    let header = Header::decode(bytes).map_err(|source| ChainError::ledger("header", source))?;
    if header.number != number.0 {
        return Err(ChainError::mismatch("number", header.number, number));
    }
    let got = Header::id(header.number, bytes);
    if got != *hash {
        return Err(ChainError::mismatch("blockID", hash, got));
    }
    if number.0 == 0 && got != params.genesis {
        return Err(ChainError::mismatch("blockID of the first block", got, params.genesis));
    }
    let body = transactions.as_ref().map(|list| body(list, &header)).transpose()?;
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: got,
        parent_hash: header.parent_hash,
        timestamp: UnixSeconds(header.timestamp_ms.checked_div(SECOND_MS).unwrap_or_default()),
        header: bytes.clone(),
        body: body.map(Body::Tron),
        leaves: BodyLeaves::default(),
        withheld: None,
        signed: super::producers::signed(&params.producers, bytes, run),
    })
}

/// Transaction tree with a matching root.
fn body(list: &[Vec<u8>], header: &Header) -> Result<TronTransactionTree, ChainError> {
    let count = u64::try_from(list.len()).unwrap_or(u64::MAX);
    if count > TX_COUNT_MAX.into() {
        return Err(too_large("transactions", count, TX_COUNT_MAX.into()));
    }
    let bytes = list.iter().fold(0, |sum: usize, one| sum.saturating_add(one.len()));
    if bytes > BLOCK_BYTES_MAX {
        let [bytes, max] =
            [bytes, BLOCK_BYTES_MAX].map(|one| u64::try_from(one).unwrap_or(u64::MAX));
        return Err(too_large("bytes of the transactions", bytes, max));
    }
    let tree = TronTransactionTree::build(list.to_vec());
    let tree = tree.map_err(|(tx_index, source): (usize, LedgerError)| {
        ChainError::ledger("transaction", source).within(format_args!("transactions[{tx_index}]"))
    })?;
    let root = tree.root();
    if root != header.tx_trie_root {
        return Err(ChainError::mismatch("txTrieRoot", header.tx_trie_root, root));
    }
    Ok(tree)
}

fn too_large(field: &str, got: u64, expected: u64) -> ChainError {
    ChainError::OutOfRange { field: field.into(), got: got.to_string(), expected }
}
