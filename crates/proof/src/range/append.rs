//! Range growth and root.

use alloc::vec::Vec;

use superroot_types::{Hash, LeafCount};

use super::{RangeHash, split};

/// Complete subtree created by an append: position and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Tree level, 0 = leaf.
    pub height: u8,
    /// Complete subtree index at this height, from the left.
    pub index: u64,
    /// Subtree hash.
    pub hash: Hash,
}

/// Complete subtrees created by appending a leaf to a range with `count` leaves, lowest first. `fetch(height, index)`
/// returns an existing complete subtree.
///
/// # Errors
/// Errors from `fetch`.
pub fn append<R: RangeHash, E>(
    count: LeafCount,
    leaf: Hash,
    mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Vec<Grown>, E> {
    let mut top = Grown { height: 0, index: count.end().0, hash: leaf };
    let mut grown = alloc::vec![top];
    while top.index & 1 == 1 {
        let left = fetch(top.height, top.index & !1)?;
        top = Grown {
            height: top.height.saturating_add(1),
            index: top.index >> 1,
            hash: R::node(&left, &top.hash),
        };
        grown.push(top);
    }
    Ok(grown)
}

/// Root over the first `count` leaves.
///
/// # Errors
/// Errors from `fetch`.
pub fn root<R: RangeHash, E>(
    count: LeafCount,
    mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Hash, E> {
    match count {
        LeafCount::EMPTY => Ok(R::empty()),
        LeafCount(leaves) => subtree::<R, E>(0, leaves, &mut fetch),
    }
}

/// Hash of `count` leaves from `start`, a multiple of every power of two in `count`, as left by the splits of RFC 9162.
pub(super) fn subtree<R: RangeHash, E>(
    start: u64,
    count: u64,
    fetch: &mut impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Hash, E> {
    if count.is_power_of_two() {
        let height = count.trailing_zeros();
        // a u64 has at most 63 trailing zeros
        return fetch(u8::try_from(height).unwrap_or(u8::MAX), start >> height);
    }
    let left_count = split(count);
    let left = subtree::<R, E>(start, left_count, fetch)?;
    let right_start = start.saturating_add(left_count);
    let right = subtree::<R, E>(right_start, count.saturating_sub(left_count), fetch)?;
    Ok(R::node(&left, &right))
}
