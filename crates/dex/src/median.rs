//! One price from several pools.

use std::collections::BTreeSet;

use crate::Decimal;

/// Price of a token in one pool, with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedPrice {
    pub price: Decimal,
    /// Depth near this price, in US dollars: the weight.
    pub depth: Decimal,
}

/// Weighted median: at least half the weight is at or below this price; the lower price in a tie. `None` without
/// weight.
#[must_use]
pub fn weighted_median(voices: &[WeightedPrice]) -> Option<Decimal> {
    let mut voices: Vec<&WeightedPrice> =
        voices.iter().filter(|voice| !voice.depth.is_zero()).collect();
    voices.sort_by_key(|voice| (voice.price, voice.depth));
    let total = voices.iter().fold(Decimal::ZERO, |sum, voice| sum.plus(voice.depth));
    let mut sum = Decimal::ZERO;
    voices.into_iter().find_map(|voice| {
        sum = sum.plus(voice.depth);
        (sum.plus(sum) >= total).then_some(voice.price)
    })
}

/// Weighted median without outliers further away than `apart_max`, in parts of the median. Returns the price and the
/// outliers.
#[must_use]
pub fn settled(voices: &[WeightedPrice], apart_max: Decimal) -> Option<(Decimal, BTreeSet<usize>)> {
    let middle = weighted_median(voices)?;
    let is_far =
        |voice: &WeightedPrice| voice.price.apart(middle).is_none_or(|apart| apart > apart_max);
    let far: BTreeSet<usize> =
        voices.iter().enumerate().filter(|(_, voice)| is_far(voice)).map(|(at, _)| at).collect();
    let near: Vec<WeightedPrice> = voices
        .iter()
        .enumerate()
        .filter(|(at, _)| !far.contains(at))
        .map(|(_, voice)| *voice)
        .collect();
    Some((weighted_median(&near)?, far))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn voice(price: u64, depth: u64) -> WeightedPrice {
        WeightedPrice { price: Decimal::of_u64(price), depth: Decimal::of_u64(depth) }
    }

    #[test]
    fn a_small_pool_moves_nothing_and_one_that_is_far_off_is_left_out() {
        let voices = [voice(1_000, 50), voice(1_010, 40), voice(9_000, 10)];
        let far = Decimal::parse("0.05").unwrap();
        assert_eq!(settled(&voices, far), Some((Decimal::of_u64(1_000), BTreeSet::from([2]))));
        assert_eq!(weighted_median(&[voice(1, 0)]), None);
        assert_eq!(weighted_median(&[]), None);
    }

    proptest! {
        /// Whoever has less than half of the weight cannot move the price past what another says.
        #[test]
        fn less_than_half_of_the_weight_moves_no_price_past_the_others(
            honest in proptest::collection::vec((900..1_100_u64, 1..1_000_u64), 1..8),
            forged in 1..u64::MAX,
            order: bool,
        ) {
            let total: u64 = honest.iter().map(|(_, depth)| depth).sum();
            let mut voices: Vec<WeightedPrice> = honest.iter().map(|(price, depth)| voice(*price, *depth)).collect();
            if total > 1 {
                voices.push(voice(forged, total - 1));
            }
            if order {
                voices.reverse();
            }
            let price = weighted_median(&voices).unwrap();
            let low = honest.iter().map(|(price, _)| *price).min().unwrap();
            let high = honest.iter().map(|(price, _)| *price).max().unwrap();
            prop_assert!((Decimal::of_u64(low)..=Decimal::of_u64(high)).contains(&price));
        }
    }
}
