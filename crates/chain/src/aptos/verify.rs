//! Recomputes what a source claims of a block: the root after it, of what stood before and its versions.

use superroot_proof::ledger::Body;
use superroot_proof::ledger::aptos::{Frozen, Versions};
use superroot_proof::registry::Rule;
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};

use super::raw::{RawAptosBlock, RawVersions, VERSIONS_MAX};
use crate::block::{Leaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainRow;

/// Microseconds of a second.
const SECOND_US: u64 = 1_000_000;

/// Why a live block has no more than its root.
const NO_SIBLINGS: &str =
    "nodes of Aptos give no siblings of the accumulator, so its root alone is held";

/// Recomputes a block of Aptos. A root alone has the extent `header`: nothing below it is there to be
/// recomputed, and that it is the chain's is what nodes agree on.
///
/// # Errors
/// [`ChainError`] naming the first field at fault.
pub fn verify(row: &ChainRow, untrusted: &RawAptosBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Aptos(_) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawAptosBlock { number, hash, parent_hash, timestamp_us, versions } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        return Err(too_large("block_height", number.0, SAFE_INTEGER_MAX));
    }
    if row.rule_at(*number) != Some(Rule::Aptos) {
        return Err(ChainError::NoRule { chain: row.key(), number: *number });
    }
    let body = versions.as_ref().map(body).transpose()?;
    if let Some(body) = &body {
        let (root, before) = body.roots();
        if root != *hash {
            return Err(ChainError::mismatch("accumulator_root_hash", hash, root));
        }
        if before != *parent_hash {
            return Err(ChainError::mismatch("root before the block", parent_hash, before));
        }
    }
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: *hash,
        parent_hash: *parent_hash,
        timestamp: UnixSeconds(timestamp_us.checked_div(SECOND_US).unwrap_or_default()),
        header: hash.0.to_vec(),
        withheld: body.is_none().then(|| Withheld::ByRule(NO_SIBLINGS.to_owned())),
        body: body.map(Body::Aptos),
        leaves: Leaves::default(),
    })
}

fn body(versions: &RawVersions) -> Result<Versions, ChainError> {
    let RawVersions { first_version, frozen, infos, events } = versions;
    let count = infos.len();
    if count > VERSIONS_MAX {
        let [got, max] = [count, VERSIONS_MAX].map(|one| u64::try_from(one).unwrap_or(u64::MAX));
        return Err(too_large("versions", got, max));
    }
    let before = Frozen::new(*first_version, frozen.clone()).ok_or_else(|| {
        let expected =
            format!("{} roots before version {first_version}", first_version.count_ones());
        ChainError::mismatch("frozen", frozen.len(), expected)
    })?;
    Versions::build(before, infos.clone(), events.clone())
        .map_err(|error| ChainError::mismatch("versions", error, "those of a block"))
}

fn too_large(field: &str, got: u64, expected: u64) -> ChainError {
    ChainError::OutOfRange { field: field.into(), got: got.to_string(), expected }
}
