//! Quorum by weight.

/// Least weight above two thirds of a total: all but what may be faulty.
pub(super) const fn least_above_two_thirds(total: u64) -> u64 {
    total.saturating_sub(total.saturating_sub(1) / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_times_the_least_weight_is_more_than_twice_the_total_and_one_less_is_not() {
        for total in (1..=1_000).chain([u64::MAX - 2, u64::MAX - 1, u64::MAX]) {
            let least = u128::from(least_above_two_thirds(total));
            let twice = 2 * u128::from(total);
            assert!(3 * least > twice && 3 * (least - 1) <= twice, "{total}");
        }
    }
}
