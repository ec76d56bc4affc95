//! Nodes of the append-only ranges: stored nodes, and nodes added by a step.

use superroot_proof::range::{self, Bags, Grown, KeccakRange, RangeHash, Sha256Range};
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{Family, Hash, LeafCount, LeafIndex};

use crate::AccumulateError;

/// Kind of append-only range.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeRange {
    MiniMmr(Family),
    History,
}

impl NodeRange {
    /// Loads a committed complete subtree; a missing node is an error.
    pub(crate) fn load(
        self,
        store: &dyn Store,
        height: u8,
        index: u64,
    ) -> Result<Hash, AccumulateError> {
        let node = match self {
            Self::MiniMmr(family) => read::load_mini_mmr_node(store, family, height, index)?,
            Self::History => read::load_history_node(store, height, index)?,
        };
        node.ok_or_else(|| {
            AccumulateError::corrupt(format!("node {height}/{index} of {self:?} is gone"))
        })
    }

    pub(crate) fn root(self, store: &dyn Store, count: LeafCount) -> Result<Hash, AccumulateError> {
        let fetch = |height, index| self.load(store, height, index);
        match self {
            Self::MiniMmr(_) => range::root::<KeccakRange, _>(count, fetch),
            Self::History => range::root::<Sha256Range, _>(count, fetch),
        }
    }

    /// Path of a leaf among the first `count` leaves.
    pub(crate) fn inclusion(
        self,
        store: &dyn Store,
        index: LeafIndex,
        count: LeafCount,
    ) -> Result<Vec<Hash>, AccumulateError> {
        let fetch = |height, index| self.load(store, height, index);
        match self {
            Self::MiniMmr(_) => range::prove_inclusion::<KeccakRange, _>(index, count, fetch),
            Self::History => range::prove_inclusion::<Sha256Range, _>(index, count, fetch),
        }
    }

    /// Shared part of paths among the first `count` leaves.
    pub(crate) fn bags(self, store: &dyn Store, count: LeafCount) -> Result<Bags, AccumulateError> {
        let fetch = |height, index| self.load(store, height, index);
        match self {
            Self::MiniMmr(_) => Bags::of::<KeccakRange, _>(count, fetch),
            Self::History => Bags::of::<Sha256Range, _>(count, fetch),
        }
    }

    pub(crate) fn consistency(
        self,
        store: &dyn Store,
        from: LeafCount,
        to: LeafCount,
    ) -> Result<Vec<Hash>, AccumulateError> {
        let fetch = |height, index| self.load(store, height, index);
        match self {
            Self::MiniMmr(_) => range::prove_consistency::<KeccakRange, _>(from, to, fetch),
            Self::History => range::prove_consistency::<Sha256Range, _>(from, to, fetch),
        }
    }
}

/// Range that grows on top of its stored nodes.
#[derive(Clone)]
pub(crate) struct GrowingRange<'a> {
    range: NodeRange,
    store: Option<&'a dyn Store>,
    /// By height: index of the first added node, and all added nodes, consecutive.
    added: Vec<(u64, Vec<Hash>)>,
}

impl<'a> GrowingRange<'a> {
    /// Range on top of the stored nodes.
    pub(crate) const fn over(range: NodeRange, store: &'a dyn Store) -> Self {
        Self { range, store: Some(store), added: Vec::new() }
    }

    /// Empty range, in memory only.
    pub(crate) const fn from_nothing(range: NodeRange) -> Self {
        Self { range, store: None, added: Vec::new() }
    }

    /// Appends a leaf to `count` leaves; returns the new count.
    pub(crate) fn append(
        &mut self,
        count: LeafCount,
        leaf: Hash,
    ) -> Result<LeafCount, AccumulateError> {
        let full = || AccumulateError::corrupt(format!("{:?} has {count} leaves", self.range));
        let after = count.next().ok_or_else(full)?;
        let fetch = |height, index| self.node(height, index);
        let grown = match self.range {
            NodeRange::MiniMmr(_) => range::append::<KeccakRange, _>(count, leaf, fetch)?,
            NodeRange::History => range::append::<Sha256Range, _>(count, leaf, fetch)?,
        };
        for Grown { height, index, hash } in grown {
            let height = usize::from(height);
            if self.added.len() <= height {
                self.added.resize(height + 1, (index, Vec::new()));
            }
            let (first, nodes) = &mut self.added[height];
            debug_assert_eq!(*first + nodes.len() as u64, index, "nodes follow each other");
            nodes.push(hash);
        }
        Ok(after)
    }

    pub(crate) fn root(&self, count: LeafCount) -> Result<Hash, AccumulateError> {
        fn of<R: RangeHash>(
            nodes: &GrowingRange<'_>,
            count: LeafCount,
        ) -> Result<Hash, AccumulateError> {
            range::root::<R, _>(count, |height, index| nodes.node(height, index))
        }
        match self.range {
            NodeRange::MiniMmr(_) => of::<KeccakRange>(self, count),
            NodeRange::History => of::<Sha256Range>(self, count),
        }
    }

    /// Path of a leaf among the first `count` leaves.
    pub(crate) fn inclusion(
        &self,
        index: LeafIndex,
        count: LeafCount,
    ) -> Result<Vec<Hash>, AccumulateError> {
        let fetch = |height, index| self.node(height, index);
        match self.range {
            NodeRange::MiniMmr(_) => range::prove_inclusion::<KeccakRange, _>(index, count, fetch),
            NodeRange::History => range::prove_inclusion::<Sha256Range, _>(index, count, fetch),
        }
    }

    pub(crate) fn consistency(
        &self,
        from: LeafCount,
        to: LeafCount,
    ) -> Result<Vec<Hash>, AccumulateError> {
        let fetch = |height, index| self.node(height, index);
        match self.range {
            NodeRange::MiniMmr(_) => range::prove_consistency::<KeccakRange, _>(from, to, fetch),
            NodeRange::History => range::prove_consistency::<Sha256Range, _>(from, to, fetch),
        }
    }

    /// A complete subtree's root.
    pub(crate) fn node(&self, height: u8, index: u64) -> Result<Hash, AccumulateError> {
        let added = self.added.get(usize::from(height)).and_then(|(first, nodes)| {
            nodes.get(usize::try_from(index.checked_sub(*first)?).ok()?)
        });
        match (added, self.store) {
            (Some(hash), _) => Ok(*hash),
            (None, Some(store)) => self.range.load(store, height, index),
            (None, None) => Err(AccumulateError::corrupt("a node was never appended")),
        }
    }

    /// Writes the added nodes to a batch.
    pub(crate) fn put_into(self, batch: &mut WriteBatch) {
        for (height, (first, nodes)) in (0_u8..).zip(self.added) {
            for (index, hash) in (first..).zip(&nodes) {
                match self.range {
                    NodeRange::MiniMmr(family) => {
                        write::put_mini_mmr_node(batch, family, height, index, hash);
                    }
                    NodeRange::History => write::put_history_node(batch, height, index, hash),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_types::SAFE_INTEGER_MAX;

    use super::*;

    #[test]
    fn a_full_range_takes_no_leaf() {
        for count in [SAFE_INTEGER_MAX, SAFE_INTEGER_MAX + 1, u64::MAX].map(LeafCount) {
            let mut range = GrowingRange::from_nothing(NodeRange::History);
            let refused = range.append(count, Hash::ZERO).unwrap_err();
            assert!(matches!(refused, AccumulateError::Corrupt { .. }), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn a_range_without_its_nodes_gives_no_root_and_no_path(count in 1_u64.., index: u64) {
            let range = GrowingRange::from_nothing(NodeRange::MiniMmr(Family::Evm));
            let (index, count) = (LeafIndex(index), LeafCount(count));
            prop_assert!(range.root(count).is_err());
            let path = range.inclusion(index, count);
            // a leaf outside the range has an empty path, and a single leaf as well
            prop_assert_eq!(path.is_ok(), !index.is_in(count) || count == LeafCount(1));
        }

        #[test]
        fn each_append_counts_one_leaf(leaves in 1_u64..40) {
            let mut range = GrowingRange::from_nothing(NodeRange::History);
            let mut count = LeafCount::EMPTY;
            for leaf in 0..leaves {
                let after = range.append(count, Hash([leaf as u8; 32])).unwrap();
                prop_assert_eq!(after.last(), Some(count.end()));
                count = after;
            }
            prop_assert_eq!(count, LeafCount(leaves));
            prop_assert!(range.root(count).is_ok() && range.root(count.next().unwrap()).is_err());
        }
    }
}
