use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use superroot_proof::ledger::cosmos::{
    CosmosTransactionTree, Header, TRANSACTION_BYTES_MAX, TX_COUNT_MAX, check_transaction,
};
use superroot_proof::ledger::{Body, LedgerError};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::names_chain;
use super::params::CosmosParams;
use super::raw::{BLOCK_BYTES_MAX, RawCosmosBlock, RawCosmosHeader};
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

/// Recomputes a Cosmos family block. The extent is `header` for a header alone, and for blocks with a `data_hash`
/// marked by the row as no transaction root. The error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawCosmosBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Cosmos(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let header = super::header::read(&untrusted.header)?;
    let number = BlockNumber(header.height);
    if number.0 > SAFE_INTEGER_MAX {
        return Err(too_large("header.height", number.0, SAFE_INTEGER_MAX));
    }
    if row.rule_at(number) != Some(HashRule::Cosmos) {
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
    let commit = untrusted.commit.as_ref();
    Ok(VerifiedBlock {
        chain: row.key(),
        number,
        hash: untrusted.hash,
        parent_hash: header.last_block_id.map_or(Hash::ZERO, |id| id.hash),
        timestamp: UnixSeconds(header.seconds),
        header: bytes,
        body: body.map(Body::Cosmos),
        leaves: BodyLeaves::default(),
        withheld: withheld.map(Withheld::ByRule),
        signed: commit.and_then(|commit| super::commit::signed(params, &header, commit)),
    })
}

/// Checks a header of any chain against the hash. The error names the first field at fault.
pub fn check_header(raw: &RawCosmosHeader, hash: &Hash) -> Result<(), ChainError> {
    check_hash(&super::header::read(raw)?, hash)
}

fn check_hash(header: &Header, claimed: &Hash) -> Result<(), ChainError> {
    let got = header.hash();
    if got == *claimed {
        return Ok(());
    }
    Err(ChainError::mismatch("block_id.hash", claimed, got))
}

/// Only the first block has no parent.
fn check_first(row: &ChainSpec, number: BlockNumber, header: &Header) -> Result<(), ChainError> {
    let is_first = row.rules.first().is_some_and(|first| first.from_number == number.0);
    let expected = match (header.last_block_id, is_first) {
        (None, true) | (Some(_), false) => return Ok(()),
        (Some(_), true) => "nothing in the chain's first block",
        (None, false) => "a hash past the chain's first block",
    };
    let got = header.last_block_id.map_or_else(|| "nothing".to_owned(), |id| id.hash.to_string());
    Err(ChainError::mismatch("header.last_block_id", got, expected))
}

/// Row's reason for unprovable transactions at the number, if any.
fn withheld(params: &CosmosParams, number: BlockNumber) -> Option<String> {
    let of_block = params.unprovable.iter().find(|one| one.holds_at(number));
    of_block.map(|one| one.why.clone())
}

/// Transaction tree with a matching root.
fn body(txs: &[String], header: &Header) -> Result<CosmosTransactionTree, ChainError> {
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
    let tree = CosmosTransactionTree::build(leaves);
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
