//! Range stored as peaks, enough for appending and for the root.

use alloc::vec::Vec;
use core::convert::Infallible;

use superroot_types::{Hash, LeafCount};

use super::consistency::{SiblingSide, seed, sides};
use super::{Grown, RangeHash, root};

/// Range peaks and leaf count.
///
/// ```
/// use superroot_proof::range::{KeccakRange, Peaks, RangeHash};
/// use superroot_types::{Hash, LeafCount};
/// let (one, other) = (Hash([1; 32]), Hash([2; 32]));
/// let mut peaks = Peaks::default();
/// peaks.append::<KeccakRange>(one);
/// peaks.append::<KeccakRange>(other);
/// assert_eq!(peaks.count(), LeafCount(2));
/// assert_eq!(peaks.root::<KeccakRange>(), KeccakRange::node(&one, &other));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peaks {
    count: LeafCount,
    peaks: Vec<Grown>,
}

impl Peaks {
    /// Older range's peaks from a path accepted by [`super::verify_consistency`]: the hashes folded into the older
    /// root, lowest first. `None` for an empty older range or equal ranges: the path then names no peaks.
    #[must_use]
    pub fn of_consistency(
        from: LeafCount,
        to: LeafCount,
        from_root: &Hash,
        path: &[Hash],
    ) -> Option<Self> {
        if from == LeafCount::EMPTY || from >= to {
            return None;
        }
        let (seed, rest) = seed(from, from_root, path);
        let mut named = alloc::vec![seed];
        for (sibling, side) in rest.iter().zip(sides(from, to)) {
            if side == SiblingSide::Left {
                named.push(*sibling);
            }
        }
        let heights = (0_u8..64).filter(|height| (from.0 >> height) & 1 == 1);
        let peaks = heights.zip(named).map(|(height, hash)| {
            // the peak is the last subtree of its height, and a left child
            Grown { height, index: (from.0 >> height) & !1, hash }
        });
        let mut peaks: Vec<Grown> = peaks.collect();
        peaks.reverse();
        Some(Self { count: from, peaks })
    }

    /// Peaks from [`Peaks::hashes`]; `None` if the number does not match the leaf count. Only the root shows their
    /// range.
    #[must_use]
    pub fn of_hashes(count: LeafCount, hashes: &[Hash]) -> Option<Self> {
        let heights: Vec<u8> =
            (0..64).rev().filter(|height| (count.0 >> height) & 1 == 1).collect();
        if heights.len() != hashes.len() {
            return None;
        }
        let peaks = heights.into_iter().zip(hashes).map(|(height, hash)| {
            // the peak is the last subtree of its height, and a left child
            Grown { height, index: (count.0 >> height) & !1, hash: *hash }
        });
        Some(Self { count, peaks: peaks.collect() })
    }

    /// Peak hashes, highest first: a hash per set bit in the count.
    pub fn hashes(&self) -> impl Iterator<Item = Hash> + '_ {
        self.peaks.iter().map(|peak| peak.hash)
    }

    /// Leaf count.
    #[must_use]
    pub const fn count(&self) -> LeafCount {
        self.count
    }

    /// Appends a leaf.
    pub fn append<R: RangeHash>(&mut self, leaf: Hash) {
        let mut top = Grown { height: 0, index: self.count.end().0, hash: leaf };
        while top.index & 1 == 1 {
            let left = self.peaks.pop().map_or(Hash::ZERO, |peak| peak.hash);
            top = Grown {
                height: top.height.saturating_add(1),
                index: top.index >> 1,
                hash: R::node(&left, &top.hash),
            };
        }
        self.peaks.push(top);
        self.count = LeafCount(self.count.0.saturating_add(1));
    }

    /// Range root.
    #[must_use]
    pub fn root<R: RangeHash>(&self) -> Hash {
        let Ok(root) = root::<R, _>(self.count, |height, index| self.at(height, index));
        root
    }

    /// Peak; a missing peak yields a wrong root, never the right root.
    fn at(&self, height: u8, index: u64) -> Result<Hash, Infallible> {
        let peak = self.peaks.iter().find(|peak| (peak.height, peak.index) == (height, index));
        Ok(peak.map_or(Hash::ZERO, |peak| peak.hash))
    }
}
