//! Recomputes what a node claims of a block: its hash, and the tree over its transactions.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::ledger::cosmos::{
    Header, TRANSACTION_BYTES_MAX, TX_COUNT_MAX, TransactionTree, check_transaction,
};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::Rule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::names_chain;
use super::params::Params;
use super::raw::{BLOCK_BYTES_MAX, RawCosmosBlock, RawHeader};
use crate::block::{Leaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainRow;

/// Recomputes a block of the Cosmos family. A header alone has the extent `header`, as has every block
/// whose `data_hash` the row says is no root of its transactions.
///
/// # Errors
/// [`ChainError`] naming the first field at fault.
pub fn verify(row: &ChainRow, untrusted: &RawCosmosBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Cosmos(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let header = super::header::read(&untrusted.header)?;
    let number = BlockNumber(header.height);
    if number.0 > SAFE_INTEGER_MAX {
        return Err(too_large("header.height", number.0, SAFE_INTEGER_MAX));
    }
    if row.rule_at(number) != Some(Rule::Cosmos) {
        return Err(ChainError::NoRule { chain: row.key(), number });
    }
    if !names_chain(&row.caip2, &header.chain_id) {
        return Err(ChainError::mismatch("header.chain_id", &header.chain_id, &row.caip2));
    }
    check_hash(&header, &untrusted.hash)?;
    let bytes = header.encode();
    // a proof reads the header by its bytes
    Header::decode(&bytes).map_err(|source| ChainError::ledger("header", source))?;
    check_first(row, number, &header)?;
    let withheld = withheld(params, number);
    let body = match (&untrusted.txs, &withheld) {
        (Some(txs), None) => Some(body(txs, &header)?),
        (Some(_) | None, Some(_)) | (None, None) => None,
    };
    Ok(VerifiedBlock {
        chain: row.key(),
        number,
        hash: untrusted.hash,
        parent_hash: header.last_block_id.map_or(Hash::ZERO, |id| id.hash),
        timestamp: UnixSeconds(header.seconds),
        header: bytes,
        body: body.map(Body::Cosmos),
        leaves: Leaves::default(),
        withheld: withheld.map(Withheld::ByRule),
    })
}

/// Whether a header is one of any chain, and hashes to that hash.
///
/// # Errors
/// [`ChainError`] naming the first field at fault.
pub fn check_header(raw: &RawHeader, hash: &Hash) -> Result<(), ChainError> {
    check_hash(&super::header::read(raw)?, hash)
}

fn check_hash(header: &Header, claimed: &Hash) -> Result<(), ChainError> {
    let got = header.hash();
    if got == *claimed {
        return Ok(());
    }
    Err(ChainError::mismatch("block_id.hash", claimed, got))
}

/// The chain's first block and no other has none before it.
fn check_first(row: &ChainRow, number: BlockNumber, header: &Header) -> Result<(), ChainError> {
    let is_first = row.rules.first().is_some_and(|first| first.from_number == number.0);
    let expected = match (header.last_block_id, is_first) {
        (None, true) | (Some(_), false) => return Ok(()),
        (Some(_), true) => "nothing in the chain's first block",
        (None, false) => "a hash past the chain's first block",
    };
    let got = header.last_block_id.map_or_else(|| "nothing".to_owned(), |id| id.hash.to_string());
    Err(ChainError::mismatch("header.last_block_id", got, expected))
}

/// Why the transactions of that block cannot be recomputed, where the row says that they cannot.
fn withheld(params: &Params, number: BlockNumber) -> Option<String> {
    let of_block = params.unprovable.iter().find(|one| one.holds_at(number));
    of_block.map(|one| one.why.clone())
}

/// The tree of the transactions, once it has the header's root.
fn body(txs: &[String], header: &Header) -> Result<TransactionTree, ChainError> {
    let count = u64::try_from(txs.len()).unwrap_or(u64::MAX);
    if count > TX_COUNT_MAX.into() {
        return Err(too_large("data.txs", count, TX_COUNT_MAX.into()));
    }
    let mut leaves = Vec::with_capacity(txs.len());
    let mut bytes = 0_usize;
    for (tx_index, text) in txs.iter().enumerate() {
        let at = |error: ChainError| error.within(format_args!("data.txs[{tx_index}]"));
        let leaf = STANDARD.decode(text).map_err(|_| {
            at(ChainError::ledger("transaction", LedgerError::Field { field: "base64" }))
        })?;
        check_transaction(&leaf).map_err(|_| {
            let [got, max] = [leaf.len(), TRANSACTION_BYTES_MAX].map(saturated);
            at(too_large("length", got, max))
        })?;
        bytes = bytes.saturating_add(leaf.len());
        if bytes > BLOCK_BYTES_MAX {
            return Err(too_large(
                "bytes of data.txs",
                saturated(bytes),
                saturated(BLOCK_BYTES_MAX),
            ));
        }
        leaves.push(leaf);
    }
    let tree = TransactionTree::build(leaves);
    let root = tree.root();
    if root != header.data_hash {
        return Err(ChainError::mismatch("header.data_hash", header.data_hash, root));
    }
    Ok(tree)
}

fn saturated(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn too_large(field: &str, got: u64, expected: u64) -> ChainError {
    ChainError::OutOfRange { field: field.into(), got: got.to_string(), expected }
}
