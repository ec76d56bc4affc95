//! Coverage of a chain by range: stored blocks, and gaps with their reasons.
//!
//! ```text
//!   before_start |     held     | refused |   held   | not_collected_yet ... (open end)
//!   0        4095 4096      4999 5000      5001  5100 5101
//! ```
//! Ranges and gaps together cover every number, so each missing block has a reason.

use superroot_store::coverage::CoverageRun;
use superroot_store::layout::HeldRun;
use superroot_types::BlockNumber;

use crate::status::{ChainStage, ChainView};

/// Numbers without stored blocks; no end if unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RangeGap {
    pub(crate) from: BlockNumber,
    pub(crate) to: Option<BlockNumber>,
    pub(crate) reason: GapReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapReason {
    /// Before the start of collection.
    BeforeStart,
    /// Below the start, download in progress.
    Backfilling,
    /// Between stored blocks, for an unknown reason.
    Missing,
    /// The blocks failed's recomputation.
    Refused,
    /// Final, and next to collect.
    NotCollectedYet,
    /// After the end of the recordings.
    RecordingsEnd,
    /// Chain halted in this stage.
    Stage(ChainStage),
}

impl GapReason {
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

/// One page of runs, and the gaps around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RangePage {
    /// Stored blocks, or numbers known not to exist.
    pub(crate) ranges: Vec<CoverageRun>,
    /// Gaps, ascending.
    pub(crate) gaps: Vec<RangeGap>,
    pub(crate) next: Option<BlockNumber>,
}

impl RangePage {
    /// Takes at most `limit` runs that end at `cursor` or later, and the gap before each. Gaps after the last run are
    /// on the last page, gaps before the first run on the first. `first` is the ledger's first number.
    pub(crate) fn new(
        runs: &[CoverageRun],
        first: BlockNumber,
        cursor: Option<BlockNumber>,
        limit: usize,
        view: &ChainView,
    ) -> Self {
        let is_before = |run: &CoverageRun| cursor.is_some_and(|cursor| run.to < cursor);
        let (before, rest) = runs.split_at(runs.partition_point(is_before));
        let (page, later) = rest.split_at(limit.min(rest.len()));
        let top = runs.iter().rev().find(|run| run.held != HeldRun::Refused).map(|run| run.to);
        let mut expected = before.last().map_or(first.0, |run| run.to.0.saturating_add(1));
        let mut is_start = before.is_empty();
        let mut ranges = Vec::new();
        let mut gaps = Vec::new();
        for run in page {
            if let Some(end) = run.from.0.checked_sub(1).filter(|end| *end >= expected) {
                let from = BlockNumber(expected);
                let to = BlockNumber(end);
                if is_start {
                    gaps.extend(gaps_before_start(from, to, view));
                } else {
                    let is_above = top.is_some_and(|top| top < run.from);
                    let reason = if is_above { above(view) } else { GapReason::Missing };
                    gaps.push(RangeGap { from, to: Some(to), reason });
                }
            }
            if run.held == HeldRun::Refused {
                gaps.push(RangeGap {
                    from: run.from,
                    to: Some(run.to),
                    reason: GapReason::Refused,
                });
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

/// Gaps below the start: a backfill order downloads down to its target number and no further.
fn gaps_before_start(
    from: BlockNumber,
    to: BlockNumber,
    view: &ChainView,
) -> impl Iterator<Item = RangeGap> {
    let gap = |from, to, reason| (from <= to).then_some(RangeGap { from, to: Some(to), reason });
    let fetched_from = view.backfill.map(|backfill| backfill.to.max(from));
    let (left, fetched) = match fetched_from.filter(|fetched_from| *fetched_from <= to) {
        Some(first) => {
            let below = first.0.checked_sub(1).map(BlockNumber);
            let left = below.and_then(|below| gap(from, below, GapReason::BeforeStart));
            (left, gap(first, to, GapReason::Backfilling))
        }
        None => (gap(from, to, GapReason::BeforeStart), None),
    };
    left.into_iter().chain(fetched)
}

/// Runs without the blocks withdrawn by the log.
pub(crate) fn standing(mut runs: Vec<CoverageRun>, view: &ChainView) -> Vec<CoverageRun> {
    let Some(from) = view.withdrawn_from else { return runs };
    runs.retain(|run| run.from < from);
    if let Some(last) = runs.last_mut() {
        last.to = last.to.min(BlockNumber(from.0.saturating_sub(1)));
    }
    runs
}

/// Reason for the gap above the newest stored block.
const fn above(view: &ChainView) -> GapReason {
    match view.state {
        ChainStage::Starting
        | ChainStage::CatchingUp
        | ChainStage::Backfilling
        | ChainStage::Following => GapReason::NotCollectedYet,
        ChainStage::Recorded => GapReason::RecordingsEnd,
        ChainStage::NotFollowed
        | ChainStage::Stalled
        | ChainStage::Halted
        | ChainStage::Withdrawn => GapReason::Stage(view.state),
    }
}

/// Gap above all stored blocks: for a moving chain only the final blocks not collected yet, for any other chain
/// everything.
fn last_gap(from: BlockNumber, is_empty: bool, view: &ChainView) -> Option<RangeGap> {
    let reason = above(view);
    let to = match reason {
        GapReason::NotCollectedYet => {
            let held = view.finalized.map(|point| point.number);
            let claimed = view.claimed.map(|claimed| claimed.finalized);
            let end = held.max(claimed).filter(|end| *end >= from);
            if end.is_none() && !is_empty {
                return None;
            }
            end
        }
        GapReason::BeforeStart
        | GapReason::Backfilling
        | GapReason::Missing
        | GapReason::Refused
        | GapReason::RecordingsEnd
        | GapReason::Stage(_) => None,
    };
    Some(RangeGap { from, to, reason })
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

    fn range(from: u64, to: u64) -> CoverageRun {
        CoverageRun { from: BlockNumber(from), to: BlockNumber(to), held: HeldRun::Whole }
    }

    fn refused_run(from: u64, to: u64) -> CoverageRun {
        CoverageRun { held: HeldRun::Refused, ..range(from, to) }
    }

    fn page(
        runs: &[CoverageRun],
        view: &ChainView,
        cursor: Option<u64>,
        limit: usize,
    ) -> RangePage {
        RangePage::new(runs, BlockNumber(0), cursor.map(BlockNumber), limit, view)
    }

    fn told(page: &RangePage) -> Vec<(u64, Option<u64>, &'static str)> {
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
        let of = |from: u64, runs: &[CoverageRun]| {
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
        let two = [range(0, 9), CoverageRun { held: HeldRun::Skipped, ..range(10, 79) }];
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
        let runs = [range(0, 48), refused_run(50, 51), range(60, 99), refused_run(100, 100)];
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
        let above = page(&[range(0, 9), refused_run(12, 12)], &stalled, None, 10);
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
            let runs: Vec<CoverageRun> = steps.iter().map(|(gap, length, is_held)| {
                let from = at + gap;
                at = from + length;
                if *is_held { range(from, at - 1) } else { refused_run(from, at - 1) }
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
