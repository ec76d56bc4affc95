use superroot_proof::ledger::Body;
use superroot_proof::ledger::aptos::{AptosVersions, Frozen};
use superroot_proof::registry::HashRule;
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};

use super::raw::{RawAptosBlock, RawVersions, VERSIONS_MAX};
use crate::block::{BodyLeaves, VerifiedBlock, Withheld};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

const SECOND_US: u64 = 1_000_000;

/// Reason why a live block is stored as a root alone.
const NO_SIBLINGS: &str =
    "nodes of Aptos give no siblings of the accumulator, so its root alone is held";

/// Recomputes an Aptos block. A root alone has the extent `header`: nothing below the root can be recomputed, and only
/// node agreement shows the chain. The error names the first field at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawAptosBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Aptos(_) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawAptosBlock { number, hash, parent_hash, timestamp_us, versions, .. } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        return Err(too_large("block_height", number.0, SAFE_INTEGER_MAX));
    }
    if row.rule_at(*number) != Some(HashRule::Aptos) {
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
        leaves: BodyLeaves::default(),
        signed: super::ledger_info::signed(untrusted),
    })
}

fn body(versions: &RawVersions) -> Result<AptosVersions, ChainError> {
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
    AptosVersions::build(before, infos.clone(), events.clone())
        .map_err(|error| ChainError::mismatch("versions", error, "those of a block"))
}

fn too_large(field: &str, got: u64, expected: u64) -> ChainError {
    ChainError::OutOfRange { field: field.into(), got: got.to_string(), expected }
}
