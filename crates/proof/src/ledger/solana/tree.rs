//! Tree over an entry's transaction signatures: rows in pairs, an odd row's last node paired with itself. Index and
//! count give the path length: a copy is not sent.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::transaction::Signature;
use crate::hash::sha256_joined;
use crate::ledger::LedgerError;

/// Most signatures in an entry.
pub const SIGNATURES_MAX: u32 = 65_536;

const COUNT: LedgerError = LedgerError::Parts { what: "no entry has so many signatures, or none" };
const INDEX: LedgerError =
    LedgerError::Parts { what: "the signature's index is past the signatures of the entry" };
const LENGTH: LedgerError =
    LedgerError::Parts { what: "a path of another length than index and count give" };
const DUPLICATE: LedgerError =
    LedgerError::Parts { what: "a node is paired with a copy of itself: the tail is duplicated" };

/// Signature leaf.
#[must_use]
pub fn signature_leaf(signature: &Signature) -> Hash {
    sha256_joined(&[&[0], signature])
}

fn node(left: &Hash, right: &Hash) -> Hash {
    sha256_joined(&[&[1], &left.0, &right.0])
}

#[derive(Clone, Copy)]
struct SolanaTreePosition {
    index: u32,
    length: u32,
}

impl SolanaTreePosition {
    fn of(index: u32, count: u32) -> Result<Self, LedgerError> {
        match count {
            1..=SIGNATURES_MAX if index < count => Ok(Self { index, length: count }),
            1..=SIGNATURES_MAX => Err(INDEX),
            _ => Err(COUNT),
        }
    }

    fn rows(self) -> impl Iterator<Item = Self> {
        let up =
            |place: &Self| Some(Self { index: place.index >> 1, length: place.length.div_ceil(2) });
        core::iter::successors(Some(self), up).take_while(|place| place.length > 1)
    }

    const fn is_right(self) -> bool {
        self.index & 1 == 1
    }

    const fn is_alone(self) -> bool {
        !self.is_right() && self.index.saturating_add(1) >= self.length
    }
}

/// Sibling count for the path at `index` among `count` signatures.
///
/// # Errors
/// [`LedgerError::Parts`] for an index outside the tree.
pub fn sibling_count(index: u32, count: u32) -> Result<usize, LedgerError> {
    Ok(SolanaTreePosition::of(index, count)?.rows().filter(|place| !place.is_alone()).count())
}

/// Root from a path. `siblings` run from the leaf upward.
///
/// # Errors
/// [`LedgerError::Parts`]; length is checked before hashing.
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
    for place in SolanaTreePosition::of(index, count)?.rows() {
        let sibling = if place.is_alone() { None } else { siblings.next() };
        if sibling == Some(&at) {
            return Err(DUPLICATE);
        }
        let sibling = sibling.unwrap_or(&at);
        at = if place.is_right() { node(sibling, &at) } else { node(&at, sibling) };
    }
    Ok(at)
}

/// Root over all signature leaves in an entry; `None` without any.
#[must_use]
pub fn mixin(leaves: &[Hash]) -> Option<Hash> {
    let mut row = leaves.to_vec();
    while row.len() > 1 {
        row = row_above(&row);
    }
    row.pop()
}

/// Path at `index`, for [`root_of_path`].
///
/// # Errors
/// [`LedgerError::Parts`] for an index outside the tree.
pub fn prove(leaves: &[Hash], index: u32) -> Result<Vec<Hash>, LedgerError> {
    let place = SolanaTreePosition::of(index, u32::try_from(leaves.len()).unwrap_or(u32::MAX))?;
    let mut row = leaves.to_vec();
    let mut siblings = Vec::new();
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
