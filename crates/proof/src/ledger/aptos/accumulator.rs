//! Trees with equally deep leaves and a placeholder to the right.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{PLACEHOLDER, Seeded, seed};
use crate::hash::sha3_256_joined;

/// Greatest accumulator depth.
pub const DEPTH_MAX: usize = 63;

/// Accumulator kind: inner nodes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    Transactions,
    Events,
}

impl Tree {
    fn node(self, left: &Hash, right: &Hash) -> Hash {
        let seeded = match self {
            Self::Transactions => Seeded::TransactionAccumulator,
            Self::Events => Seeded::EventAccumulator,
        };
        sha3_256_joined(&[&seed(seeded).0, &left.0, &right.0])
    }
}

/// Transaction accumulator root from a leaf.
#[must_use]
pub fn root_of_path(leaf: &Hash, version: u64, siblings: &[Hash]) -> Option<Hash> {
    root_of(Tree::Transactions, leaf, version, siblings)
}

/// Root from a leaf and its siblings, leaf upward. `None` for a tree deeper than [`DEPTH_MAX`], or too flat for the
/// index.
pub(crate) fn root_of(tree: Tree, leaf: &Hash, index: u64, siblings: &[Hash]) -> Option<Hash> {
    let depth = u32::try_from(siblings.len()).ok().filter(|_| siblings.len() <= DEPTH_MAX)?;
    if index.checked_shr(depth)? != 0 {
        return None;
    }
    let mut node = *leaf;
    let mut way = index;
    for sibling in siblings {
        let is_right = way & 1 == 1;
        node = if is_right { tree.node(sibling, &node) } else { tree.node(&node, sibling) };
        way >>= 1;
    }
    Some(node)
}

/// Perfect subtree roots over an accumulator's first leaves, highest first: a root per set bit in the count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frozen {
    count: u64,
    roots: Vec<Hash>,
}

impl Frozen {
    /// Frozen roots for a leaf count; `None` if the root count differs from the set bits, or the count is past
    /// [`DEPTH_MAX`] bits.
    #[must_use]
    pub fn new(count: u64, roots: Vec<Hash>) -> Option<Self> {
        let is_whole = usize::try_from(count.count_ones()) == Ok(roots.len());
        (is_whole && count >> DEPTH_MAX == 0).then_some(Self { count, roots })
    }

    /// Empty accumulator.
    #[must_use]
    pub const fn empty() -> Self {
        Self { count: 0, roots: Vec::new() }
    }

    /// Number of leaves.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Roots, highest first.
    #[must_use]
    pub fn roots(&self) -> &[Hash] {
        &self.roots
    }

    /// Frozen roots after appending transaction leaves; `None` past 2^63 leaves.
    #[must_use]
    pub fn with(&self, leaves: &[Hash]) -> Option<Self> {
        let mut after = self.clone();
        for leaf in leaves {
            let mut node = *leaf;
            let mut filled = after.count;
            while filled & 1 == 1 {
                node = Tree::Transactions.node(&after.roots.pop()?, &node);
                filled >>= 1;
            }
            after.roots.push(node);
            after.count = after.count.checked_add(1).filter(|count| count >> DEPTH_MAX == 0)?;
        }
        Some(after)
    }

    /// Transaction accumulator root without further leaves.
    #[must_use]
    pub fn root(&self) -> Hash {
        let [.., lowest] = self.roots.as_slice() else { return PLACEHOLDER };
        let mut node = *lowest;
        let mut above = self.roots.iter().rev().skip(1);
        let mut way = self.count.checked_shr(self.count.trailing_zeros()).unwrap_or_default() >> 1;
        if way == 0 {
            return node;
        }
        // the lowest is a left child, unless it is all there is
        node = Tree::Transactions.node(&node, &PLACEHOLDER);
        while way > 0 {
            let left = if way & 1 == 1 { above.next() } else { None };
            node = match left {
                Some(left) => Tree::Transactions.node(left, &node),
                None => Tree::Transactions.node(&node, &PLACEHOLDER),
            };
            way >>= 1;
        }
        node
    }
}

/// Accumulator rows after frozen first leaves, leaves first, each from `start` on.
#[derive(Clone, Debug)]
pub(crate) struct AccumulatorRows {
    rows: Vec<(u64, Vec<Hash>)>,
}

impl AccumulatorRows {
    /// Rows for the last leaves, after the frozen; `None` without leaves.
    pub(crate) fn build(tree: Tree, frozen: &Frozen, leaves: &[Hash]) -> Option<Self> {
        let mut before = frozen.roots.iter().rev();
        let mut start = frozen.count;
        let mut row = leaves.to_vec();
        row.first()?;
        let mut rows = Vec::new();
        loop {
            if start & 1 == 1 {
                row.insert(0, *before.next()?);
                start = start.checked_sub(1)?;
            }
            if start == 0 && row.len() == 1 {
                rows.push((start, row));
                return Some(Self { rows });
            }
            if row.len() % 2 == 1 {
                row.push(PLACEHOLDER);
            }
            let above = row.chunks_exact(2).map(|pair| match pair {
                [left, right] => tree.node(left, right),
                _ => PLACEHOLDER, // no chunk is of another length
            });
            let above = above.collect();
            rows.push((start, core::mem::replace(&mut row, above)));
            start >>= 1;
        }
    }

    pub(crate) fn root(&self) -> Hash {
        self.rows.last().and_then(|(_, row)| row.first()).copied().unwrap_or(PLACEHOLDER)
    }

    /// Leaf siblings, upward; `None` for a leaf not given.
    pub(crate) fn siblings(&self, index: u64) -> Option<Vec<Hash>> {
        let [below @ .., _] = self.rows.as_slice() else { return None };
        let (start, leaves) = self.rows.first()?;
        leaves.get(usize::try_from(index.checked_sub(*start)?).ok()?)?;
        let sibling = |(height, (start, row)): (u32, &(u64, Vec<Hash>))| {
            let position = index.checked_shr(height)? ^ 1;
            row.get(usize::try_from(position.checked_sub(*start)?).ok()?).copied()
        };
        (0..).zip(below).map(sibling).collect()
    }

    /// Root over all leaves in a tree; the placeholder without any.
    pub(crate) fn root_over(tree: Tree, leaves: &[Hash]) -> Hash {
        Self::build(tree, &Frozen::empty(), leaves).map_or(PLACEHOLDER, |rows| rows.root())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u64) -> Vec<Hash> {
        (0..count).map(|index| sha3_256_joined(&[&index.to_be_bytes()])).collect()
    }

    /// By the rule as it is told: fill the row up, pair it, until one is left.
    fn slow_root(leaves: &[Hash]) -> Hash {
        let mut row = leaves.to_vec();
        while row.len() > 1 {
            if row.len() % 2 == 1 {
                row.push(PLACEHOLDER);
            }
            row = row.chunks(2).map(|pair| Tree::Transactions.node(&pair[0], &pair[1])).collect();
        }
        row.first().copied().unwrap_or(PLACEHOLDER)
    }

    #[test]
    fn frozen_roots_give_the_root_of_any_count_and_grow_by_leaves() {
        let all = leaves(70);
        let mut grown = Frozen::empty();
        for count in 0..=70_usize {
            let frozen = Frozen::empty().with(&all[..count]).unwrap();
            assert_eq!(
                (frozen.count(), frozen.root()),
                (count as u64, slow_root(&all[..count])),
                "{count}"
            );
            assert_eq!(grown, frozen);
            assert_eq!(Frozen::new(count as u64, frozen.roots().to_vec()).unwrap(), frozen);
            let longer = [frozen.roots(), &[PLACEHOLDER]].concat();
            assert!(Frozen::new(count as u64, longer).is_none(), "{count}");
            if let Some(next) = all.get(count) {
                grown = grown.with(&[*next]).unwrap();
            }
        }
    }

    #[test]
    fn every_leaf_of_a_block_leads_to_the_root_and_at_no_other_version() {
        let all = leaves(40);
        for count in 1..=40_usize {
            for first in 0..count {
                let frozen = Frozen::empty().with(&all[..first]).unwrap();
                let rows = AccumulatorRows::build(Tree::Transactions, &frozen, &all[first..count])
                    .unwrap();
                assert_eq!(rows.root(), slow_root(&all[..count]));
                for (version, leaf) in all.iter().enumerate().take(count).skip(first) {
                    let siblings = rows.siblings(version as u64).unwrap();
                    for other in 0..count + 3 {
                        let root = root_of_path(leaf, other as u64, &siblings);
                        assert_eq!(
                            root == Some(rows.root()),
                            other == version,
                            "{version} {other}"
                        );
                    }
                }
                assert_eq!(rows.siblings(count as u64 + 64), None);
            }
        }
        assert!(AccumulatorRows::build(Tree::Events, &Frozen::empty(), &[]).is_none());
    }

    #[test]
    fn paths_are_bounded() {
        let deep = [PLACEHOLDER; DEPTH_MAX + 1];
        assert!(root_of_path(&PLACEHOLDER, 0, &deep[1..]).is_some());
        assert!(root_of_path(&PLACEHOLDER, 0, &deep).is_none());
        assert!(root_of_path(&PLACEHOLDER, 1, &[]).is_none());
        assert!(Frozen::new(1 << 63, alloc::vec![PLACEHOLDER]).is_none());
    }
}
