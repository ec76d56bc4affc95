//! The tree over the signatures of an entry's transactions: rows of pairs, the last of an odd row with
//! itself. A path is as long as index and count give: a copy is not sent.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::transaction::Signature;
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;

/// Most signatures of an entry.
pub const SIGNATURES_MAX: u32 = 65_536;

const COUNT: LedgerError = LedgerError::Parts { what: "no entry has so many signatures, or none" };
const INDEX: LedgerError =
    LedgerError::Parts { what: "the signature's index is past the signatures of the entry" };
const LENGTH: LedgerError =
    LedgerError::Parts { what: "a path of another length than index and count give" };
const DUPLICATE: LedgerError =
    LedgerError::Parts { what: "a node is paired with a copy of itself: the tail is duplicated" };

/// Leaf of a signature.
#[must_use]
pub fn signature_leaf(signature: &Signature) -> Hash {
    sha256_joined(&[&[0], signature])
}

fn node(left: &Hash, right: &Hash) -> Hash {
    sha256_joined(&[&[1], &left.0, &right.0])
}

/// A place in a row, from the leaves upward.
#[derive(Clone, Copy)]
struct Place {
    index: u32,
    length: u32,
}

impl Place {
    fn of(index: u32, count: u32) -> Result<Self, LedgerError> {
        match count {
            1..=SIGNATURES_MAX if index < count => Ok(Self { index, length: count }),
            1..=SIGNATURES_MAX => Err(INDEX),
            _ => Err(COUNT),
        }
    }

    /// Every place below the root on the way up.
    fn rows(self) -> impl Iterator<Item = Self> {
        let up =
            |place: &Self| Some(Self { index: place.index >> 1, length: place.length.div_ceil(2) });
        core::iter::successors(Some(self), up).take_while(|place| place.length > 1)
    }

    const fn is_right(self) -> bool {
        self.index & 1 == 1
    }

    /// Whether the node is paired with itself.
    const fn is_alone(self) -> bool {
        !self.is_right() && self.index.saturating_add(1) >= self.length
    }
}

/// Siblings of the path at `index` among `count` signatures.
///
/// # Errors
/// [`LedgerError::Parts`] where there is no such place.
pub fn sibling_count(index: u32, count: u32) -> Result<usize, LedgerError> {
    Ok(Place::of(index, count)?.rows().filter(|place| !place.is_alone()).count())
}

/// The root that a path leads to. `siblings` run from the leaf upward.
///
/// # Errors
/// [`LedgerError::Parts`]; the length is checked before anything is hashed.
pub fn root_of_path(
    leaf: &Hash,
    index: u32,
    count: u32,
    siblings: &[Hash],
) -> Result<Hash, LedgerError> {
    if siblings.len() != sibling_count(index, count)? {
        return Err(LENGTH);
    }
    let mut siblings = siblings.iter();
    let mut at = *leaf;
    for place in Place::of(index, count)?.rows() {
        let sibling = if place.is_alone() { None } else { siblings.next() };
        if sibling == Some(&at) {
            return Err(DUPLICATE);
        }
        let sibling = sibling.unwrap_or(&at);
        at = if place.is_right() { node(sibling, &at) } else { node(&at, sibling) };
    }
    Ok(at)
}

/// The root over the leaves of all signatures of an entry; `None` where there are none.
#[must_use]
pub fn mixin(leaves: &[Hash]) -> Option<Hash> {
    let mut row = leaves.to_vec();
    while row.len() > 1 {
        row = row_above(&row);
    }
    row.pop()
}

/// The path at `index`, for [`root_of_path`].
///
/// # Errors
/// [`LedgerError::Parts`] where there is no such place.
pub fn prove(leaves: &[Hash], index: u32) -> Result<Vec<Hash>, LedgerError> {
    let place = Place::of(index, u32::try_from(leaves.len()).unwrap_or(u32::MAX))?;
    let (mut row, mut siblings) = (leaves.to_vec(), Vec::new());
    for place in place.rows() {
        let beside = usize::try_from(place.index ^ 1).ok().and_then(|index| row.get(index));
        siblings.extend(beside);
        row = row_above(&row);
    }
    Ok(siblings)
}

fn row_above(row: &[Hash]) -> Vec<Hash> {
    let pairs = row.chunks(2).filter_map(|pair| match pair {
        [left, right] => Some(node(left, right)),
        [alone] => Some(node(alone, alone)),
        _ => None,
    });
    pairs.collect()
}
