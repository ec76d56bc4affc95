//! Usage checkpoint: all accounts' usage on a UTC day, under a single root (`docs/protocol/usage.md`).
//!
//! ```text
//! rows of an account ──► range root ──► leaf ──► range over leaves, by hash ──► root of the day
//! ```
//! A blind in each leaf keeps an account's usage from being guessed by the hash.

use superroot_types::{Hash, LeafCount, LeafIndex};

use crate::hash::keccak256_joined;
use crate::range::{self, KeccakRange, RangeError};

const ROW_TAG: u8 = 0x0b;
const LEAF_TAG: u8 = 0x0c;
const DAY_TAG: u8 = 0x0d;

/// Requests in an hour with equal properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Hours since 1970-01-01 UTC.
    pub hour: u32,
    /// Key id (UUID); zeros without a key.
    pub key: [u8; 16],
    /// Route number.
    pub route: u16,
    /// Chain family and id; `ff` and zeros without a chain.
    pub chain: [u8; 9],
    /// HTTP status: first digit.
    pub status: u8,
    /// Requests.
    pub requests: u64,
    /// Billing tokens.
    pub tokens: u64,
}

/// An account's usage on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageLeaf {
    /// Account id (UUID).
    pub account: [u8; 16],
    /// Days since 1970-01-01 UTC.
    pub day: u32,
    /// Random bytes.
    pub blind: Hash,
    /// Row count.
    pub rows: u32,
    /// Requests in all rows.
    pub requests: u64,
    /// Billing tokens in all rows.
    pub tokens: u64,
    /// Range root over the rows.
    pub range_root: Hash,
}

/// All accounts' usage on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageDay {
    /// 1 for live keys, 2 for test keys.
    pub environment: u8,
    /// Days since 1970-01-01 UTC.
    pub day: u32,
    /// Accounts with usage.
    pub accounts: u64,
    /// Range root over the leaves, sorted by hash.
    pub range_root: Hash,
}

impl UsageRow {
    /// `H(0b ‖ hour:u32 ‖ key:16 ‖ route:u16 ‖ chain:9 ‖ status:u8 ‖ requests:u64 ‖ tokens:u64)`.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256_joined(&[
            &[ROW_TAG],
            &self.hour.to_be_bytes(),
            &self.key,
            &self.route.to_be_bytes(),
            &self.chain,
            &[self.status],
            &self.requests.to_be_bytes(),
            &self.tokens.to_be_bytes(),
        ])
    }
}

impl UsageLeaf {
    /// `H(0c ‖ account:16 ‖ day:u32 ‖ blind:32 ‖ rows:u32 ‖ requests:u64 ‖ tokens:u64 ‖ range_root:32)`.
    #[must_use]
    pub fn hash(&self) -> Hash {
        keccak256_joined(&[
            &[LEAF_TAG],
            &self.account,
            &self.day.to_be_bytes(),
            self.blind.as_ref(),
            &self.rows.to_be_bytes(),
            &self.requests.to_be_bytes(),
            &self.tokens.to_be_bytes(),
            self.range_root.as_ref(),
        ])
    }
}

impl UsageDay {
    /// `H(0d ‖ environment:u8 ‖ day:u32 ‖ accounts:u64 ‖ range_root:32)`: root at the registry contract.
    #[must_use]
    pub fn root(&self) -> Hash {
        keccak256_joined(&[
            &[DAY_TAG],
            &[self.environment],
            &self.day.to_be_bytes(),
            &self.accounts.to_be_bytes(),
            self.range_root.as_ref(),
        ])
    }
}

/// Range root over hashes.
#[must_use]
pub fn range_root(hashes: &[Hash]) -> Hash {
    let count = LeafCount(u64::try_from(hashes.len()).unwrap_or(u64::MAX));
    let root = range::root::<KeccakRange, core::convert::Infallible>(count, |height, index| {
        Ok(subtree(hashes, height, index))
    });
    let Ok(root) = root;
    root
}

/// Leaf path in the range over hashes, lowest first; empty for an index outside.
#[must_use]
pub fn path(hashes: &[Hash], index: LeafIndex) -> alloc::vec::Vec<Hash> {
    let count = LeafCount(u64::try_from(hashes.len()).unwrap_or(u64::MAX));
    let fetch = |height, index| Ok(subtree(hashes, height, index));
    let path =
        range::prove_inclusion::<KeccakRange, core::convert::Infallible>(index, count, fetch);
    let Ok(path) = path;
    path
}

/// Checks that a leaf is in a day.
///
/// # Errors
/// [`RangeError`].
pub fn verify_leaf(
    day: &UsageDay,
    leaf: &UsageLeaf,
    index: LeafIndex,
    path: &[Hash],
) -> Result<(), RangeError> {
    let count = LeafCount(day.accounts);
    range::verify_inclusion::<KeccakRange>(&leaf.hash(), index, count, path, &day.range_root)
}

/// Complete subtree's hash; zeros outside.
fn subtree(hashes: &[Hash], height: u8, index: u64) -> Hash {
    let Some(below) = height.checked_sub(1) else {
        let leaf = usize::try_from(index).ok().and_then(|index| hashes.get(index));
        return leaf.copied().unwrap_or(Hash::ZERO);
    };
    let left = index.saturating_mul(2);
    let right = left.saturating_add(1);
    crate::hash::node(&subtree(hashes, below, left), &subtree(hashes, below, right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(hour: u32) -> UsageRow {
        let chain = [0xff, 0, 0, 0, 0, 0, 0, 0, 0];
        UsageRow { hour, key: [2; 16], route: 3, chain, status: 1, requests: 7, tokens: 9 }
    }

    fn leaf(number: u8) -> UsageLeaf {
        let range_root = range_root(&[row(number.into()).hash()]);
        let (account, blind) = ([number; 16], Hash([9; 32]));
        UsageLeaf { account, day: 20_000, blind, rows: 1, requests: 7, tokens: 9, range_root }
    }

    #[test]
    fn each_leaf_is_in_its_day_and_in_no_other() {
        for count in 1..20_u8 {
            let leaves: alloc::vec::Vec<UsageLeaf> = (0..count).map(leaf).collect();
            let hashes: alloc::vec::Vec<Hash> = leaves.iter().map(UsageLeaf::hash).collect();
            let range_root = range_root(&hashes);
            let day = UsageDay { environment: 0, day: 20_000, accounts: count.into(), range_root };
            for (index, leaf) in (0..).map(LeafIndex).zip(&leaves) {
                let path = path(&hashes, index);
                assert_eq!(verify_leaf(&day, leaf, index, &path), Ok(()));
                let more = UsageLeaf { tokens: 10, ..*leaf };
                assert!(verify_leaf(&day, &more, index, &path).is_err());
                let fewer = UsageDay { accounts: day.accounts - 1, ..day };
                assert_ne!(fewer.root(), day.root());
                let other = LeafIndex(index.0 + 1);
                assert!(verify_leaf(&day, leaf, other, &path).is_err());
            }
        }
        assert_eq!(range_root(&[]), Hash::ZERO);
    }

    /// Every member is in the hash.
    #[test]
    fn what_changes_in_a_row_changes_its_hash() {
        let one = row(1);
        let mut others = alloc::vec![one; 7];
        others[0].hour = 2;
        others[1].key = [3; 16];
        others[2].route = 4;
        others[3].chain = [0; 9];
        others[4].status = 3;
        others[5].requests = 8;
        others[6].tokens = 10;
        assert!(others.iter().all(|other| other.hash() != one.hash()));
    }
}
