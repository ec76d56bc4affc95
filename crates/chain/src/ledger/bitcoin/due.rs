//! Due values from previous headers: target and lowest time.
//!
//! ```text
//!   block n - 2016        ...        n - 11 ... n - 1      n
//!     time ─────────── timespan ───────────── time ──► target of n, where 2016 divides n
//!                                     └─ median of 11 ──► n is later
//! ```
//!
//! At other numbers, the target is the previous block's. Source: Bitcoin Core `pow.cpp` (`GetNextWorkRequired`,
//! `CalculateNextWorkRequired`) and `chain.h` (`GetMedianTimePast`).

use superroot_proof::finality::work::{RETARGET_BLOCKS, retargeted};
use superroot_proof::ledger::bitcoin::Header;
use superroot_types::BlockNumber;

use super::params::{BitcoinParams, Retarget};
use crate::error::ChainError;

/// Previous blocks in the median time, a lower bound for a block's time.
pub const MEDIAN_BLOCKS: u64 = 11;

/// Test network delay in seconds, after which a block may have the easiest target.
const EASY_AFTER_SECONDS: u32 = 20 * 60;

/// Checks a header against previous headers; `before` returns a stored header by number, and the row's checkpoints are
/// always available. Checks that need a missing header are skipped.
///
/// # Errors
/// [`ChainError::Mismatch`] of `bits` or `time`, or of a checkpoint hash.
pub fn check_due(
    params: &BitcoinParams,
    number: BlockNumber,
    header: &Header,
    before: impl Fn(BlockNumber) -> Option<Header>,
) -> Result<(), ChainError> {
    for checkpoint in &params.checkpoints {
        checkpoint.check(number, header.hash())?;
    }
    let before = |number: BlockNumber| {
        let known = params.checkpoints.iter().find(|checkpoint| checkpoint.number == number);
        known.map(|checkpoint| checkpoint.header).or_else(|| before(number))
    };
    if let Some(median) = median_time(number, &before)
        && header.time <= median
    {
        let expected = format!("later than {median}, the median of the blocks before");
        return Err(ChainError::mismatch("time", header.time, expected));
    }
    match due_bits(params, number, header, &before) {
        Some(due) if due != header.bits => {
            let [got, due] = [header.bits, due].map(|bits| format!("{bits:#010x}"));
            Err(ChainError::mismatch("bits", got, format!("{due}, which is due at {number}")))
        }
        _ => Ok(()),
    }
}

/// Median time of the eleven previous blocks, or of all if fewer; `None` if one is not stored.
fn median_time(
    number: BlockNumber,
    before: &impl Fn(BlockNumber) -> Option<Header>,
) -> Option<u32> {
    let first = number.0.saturating_sub(MEDIAN_BLOCKS);
    let times = (first..number.0).map(|number| Some(before(BlockNumber(number))?.time));
    let mut times = times.collect::<Option<Vec<u32>>>()?;
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// Due target in compact form; `None` if a required header is not stored.
fn due_bits(
    params: &BitcoinParams,
    number: BlockNumber,
    header: &Header,
    before: &impl Fn(BlockNumber) -> Option<Header>,
) -> Option<u32> {
    let back = |count: u64| before(BlockNumber(number.0.checked_sub(count)?));
    // on the main network 2016 blocks have the target of the first, also where the parent is not held
    let into_period = number.0.checked_rem(RETARGET_BLOCKS)?;
    let first = || back(into_period).filter(|_| params.retarget == Retarget::Main);
    let parent = match back(1) {
        Some(parent) => parent,
        None if into_period > 0 => return first().map(|first| first.bits),
        None => return None,
    };
    if params.retarget == Retarget::Never {
        return Some(parent.bits);
    }
    if number.0.is_multiple_of(RETARGET_BLOCKS) {
        let first = back(RETARGET_BLOCKS)?;
        let base = if params.retarget == Retarget::Test4 { first.bits } else { parent.bits };
        let taken = u64::from(parent.time).saturating_sub(first.time.into());
        return retargeted(base, taken, params.target_limit_bits);
    }
    if params.retarget == Retarget::Main {
        return Some(parent.bits);
    }
    if header.time > parent.time.saturating_add(EASY_AFTER_SECONDS) {
        return Some(params.target_limit_bits);
    }
    // the target of the last block that was no exception
    let mut number = BlockNumber(number.0.checked_sub(1)?);
    let mut last = parent;
    while last.bits == params.target_limit_bits && !number.0.is_multiple_of(RETARGET_BLOCKS) {
        number = BlockNumber(number.0.checked_sub(1)?);
        last = before(number)?;
    }
    Some(last.bits)
}
