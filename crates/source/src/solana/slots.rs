//! Which slot a height has: told by what nodes said before, and never believed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Most heights that are remembered.
const HINTS_MAX: usize = 4_096;

/// A block's place: its height and its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) height: u64,
    pub(super) slot: u64,
}

/// Slots of heights, as nodes named them. Each is looked up again where it is used.
#[derive(Debug, Default)]
pub(super) struct Hints(Mutex<BTreeMap<u64, u64>>);

impl Hints {
    pub(super) fn add(&self, Place { height, slot }: Place) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(height, slot);
        if known.len() > HINTS_MAX {
            // the far end from what was asked for last
            let (first, last) = (known.keys().next().copied(), known.keys().last().copied());
            let is_far = |key: &u64| key.abs_diff(height);
            if let Some(far) = first.into_iter().chain(last).max_by_key(is_far) {
                known.remove(&far);
            }
        }
    }

    /// The highest known place at or below that height.
    pub(super) fn at_or_below(&self, height: u64) -> Option<Place> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (height, slot) = known.range(..=height).next_back()?;
        Some(Place { height: *height, slot: *slot })
    }
}

/// What is known of where a height lies: a block below it, once one was seen, and one above it or a slot that
/// bounds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    height: u64,
    /// Nothing is assumed of it: a node may have no block of the first slots, or a recording leave some out.
    low: Option<Place>,
    high: Place,
    /// No block of the height is below this slot.
    slot_start: u64,
    /// No block of the height is at this slot or above.
    slot_end: u64,
    /// Slots looked at.
    steps: u32,
}

impl Search {
    /// Below a block above the height. A height is never above its slot.
    pub(super) fn below(high: Place, height: u64) -> Self {
        Self { height, low: None, high, slot_start: height, slot_end: high.slot, steps: 0 }
    }

    /// The block below or at the height, once one was seen so near that a list of slots leads to it.
    pub(super) fn near(&self, blocks_max: u64) -> Option<Place> {
        self.low.filter(|low| self.height.saturating_sub(low.height) <= blocks_max)
    }

    /// The slot to look at next: where it is if blocks are skipped evenly, and in the middle in turn.
    /// `None` when none is left.
    pub(super) fn guess(&self) -> Option<u64> {
        let first = self.slot_start;
        // a slot is skipped, a height is not
        let last = self.slot_end.checked_sub(1)?;
        if first > last {
            return None;
        }
        let low = self.low.unwrap_or(Place { height: 0, slot: 0 });
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

    /// A block at or behind the slot that was looked at; `false` where it cannot be, or nothing is
    /// learned.
    pub(super) fn learn(&mut self, guess: u64, found: Option<Place>) -> bool {
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
            let place = |at: usize| Place { height: first + at as u64, slot: slots[at] };
            let (height, high) = (first + pick.index(last) as u64, place(last));
            let mut search = Search::below(high, height);
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
            hints.add(Place { height, slot: height * 2 });
        }
        assert_eq!(hints.0.lock().unwrap().len(), HINTS_MAX);
        assert_eq!(hints.at_or_below(6_000), Some(Place { height: 4_999, slot: 9_998 }));
        assert_eq!(hints.at_or_below(10), None);
        hints.add(Place { height: 5, slot: 9 });
        assert_eq!(hints.at_or_below(10), Some(Place { height: 5, slot: 9 }));
    }

    #[test]
    fn what_cannot_be_ends_the_search() {
        let mut search = Search::below(Place { height: 100, slot: 200 }, 50);
        for (height, slot) in [(100, 60), (101, 60), (40, 20)] {
            assert!(!search.learn(30, Some(Place { height, slot })), "{height} {slot}");
        }
        assert!(search.learn(30, Some(Place { height: 20, slot: 40 })));
        for height in [0, 20] {
            assert!(!search.learn(50, Some(Place { height, slot: 60 })), "{height}");
        }
    }
}
