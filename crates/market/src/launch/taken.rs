//! Liquidity that was taken since a launch.

use std::collections::BTreeMap;

use alloy_primitives::I256;

use crate::rows::LiquidityChange;

/// Percent of a launch's liquidity without which a pool is pulled.
const TAKEN_PERCENT: u64 = 90;

/// Whether nine tenths of a launch's liquidity were taken: range by range, so that nothing added elsewhere hides it, and
/// weighed by the range's width, so that a thin range does not count for a wide one.
pub(super) fn is_taken(before: &[LiquidityChange], after: &[LiquidityChange]) -> bool {
    let mut ranges: BTreeMap<(i32, i32), (I256, I256)> = BTreeMap::new();
    for change in before {
        let range = ranges.entry(change.ticks).or_default();
        range.0 = range.0.saturating_add(change.delta);
        range.1 = range.0;
    }
    for change in after {
        if let Some(range) = ranges.get_mut(&change.ticks) {
            range.1 = range.1.saturating_add(change.delta);
        }
    }
    let weighed = |of: &dyn Fn(I256, I256) -> I256| {
        let one = |(ticks, (then, now)): (&(i32, i32), &(I256, I256))| {
            let width = ticks.1.saturating_sub(ticks.0);
            of(*then, *now).saturating_mul(I256::try_from(width).unwrap_or(I256::ONE))
        };
        ranges.iter().map(one).fold(I256::ZERO, I256::saturating_add)
    };
    let taken = weighed(&|then, now| then.saturating_sub(now).max(I256::ZERO));
    let held = weighed(&|then, _| then.max(I256::ZERO));
    let percent = I256::try_from(TAKEN_PERCENT).unwrap_or(I256::ONE);
    taken.saturating_mul(I256::unchecked_from(100)) >= held.saturating_mul(percent)
}
