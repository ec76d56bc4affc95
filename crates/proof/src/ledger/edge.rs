//! Trees shaped as in RFC 9162 section 2.1.1 over a leaf count named by no header: an odd node goes up unchanged, so a
//! path alone does not tell its distance from the left.
//!
//! ```text
//!            root                of 7 leaves. Leaf 6 and a path [45, 0123] would do as well for
//!          /      \              leaf 5 of 6, were 45 taken for a leaf. So each subtree that hangs
//!       0123       456           left of the right edge (here 0123 and 45) shows its height by its
//!      /    \      /  \          first leaf: a leaf is no inner node, and as subtrees left of a
//!     01    23    45    6        path are perfect, all of their leaves are as deep as the first.
//!    / \    / \   / \
//!   0   1  2   3 4   5           Once a path turns left it is inside such a subtree, and its own
//!                                length shows the height: leaves 0 to 3 need no other.
//! ```
//!
//! A path shows only the passed subtrees, not the claimed count; only the last leaf's path, with nothing to the right,
//! shows the count.
//!
//! Invariant: no bytes are read as a leaf if they could be an inner node.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::{LedgerError, ProofSubject, ShownFacts};
use crate::codec::ByteReader;
use crate::range::{RangeHash, split};

const TREE: &str = "transaction tree";

/// Path from the root to a leaf, from index and count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MerklePath {
    /// Perfect subtrees left of the right edge on the path, root first: first leaf and height.
    peaks: Vec<(u32, usize)>,
    /// Leaf position in the perfect subtree where the path leaves the right edge.
    local: u32,
    /// Subtree height; 0 on the right edge itself.
    height: usize,
    /// Whether anything is right of this subtree: always, except for the last leaf.
    has_right: bool,
}

impl MerklePath {
    /// Path to a leaf; `None` for an index outside the tree.
    pub(crate) fn to(index: u32, count: u32) -> Option<Self> {
        if index >= count {
            return None;
        }
        let mut start = 0_u32;
        let mut size = count;
        let mut peaks = Vec::new();
        while size > 1 {
            let left = u32::try_from(split(size.into())).ok()?;
            let height = usize::try_from(left.trailing_zeros()).ok()?;
            let local = index.checked_sub(start)?;
            if local < left {
                return Some(Self { peaks, local, height, has_right: true });
            }
            peaks.push((start, height));
            start = start.checked_add(left)?;
            size = size.checked_sub(left)?;
        }
        Some(Self { peaks, local: 0, height: 0, has_right: false })
    }

    /// Subtrees with proven height: first leaf and height, equal to the path length.
    pub(crate) fn peaks(&self) -> &[(u32, usize)] {
        &self.peaks
    }

    /// Leaf sibling count: in its subtree upward, and to the right.
    pub(crate) const fn sibling_count(&self) -> usize {
        if self.has_right { self.height.saturating_add(1) } else { 0 }
    }

    /// Root from the leaf, its siblings and the peak roots. List lengths follow [`MerklePath::sibling_count`] and
    /// [`MerklePath::peaks`].
    pub(crate) fn root<R: RangeHash>(&self, leaf: Hash, siblings: &[Hash], peaks: &[Hash]) -> Hash {
        let mut position = self.local;
        let mut node = leaf;
        for sibling in siblings {
            // right of the subtree itself: its position is 0 by then
            let is_right = position & 1 == 1;
            node = if is_right { R::node(sibling, &node) } else { R::node(&node, sibling) };
            position >>= 1;
        }
        peaks.iter().rev().fold(node, |node, peak| R::node(peak, &node))
    }
}

pub(crate) fn peak_root<R: RangeHash>(first: Hash, siblings: &[Hash]) -> Hash {
    siblings.iter().fold(first, |node, sibling| R::node(&node, sibling))
}

/// Path proof of a transaction: a branch for the transaction and for each peak.
pub(crate) trait EdgeBranches {
    type Range: RangeHash;

    /// Most transactions in a block.
    const TX_COUNT_MAX: u32;

    fn tx_count(&self) -> u32;

    /// Siblings of the transaction; `None` for an absence in an empty block.
    fn siblings(&self) -> Option<&[Hash]>;

    fn peak_siblings(&self) -> Vec<&[Hash]>;

    /// Leaves of the transaction and of each peak, checked against inner nodes.
    fn leaf_hashes(&self) -> Result<(Hash, Vec<Hash>), LedgerError>;
}

/// Path for a subject's transaction; `None` for a block, and for an absence in an empty block.
pub(crate) fn subject_path<B: EdgeBranches>(
    subject: ProofSubject,
    tx_count: u32,
) -> Result<Option<MerklePath>, LedgerError> {
    if tx_count > B::TX_COUNT_MAX {
        return Err(LedgerError::Field { field: "transaction count" });
    }
    let Some(tx_index) = subject.tx_index() else { return Ok(None) };
    let is_absence = matches!(subject, ProofSubject::Absence { .. });
    if is_absence && tx_index < tx_count {
        return Err(LedgerError::SomethingThere { trie: TREE, tx_index });
    }
    let Some(index) = subject.branch_index(tx_count) else { return Ok(None) };
    let nothing = LedgerError::NothingThere { trie: TREE, tx_index };
    MerklePath::to(index, tx_count).ok_or(nothing).map(Some)
}

/// Checks a proof against the expected root, or computes the root. The ledger adds the transaction itself. `empty` is the
/// root of a block without transactions.
pub(crate) fn check_branches<B: EdgeBranches>(
    branches: &B,
    subject: ProofSubject,
    empty: Hash,
    expected: Option<Hash>,
) -> Result<ShownFacts, LedgerError> {
    let mut shown = ShownFacts { transactions_root: expected, ..ShownFacts::default() };
    if subject == ProofSubject::Block {
        return Ok(shown);
    }
    let tx_count = branches.tx_count();
    let path = subject_path::<B>(subject, tx_count)?;
    let peaks = branches.peak_siblings();
    let got = match (path, branches.siblings()) {
        (Some(path), Some(siblings)) => {
            check_lengths(&path, siblings, &peaks)?;
            let (leaf, firsts) = branches.leaf_hashes()?;
            let peaks = firsts.into_iter().zip(peaks);
            let peaks = peaks.map(|(first, siblings)| peak_root::<B::Range>(first, siblings));
            path.root::<B::Range>(leaf, siblings, &peaks.collect::<Vec<Hash>>())
        }
        (None, None) if peaks.is_empty() => empty,
        (Some(_), None) => {
            return Err(LedgerError::Parts { what: "the branch of the transaction is missing" });
        }
        (None, _) => {
            return Err(LedgerError::Parts { what: "a block without transactions has no branch" });
        }
    };
    if let Some(expected) = expected.filter(|expected| got != *expected) {
        let what = "root of the transaction tree";
        return Err(LedgerError::Mismatch { what, got, expected });
    }
    shown.transactions_root = Some(got);
    // nothing stands right of the last transaction, so the count is shown
    let index = subject.branch_index(tx_count);
    shown.tx_count = (index == tx_count.checked_sub(1)).then_some(tx_count);
    Ok(shown)
}

fn check_lengths(
    path: &MerklePath,
    siblings: &[Hash],
    peaks: &[&[Hash]],
) -> Result<(), LedgerError> {
    let is_whole = peaks.len() == path.peaks().len()
        && siblings.len() == path.sibling_count()
        && peaks.iter().zip(path.peaks()).all(|(peak, (_, height))| peak.len() == *height);
    if is_whole {
        return Ok(());
    }
    let what = "branches or siblings are more or fewer than index and count give";
    Err(LedgerError::Parts { what })
}

/// Reads a path's siblings.
pub(crate) fn read_siblings(count: usize, reader: &mut ByteReader<'_>) -> Option<Vec<Hash>> {
    (0..count).map(|_| reader.hash()).collect()
}

/// All tree rows, leaves first; a single empty row without leaves.
#[derive(Clone, Debug)]
pub(crate) struct TreeRows(Vec<Vec<Hash>>);

impl TreeRows {
    pub(crate) fn build<R: RangeHash>(leaves: Vec<Hash>) -> Self {
        let mut rows = Vec::new();
        let mut row = leaves;
        while row.len() > 1 {
            let above = row_above::<R>(&row);
            rows.push(core::mem::replace(&mut row, above));
        }
        rows.push(row);
        Self(rows)
    }

    pub(crate) fn siblings(&self, index: u32, way: &MerklePath) -> Option<Vec<Hash>> {
        let siblings = (0..way.sibling_count()).map(|height| self.node(height, index, 1));
        siblings.collect()
    }

    /// Siblings for a peak's first leaf, for [`peak_root`].
    pub(crate) fn peak_siblings(&self, (first, height): (u32, usize)) -> Option<Vec<Hash>> {
        (0..height).map(|below| self.node(below, first, 1)).collect()
    }

    /// Node above a leaf at a height, or its sibling with `flip` 1.
    fn node(&self, height: usize, index: u32, flip: u32) -> Option<Hash> {
        let position = index.checked_shr(u32::try_from(height).ok()?)? ^ flip;
        self.0.get(height)?.get(usize::try_from(position).ok()?).copied()
    }
}

/// Root over the leaves; [`RangeHash::empty`] without any.
pub(crate) fn root<R: RangeHash>(leaves: &[Hash]) -> Hash {
    let mut row = leaves.to_vec();
    while row.len() > 1 {
        row = row_above::<R>(&row);
    }
    row.first().copied().unwrap_or_else(R::empty)
}

fn row_above<R: RangeHash>(row: &[Hash]) -> Vec<Hash> {
    let pair = |pair: &[Hash]| match pair {
        [left, right] => R::node(left, right),
        [alone, ..] => *alone,
        [] => R::empty(), // no chunk is empty
    };
    row.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use superroot_types::{LeafCount, LeafIndex};

    use super::*;
    use crate::range::{self, Sha256Range};

    fn leaves(count: u32) -> Vec<Hash> {
        (0..count).map(|index| crate::hash::sha256_joined(&[&index.to_be_bytes()])).collect()
    }

    fn peaks_of(rows: &TreeRows, way: &MerklePath, leaves: &[Hash]) -> Vec<Hash> {
        let root = |peak: &(u32, usize)| {
            let siblings = rows.peak_siblings(*peak).unwrap();
            assert_eq!(siblings.len(), peak.1);
            peak_root::<Sha256Range>(leaves[peak.0 as usize], &siblings)
        };
        way.peaks().iter().map(root).collect()
    }

    #[test]
    fn every_leaf_of_every_small_tree_leads_to_the_root_of_rfc_9162() {
        for count in 1..=70_u32 {
            let leaves = leaves(count);
            let rows = TreeRows::build::<Sha256Range>(leaves.clone());
            let fetch = |height: u8, index: u64| {
                let span = 1_u64 << height;
                let all = (index * span)..((index + 1) * span);
                let part = &leaves[all.start as usize..all.end as usize];
                Ok::<_, ()>(root::<Sha256Range>(part))
            };
            let theirs = range::root::<Sha256Range, ()>(LeafCount(count.into()), fetch).unwrap();
            assert_eq!(root::<Sha256Range>(&leaves), theirs, "{count}");
            for index in 0..count {
                let way = MerklePath::to(index, count).unwrap();
                let siblings = rows.siblings(index, &way).unwrap();
                let peaks = peaks_of(&rows, &way, &leaves);
                let got = way.root::<Sha256Range>(leaves[index as usize], &siblings, &peaks);
                assert_eq!(got, theirs, "{index} of {count}");
                let all = siblings.len() + peaks.len();
                assert_eq!(
                    Some(all),
                    range::path_length(LeafIndex(index.into()), LeafCount(count.into()))
                );
            }
            assert_eq!(MerklePath::to(count, count), None);
        }
    }

    #[test]
    fn only_leaves_past_the_first_perfect_subtree_need_peaks() {
        let peaks = |index, count| MerklePath::to(index, count).unwrap().peaks().to_vec();
        assert_eq!(peaks(3, 7), []);
        assert_eq!(peaks(4, 7), [(0, 2)]);
        assert_eq!(peaks(6, 7), [(0, 2), (4, 1)]);
        assert_eq!(peaks(0, 1), []);
        assert_eq!(peaks(7, 8), [(0, 2), (4, 1), (6, 0)]);
        assert_eq!(peaks(511, 619), vec![]);
        assert_eq!(peaks(618, 619), [(0, 9), (512, 6), (576, 5), (608, 3), (616, 1)]);
    }

    /// The shape of a way fixes the index: two ways of one shape, with all heights, are of one index.
    #[test]
    fn a_way_with_its_heights_tells_the_index_and_on_the_edge_the_count() {
        let mut seen = alloc::collections::BTreeMap::new();
        for count in 1..=130_u32 {
            for index in 0..count {
                let MerklePath { peaks, local, height, has_right } =
                    MerklePath::to(index, count).unwrap();
                let heights: Vec<usize> = peaks.iter().map(|peak| peak.1).collect();
                let told = if has_right { (index, 0) } else { (index, count) };
                let first = *seen.entry((heights, local, height, has_right)).or_insert(told);
                assert_eq!(first, told);
            }
        }
    }
}
