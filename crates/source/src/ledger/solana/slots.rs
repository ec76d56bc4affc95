//! Slot hints for heights, from node answers and never trusted.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

const HINTS_MAX: usize = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotPosition {
    pub(super) height: u64,
    pub(super) slot: u64,
}

/// Slots by height, as reported by nodes. Each hint is verified before use.
#[derive(Debug, Default)]
pub(super) struct Hints(Mutex<BTreeMap<u64, u64>>);

impl Hints {
    pub(super) fn add(&self, SlotPosition { height, slot }: SlotPosition) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(height, slot);
        if known.len() > HINTS_MAX {
            // the far end from what was asked for last
            let first = known.keys().next().copied();
            let last = known.keys().last().copied();
            let is_far = |key: &u64| key.abs_diff(height);
            if let Some(far) = first.into_iter().chain(last).max_by_key(is_far) {
                known.remove(&far);
            }
        }
    }

    /// Highest known position at or below `height`.
    pub(super) fn at_or_below(&self, height: u64) -> Option<SlotPosition> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (height, slot) = known.range(..=height).next_back()?;
        Some(SlotPosition { height: *height, slot: *slot })
    }
}

/// Search state for a height: a known block below, and a known block above or a limiting slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeightSearch {
    height: u64,
    /// Known block at or below; no assumption without one: a node may have no block for the first slots, and a
    /// recording may omit some.
    low: Option<SlotPosition>,
    high: SlotPosition,
    /// Lower bound: no block of the height is in an earlier slot.
    slot_start: u64,
    /// Upper bound: no block of the height is in this or a later slot.
    slot_end: u64,
    steps: u32,
}

impl HeightSearch {
    /// Search below a block above the height. A height never exceeds the slot.
    pub(super) fn below(high: SlotPosition, height: u64) -> Self {
        Self { height, low: None, high, slot_start: height, slot_end: high.slot, steps: 0 }
    }

    /// Block at or below the height, if near enough for a slot list.
    pub(super) fn near(&self, blocks_max: u64) -> Option<SlotPosition> {
        self.low.filter(|low| self.height.saturating_sub(low.height) <= blocks_max)
    }

    /// Next slot to try: alternately the interpolated position (evenly skipped blocks) and the middle. `None` when no
    /// slot is left.
    pub(super) fn guess(&self) -> Option<u64> {
        let first = self.slot_start;
        // a slot is skipped, a height is not
        let last = self.slot_end.checked_sub(1)?;
        if first > last {
            return None;
        }
        let low = self.low.unwrap_or(SlotPosition { height: 0, slot: 0 });
        let heights = u128::from(self.high.height.saturating_sub(low.height)).max(1);
        let slots = u128::from(self.slot_end.saturating_sub(low.slot));
        let above = u128::from(self.height.saturating_sub(low.height));
        if self.steps % 2 == 1 {
            return Some(first.midpoint(last));
        }
        // a little early: the block at or behind it should be one below the height
        let step = (slots * above / heights).saturating_sub(64.min(slots / 2));
        let step = u64::try_from(step).unwrap_or(u64::MAX);
        Some(low.slot.saturating_add(step).clamp(first, last))
    }

    /// Records the block found at or after the tried slot; `false` if impossible or uninformative.
    pub(super) fn learn(&mut self, guess: u64, found: Option<SlotPosition>) -> bool {
        self.steps = self.steps.saturating_add(1);
        match found {
            Some(found) if found.slot < guess => return false,
            Some(found) if found.slot < self.slot_end => {
                let is_above = self.low.is_none_or(|low| low.height < found.height);
                let is_between = is_above && found.height < self.high.height;
                if !is_between {
                    return false;
                }
                if found.height <= self.height {
                    (self.low, self.slot_start) = (Some(found), found.slot.saturating_add(1));
                } else {
                    (self.high, self.slot_end) = (found, guess);
                }
            }
            // no block from there to the one above
            Some(_) | None => self.slot_end = guess,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However slots are skipped, and wherever the first block lies, a height is found in few steps, with a list of
        /// slots from near it or without one.
        #[test]
        fn every_height_is_found(skipped in prop::collection::vec(0_u64..5, 2..400), bursts in prop::collection::vec((0_usize..400, 1_u64..100_000), 0..3), pick in any::<prop::sample::Index>(), first in 0_u64..2_000, blocks_max in prop::sample::select(vec![0_u64, 8])) {
            let mut gaps = skipped;
            for (at, gap) in bursts {
                let at = at % gaps.len();
                gaps[at] += gap;
            }
            let slots: Vec<u64> = gaps.iter().scan(first, |slot, gap| {
                let at = *slot + gap;
                *slot = at + 1;
                Some(at)
            }).collect();
            let last = slots.len() - 1;
            let place = |at: usize| SlotPosition { height: first + at as u64, slot: slots[at] };
            let (height, high) = (first + pick.index(last) as u64, place(last));
            let mut search = HeightSearch::below(high, height);
            let mut steps = 0;
            let low = loop {
                if let Some(low) = search.near(blocks_max) { break low }
                let guess = search.guess().expect("a block is there");
                let at = slots.partition_point(|slot| *slot < guess);
                let found = (at <= last).then(|| place(at));
                prop_assert!(search.learn(guess, found));
                steps += 1;
                prop_assert!(steps < 100, "{steps}");
            };
            prop_assert_eq!(slots[(low.height - first) as usize], low.slot);
            prop_assert!(low.height <= height && height - low.height <= blocks_max);
        }
    }

    #[test]
    fn hints_are_few_and_those_nearest_to_what_was_asked_last() {
        let hints = Hints::default();
        for height in 0..5_000 {
            hints.add(SlotPosition { height, slot: height * 2 });
        }
        assert_eq!(hints.0.lock().unwrap().len(), HINTS_MAX);
        assert_eq!(hints.at_or_below(6_000), Some(SlotPosition { height: 4_999, slot: 9_998 }));
        assert_eq!(hints.at_or_below(10), None);
        hints.add(SlotPosition { height: 5, slot: 9 });
        assert_eq!(hints.at_or_below(10), Some(SlotPosition { height: 5, slot: 9 }));
    }

    #[test]
    fn what_cannot_be_ends_the_search() {
        let mut search = HeightSearch::below(SlotPosition { height: 100, slot: 200 }, 50);
        for (height, slot) in [(100, 60), (101, 60), (40, 20)] {
            assert!(!search.learn(30, Some(SlotPosition { height, slot })), "{height} {slot}");
        }
        assert!(search.learn(30, Some(SlotPosition { height: 20, slot: 40 })));
        for height in [0, 20] {
            assert!(!search.learn(50, Some(SlotPosition { height, slot: 60 })), "{height}");
        }
    }
}
