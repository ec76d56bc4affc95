//! Sampled block numbers.

use superroot_types::BlockNumber;

/// At most `samples` numbers, both ends included (one sample: the last number).
pub(super) fn spread((first, last): (BlockNumber, BlockNumber), samples: u64) -> Vec<BlockNumber> {
    let length = last.0.saturating_sub(first.0);
    let steps = samples.clamp(1, 1 << 20).saturating_sub(1).min(length);
    let place = |step: u64| match u128::from(length) * u128::from(step) / u128::from(steps.max(1)) {
        offset if steps > 0 => first.0.saturating_add(u64::try_from(offset).unwrap_or(length)),
        _ => last.0,
    };
    (0..=steps).map(|step| BlockNumber(place(step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_over_the_whole_run() {
        let of = |first, last, samples| -> Vec<u64> {
            let run = (BlockNumber(first), BlockNumber(last));
            spread(run, samples).into_iter().map(|number| number.0).collect()
        };
        assert_eq!(of(10, 20, 3), [10, 15, 20]);
        assert_eq!(of(10, 20, 1), [20]);
        assert_eq!(of(7, 7, 8), [7]);
        assert_eq!(of(7, 9, 8), [7, 8, 9]);
    }
}
