//! What is held of a chain, range by range, and what is not, and why.
//!
//! ```text
//!   before_start |     held     | refused |   held   | not_collected_yet ... (open end)
//!   0        4095 4096      4999 5000      5001  5100 5101
//! ```
//! Ranges and gaps together leave out no number, so that nothing is missing without a word.

use superroot_store::coverage::Coverage;
use superroot_store::layout::Held;
use superroot_types::BlockNumber;

use crate::status::{ChainStage, ChainView};

/// Numbers that are not held; without an end where nobody knows one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) from: BlockNumber,
    pub(crate) to: Option<BlockNumber>,
    pub(crate) reason: Reason,
}

/// Why numbers are not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Collection begins after them.
    BeforeStart,
    /// They are below the start, and being fetched.
    Backfilling,
    /// They lie between others that are held, and nothing says why.
    Missing,
    /// Their blocks do not recompute.
    Refused,
    /// They are final, and next.
    NotCollectedYet,
    /// Nothing later was recorded.
    RecordingsEnd,
    /// The chain stands still, in that stage.
    Stage(ChainStage),
}

impl Reason {
    /// The word used in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::BeforeStart => "before_start",
            Self::Backfilling => "backfilling",
            Self::Missing => "missing",
            Self::Refused => "refused",
            Self::NotCollectedYet => "not_collected_yet",
            Self::RecordingsEnd => "recordings_end",
            Self::Stage(stage) => stage.name(),
        }
    }
}

/// Some runs of a chain and the gaps about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// What is held, or known not to be there.
    pub(crate) ranges: Vec<Coverage>,
    /// What is not held, rising.
    pub(crate) gaps: Vec<Gap>,
    /// Where the next page begins.
    pub(crate) next: Option<BlockNumber>,
}

impl Page {
    /// Of these runs those that end at `cursor` or later, at most `limit`, and the gaps before each.
    /// The gaps after the last run are on the last page, those before the first on the first.
    /// `first` is the ledger's first number.
    pub(crate) fn new(
        runs: &[Coverage],
        first: BlockNumber,
        cursor: Option<BlockNumber>,
        limit: usize,
        view: &ChainView,
    ) -> Self {
        let is_before = |run: &Coverage| cursor.is_some_and(|cursor| run.to < cursor);
        let (before, rest) = runs.split_at(runs.partition_point(is_before));
        let (page, later) = rest.split_at(limit.min(rest.len()));
        let top = runs.iter().rev().find(|run| run.held != Held::Refused).map(|run| run.to);
        let mut expected = before.last().map_or(first.0, |run| run.to.0.saturating_add(1));
        let mut is_start = before.is_empty();
        let (mut ranges, mut gaps) = (Vec::new(), Vec::new());
        for run in page {
            if let Some(end) = run.from.0.checked_sub(1).filter(|end| *end >= expected) {
                let (from, to) = (BlockNumber(expected), BlockNumber(end));
                if is_start {
                    gaps.extend(gaps_before_start(from, to, view));
                } else {
                    let is_above = top.is_some_and(|top| top < run.from);
                    let reason = if is_above { above(view) } else { Reason::Missing };
                    gaps.push(Gap { from, to: Some(to), reason });
                }
            }
            if run.held == Held::Refused {
                gaps.push(Gap { from: run.from, to: Some(run.to), reason: Reason::Refused });
            } else {
                ranges.push(*run);
            }
            expected = run.to.0.saturating_add(1);
            is_start = false;
        }
        if later.is_empty() {
            gaps.extend(last_gap(BlockNumber(expected), is_start, view));
        }
        Self { ranges, gaps, next: later.first().map(|run| run.from) }
    }
}

/// What is not held below the start: an order fetches down to the number that it was given, and no
/// further.
fn gaps_before_start(
    from: BlockNumber,
    to: BlockNumber,
    view: &ChainView,
) -> impl Iterator<Item = Gap> {
    let gap = |from, to, reason| (from <= to).then_some(Gap { from, to: Some(to), reason });
    let fetched_from = view.backfill.map(|backfill| backfill.to.max(from));
    let (left, fetched) = match fetched_from.filter(|fetched_from| *fetched_from <= to) {
        Some(first) => {
            let below = first.0.checked_sub(1).map(BlockNumber);
            let left = below.and_then(|below| gap(from, below, Reason::BeforeStart));
            (left, gap(first, to, Reason::Backfilling))
        }
        None => (gap(from, to, Reason::BeforeStart), None),
    };
    left.into_iter().chain(fetched)
}

/// What of these runs the log has not withdrawn.
pub(crate) fn standing(mut runs: Vec<Coverage>, view: &ChainView) -> Vec<Coverage> {
    let Some(from) = view.withdrawn_from else { return runs };
    runs.retain(|run| run.from < from);
    if let Some(last) = runs.last_mut() {
        last.to = last.to.min(BlockNumber(from.0.saturating_sub(1)));
    }
    runs
}

/// Why nothing above what is held is there.
const fn above(view: &ChainView) -> Reason {
    match view.state {
        ChainStage::Starting
        | ChainStage::CatchingUp
        | ChainStage::Backfilling
        | ChainStage::Following => Reason::NotCollectedYet,
        ChainStage::Recorded => Reason::RecordingsEnd,
        ChainStage::NotFollowed
        | ChainStage::Stalled
        | ChainStage::Halted
        | ChainStage::Withdrawn => Reason::Stage(view.state),
    }
}

/// What is missing above everything held: of a chain that moves only what is final and not taken
/// yet, of any other everything.
fn last_gap(from: BlockNumber, is_empty: bool, view: &ChainView) -> Option<Gap> {
    let reason = above(view);
    let to = match reason {
        Reason::NotCollectedYet => {
            let held = view.finalized.map(|point| point.number);
            let claimed = view.claimed.map(|claimed| claimed.finalized);
            let end = held.max(claimed).filter(|end| *end >= from);
            if end.is_none() && !is_empty {
                return None;
            }
            end
        }
        Reason::BeforeStart
        | Reason::Backfilling
        | Reason::Missing
        | Reason::Refused
        | Reason::RecordingsEnd
        | Reason::Stage(_) => None,
    };
    Some(Gap { from, to, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{Backfill, Claimed, Point};
    use proptest::prelude::*;
    use superroot_types::{Hash, UnixSeconds};

    fn view(state: ChainStage, finalized: Option<u64>) -> ChainView {
        let point = |number| Point {
            number: BlockNumber(number),
            hash: Hash::ZERO,
            timestamp: UnixSeconds(0),
        };
        ChainView { state, finalized: finalized.map(point), ..ChainView::default() }
    }

    fn range(from: u64, to: u64) -> Coverage {
        Coverage { from: BlockNumber(from), to: BlockNumber(to), held: Held::Whole }
    }

    fn refused(from: u64, to: u64) -> Coverage {
        Coverage { held: Held::Refused, ..range(from, to) }
    }

    fn page(runs: &[Coverage], view: &ChainView, cursor: Option<u64>, limit: usize) -> Page {
        Page::new(runs, BlockNumber(0), cursor.map(BlockNumber), limit, view)
    }

    fn told(page: &Page) -> Vec<(u64, Option<u64>, &'static str)> {
        let gaps = page.gaps.iter();
        gaps.map(|gap| (gap.from.0, gap.to.map(|to| to.0), gap.reason.name())).collect()
    }

    #[test]
    fn a_chain_that_is_followed_has_no_gap_but_before_its_start() {
        let following = view(ChainStage::Following, Some(99));
        let whole = page(&[range(0, 99)], &following, None, 10);
        assert_eq!(told(&whole), []);
        let late = page(&[range(40, 99)], &following, None, 10);
        assert_eq!(told(&late), [(0, Some(39), "before_start")]);
    }

    #[test]
    fn a_gap_names_its_reason() {
        let mut backfilling = view(ChainStage::Backfilling, Some(99));
        let (to, began_at) = (BlockNumber(0), UnixSeconds(0));
        backfilling.backfill = Some(Backfill { to, done_blocks: 1, total_blocks: 2, began_at });
        for (view, expected) in [
            (view(ChainStage::Following, Some(120)), vec![(100, Some(120), "not_collected_yet")]),
            (view(ChainStage::Stalled, Some(120)), vec![(100, None, "stalled")]),
            (view(ChainStage::Halted, None), vec![(100, None, "halted")]),
            (view(ChainStage::NotFollowed, None), vec![(100, None, "not_followed")]),
            (view(ChainStage::Recorded, None), vec![(100, None, "recordings_end")]),
        ] {
            assert_eq!(told(&page(&[range(0, 99)], &view, None, 10)), expected);
        }
        let older = page(&[range(40, 99)], &backfilling, None, 10);
        assert_eq!(told(&older), [(0, Some(39), "backfilling")]);
    }

    /// What an order does not reach is nobody's.
    #[test]
    fn the_gap_below_an_order_is_not_said_to_be_fetched() {
        let before = |from, to| (from, Some(to), "before_start");
        for (to, expected) in [
            (0, vec![(0, Some(39), "backfilling")]),
            (1, vec![before(0, 0), (1, Some(39), "backfilling")]),
            (16, vec![before(0, 15), (16, Some(39), "backfilling")]),
            (39, vec![before(0, 38), (39, Some(39), "backfilling")]),
            (40, vec![before(0, 39)]),
        ] {
            let (to, began_at) = (BlockNumber(to), UnixSeconds(0));
            let backfill = Some(Backfill { to, done_blocks: 1, total_blocks: 2, began_at });
            let view = ChainView { backfill, ..view(ChainStage::Backfilling, Some(99)) };
            assert_eq!(told(&page(&[range(40, 99)], &view, None, 10)), expected, "{to}");
        }
    }

    #[test]
    fn what_is_withdrawn_is_a_gap_and_no_range() {
        let of = |from: u64, runs: &[Coverage]| {
            let mut view = view(ChainStage::Following, Some(99));
            view.withdraw(BlockNumber(from));
            let page = page(&standing(runs.to_vec(), &view), &view, None, 10);
            (page.ranges.clone(), told(&page))
        };
        let (held, withdrawn) = ([range(0, 79)], |from| vec![(from, None, "withdrawn")]);
        assert_eq!(of(53, &held), (vec![range(0, 52)], withdrawn(53)));
        assert_eq!(of(79, &held), (vec![range(0, 78)], withdrawn(79)));
        assert_eq!(of(80, &held), (vec![range(0, 79)], withdrawn(80)));
        assert_eq!(of(0, &held), (vec![], withdrawn(0)));
        let two = [range(0, 9), Coverage { held: Held::Skipped, ..range(10, 79) }];
        assert_eq!(of(10, &two), (vec![range(0, 9)], withdrawn(10)));
    }

    /// What its nodes call final is missing as long as it is not held, whoever fell behind.
    #[test]
    fn what_nodes_have_and_is_not_fetched_is_a_gap() {
        let (at, number) = (UnixSeconds(0), BlockNumber);
        for state in [ChainStage::Following, ChainStage::CatchingUp, ChainStage::Starting] {
            let mut behind = view(state, Some(99));
            behind.claim(Claimed { head: number(4_600), finalized: number(4_588), at });
            let expected = vec![(100, Some(4_588), "not_collected_yet")];
            assert_eq!(told(&page(&[range(0, 99)], &behind, None, 10)), expected);
        }
    }

    #[test]
    fn a_chain_of_which_nothing_is_held_says_so() {
        for (state, reason) in [
            (ChainStage::Starting, "not_collected_yet"),
            (ChainStage::NotFollowed, "not_followed"),
            (ChainStage::Withdrawn, "withdrawn"),
        ] {
            let empty = page(&[], &view(state, None), None, 10);
            assert_eq!(told(&empty), [(0, None, reason)]);
        }
    }

    #[test]
    fn a_refused_block_stands_out_of_its_gap() {
        let stalled = view(ChainStage::Stalled, None);
        let runs = [range(0, 48), refused(50, 51), range(60, 99), refused(100, 100)];
        let first = page(&runs, &stalled, None, 10);
        let expected = [
            (49, Some(49), "missing"),
            (50, Some(51), "refused"),
            (52, Some(59), "missing"),
            (100, Some(100), "refused"),
            (101, None, "stalled"),
        ];
        assert_eq!(told(&first), expected);
        assert_eq!(first.ranges, [range(0, 48), range(60, 99)]);
        let above = page(&[range(0, 9), refused(12, 12)], &stalled, None, 10);
        let expected =
            [(10, Some(11), "stalled"), (12, Some(12), "refused"), (13, None, "stalled")];
        assert_eq!(told(&above), expected);
    }

    #[test]
    fn a_cursor_past_the_end_gives_the_end_alone() {
        let halted = view(ChainStage::Halted, None);
        let end = page(&[range(0, 9)], &halted, Some(u64::MAX), 1);
        assert_eq!((end.ranges.len(), told(&end)), (0, vec![(10, None, "halted")]));
    }

    #[test]
    fn numbers_at_the_end_of_the_range_overflow_nothing() {
        let halted = view(ChainStage::Halted, None);
        assert_eq!(page(&[range(0, u64::MAX)], &halted, None, 1).ranges.len(), 1);
        assert_eq!(page(&[range(0, u64::MAX)], &halted, None, 0).next, Some(BlockNumber(0)));
    }

    proptest! {
        /// Page by page, ranges and gaps follow each other without a hole and without overlap.
        #[test]
        fn pages_leave_out_no_number(
            steps in prop::collection::vec((0_u64..5, 1_u64..5, any::<bool>()), 0..12),
            limit in 1_usize..4,
        ) {
            let mut at = 0;
            let runs: Vec<Coverage> = steps.iter().map(|(gap, length, is_held)| {
                let from = at + gap;
                at = from + length;
                if *is_held { range(from, at - 1) } else { refused(from, at - 1) }
            }).collect();
            let halted = view(ChainStage::Halted, None);
            let (mut cursor, mut spans) = (None, Vec::new());
            loop {
                let page = page(&runs, &halted, cursor, limit);
                prop_assert!(page.ranges.len() <= limit && page.gaps.len() <= 2 * limit + 1);
                spans.extend(page.ranges.iter().map(|one| (one.from.0, Some(one.to.0))));
                spans.extend(page.gaps.iter().map(|one| (one.from.0, one.to.map(|to| to.0))));
                match page.next {
                    Some(next) => cursor = Some(next.0),
                    None => break,
                }
            }
            spans.sort_unstable();
            let mut expected = 0;
            for (from, to) in &spans {
                prop_assert_eq!(*from, expected);
                expected = to.map_or(u64::MAX, |to| to + 1);
            }
            prop_assert_eq!(expected, u64::MAX, "the end is open");
        }
    }
}
