//! Twigs due between two SuperRoots: from the earlier and later runs, each once.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use superroot_types::{ChainKey, RowIndex, TwigIndex};

use crate::superroot::ChainReference;

/// Most pieces in a chain's run while twigs arrive. A run growing at its end and, in batches, at its start never has
/// more than three.
const PIECES_MAX: usize = 1_024;

#[derive(Clone, Debug)]
pub(super) enum TwigSequence {
    /// By chain and index, as between neighbours: outstanding pieces, the next piece last.
    Strict(Vec<(ChainKey, Range<TwigIndex>)>),
    Any(Vec<TwigRun>),
}

/// Chain's later run and its taken pieces, by their first twig.
#[derive(Clone, Debug)]
pub(super) struct TwigRun {
    chain: ChainKey,
    now: Range<TwigIndex>,
    taken: BTreeMap<TwigIndex, TwigIndex>,
}

/// Earlier and later run for each present chain, by rising chain.
fn runs<'a>(
    before: &'a [(RowIndex, ChainReference)],
    now: &[(RowIndex, ChainReference)],
) -> impl DoubleEndedIterator<Item = (ChainKey, Range<TwigIndex>, Range<TwigIndex>)> + use<'a> {
    let mut now: Vec<ChainReference> = now.iter().map(|(_, reference)| *reference).collect();
    now.sort_unstable_by_key(|reference| reference.chain);
    now.into_iter().map(|reference| {
        let now = sealed(&reference);
        let old = before.iter().find(|(_, old)| old.chain == reference.chain);
        let old = old.map_or(now.start..now.start, |(_, old)| sealed(old));
        (reference.chain, old, now)
    })
}

const fn sealed(reference: &ChainReference) -> Range<TwigIndex> {
    reference.start.twig_index()..reference.open_twig_index()
}

impl TwigSequence {
    pub(super) const fn nothing() -> Self {
        Self::Strict(Vec::new())
    }

    pub(super) fn strict(
        before: &[(RowIndex, ChainReference)],
        now: &[(RowIndex, ChainReference)],
    ) -> Self {
        let pieces = runs(before, now).rev().flat_map(|(chain, old, now)| {
            // what comes first stands last
            [(chain, old.end..now.end), (chain, now.start..old.start)]
        });
        Self::Strict(pieces.filter(|(_, piece)| !piece.is_empty()).collect())
    }

    pub(super) fn any(
        before: &[(RowIndex, ChainReference)],
        now: &[(RowIndex, ChainReference)],
    ) -> Self {
        let runs = runs(before, now).map(|(chain, old, now)| {
            let taken = (!old.is_empty()).then_some((old.start, old.end)).into_iter().collect();
            TwigRun { chain, now, taken }
        });
        Self::Any(runs.collect())
    }

    /// Takes a twig; returns whether the twig was due.
    pub(super) fn take(&mut self, chain: ChainKey, index: TwigIndex) -> bool {
        match self {
            Self::Strict(pieces) => {
                let Some((of, piece)) = pieces.last_mut() else { return false };
                if (*of, piece.start) != (chain, index) {
                    return false;
                }
                let Some(next) = index.next() else { return false };
                piece.start = next;
                if piece.is_empty() {
                    pieces.pop();
                }
                true
            }
            Self::Any(runs) => {
                let run = runs.binary_search_by_key(&chain, |run| run.chain).ok();
                run.and_then(|at| runs.get_mut(at)).is_some_and(|run| run.take(index))
            }
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        match self {
            Self::Strict(pieces) => pieces.is_empty(),
            Self::Any(runs) => runs.iter().all(TwigRun::is_complete),
        }
    }
}

impl TwigRun {
    /// Takes a twig outside all pieces and joins neighbours.
    fn take(&mut self, index: TwigIndex) -> bool {
        let Some(mut end) = index.next().filter(|_| self.now.contains(&index)) else {
            return false;
        };
        let below = self.taken.range(..=index).next_back().map(|(start, end)| (*start, *end));
        let start = match below {
            Some((_, below_end)) if below_end > index => return false,
            Some((start, below_end)) if below_end == index => start,
            Some(_) | None => index,
        };
        if let Some(above_end) = self.taken.remove(&end) {
            end = above_end;
        }
        self.taken.insert(start, end);
        self.taken.len() <= PIECES_MAX
    }

    fn is_complete(&self) -> bool {
        let mut pieces = self.taken.iter().map(|(start, end)| *start..*end);
        match pieces.next() {
            None => self.now.is_empty(),
            Some(whole) => whole == self.now && pieces.next().is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use superroot_types::{BlockNumber, ChainId, Family, Hash};

    use super::*;

    const CHAIN: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

    fn reference(twigs: Range<u64>) -> (RowIndex, ChainReference) {
        let (start, number) = (BlockNumber(twigs.start * 2048), BlockNumber(twigs.end * 2048 + 5));
        let (block_hash, open_twig_root) = (Hash::ZERO, Hash::ZERO);
        (RowIndex(0), ChainReference { chain: CHAIN, start, number, block_hash, open_twig_root })
    }

    fn taken(order: &mut TwigSequence, indexes: impl IntoIterator<Item = u64>) -> bool {
        indexes.into_iter().all(|index| order.take(CHAIN, TwigIndex(index)))
    }

    #[test]
    fn in_any_order_each_twig_comes_once() {
        let new = || TwigSequence::any(&[reference(10..12)], &[reference(5..20)]);
        for due in [
            [5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19],
            [19, 18, 17, 16, 15, 14, 13, 12, 9, 8, 7, 6, 5],
            [5, 7, 9, 13, 15, 17, 19, 12, 14, 16, 18, 6, 8],
        ] {
            let mut order = new();
            for (place, index) in due.into_iter().enumerate() {
                assert!(!order.is_complete());
                for again in [10, 11, 4, 20, u64::MAX].iter().chain(&due[..place]) {
                    assert!(!order.clone().take(CHAIN, TwigIndex(*again)), "{again}");
                }
                assert!(order.take(CHAIN, TwigIndex(index)), "{index}");
            }
            assert!(order.is_complete());
        }
    }

    #[test]
    fn in_strict_order_only_the_next_comes() {
        let mut order = TwigSequence::strict(&[reference(10..12)], &[reference(8..13)]);
        for index in [8, 9, 12] {
            assert!(!order.is_complete());
            assert!(!taken(&mut order.clone(), [index + 1]) && !taken(&mut order.clone(), [7]));
            assert!(order.take(CHAIN, TwigIndex(index)));
        }
        assert!(order.is_complete() && !order.take(CHAIN, TwigIndex(13)));
    }

    #[test]
    fn a_run_in_too_many_pieces_is_refused() {
        let count = PIECES_MAX as u64;
        let mut order = TwigSequence::any(&[], &[reference(0..10_000)]);
        assert!(taken(&mut order, (0..count).map(|place| place * 2)));
        assert!(!order.clone().take(CHAIN, TwigIndex(count * 2)));
        assert!(order.take(CHAIN, TwigIndex(1)), "it joins two");
        assert!(order.take(CHAIN, TwigIndex(count * 2)));
    }
}
