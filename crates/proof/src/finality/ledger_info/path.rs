//! From the root after an earlier version to a signed root.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::aptos::{DEPTH_MAX, Frozen, root_of_path};

/// Accumulator after an earlier version: the lowest perfect subtree that ends with the version, and the siblings from
/// there to the signed root. Siblings on the left are the other perfect subtrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierRoot {
    /// Earlier version.
    pub version: u64,
    /// Root of the lowest perfect subtree.
    pub node: Hash,
    /// Siblings from the subtree upward.
    pub siblings: Vec<Hash>,
}

/// Roots shown by a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownRoots {
    pub(super) earlier: Hash,
    pub(super) signed: Hash,
}

impl EarlierRoot {
    /// Path for a version, from a leaf and the leaf's siblings; `None` for too few siblings.
    #[must_use]
    pub fn of_leaf(version: u64, leaf: &Hash, siblings: &[Hash]) -> Option<Self> {
        let height = version.trailing_ones();
        let (inner, siblings) = siblings.split_at_checked(usize::try_from(height).ok()?)?;
        let last_of_subtree = 1_u64.checked_shl(height)?.checked_sub(1)?;
        let node = root_of_path(leaf, last_of_subtree, inner)?;
        Some(Self { version, node, siblings: siblings.to_vec() })
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.version.to_be_bytes());
        out.extend_from_slice(&self.node.0);
        self.siblings.iter().for_each(|sibling| out.extend_from_slice(&sibling.0));
    }

    /// Reads all bytes.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let (version, node) = (reader.u64()?, reader.hash()?);
        let mut siblings = Vec::new();
        while !reader.is_empty() {
            siblings.push(reader.hash().filter(|_| siblings.len() < DEPTH_MAX)?);
        }
        Some(Self { version, node, siblings })
    }

    /// Both roots; `None` unless the version is before `last` and the path has the depth of an accumulator that ends
    /// with `last`.
    pub(super) fn roots(&self, last: u64) -> Option<ShownRoots> {
        let Self { version, node, siblings } = self;
        let height = version.trailing_ones();
        let depth = u64::BITS.saturating_sub(last.leading_zeros());
        let length = usize::try_from(depth.checked_sub(height)?).ok()?;
        if *version >= last || siblings.len() != length {
            return None;
        }
        let index = version.checked_shr(height)?;
        let is_left = |level: u32| index.checked_shr(level).is_some_and(|way| way & 1 == 1);
        let left = (0..).zip(siblings).filter(|(level, _)| is_left(*level));
        let mut frozen: Vec<Hash> = left.map(|(_, sibling)| *sibling).collect();
        frozen.reverse();
        frozen.push(*node);
        Some(ShownRoots {
            earlier: Frozen::new(version.checked_add(1)?, frozen)?.root(),
            signed: root_of_path(node, index, siblings)?,
        })
    }
}
