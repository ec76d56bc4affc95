//! A chain's open twig, kept in memory between steps and filled from the store.

use std::ops::Range;
use std::sync::Arc;

use superroot_proof::perfect::{PerfectTree, empty_root};
use superroot_proof::superroot::ChainReference;
use superroot_proof::twig::{self, block_leaf};
use superroot_store::layout::{BlockTip, TwigNodes};
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_BLOCKS, TWIG_HEIGHT, TwigIndex, TwigSlot};

use crate::AccumulateError;

/// Sealed twig, or a run of empty twigs: the longest gaps have half a million.
pub(crate) struct SealedTwigs {
    pub(crate) chain: ChainKey,
    pub(crate) indexes: Range<TwigIndex>,
    /// Root of each twig.
    pub(crate) root: Hash,
    /// `None` for an empty twig.
    pub(crate) nodes: Option<TwigNodes>,
}

impl SealedTwigs {
    fn of(chain: ChainKey, index: TwigIndex, twig: &PerfectTree) -> Self {
        let indexes = index..index.next().unwrap_or(index);
        Self { chain, indexes, root: twig.root(), nodes: TwigNodes::of(twig) }
    }

    pub(crate) fn indexes(&self) -> impl Iterator<Item = TwigIndex> + use<> {
        (self.indexes.start.0..self.indexes.end.0).map(TwigIndex)
    }
}

/// Twig with the chain's next number.
pub(crate) struct OpenTwig {
    chain: ChainKey,
    index: TwigIndex,
    /// Shared with provers until the tree grows.
    tree: Arc<PerfectTree>,
    next: u64,
}

impl OpenTwig {
    /// Loads the open twig after `last`; without `last`, an empty twig at `start`.
    pub(crate) fn load(
        store: &dyn Store,
        chain: ChainKey,
        start: BlockNumber,
        last: Option<&ChainReference>,
    ) -> Result<Self, AccumulateError> {
        let Some(last) = last else {
            let tree = empty();
            return Ok(Self { chain, index: start.twig_index(), tree, next: start.0 });
        };
        let index = last.open_twig_index();
        let next = last.number.0 + 1;
        let hashes = load_hashes(store, chain, numbers(index)?.start, next)?;
        let tree = twig::build(chain, index, hashes);
        if tree.root() != last.open_twig_root {
            let what = format!("open twig {index} of chain {chain} is not the published one");
            return Err(AccumulateError::Corrupt { what });
        }
        Ok(Self { chain, index, tree: Arc::new(tree), next })
    }

    /// Whether the twig matches the open twig after this reference.
    pub(crate) fn stands_at(&self, last: &ChainReference) -> bool {
        self.chain == last.chain && self.next == last.number.0 + 1
    }

    /// Takes the blocks up to the tip, which must be the last of them; returns the sealed twigs.
    pub(crate) fn take(
        &mut self,
        store: &dyn Store,
        tip: BlockTip,
    ) -> Result<Vec<SealedTwigs>, AccumulateError> {
        let BlockTip { number: BlockNumber(number), hash } = tip;
        let mut sealed = Vec::new();
        let mut newest = None;
        while self.next <= number {
            let end = (self.next + TWIG_BLOCKS * 16).min(number + 1);
            let blocks = load_hashes(store, self.chain, self.next, end)?;
            newest = blocks.last().copied().or(newest);
            for of_twig in blocks.chunk_by(|one, other| one.0.twig_index() == other.0.twig_index())
            {
                self.fill(of_twig, &mut sealed);
            }
            self.next = end;
        }
        if newest != Some((BlockNumber(number), hash)) {
            let what = format!("block {number} of chain {} is not the final one", self.chain);
            return Err(AccumulateError::Corrupt { what });
        }
        self.seal_up_to(BlockNumber(number + 1).twig_index(), &mut sealed);
        Ok(sealed)
    }

    /// Next number to take.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    pub(crate) fn tree(&self) -> Arc<PerfectTree> {
        Arc::clone(&self.tree)
    }

    pub(crate) fn root(&self) -> Hash {
        self.tree.root()
    }

    /// Adds the blocks of one twig and seals the twigs before. An empty twig is built whole, with a fraction of the
    /// hashes.
    fn fill(&mut self, blocks: &[(BlockNumber, Hash)], sealed: &mut Vec<SealedTwigs>) {
        let Some((first, _)) = blocks.first() else { return };
        self.seal_up_to(first.twig_index(), sealed);
        if self.tree.is_empty() {
            self.tree = Arc::new(twig::build(self.chain, self.index, blocks.iter().copied()));
            return;
        }
        let tree = Arc::make_mut(&mut self.tree);
        for (number, hash) in blocks {
            tree.set(number.twig_slot().into(), block_leaf(self.chain, *number, hash));
        }
    }

    /// Seals this twig and the skipped twigs after it, until `index` is the open one.
    fn seal_up_to(&mut self, index: TwigIndex, sealed: &mut Vec<SealedTwigs>) {
        if self.index >= index {
            return;
        }
        let sealed_now = SealedTwigs::of(self.chain, self.index, &self.tree);
        let chain = self.chain;
        let indexes = sealed_now.indexes.end..index;
        let root = empty_root(TWIG_HEIGHT);
        sealed.extend([sealed_now, SealedTwigs { chain, indexes, root, nodes: None }]);
        self.index = index;
        self.tree = empty();
    }
}

fn empty() -> Arc<PerfectTree> {
    Arc::new(PerfectTree::new(TWIG_HEIGHT, Vec::new()))
}

/// Whole twigs from a run's new `start` up to its start `before`; empty if the start did not move down. The last block
/// below must be the parent of the first block above.
pub(crate) fn older_twigs(
    store: &dyn Store,
    chain: ChainKey,
    start: BlockNumber,
    before: BlockNumber,
) -> Result<Vec<SealedTwigs>, AccumulateError> {
    if start >= before {
        return Ok(Vec::new());
    }
    let load = |number: u64| read::load_block(store, chain, BlockNumber(number));
    let below = load(before.0 - 1)?;
    let above = load(before.0)?;
    let linked =
        matches!((&below, &above), (Some(below), Some(above)) if above.parent_hash == below.hash);
    if !linked || before.twig_slot() != TwigSlot::FIRST {
        let what = format!("the older blocks of chain {chain} do not lead up to block {before}");
        return Err(AccumulateError::Corrupt { what });
    }
    let mut twigs = Vec::new();
    for index in (start.twig_index().0..before.twig_index().0).map(TwigIndex) {
        let numbers = numbers(index)?;
        let hashes = load_hashes(store, chain, numbers.start.max(start.0), numbers.end)?;
        twigs.push(SealedTwigs::of(chain, index, &twig::build(chain, index, hashes)));
    }
    Ok(twigs)
}

/// A twig's block numbers.
pub(crate) fn numbers(index: TwigIndex) -> Result<Range<u64>, AccumulateError> {
    let ends = index.first().zip(index.last());
    let what = || AccumulateError::corrupt(format!("twig {index} is past the last block number"));
    ends.map(|(first, last)| first.0..last.0 + 1).ok_or_else(what)
}

/// Numbers and hashes of the existing blocks from `start` to before `end`, limited to one step's share.
pub(crate) fn load_hashes(
    store: &dyn Store,
    chain: ChainKey,
    start: u64,
    end: u64,
) -> Result<Vec<(BlockNumber, Hash)>, AccumulateError> {
    let numbers = BlockNumber(start)..BlockNumber(end);
    let count = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
    let blocks = read::load_blocks(store, chain, numbers, count)?;
    Ok(blocks.into_iter().map(|(number, block)| (number, block.hash)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use superroot_types::SAFE_INTEGER_MAX;

    use super::*;

    #[test]
    fn a_twig_past_the_last_number_has_no_numbers() {
        let last = BlockNumber(SAFE_INTEGER_MAX).twig_index();
        assert_eq!(numbers(last).unwrap().end, SAFE_INTEGER_MAX + 1);
        for past in [last.next().unwrap(), TwigIndex(SAFE_INTEGER_MAX), TwigIndex(u64::MAX)] {
            let refused = numbers(past).unwrap_err();
            assert!(matches!(refused, AccumulateError::Corrupt { .. }), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn a_twig_has_the_numbers_of_its_index(number in 0..=SAFE_INTEGER_MAX) {
            let twig = BlockNumber(number).twig_index();
            let numbers = numbers(twig).unwrap();
            prop_assert!(numbers.contains(&number));
            prop_assert_eq!(numbers.end - numbers.start, TWIG_BLOCKS);
            prop_assert_eq!(BlockNumber(numbers.end).twig_index(), twig.next().unwrap());
        }
    }
}
