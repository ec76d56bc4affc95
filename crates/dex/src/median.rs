//! One price out of those of several pools.

use std::collections::BTreeSet;

use crate::Decimal;

/// What one pool says of a token's price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Voice {
    /// Its price, in US dollars.
    pub price: Decimal,
    /// What stands behind it near that price, in US dollars: its weight.
    pub depth: Decimal,
}

/// The price that half of the weight is not above: of those at the middle the lower one. `None` where there is no
/// weight.
#[must_use]
pub fn weighted_median(voices: &[Voice]) -> Option<Decimal> {
    let mut voices: Vec<&Voice> = voices.iter().filter(|voice| !voice.depth.is_zero()).collect();
    voices.sort_by_key(|voice| (voice.price, voice.depth));
    let total = voices.iter().fold(Decimal::ZERO, |sum, voice| sum.plus(voice.depth));
    let mut sum = Decimal::ZERO;
    voices.into_iter().find_map(|voice| {
        sum = sum.plus(voice.depth);
        (sum.plus(sum) >= total).then_some(voice.price)
    })
}

/// The weighted median without those that are further from it than `apart_max`, in parts of it: the price, and which
/// were left out.
#[must_use]
pub fn settled(voices: &[Voice], apart_max: Decimal) -> Option<(Decimal, BTreeSet<usize>)> {
    let middle = weighted_median(voices)?;
    let is_far = |voice: &Voice| voice.price.apart(middle).is_none_or(|apart| apart > apart_max);
    let far: BTreeSet<usize> =
        voices.iter().enumerate().filter(|(_, voice)| is_far(voice)).map(|(at, _)| at).collect();
    let near: Vec<Voice> = voices
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

    fn voice(price: u64, depth: u64) -> Voice {
        Voice { price: Decimal::of_u64(price), depth: Decimal::of_u64(depth) }
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
            let mut voices: Vec<Voice> = honest.iter().map(|(price, depth)| voice(*price, *depth)).collect();
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
