//! Range consistency proofs: RFC 9162 section 2.1.4.

use alloc::vec::Vec;

use superroot_types::{Hash, LeafCount};

use super::append::subtree;
use super::{RangeError, RangeHash, split};

/// Path showing that the first `from` leaves of a range of `to` leaves are the older range; empty if `from` is 0, or
/// `to` or greater.
///
/// # Errors
/// Errors from `fetch(height, index)` for complete subtrees.
pub fn prove_consistency<R: RangeHash, E>(
    from: LeafCount,
    to: LeafCount,
    mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let mut path = Vec::new();
    if from == LeafCount::EMPTY || from >= to {
        return Ok(path);
    }
    let mut start = 0_u64;
    let LeafCount(mut size) = to;
    let LeafCount(mut old) = from;
    let mut whole = true;
    while old < size {
        let left = split(size);
        let middle = start.saturating_add(left);
        let right = size.saturating_sub(left);
        if old <= left {
            path.push(subtree::<R, E>(middle, right, &mut fetch)?);
            size = left;
        } else {
            path.push(subtree::<R, E>(start, left, &mut fetch)?);
            (start, size, old, whole) = (middle, right, old.saturating_sub(left), false);
        }
    }
    if !whole {
        path.push(subtree::<R, E>(start, size, &mut fetch)?);
    }
    path.reverse();
    Ok(path)
}

/// Checks that the range of `to` leaves with `to_root` begins with the range of `from` leaves with `from_root`.
///
/// # Errors
/// [`RangeError::Shrunk`], [`RangeError::PathLength`], or [`RangeError::Root`] with the mismatched root.
pub fn verify_consistency<R: RangeHash>(
    from: LeafCount,
    to: LeafCount,
    from_root: &Hash,
    to_root: &Hash,
    path: &[Hash],
) -> Result<(), RangeError> {
    if from > to {
        return Err(RangeError::Shrunk { from, to });
    }
    if from == LeafCount::EMPTY || from == to {
        if !path.is_empty() {
            return Err(RangeError::PathLength { got: path.len(), expected: 0 });
        }
        if from == LeafCount::EMPTY {
            same(*from_root, R::empty())?;
        }
        return if from == to { same(*to_root, *from_root) } else { Ok(()) };
    }
    let expected = path_length(from, to);
    if path.len() != expected {
        return Err(RangeError::PathLength { got: path.len(), expected });
    }
    let (seed, rest) = seed(from, from_root, path);
    let mut old = seed;
    let mut new = seed;
    for (sibling, side) in rest.iter().zip(sides(from, to)) {
        match side {
            SiblingSide::Left => {
                old = R::node(sibling, &old);
                new = R::node(sibling, &new);
            }
            SiblingSide::Right => new = R::node(&new, sibling),
        }
    }
    same(old, *from_root)?;
    same(new, *to_root)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiblingSide {
    /// In both ranges: an older peak.
    Left,
    /// Only in the newer range.
    Right,
}

/// Folding start and remaining path: a range with a single whole subtree is its own seed.
pub(super) fn seed<'a>(from: LeafCount, from_root: &Hash, path: &'a [Hash]) -> (Hash, &'a [Hash]) {
    match path.split_first() {
        Some((first, rest)) if !from.0.is_power_of_two() => (*first, rest),
        _ => (*from_root, path),
    }
}

/// Side for each sibling, lowest first; `from` is above 0 and below `to`.
pub(super) fn sides(from: LeafCount, to: LeafCount) -> impl Iterator<Item = SiblingSide> {
    let mut position = from.0.saturating_sub(1);
    let mut last = to.0.saturating_sub(1);
    while position & 1 == 1 {
        position >>= 1;
        last >>= 1;
    }
    core::iter::from_fn(move || {
        if last == 0 {
            return None;
        }
        let side = if position & 1 == 1 || position == last {
            SiblingSide::Left
        } else {
            SiblingSide::Right
        };
        while side == SiblingSide::Left && position & 1 == 0 && position != 0 {
            position >>= 1;
            last >>= 1;
        }
        position >>= 1;
        last >>= 1;
        Some(side)
    })
}

fn same(got: Hash, expected: Hash) -> Result<(), RangeError> {
    if got == expected { Ok(()) } else { Err(RangeError::Root { got, expected }) }
}

/// Path length; `from` is above 0 and below `to`.
fn path_length(from: LeafCount, to: LeafCount) -> usize {
    let LeafCount(mut size) = to;
    let LeafCount(mut old) = from;
    let mut whole = true;
    let mut length = 0_usize;
    while old < size {
        let left = split(size);
        length = length.saturating_add(1);
        if old <= left {
            size = left;
        } else {
            size = size.saturating_sub(left);
            old = old.saturating_sub(left);
            whole = false;
        }
    }
    length.saturating_add(usize::from(!whole))
}
