//! Token price from its pools' states. Verifiers recompute a price with this module.

use alloy_primitives::U256;
use serde::{Deserialize, Serialize};

use crate::median::{WeightedPrice, settled, weighted_median};
use crate::state::{amount, whole, whole_at};
use crate::{Decimal, Decimals, FactoryPool, PoolState, Price, TokenSide};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricingRules {
    /// Least depth within about one percent of a price, in US dollars.
    pub depth_usd_min: u64,
    /// Seconds without an event until a pool is stale.
    pub stale_after_seconds: u64,
    /// Largest distance from the median, in percent; pools beyond are left out.
    pub outlier_percent_max: u64,
    /// Largest distance between price and window mean, in percent of the mean.
    pub drift_percent_max: u64,
    /// Least seconds covered by a pool's events; a pool with fewer is too young.
    pub covered_seconds_min: u64,
}

/// Pool at a block, seen from one token.
#[derive(Clone, Debug)]
pub struct ObservedPool {
    pub bound: FactoryPool,
    /// The priced token's side; the other token is the *base*.
    pub side: TokenSide,
    pub decimals: Decimals,
    /// Current state; `None` if the events after the last swap do not add up.
    pub state: Option<PoolState>,
    pub age_seconds: u64,
    /// Mean tick over the window, and the covered seconds.
    pub mean: Option<(i32, u64)>,
    /// Base price in US dollars: current, and over the window.
    pub base: BasePrice,
    /// Mean liquidity near the price, if the ranges are known ([`crate::near_liquidity`]).
    pub near: Option<u128>,
}

impl ObservedPool {
    /// Seconds covered by events; 0 without a mean.
    fn covered_seconds(&self) -> u64 {
        self.mean.map_or(0, |(_, seconds)| seconds)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasePrice {
    pub usd: Decimal,
    /// Mean over the window, if known.
    pub mean_usd: Option<Decimal>,
}

/// Reason why a pool has no weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// No reserves, or almost none, in one token.
    Drained,
    /// No event for too long.
    Stale,
    /// Events cover too few seconds.
    Young,
    /// Price too far from the others.
    Outlier,
    /// Liquidity events after the last swap are too many, or do not add up.
    Unsettled,
    /// Numbers out of range.
    Beyond,
    /// Fee so high that the price shows the value only to within the fee.
    Fee,
    /// Pool with bins: its events do not show what the bins hold.
    Bins,
}

impl LeftOutReason {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drained => "drained",
            Self::Stale => "stale",
            Self::Young => "young",
            Self::Outlier => "outlier",
            Self::Unsettled => "unsettled",
            Self::Beyond => "beyond",
            Self::Fee => "fee",
            Self::Bins => "bins",
        }
    }
}

/// Price and weight of one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPrice {
    /// Whole bases for one whole token.
    pub in_base: Decimal,
    pub usd: Decimal,
    /// Mean price over the window, and the covered seconds.
    pub mean: Option<(Decimal, u64)>,
    /// Liquidity near the price, in US dollars.
    pub liquidity_usd: Decimal,
    /// Weight, in US dollars.
    pub depth_usd: Decimal,
    /// Reason for no weight.
    pub left: Option<LeftOutReason>,
    /// Source of both.
    stock: Stock,
}

/// Pool amounts near the price, and their weighing part; tokens in whole units, bases in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stock {
    held: (Decimal, Decimal),
    depth: (Decimal, Decimal),
}

impl Stock {
    const NONE: Self =
        Self { held: (Decimal::ZERO, Decimal::ZERO), depth: (Decimal::ZERO, Decimal::ZERO) };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    pub usd: Decimal,
    /// Mean over the window, and the covered seconds in the heaviest pool.
    pub mean: Option<(Decimal, u64)>,
    pub depth_usd: Decimal,
    /// The outlier pools' depth.
    pub cut_usd: Decimal,
    /// Largest distance of a counted pool, in parts of the price.
    pub spread: Decimal,
    /// Seconds since the newest event in a counted pool.
    pub age_seconds: u64,
}

/// Reason why there is no price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPrice {
    /// No known factory's pool pairs the token with a priced token.
    NoPool,
    /// Every pool was left out; the reason is from the deepest pool.
    Left(LeftOutReason),
    Thin(Decimal),
    /// The pools' events cover too few seconds.
    Young {
        covered_seconds: u64,
        /// Required seconds.
        least: u64,
    },
    /// The price is too far from its window mean.
    Drifted {
        usd: Decimal,
        mean_usd: Decimal,
    },
}

pub fn price(
    seen: &[ObservedPool],
    rules: &PricingRules,
) -> (Vec<Option<PoolPrice>>, Result<Priced, NoPrice>) {
    let mut said: Vec<Option<PoolPrice>> = seen.iter().map(|pool| said_by(pool, rules)).collect();
    let priced = settle(seen, &mut said, rules);
    (said, priced)
}

fn settle(
    seen: &[ObservedPool],
    said: &mut [Option<PoolPrice>],
    rules: &PricingRules,
) -> Result<Priced, NoPrice> {
    let percent = |parts: u64| Decimal::of_u64(parts).over(Decimal::of_u64(100));
    weigh(said);
    let voices: Vec<WeightedPrice> =
        said.iter().map(|one| voice(one, |one| one.depth_usd)).collect();
    let apart = percent(rules.outlier_percent_max).unwrap_or(Decimal::ZERO);
    let Some((usd, far)) = settled(&voices, apart) else {
        return Err(explain_no_price(seen, said, rules.covered_seconds_min));
    };
    for (at, one) in said.iter_mut().enumerate() {
        if let Some(one) = one.as_mut().filter(|one| far.contains(&at) && one.left.is_none()) {
            one.left = Some(LeftOutReason::Outlier);
        }
    }
    let counted = || {
        let both = seen.iter().zip(said.iter());
        both.filter_map(|(seen, said)| {
            Some((seen, said.as_ref().filter(|one| one.left.is_none())?))
        })
    };
    let depth_usd = counted().fold(Decimal::ZERO, |sum, (_, one)| sum.plus(one.depth_usd));
    if depth_usd < Decimal::of_u64(rules.depth_usd_min) {
        return Err(NoPrice::Thin(depth_usd));
    }
    let cut = said.iter().flatten().filter(|one| one.left == Some(LeftOutReason::Outlier));
    let cut_usd = cut.fold(Decimal::ZERO, |sum, one| sum.plus(one.depth_usd));
    let spread = counted().filter_map(|(_, one)| one.usd.apart(usd)).max().unwrap_or(Decimal::ZERO);
    let age_seconds = counted().map(|(seen, _)| seen.age_seconds).min().unwrap_or(u64::MAX);
    let means: Vec<(WeightedPrice, u64)> = counted()
        .filter_map(|(_, one)| {
            let (price, seconds) = one.mean?;
            Some((WeightedPrice { price, depth: one.depth_usd }, seconds))
        })
        .collect();
    let voices: Vec<WeightedPrice> = means.iter().map(|(voice, _)| *voice).collect();
    let covered =
        means.iter().max_by_key(|(voice, _)| voice.depth).map_or(0, |(_, seconds)| *seconds);
    let mean = weighted_median(&voices).map(|mean_usd| (mean_usd, covered));
    if let Some((mean_usd, _)) = mean {
        let drift = percent(rules.drift_percent_max).unwrap_or(Decimal::ZERO);
        if usd.apart(mean_usd).is_none_or(|apart| apart > drift) {
            return Err(NoPrice::Drifted { usd, mean_usd });
        }
    }
    Ok(Priced { usd, mean, depth_usd, cut_usd, spread, age_seconds })
}

/// Reason why no pool counts, from the deepest one.
fn explain_no_price(
    seen: &[ObservedPool],
    said: &[Option<PoolPrice>],
    covered_seconds_min: u64,
) -> NoPrice {
    let both = seen.iter().zip(said);
    let left = both
        .filter_map(|(seen, said)| Some((seen, said.as_ref()?)))
        .max_by_key(|(_, one)| (one.depth_usd, one.liquidity_usd));
    match left.map(|(seen, one)| (seen, one.left)) {
        None if seen.is_empty() => NoPrice::NoPool,
        None => NoPrice::Left(LeftOutReason::Beyond),
        Some((seen, Some(LeftOutReason::Young))) => {
            let covered_seconds = seen.covered_seconds();
            NoPrice::Young { covered_seconds, least: covered_seconds_min }
        }
        Some((_, Some(left))) => NoPrice::Left(left),
        // it counts, and what it holds is less than what can be written
        Some((_, None)) => NoPrice::Thin(Decimal::ZERO),
    }
}

fn voice(one: &Option<PoolPrice>, depth: impl Fn(&PoolPrice) -> Decimal) -> WeightedPrice {
    match one {
        Some(one) if one.left.is_none() => WeightedPrice { price: one.usd, depth: depth(one) },
        _ => WeightedPrice { price: Decimal::ZERO, depth: Decimal::ZERO },
    }
}

/// Sets each pool's weight. Tokens are valued at the median price by all pools' bases, so a token at an absurd price
/// weighs the same as at a fair one.
fn weigh(said: &mut [Option<PoolPrice>]) {
    let by_base: Vec<WeightedPrice> =
        said.iter().map(|one| voice(one, |one| one.stock.depth.1)).collect();
    let fair = weighted_median(&by_base);
    for one in said.iter_mut().flatten() {
        let fair = fair.unwrap_or(one.usd);
        let worth = |(tokens, base): (Decimal, Decimal)| {
            tokens.times(fair).map_or(base, |tokens| tokens.plus(base))
        };
        (one.liquidity_usd, one.depth_usd) = (worth(one.stock.held), worth(one.stock.depth));
    }
}

/// Price of one pool; `None` if not representable.
fn said_by(seen: &ObservedPool, rules: &PricingRules) -> Option<PoolPrice> {
    let ObservedPool { bound, side, decimals, state, age_seconds, mean, base, near } = seen;
    let nothing = |left| PoolPrice {
        in_base: Decimal::ZERO,
        usd: Decimal::ZERO,
        mean: None,
        liquidity_usd: Decimal::ZERO,
        depth_usd: Decimal::ZERO,
        left: Some(left),
        stock: Stock::NONE,
    };
    let Some(state) = state else { return Some(nothing(LeftOutReason::Unsettled)) };
    let price = match state {
        PoolState::Reserves(held, _) if bound.is_stable => {
            Price::of_stable_reserves(*held, [decimals.token0, decimals.token1])
        }
        _ => state.price(bound.tick_spacing),
    };
    let Some(price) = price else { return Some(nothing(LeftOutReason::Drained)) };
    let in_base = whole(&price, *side, *decimals)?;
    let usd = in_base.times(base.usd)?;
    let both = |held: [U256; 2]| {
        let base_usd = amount(&held, side.other(), *decimals)?.times(base.usd)?;
        Some((amount(&held, *side, *decimals)?, base_usd))
    };
    let held = state.held(bound.tick_spacing).and_then(both)?;
    let depth = state.depth(bound.tick_spacing, *near).and_then(both)?;
    let stock = Stock { held, depth };
    // the tick of reserves is that of another curve
    let mean = mean.filter(|_| !bound.is_stable).zip(base.mean_usd).and_then(
        |((tick, seconds), base_usd)| {
            Some((whole_at(tick, *side, *decimals)?.times(base_usd)?, seconds))
        },
    );
    let left = if matches!(state, PoolState::Bin(_)) {
        Some(LeftOutReason::Bins)
    } else if is_drained(state) {
        Some(LeftOutReason::Drained)
    } else if bound.fee > FEE_MAX {
        Some(LeftOutReason::Fee)
    } else if *age_seconds > rules.stale_after_seconds {
        Some(LeftOutReason::Stale)
    } else if seen.covered_seconds() < rules.covered_seconds_min {
        Some(LeftOutReason::Young)
    } else {
        None
    };
    let liquidity_usd = Decimal::ZERO;
    let depth_usd = Decimal::ZERO;
    Some(PoolPrice { in_base, usd, mean, liquidity_usd, depth_usd, left, stock })
}

/// Highest fee of a counted pool, in millionths: above, nobody trades a wrong price back.
const FEE_MAX: u32 = 20_000;

/// Least reserve that yields a price, in the token's smallest units.
const UNITS_MIN: u64 = 1_000;

fn is_drained(state: &PoolState) -> bool {
    match state {
        PoolState::Reserves(reserves, _) => {
            reserves.iter().any(|held| *held < U256::from(UNITS_MIN))
        }
        PoolState::Spot(spot) => spot.liquidity.is_none_or(|liquidity| liquidity == 0),
        PoolState::Bin(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::*;
    use crate::tick::{sqrt_price_at, tick_at, tick_of_reserves};
    use crate::{PoolId, Spot};

    const RULES: PricingRules = PricingRules {
        depth_usd_min: 50,
        stale_after_seconds: 3_600,
        outlier_percent_max: 5,
        drift_percent_max: 20,
        covered_seconds_min: 0,
    };
    const DECIMALS: Decimals = Decimals { token0: 18, token1: 6 };

    fn seen(state: PoolState) -> ObservedPool {
        let usd = Decimal::ONE;
        ObservedPool {
            bound: FactoryPool {
                pool: PoolId::Contract(Address::ZERO),
                factory: alloy_primitives::Address::ZERO,
                fee_may_change: false,
                dex: "test".to_owned(),
                fee: 3_000,
                tick_spacing: 60,
                is_stable: false,
            },
            side: TokenSide::Token0,
            decimals: DECIMALS,
            state: Some(state),
            age_seconds: 1,
            mean: None,
            base: BasePrice { usd, mean_usd: Some(usd) },
            near: None,
        }
    }

    /// A pool of so many whole tokens and dollars.
    fn reserves(tokens: u64, dollars: u64) -> PoolState {
        let held = [
            U256::from(tokens) * U256::from(10).pow(U256::from(18)),
            U256::from(dollars) * U256::from(1_000_000),
        ];
        PoolState::Reserves(held, tick_of_reserves(held))
    }

    fn priced(seen: &[ObservedPool]) -> Result<String, NoPrice> {
        price(seen, &RULES).1.map(|priced| priced.usd.text(12))
    }

    #[test]
    fn a_pool_of_equal_worths_has_the_price_of_what_it_holds() {
        assert_eq!(priced(&[seen(reserves(100, 200_000))]).unwrap(), "2000");
        let base = BasePrice { usd: Decimal::of_u64(2_000), mean_usd: None };
        let other = ObservedPool { side: TokenSide::Token1, base, ..seen(reserves(100, 200_000)) };
        assert_eq!(priced(&[other]).unwrap(), "1");
    }

    #[test]
    fn thin_stale_drained_drifted_and_unread_pools_have_none() {
        assert_eq!(priced(&[]), Err(NoPrice::NoPool));
        assert!(matches!(priced(&[seen(reserves(1, 2_000))]), Err(NoPrice::Thin(_))));
        let stale = ObservedPool { age_seconds: 3_601, ..seen(reserves(100, 200_000)) };
        assert_eq!(priced(&[stale]), Err(NoPrice::Left(LeftOutReason::Stale)));
        let drained = PoolState::Reserves([U256::from(6_228_999_908_u64), U256::ONE], None);
        assert_eq!(priced(&[seen(drained)]), Err(NoPrice::Left(LeftOutReason::Drained)));
        assert_eq!(
            priced(&[seen(PoolState::Reserves([U256::ZERO; 2], None))]),
            Err(NoPrice::Left(LeftOutReason::Drained))
        );
        let unsettled = ObservedPool { state: None, ..seen(reserves(1, 1)) };
        assert_eq!(priced(&[unsettled]), Err(NoPrice::Left(LeftOutReason::Unsettled)));
        let tick = reserves(100, 200_000).tick().unwrap();
        let pumped = ObservedPool { mean: Some((tick, 1_800)), ..seen(reserves(70, 285_000)) };
        assert!(matches!(priced(&[pumped]), Err(NoPrice::Drifted { .. })));
        let rules = PricingRules { covered_seconds_min: 300, ..RULES };
        let young = ObservedPool { mean: Some((tick, 299)), ..seen(reserves(100, 200_000)) };
        assert_eq!(
            price(std::slice::from_ref(&young), &rules).1,
            Err(NoPrice::Young { covered_seconds: 299, least: 300 })
        );
        let old = ObservedPool { mean: Some((tick, 300)), ..young };
        assert!(price(std::slice::from_ref(&old), &rules).1.is_ok());
        // a heavy pool of a moment neither counts beside an old one nor makes that an outlier
        let heavy = ObservedPool { mean: Some((tick, 12)), ..seen(reserves(70_000, 285_000_000)) };
        let (said, priced) = price(&[heavy, old], &rules);
        assert_eq!(priced.unwrap().usd.text(6), "2000");
        assert_eq!(said[0].unwrap().left, Some(LeftOutReason::Young));
        assert_eq!(said[1].unwrap().left, None);
    }

    /// A pool that was made is one, whatever it holds: what is missing is not the pool.
    #[test]
    fn pools_that_hold_nothing_are_no_missing_pools() {
        let spot = |tick, liquidity| {
            let sqrt_price_x96 = sqrt_price_at(tick).unwrap();
            seen(PoolState::Spot(Spot { sqrt_price_x96, tick, liquidity }))
        };
        let fair = reserves(100, 200_000).tick().unwrap();
        for liquidity in [None, Some(0)] {
            let drained = priced(&[spot(fair, liquidity)]);
            assert_eq!(drained, Err(NoPrice::Left(LeftOutReason::Drained)), "{liquidity:?}");
        }
        assert_eq!(priced(&[spot(fair, Some(1))]), Err(NoPrice::Thin(Decimal::ZERO)));
        // what such a price is worth is past what is computed where the base is dear
        let dear = Decimal::of_units(U256::from(1), 990).unwrap();
        for liquidity in [None, Some(0), Some(u128::MAX)] {
            let base = BasePrice { usd: dear, mean_usd: None };
            let beyond = ObservedPool { base, ..spot(crate::tick::TICK_MAX - 1, liquidity) };
            let both = [beyond.clone(), beyond];
            assert_eq!(priced(&both), Err(NoPrice::Left(LeftOutReason::Beyond)), "{liquidity:?}");
        }
    }

    /// One token at an absurd price is worth one token, not what it asks for.
    #[test]
    fn a_token_offered_at_an_absurd_price_weighs_what_it_is_worth() {
        let honest = seen(reserves(10_000, 20_000_000));
        let tick =
            tick_at(sqrt_price_at(reserves(1, 2_000_000_000).tick().unwrap()).unwrap()).unwrap();
        let tick = tick.div_euclid(60) * 60;
        let spot =
            Spot { sqrt_price_x96: sqrt_price_at(tick).unwrap(), tick, liquidity: Some(1 << 64) };
        let forged = seen(PoolState::Spot(spot));
        let (said, priced) = price(&[forged, honest], &RULES);
        assert_eq!(priced.unwrap().usd.text(9), "2000");
        assert_eq!(said[0].unwrap().left, Some(LeftOutReason::Outlier));
    }
}
