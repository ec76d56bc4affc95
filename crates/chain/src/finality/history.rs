//! Ancestors whose hashes are collected from a rollup's history contract while blocks are fresh, for links.
//!
//! ```text
//! every 32nd block   the 16 multiples of 32 below
//! every 512th block  besides, 14 more multiples of 512 below
//! ```
//! A link of at most 31 headers, a few ancestors and 31 headers leads from a block to any of the 7,680 below.

use superroot_types::BlockNumber;

/// Blocks between collected ancestors.
pub const HISTORY_STEP: u64 = 32;
const NEAR: u64 = 16;
/// Blocks between far ancestors.
pub const HISTORY_FAR_STEP: u64 = HISTORY_STEP * NEAR;
const FAR: u64 = 15;

/// Ancestors to collect in the state of a block, newest first; none at most blocks.
#[must_use]
pub fn history_numbers(at: BlockNumber) -> Vec<BlockNumber> {
    let below = |step: u64, counts: std::ops::RangeInclusive<u64>| {
        let is_at = at.0.is_multiple_of(step);
        let number = move |count: u64| at.0.checked_sub(step.checked_mul(count)?).map(BlockNumber);
        counts.filter(move |_| is_at).filter_map(number)
    };
    below(HISTORY_STEP, 1..=NEAR).chain(below(HISTORY_FAR_STEP, 2..=FAR)).collect()
}
