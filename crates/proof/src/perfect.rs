//! A perfect tree: `2^height` slots, an empty slot is 32 zero bytes. Twigs (height 11) and the
//! SuperRoot (height 6) are such trees. A path has one sibling a level; bit `k` of the slot number
//! says whether the sibling at height `k` stands on the left.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::hash::node;

/// `Zk` for `k` from 0 to `height`: root of an empty tree of that height.
#[must_use]
pub fn zeros(height: usize) -> Vec<Hash> {
    let mut zeros = alloc::vec![Hash::ZERO];
    let mut top = Hash::ZERO;
    for _ in 0..height {
        top = node(&top, &top);
        zeros.push(top);
    }
    zeros
}

/// Root of an empty tree of that height.
#[must_use]
pub fn empty_root(height: usize) -> Hash {
    (0..height).fold(Hash::ZERO, |below, _| node(&below, &below))
}

/// The root that a leaf at `slot` and its siblings, lowest first, lead to.
#[must_use]
pub fn root_of_path(leaf: &Hash, slot: u64, siblings: &[Hash]) -> Hash {
    let mut position = slot;
    let mut hash = *leaf;
    for sibling in siblings {
        hash = if position & 1 == 1 { node(sibling, &hash) } else { node(&hash, sibling) };
        position >>= 1;
    }
    hash
}

/// A perfect tree with its inner nodes, empty on the right of its last filled slot.
#[derive(Clone, Debug)]
pub struct PerfectTree {
    zeros: Vec<Hash>,
    /// Level 0 holds the slots; what a level lacks on its right is empty.
    levels: Vec<Vec<Hash>>,
}

impl PerfectTree {
    /// The tree over these slots, from slot 0; slots past the end are empty, and so is every slot
    /// that holds [`Hash::ZERO`]. Slots beyond `2^height` are left out.
    #[must_use]
    pub fn new(height: usize, mut slots: Vec<Hash>) -> Self {
        let zeros = zeros(height);
        let slots_max = u32::try_from(height).ok().and_then(|height| 1_usize.checked_shl(height));
        slots.truncate(slots_max.unwrap_or(usize::MAX));
        let mut levels = alloc::vec![slots];
        for zero in zeros.iter().take(height) {
            let below = levels.last().map(Vec::as_slice).unwrap_or_default();
            let level = below.chunks(2).map(|pair| match pair {
                [left, right] => node(left, right),
                [left] => node(left, zero),
                _ => *zero,
            });
            let level = level.collect();
            levels.push(level);
        }
        Self { zeros, levels }
    }

    /// Fills a slot (or exchanges what stands there) and recomputes its path; a slot beyond
    /// `2^height` changes nothing.
    pub fn set(&mut self, slot: u64, hash: Hash) {
        let height = self.levels.len().saturating_sub(1);
        if u32::try_from(height).is_ok_and(|height| slot.checked_shr(height).unwrap_or(0) > 0) {
            return;
        }
        let mut value = hash;
        for level in 0..=height {
            let index = slot.checked_shr(u32::try_from(level).unwrap_or(64)).unwrap_or(0);
            self.put(level, index, value);
            let sibling = self.at(level, index ^ 1);
            value = if index & 1 == 1 { node(&sibling, &value) } else { node(&value, &sibling) };
        }
    }

    fn put(&mut self, level: usize, index: u64, value: Hash) {
        let zero = self.zeros.get(level).copied().unwrap_or(Hash::ZERO);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(level) = self.levels.get_mut(level) {
            if level.len() <= index {
                level.resize(index.saturating_add(1), zero);
            }
            if let Some(place) = level.get_mut(index) {
                *place = value;
            }
        }
    }

    /// Root of the tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        let height = self.levels.len().saturating_sub(1);
        self.at(height, 0)
    }

    /// Siblings of a slot, lowest first.
    #[must_use]
    pub fn siblings(&self, slot: u64) -> Vec<Hash> {
        let height = self.levels.len().saturating_sub(1);
        (0..height).map(|level| self.at(level, (slot >> level) ^ 1)).collect()
    }

    /// What stands at a slot.
    #[must_use]
    pub fn slot(&self, slot: u64) -> Hash {
        self.at(0, slot)
    }

    fn at(&self, level: usize, index: u64) -> Hash {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let held = self.levels.get(level).and_then(|level| level.get(index));
        held.or_else(|| self.zeros.get(level)).copied().unwrap_or(Hash::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_tree_has_the_empty_root() {
        for height in 0..12 {
            assert_eq!(PerfectTree::new(height, Vec::new()).root(), empty_root(height));
            assert_eq!(zeros(height).last(), Some(&empty_root(height)));
        }
    }

    proptest! {
        #[test]
        fn every_slot_leads_to_the_root(
            filled in proptest::collection::vec(any::<[u8; 32]>(), 0..40),
            slot in 0_u64..64,
        ) {
            let slots: Vec<Hash> = filled.into_iter().map(Hash).collect();
            let leaf = slots.get(slot as usize).copied().unwrap_or(Hash::ZERO);
            let tree = PerfectTree::new(6, slots);
            let siblings = tree.siblings(slot);
            prop_assert_eq!(siblings.len(), 6);
            prop_assert_eq!(tree.slot(slot), leaf);
            prop_assert_eq!(root_of_path(&leaf, slot, &siblings), tree.root());
        }

        #[test]
        fn a_tree_filled_slot_by_slot_is_the_same_tree(
            slots in proptest::collection::btree_map(0_usize..64, any::<[u8; 32]>(), 0..20),
            order in any::<u64>(),
        ) {
            let mut all = alloc::vec![Hash::ZERO; 64];
            let mut grown = PerfectTree::new(6, Vec::new());
            let mut filled: Vec<_> = slots.into_iter().collect();
            let turn = order as usize % filled.len().max(1);
            filled.rotate_left(turn);
            for (slot, hash) in filled {
                all[slot] = Hash(hash);
                grown.set(slot as u64, Hash(hash));
            }
            grown.set(64, Hash([1; 32]));
            let whole = PerfectTree::new(6, all);
            prop_assert_eq!(grown.root(), whole.root());
            for slot in 0..64 {
                prop_assert_eq!(grown.siblings(slot), whole.siblings(slot));
            }
        }

        /// The plain definition: pad with zeros to 2^height, then hash pairs.
        #[test]
        fn root_agrees_with_the_plain_definition(
            filled in proptest::collection::vec(any::<[u8; 32]>(), 0..17),
        ) {
            let slots: Vec<Hash> = filled.into_iter().map(Hash).collect();
            let mut level = slots.clone();
            level.resize(16, Hash::ZERO);
            while level.len() > 1 {
                level = level.chunks(2).map(|pair| node(&pair[0], &pair[1])).collect();
            }
            prop_assert_eq!(PerfectTree::new(4, slots).root(), level[0]);
        }
    }
}
