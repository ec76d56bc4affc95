//! Transaction hash tree: rows in pairs, an odd row's last node paired with itself.
//!
//! Index and count give the branch length; a copy is not sent. A wrong count leads to another root, or to a sibling
//! equal to its partner.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::hash::sha256d;

/// Most transactions in a block: 1,000,000 bytes without witnesses, at least 60 bytes each.
pub const TX_COUNT_MAX: u32 = 16_666;

/// Why a branch is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BranchError {
    /// Impossible transaction count: zero or too many.
    #[error("a block of {got} transactions; at least 1 and at most {TX_COUNT_MAX}")]
    Count {
        /// Claimed count.
        got: u32,
    },
    /// Index past the block's transactions.
    #[error("index {index} is past the {tx_count} transactions")]
    Index {
        /// Claimed position.
        index: u32,
        /// Claimed count.
        tx_count: u32,
    },
    /// Branch length differs from index and count.
    #[error("a branch of {got} siblings, expected {expected}")]
    Length {
        /// Siblings found.
        got: usize,
        /// Siblings due to index and count.
        expected: usize,
    },
    /// A node paired with itself: duplicated tree tail (CVE-2012-2459).
    #[error("a node in row {row} is paired with a copy of itself: the tail is duplicated")]
    Duplicate {
        /// Pair row, 0 at the transactions.
        row: usize,
    },
}

#[derive(Clone, Copy)]
struct TreePosition {
    index: u32,
    length: u32,
}

impl TreePosition {
    fn of(index: u32, tx_count: u32) -> Result<Self, BranchError> {
        if tx_count == 0 || tx_count > TX_COUNT_MAX {
            return Err(BranchError::Count { got: tx_count });
        }
        if index >= tx_count {
            return Err(BranchError::Index { index, tx_count });
        }
        Ok(Self { index, length: tx_count })
    }

    fn rows(self) -> impl Iterator<Item = Self> {
        core::iter::successors(Some(self), |place| Some(place.up())).take_while(|p| p.length > 1)
    }

    fn up(self) -> Self {
        Self { index: self.index >> 1, length: self.length.div_ceil(2) }
    }

    const fn is_right(self) -> bool {
        self.index & 1 == 1
    }

    const fn is_alone(self) -> bool {
        !self.is_right() && self.index.saturating_add(1) >= self.length
    }
}

/// Sibling count for the branch at `index` among `tx_count` transactions.
///
/// # Errors
/// [`BranchError::Count`], [`BranchError::Index`].
pub fn sibling_count(index: u32, tx_count: u32) -> Result<usize, BranchError> {
    Ok(TreePosition::of(index, tx_count)?.rows().filter(|place| !place.is_alone()).count())
}

/// Root from a branch. `siblings` run from the transactions upward.
///
/// # Errors
/// [`BranchError`]; length is checked before hashing.
pub fn root_of_branch(
    txid: &Hash,
    index: u32,
    tx_count: u32,
    siblings: &[Hash],
) -> Result<Hash, BranchError> {
    let got = siblings.len();
    let expected = sibling_count(index, tx_count)?;
    if got != expected {
        return Err(BranchError::Length { got, expected });
    }
    let mut siblings = siblings.iter();
    let mut node = *txid;
    for (row, place) in TreePosition::of(index, tx_count)?.rows().enumerate() {
        let sibling = if place.is_alone() { None } else { siblings.next() };
        if sibling == Some(&node) {
            return Err(BranchError::Duplicate { row });
        }
        let sibling = sibling.unwrap_or(&node);
        node = if place.is_right() { inner(sibling, &node) } else { inner(&node, sibling) };
    }
    Ok(node)
}

/// Root over all transaction hashes in a block.
///
/// # Errors
/// [`BranchError::Count`]; [`BranchError::Duplicate`] for two equal nodes in a pair.
pub fn merkle_root(txids: &[Hash]) -> Result<Hash, BranchError> {
    let mut rows = rows(txids)?;
    Ok(rows.pop().and_then(|row| row.first().copied()).unwrap_or(Hash::ZERO))
}

/// Branch at `index`, for [`root_of_branch`].
///
/// # Errors
/// [`BranchError`].
pub fn prove(txids: &[Hash], index: u32) -> Result<Vec<Hash>, BranchError> {
    let rows = rows(txids)?;
    let place = TreePosition::of(index, u32::try_from(txids.len()).unwrap_or(u32::MAX))?;
    let pairs = place.rows().zip(&rows).filter(|(place, _)| !place.is_alone());
    let siblings = pairs.filter_map(|(place, row)| {
        usize::try_from(place.index ^ 1).ok().and_then(|index| row.get(index)).copied()
    });
    Ok(siblings.collect())
}

fn rows(txids: &[Hash]) -> Result<Vec<Vec<Hash>>, BranchError> {
    let got = u32::try_from(txids.len()).unwrap_or(u32::MAX);
    TreePosition::of(0, got)?;
    let mut rows = Vec::new();
    let mut row = txids.to_vec();
    while row.len() > 1 {
        let pairs = row.chunks(2).map(|pair| match pair {
            [left, right] if left == right => Err(BranchError::Duplicate { row: rows.len() }),
            [left, right] => Ok(inner(left, right)),
            [alone] => Ok(inner(alone, alone)),
            _ => Ok(Hash::ZERO),
        });
        let above = pairs.collect::<Result<Vec<Hash>, BranchError>>()?;
        rows.push(core::mem::replace(&mut row, above));
    }
    rows.push(row);
    Ok(rows)
}

fn inner(left: &Hash, right: &Hash) -> Hash {
    sha256d(&[&left.0, &right.0])
}
