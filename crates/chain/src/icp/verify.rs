//! Recomputes what a node claims of a block: its hash, and that it reads as a block of the ledger.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::icp::Header;
use superroot_proof::registry::Rule;
use superroot_types::{Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::raw::RawIcpBlock;
use crate::block::{Leaves, VerifiedBlock};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainRow;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Recomputes a block of the ICP family. The first block and no other has no parent.
///
/// # Errors
/// [`ChainError`] naming the first field at fault.
pub fn verify(row: &ChainRow, untrusted: &RawIcpBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Icp(_) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawIcpBlock { number, hash, bytes } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        let (field, got) = ("index".into(), number.to_string());
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(*number) != Some(Rule::Icp) {
        return Err(ChainError::NoRule { chain: row.key(), number: *number });
    }
    let read = Header::decode_whole(bytes);
    let (header, body) = read.map_err(|source| ChainError::ledger("block", source))?;
    if header.hash != *hash {
        return Err(ChainError::mismatch("hash", hash, header.hash));
    }
    if header.parent_hash.is_some() != (number.0 > 0) {
        let expected = if number.0 == 0 { "none at index 0" } else { "a hash past index 0" };
        let got = header.parent_hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string());
        return Err(ChainError::mismatch("parent_hash", got, expected));
    }
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: header.hash,
        parent_hash: header.parent_hash.unwrap_or(Hash::ZERO),
        timestamp: UnixSeconds(header.timestamp_nanos / SECOND),
        header: bytes.clone(),
        body: Some(Body::Icp(body)),
        leaves: Leaves::default(),
        withheld: None,
    })
}
