//! Perfect tree: `2^height` slots; an empty slot is 32 zero bytes. Twigs (height 11) and the SuperRoot (height 6) are
//! perfect trees. A path has a sibling per level; bit `k` in the slot number says whether the sibling at height `k` is
//! on the left.

use alloc::vec::Vec;

use superroot_types::{Hash, TWIG_HEIGHT};

use crate::hash::node;

const HEIGHT_MAX: usize = TWIG_HEIGHT;

/// `Zk`: empty root at height `k`; `Z0` is zeros, `Z(k+1) = node(Zk, Zk)`.
#[rustfmt::skip]
const ZEROS: [Hash; HEIGHT_MAX + 1] = [
    Hash([
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ]),
    Hash([
        0xc0, 0x7a, 0x1e, 0x8b, 0x7e, 0x00, 0x57, 0x67, 0x3f, 0xdc, 0x2a, 0xff, 0xe1, 0x90, 0xd8, 0xa9,
        0x60, 0xc5, 0xfe, 0x61, 0x56, 0x63, 0xf2, 0x7b, 0x7c, 0xe8, 0x4f, 0x3d, 0x93, 0xef, 0x92, 0xa6,
    ]),
    Hash([
        0xfd, 0x47, 0x51, 0x74, 0x74, 0xa5, 0x97, 0x63, 0x7d, 0x54, 0x03, 0x8a, 0x06, 0x63, 0xd1, 0xd0,
        0x3b, 0x93, 0x1b, 0x23, 0x8d, 0xe0, 0x6b, 0x73, 0xe3, 0xc1, 0x2c, 0xf4, 0x43, 0xde, 0x6e, 0x8d,
    ]),
    Hash([
        0x47, 0xa8, 0xf5, 0xe8, 0xfa, 0x70, 0xbe, 0x27, 0x60, 0x37, 0x80, 0x67, 0xc9, 0xc6, 0xd4, 0x10,
        0xdd, 0x96, 0xbe, 0x07, 0x82, 0x0b, 0x42, 0x30, 0xc1, 0x12, 0x54, 0xc7, 0xff, 0x10, 0xc2, 0x98,
    ]),
    Hash([
        0xae, 0xd1, 0x9c, 0xa4, 0xbf, 0xe2, 0x36, 0x5b, 0x1b, 0x33, 0xfa, 0x94, 0x74, 0x4c, 0xd0, 0xc6,
        0xa2, 0xd5, 0x50, 0x50, 0x6c, 0x7e, 0x7e, 0xfc, 0x07, 0x38, 0x79, 0xcb, 0x79, 0x45, 0x9b, 0x9a,
    ]),
    Hash([
        0x6e, 0x69, 0x98, 0xa7, 0xda, 0x8b, 0x2d, 0xb5, 0xc9, 0x8e, 0xb8, 0x53, 0x09, 0x9d, 0x8c, 0xae,
        0xc6, 0x37, 0x97, 0xb5, 0x28, 0x3b, 0x7d, 0xac, 0x37, 0xb2, 0xff, 0xb6, 0x30, 0xa8, 0x6e, 0x24,
    ]),
    Hash([
        0x18, 0x1c, 0x19, 0x73, 0x5b, 0xff, 0x23, 0xb5, 0x5b, 0xc2, 0x95, 0xfc, 0x0b, 0x60, 0xc1, 0xc5,
        0xc7, 0x28, 0x82, 0x09, 0xb2, 0x61, 0xa0, 0x8e, 0x26, 0x92, 0x45, 0x98, 0xce, 0x72, 0x40, 0x4e,
    ]),
    Hash([
        0xec, 0xb4, 0x08, 0xb2, 0x90, 0xab, 0x29, 0x20, 0xe6, 0x36, 0x11, 0xef, 0x1e, 0x8c, 0xa9, 0x64,
        0xae, 0xbb, 0x66, 0xea, 0x57, 0x39, 0xf1, 0x9d, 0x24, 0xb9, 0x20, 0x94, 0xf2, 0x8e, 0x44, 0xf8,
    ]),
    Hash([
        0x29, 0x4b, 0xf9, 0x78, 0x5e, 0x13, 0x91, 0xd2, 0x4d, 0x52, 0xab, 0xf9, 0x15, 0x63, 0x6a, 0x73,
        0xbd, 0xaa, 0x12, 0xed, 0x29, 0xe8, 0x5e, 0x21, 0xda, 0xe1, 0x4c, 0x09, 0xd0, 0xf2, 0xe3, 0x4b,
    ]),
    Hash([
        0xcf, 0x7e, 0x37, 0xa9, 0x34, 0x68, 0x3e, 0xde, 0xc7, 0x95, 0xe3, 0x52, 0x9d, 0xb8, 0xfa, 0xc0,
        0x86, 0x35, 0x19, 0xc2, 0x41, 0x9b, 0xa2, 0x4c, 0x0f, 0x6e, 0x4e, 0xfa, 0x86, 0xec, 0x7d, 0x1a,
    ]),
    Hash([
        0x72, 0xce, 0x48, 0xcc, 0xa9, 0xbc, 0x74, 0x3f, 0xed, 0x84, 0xa0, 0xbd, 0xc0, 0x0a, 0xd2, 0xc5,
        0xb5, 0x40, 0x32, 0x38, 0x49, 0xc9, 0x82, 0xf6, 0x71, 0xa9, 0xbd, 0x8d, 0x52, 0xd1, 0x57, 0x19,
    ]),
    Hash([
        0x0e, 0x2d, 0x7d, 0x0b, 0x69, 0x5f, 0xdc, 0xd9, 0xdc, 0x6c, 0x54, 0x31, 0x3a, 0xe6, 0x52, 0x21,
        0x83, 0x75, 0xc3, 0x35, 0x8d, 0x34, 0xad, 0xe3, 0xdc, 0xc4, 0x9d, 0xda, 0x05, 0xc0, 0xdb, 0x10,
    ]),
];

/// `Zk` for `k` from 0 to `height` (at most 11).
#[must_use]
pub fn zeros(height: usize) -> &'static [Hash] {
    ZEROS.get(..=height).unwrap_or(&ZEROS)
}

/// Empty root at a height (at most 11).
#[must_use]
pub fn empty_root(height: usize) -> Hash {
    zeros(height).last().copied().unwrap_or(Hash::ZERO)
}

/// Root from a leaf at `slot` and its siblings, lowest first.
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

/// Perfect tree with its inner nodes; slots after the last filled slot are empty.
#[derive(Clone, Debug)]
pub struct PerfectTree {
    zeros: &'static [Hash],
    /// Level 0 is the slots; missing nodes on the right are empty.
    levels: Vec<Vec<Hash>>,
}

impl PerfectTree {
    /// Tree with a height (at most 11) and its slots from slot 0. Missing slots and [`Hash::ZERO`] are empty; slots
    /// beyond `2^height` are dropped.
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

    /// Whether no slot was ever filled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.first().is_none_or(Vec::is_empty)
    }

    /// Fills or replaces a slot and recomputes its path; a slot beyond `2^height` changes nothing.
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

    /// Tree root.
    #[must_use]
    pub fn root(&self) -> Hash {
        let height = self.levels.len().saturating_sub(1);
        self.at(height, 0)
    }

    /// Slot siblings, lowest first.
    #[must_use]
    pub fn siblings(&self, slot: u64) -> Vec<Hash> {
        let height = self.levels.len().saturating_sub(1);
        (0..height).map(|level| self.at(level, (slot >> level) ^ 1)).collect()
    }

    /// All nodes at a height, from the left: `2^(tree height - height)` nodes; none above the root.
    #[must_use]
    pub fn level(&self, height: usize) -> Vec<Hash> {
        let below_root = self.levels.len().checked_sub(height.saturating_add(1));
        let count = below_root.and_then(|rest| 1_u64.checked_shl(u32::try_from(rest).ok()?));
        (0..count.unwrap_or(0)).map(|index| self.at(height, index)).collect()
    }

    /// Hash at a slot.
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
            let plain = (0..height).fold(Hash::ZERO, |below, _| node(&below, &below));
            assert_eq!(PerfectTree::new(height, Vec::new()).root(), plain);
            assert_eq!((empty_root(height), zeros(height).len()), (plain, height + 1));
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
            // the nodes of one height are the slots of the tree above
            for height in 0..=6 {
                let above = PerfectTree::new(6 - height, tree.level(height));
                prop_assert_eq!(above.root(), tree.root());
                prop_assert_eq!(above.siblings(slot >> height), siblings[height..].to_vec());
            }
            prop_assert!(tree.level(7).is_empty());
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
