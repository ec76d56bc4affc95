//! Range inclusion proofs: RFC 9162 section 2.1.3.

use alloc::vec::Vec;

use superroot_types::{Hash, LeafCount, LeafIndex};

use super::append::subtree;
use super::{RangeError, RangeHash, split};

/// Path length for a leaf; `None` for an index outside the range.
#[must_use]
pub fn path_length(index: LeafIndex, count: LeafCount) -> Option<usize> {
    let LeafIndex(mut last) = count.last().filter(|_| index.is_in(count))?;
    let LeafIndex(mut position) = index;
    let mut length = 0_usize;
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

/// Path for leaf `index` in a range with `count` leaves, lowest first; empty for an index outside the range. For many
/// paths in a range keep its [`Bags`].
///
/// # Errors
/// Errors from `fetch(height, index)` for complete subtrees.
pub fn prove_inclusion<R: RangeHash, E>(
    index: LeafIndex,
    count: LeafCount,
    mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    path(index, count, |start, size| subtree::<R, E>(start, size, &mut fetch))
}

fn path<E>(
    index: LeafIndex,
    count: LeafCount,
    mut of: impl FnMut(u64, u64) -> Result<Hash, E>,
) -> Result<Vec<Hash>, E> {
    let mut start = 0_u64;
    let LeafCount(mut size) = count;
    let mut path = Vec::with_capacity(path_length(index, count).unwrap_or_default());
    while size > 1 && index.is_in(count) {
        let left = split(size);
        let middle = start.saturating_add(left);
        let right = size.saturating_sub(left);
        if index.0 < middle {
            path.push(of(middle, right)?);
            size = left;
        } else {
            path.push(of(start, left)?);
            (start, size) = (middle, right);
        }
    }
    path.reverse();
    Ok(path)
}

/// Fixed range with everything right of each peak already folded: paths need no hashing.
///
/// ```
/// use superroot_proof::range::{Bags, KeccakRange, RangeHash};
/// use superroot_types::{Hash, LeafCount, LeafIndex};
/// let leaves = [Hash([1; 32]), Hash([2; 32]), Hash([3; 32])];
/// let pair = KeccakRange::node(&leaves[0], &leaves[1]);
/// let fetch = |height, index| Ok::<_, ()>(if height == 1 { pair } else { leaves[index as usize] });
/// let bags = Bags::of::<KeccakRange, _>(LeafCount(3), fetch)?;
/// assert_eq!(bags.prove_inclusion(LeafIndex(0), fetch)?, [leaves[1], leaves[2]]);
/// # Ok::<(), ()>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bags {
    count: LeafCount,
    /// From the last peak to the first: first leaf, and all leaves from there folded.
    bags: Vec<(u64, Hash)>,
}

impl Bags {
    /// Bags over the first `count` leaves.
    ///
    /// # Errors
    /// Errors from `fetch(height, index)` for complete subtrees.
    pub fn of<R: RangeHash, E>(
        count: LeafCount,
        mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
    ) -> Result<Self, E> {
        let mut bags: Vec<(u64, Hash)> = Vec::new();
        for height in (0_u8..64).filter(|height| (count.0 >> height) & 1 == 1) {
            // the last complete subtree of its height, which is a left child
            let index = (count.0 >> height) & !1;
            let peak = fetch(height, index)?;
            let bag = bags.last().map_or(peak, |(_, right)| R::node(&peak, right));
            bags.push((index << height, bag));
        }
        Ok(Self { count, bags })
    }

    /// Like [`prove_inclusion`], over these leaves.
    ///
    /// # Errors
    /// As [`prove_inclusion`].
    pub fn prove_inclusion<E>(
        &self,
        index: LeafIndex,
        mut fetch: impl FnMut(u8, u64) -> Result<Hash, E>,
    ) -> Result<Vec<Hash>, E> {
        path(index, self.count, |start, size| {
            let reaches_end = start.saturating_add(size) == self.count.0;
            let mut bags = self.bags.iter().filter(|_| reaches_end);
            match bags.find(|(first, _)| *first == start) {
                Some((_, bag)) => Ok(*bag),
                // complete: it is no more than a power of two
                None => {
                    let height = size.trailing_zeros();
                    fetch(u8::try_from(height).unwrap_or(u8::MAX), start >> height)
                }
            }
        })
    }
}

/// Root from a leaf and its path.
///
/// # Errors
/// [`RangeError::LeafIndex`] and [`RangeError::PathLength`], before any hashing.
pub fn root_of_path<R: RangeHash>(
    leaf: &Hash,
    index: LeafIndex,
    count: LeafCount,
    path: &[Hash],
) -> Result<Hash, RangeError> {
    let expected = path_length(index, count).ok_or(RangeError::LeafIndex { index, count })?;
    if path.len() != expected {
        return Err(RangeError::PathLength { got: path.len(), expected });
    }
    let LeafIndex(mut position) = index;
    let mut last = count.0.saturating_sub(1);
    let mut hash = *leaf;
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

/// Checks that `leaf` is leaf `index` of the range of `count` leaves with the given root.
///
/// # Errors
/// As [`root_of_path`], and [`RangeError::Root`] for another root.
pub fn verify_inclusion<R: RangeHash>(
    leaf: &Hash,
    index: LeafIndex,
    count: LeafCount,
    path: &[Hash],
    root: &Hash,
) -> Result<(), RangeError> {
    let got = root_of_path::<R>(leaf, index, count, path)?;
    if got == *root { Ok(()) } else { Err(RangeError::Root { got, expected: *root }) }
}
