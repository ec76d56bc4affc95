//! A chain's open twig, kept in memory between steps and filled from the store.

use std::ops::Range;
use std::sync::Arc;

use superroot_proof::perfect::{PerfectTree, empty_root};
use superroot_proof::superroot::ChainReference;
use superroot_proof::twig::{self, block_leaf};
use superroot_store::layout::{BlockTip, TwigNodes};
use superroot_store::{Store, read};
use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_BLOCKS, TWIG_HEIGHT};

use crate::AccumulateError;

/// Sealed twig, or a run of empty twigs: the longest gaps have half a million.
pub(crate) struct SealedTwigs {
    pub(crate) chain: ChainKey,
    pub(crate) indexes: Range<u64>,
    /// Root of each twig.
    pub(crate) root: Hash,
    /// `None` for an empty twig.
    pub(crate) nodes: Option<TwigNodes>,
}

impl SealedTwigs {
    fn of(chain: ChainKey, index: u64, twig: &PerfectTree) -> Self {
        let indexes = index..index.saturating_add(1);
        Self { chain, indexes, root: twig.root(), nodes: TwigNodes::of(twig) }
    }
}

/// Twig with the chain's next number.
pub(crate) struct OpenTwig {
    chain: ChainKey,
    index: u64,
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
        let hashes = load_hashes(store, chain, index * TWIG_BLOCKS, next)?;
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
            tree.set(number.twig_slot(), block_leaf(self.chain, *number, hash));
        }
    }

    /// Seals this twig and the skipped twigs after it, until `index` is the open one.
    fn seal_up_to(&mut self, index: u64, sealed: &mut Vec<SealedTwigs>) {
        if self.index >= index {
            return;
        }
        sealed.push(SealedTwigs::of(self.chain, self.index, &self.tree));
        let chain = self.chain;
        let root = empty_root(TWIG_HEIGHT);
        sealed.push(SealedTwigs { chain, indexes: self.index + 1..index, root, nodes: None });
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
    if !linked || before.twig_slot() != 0 {
        let what = format!("the older blocks of chain {chain} do not lead up to block {before}");
        return Err(AccumulateError::Corrupt { what });
    }
    let mut twigs = Vec::new();
    for index in start.twig_index()..before.twig_index() {
        let first = (index * TWIG_BLOCKS).max(start.0);
        let hashes = load_hashes(store, chain, first, (index + 1) * TWIG_BLOCKS)?;
        twigs.push(SealedTwigs::of(chain, index, &twig::build(chain, index, hashes)));
    }
    Ok(twigs)
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
