//! That a leaf is in a range: RFC 9162 section 2.1.3.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::append::subtree;
use super::{RangeError, RangeHash, split};

/// Hashes on the path of that leaf; `None` when the index is not in the range.
#[must_use]
pub fn path_length(index: u64, count: u64) -> Option<usize> {
    if index >= count {
        return None;
    }
    let (mut position, mut last, mut length) = (index, count.saturating_sub(1), 0_usize);
    while last > 0 {
        // a node that is last of its level and a left child has no sibling there
        if position & 1 == 1 || position < last {
            length = length.saturating_add(1);
        }
        position >>= 1;
        last >>= 1;
    }
    Some(length)
}

/// The path of leaf `index` in a range of `count` leaves, lowest first; empty when the index is not
/// in the range.
///
/// # Errors
/// Whatever `fetch(height, index)` of complete subtrees says.
pub fn prove_inclusion<R: RangeHash, E>(
    index: u64,
    count: u64,
    mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let (mut start, mut size) = (0_u64, count);
    let mut path = Vec::new();
    while size > 1 && index < count {
        let left = split(size);
        let middle = start.saturating_add(left);
        let right = size.saturating_sub(left);
        if index < middle {
            path.push(subtree::<R, E>(middle, right, &mut fetch)?);
            size = left;
        } else {
            path.push(subtree::<R, E>(start, left, &mut fetch)?);
            (start, size) = (middle, right);
        }
    }
    path.reverse();
    Ok(path)
}

/// The root that a leaf and its path lead to.
///
/// # Errors
/// [`RangeError::LeafIndex`] and [`RangeError::PathLength`], before any hashing.
pub fn root_of_path<R: RangeHash>(
    leaf: &Hash,
    index: u64,
    count: u64,
    path: &[Hash],
) -> Result<Hash, RangeError> {
    let expected = path_length(index, count).ok_or(RangeError::LeafIndex { index, count })?;
    if path.len() != expected {
        return Err(RangeError::PathLength { got: path.len(), expected });
    }
    let (mut position, mut last, mut hash) = (index, count.saturating_sub(1), *leaf);
    for sibling in path {
        if position & 1 == 1 || position == last {
            hash = R::node(sibling, &hash);
            while position & 1 == 0 && position != 0 {
                position >>= 1;
                last >>= 1;
            }
        } else {
            hash = R::node(&hash, sibling);
        }
        position >>= 1;
        last >>= 1;
    }
    Ok(hash)
}

/// Checks that `leaf` is leaf `index` of the range of `count` leaves with that root.
///
/// # Errors
/// As [`root_of_path`], and [`RangeError::Root`] when the path leads elsewhere.
pub fn verify_inclusion<R: RangeHash>(
    leaf: &Hash,
    index: u64,
    count: u64,
    path: &[Hash],
    root: &Hash,
) -> Result<(), RangeError> {
    let got = root_of_path::<R>(leaf, index, count, path)?;
    if got == *root { Ok(()) } else { Err(RangeError::Root { got, expected: *root }) }
}
