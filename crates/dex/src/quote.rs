//! The price of a token out of what is in force in its pools. Who checks a price computes it again with this.

use alloy_primitives::U256;
use serde::{Deserialize, Serialize};

use crate::median::{Voice, settled, weighted_median};
use crate::state::{amount, whole, whole_at};
use crate::{Bound, Decimal, Decimals, Price, Side, State};

/// When pools are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Least that stands behind a price within about one hundredth of it, in US dollars.
    pub depth_usd_min: u64,
    /// A pool without an event for longer is stale, in seconds.
    pub stale_after_seconds: u64,
    /// A pool that is further from the middle is left out, in hundredths of it.
    pub outlier_percent_max: u64,
    /// Price and mean over the window may be so far apart, in hundredths of the mean.
    pub drift_percent_max: u64,
    /// A pool whose events cover fewer seconds is too young to count.
    pub covered_seconds_min: u64,
}

/// A pool at a block, seen from one of its tokens.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The pool.
    pub bound: Bound,
    /// Which of its tokens is priced; the other is the *base*.
    pub side: Side,
    /// Digits of both.
    pub decimals: Decimals,
    /// What is in force; `None` where events after the last swap do not add up.
    pub state: Option<State>,
    /// Seconds since its last event.
    pub age_seconds: u64,
    /// Mean tick over the window, and how many seconds of that it covers.
    pub mean: Option<(i32, u64)>,
    /// The base in US dollars now, and over the window.
    pub base: BasePrice,
    /// Mean liquidity near the price, where the pool's ranges are known ([`crate::near_liquidity`]).
    pub near: Option<u128>,
}

impl Seen {
    /// Seconds that its events cover; 0 where it has no mean.
    fn covered_seconds(&self) -> u64 {
        self.mean.map_or(0, |(_, seconds)| seconds)
    }
}

/// A base in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasePrice {
    /// Now.
    pub usd: Decimal,
    /// Over the window, where that is known.
    pub mean_usd: Option<Decimal>,
}

/// Why a pool has no weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Left {
    /// It holds nothing, or next to nothing, of one token.
    Drained,
    /// It had no event for too long.
    Stale,
    /// Its events cover too few seconds.
    Young,
    /// Its price is too far from the others'.
    Outlier,
    /// Liquidity came or went after its last swap in more events than are followed, or that do not add up.
    Unsettled,
    /// Its numbers are beyond what is computed.
    Beyond,
    /// Its fee is so high that its price says the worth to within that alone.
    Fee,
}

impl Left {
    /// Its word.
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
        }
    }
}

/// What a pool says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Bases for one token, whole ones.
    pub in_base: Decimal,
    /// Its price.
    pub usd: Decimal,
    /// Its price over the window, and the seconds covered.
    pub mean: Option<(Decimal, u64)>,
    /// What it holds for prices next to that one, in US dollars.
    pub liquidity_usd: Decimal,
    /// What weighs.
    pub depth_usd: Decimal,
    /// Why it does not.
    pub left: Option<Left>,
    /// What both follow from.
    stock: Stock,
}

/// What a pool holds: for prices next to its own, and of that what weighs; of the token in whole ones, of the base in US
/// dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stock {
    held: (Decimal, Decimal),
    depth: (Decimal, Decimal),
}

impl Stock {
    const NONE: Self =
        Self { held: (Decimal::ZERO, Decimal::ZERO), depth: (Decimal::ZERO, Decimal::ZERO) };
}

/// The price of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    /// In US dollars.
    pub usd: Decimal,
    /// Over the window, and how many seconds are covered: of the pool with the most weight, the fewest that cover it.
    pub mean: Option<(Decimal, u64)>,
    /// What stands behind it near that price, in US dollars.
    pub depth_usd: Decimal,
    /// What stands behind the pools that are too far from it.
    pub cut_usd: Decimal,
    /// The largest distance of a pool that counts, in parts of the price.
    pub spread: Decimal,
    /// Seconds since the newest event of a pool that counts.
    pub age_seconds: u64,
}

/// Why there is no price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPrice {
    /// No pool of a known factory has it with a token whose price is known.
    NoPool,
    /// Every pool was left out: the reason of the one with the most behind it.
    Left(Left),
    /// Too little stands behind it.
    Thin(Decimal),
    /// The events of its pools cover too few seconds.
    Young {
        /// How many.
        covered_seconds: u64,
        /// How many are asked for.
        least: u64,
    },
    /// It is too far from its mean over the window.
    Drifted {
        /// The price.
        usd: Decimal,
        /// The mean.
        mean_usd: Decimal,
    },
}

/// What each pool says, and the price that follows.
pub fn price(seen: &[Seen], rules: &Rules) -> (Vec<Option<Said>>, Result<Priced, NoPrice>) {
    let mut said: Vec<Option<Said>> = seen.iter().map(|pool| said_by(pool, rules)).collect();
    let priced = settle(seen, &mut said, rules);
    (said, priced)
}

fn settle(seen: &[Seen], said: &mut [Option<Said>], rules: &Rules) -> Result<Priced, NoPrice> {
    let percent = |parts: u64| Decimal::of_u64(parts).over(Decimal::of_u64(100));
    weigh(said);
    let voices: Vec<Voice> = said.iter().map(|one| voice(one, |one| one.depth_usd)).collect();
    let apart = percent(rules.outlier_percent_max).unwrap_or(Decimal::ZERO);
    let Some((usd, far)) = settled(&voices, apart) else {
        let both = seen.iter().zip(said.iter());
        let left = both
            .filter_map(|(seen, said)| Some((seen, said.as_ref()?)))
            .max_by_key(|(_, one)| (one.depth_usd, one.liquidity_usd));
        return Err(match left.map(|(seen, one)| (seen, one.left)) {
            None if seen.is_empty() => NoPrice::NoPool,
            None => NoPrice::Left(Left::Beyond),
            Some((seen, Some(Left::Young))) => {
                let covered_seconds = seen.covered_seconds();
                NoPrice::Young { covered_seconds, least: rules.covered_seconds_min }
            }
            Some((_, Some(left))) => NoPrice::Left(left),
            // it counts, and what it holds is less than what can be written
            Some((_, None)) => NoPrice::Thin(Decimal::ZERO),
        });
    };
    for (at, one) in said.iter_mut().enumerate() {
        if let Some(one) = one.as_mut().filter(|one| far.contains(&at) && one.left.is_none()) {
            one.left = Some(Left::Outlier);
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
    let cut = said.iter().flatten().filter(|one| one.left == Some(Left::Outlier));
    let cut_usd = cut.fold(Decimal::ZERO, |sum, one| sum.plus(one.depth_usd));
    let spread = counted().filter_map(|(_, one)| one.usd.apart(usd)).max().unwrap_or(Decimal::ZERO);
    let age_seconds = counted().map(|(seen, _)| seen.age_seconds).min().unwrap_or(u64::MAX);
    let means: Vec<(Voice, u64)> = counted()
        .filter_map(|(_, one)| {
            let (price, seconds) = one.mean?;
            Some((Voice { price, depth: one.depth_usd }, seconds))
        })
        .collect();
    let voices: Vec<Voice> = means.iter().map(|(voice, _)| *voice).collect();
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

fn voice(one: &Option<Said>, depth: impl Fn(&Said) -> Decimal) -> Voice {
    match one {
        Some(one) if one.left.is_none() => Voice { price: one.usd, depth: depth(one) },
        _ => Voice { price: Decimal::ZERO, depth: Decimal::ZERO },
    }
}

/// Gives each pool its weight. What it holds of the token is worth what the bases of all pools say: one token put at an
/// absurd price weighs no more than one at a fair one.
fn weigh(said: &mut [Option<Said>]) {
    let by_base: Vec<Voice> = said.iter().map(|one| voice(one, |one| one.stock.depth.1)).collect();
    let fair = weighted_median(&by_base);
    for one in said.iter_mut().flatten() {
        let fair = fair.unwrap_or(one.usd);
        let worth = |(tokens, base): (Decimal, Decimal)| {
            tokens.times(fair).map_or(base, |tokens| tokens.plus(base))
        };
        (one.liquidity_usd, one.depth_usd) = (worth(one.stock.held), worth(one.stock.depth));
    }
}

/// What a pool says; `None` where it says nothing that can be written.
fn said_by(seen: &Seen, rules: &Rules) -> Option<Said> {
    let Seen { bound, side, decimals, state, age_seconds, mean, base, near } = seen;
    let nothing = |left| Said {
        in_base: Decimal::ZERO,
        usd: Decimal::ZERO,
        mean: None,
        liquidity_usd: Decimal::ZERO,
        depth_usd: Decimal::ZERO,
        left: Some(left),
        stock: Stock::NONE,
    };
    let Some(state) = state else { return Some(nothing(Left::Unsettled)) };
    let price = match state {
        State::Reserves(held, _) if bound.is_stable => {
            Price::of_stable_reserves(*held, [decimals.token0, decimals.token1])
        }
        _ => state.price(),
    };
    let Some(price) = price else { return Some(nothing(Left::Drained)) };
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
    let left = if is_drained(state) {
        Some(Left::Drained)
    } else if bound.fee > FEE_MAX {
        Some(Left::Fee)
    } else if *age_seconds > rules.stale_after_seconds {
        Some(Left::Stale)
    } else if seen.covered_seconds() < rules.covered_seconds_min {
        Some(Left::Young)
    } else {
        None
    };
    let (liquidity_usd, depth_usd) = (Decimal::ZERO, Decimal::ZERO);
    Some(Said { in_base, usd, mean, liquidity_usd, depth_usd, left, stock })
}

/// Above that fee, in millionths, nobody trades a pool's price back, however far it is from the worth.
const FEE_MAX: u32 = 20_000;

/// Below so many of its smallest units a token's amount tells no price.
const UNITS_MIN: u64 = 1_000;

fn is_drained(state: &State) -> bool {
    match state {
        State::Reserves(reserves, _) => reserves.iter().any(|held| *held < U256::from(UNITS_MIN)),
        State::Spot(spot) => spot.liquidity.is_none_or(|liquidity| liquidity == 0),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address;

    use super::*;
    use crate::tick::{sqrt_price_at, tick_at, tick_of_reserves};
    use crate::{PoolId, Spot};

    const RULES: Rules = Rules {
        depth_usd_min: 50,
        stale_after_seconds: 3_600,
        outlier_percent_max: 5,
        drift_percent_max: 20,
        covered_seconds_min: 0,
    };
    const DECIMALS: Decimals = Decimals { token0: 18, token1: 6 };

    fn seen(state: State) -> Seen {
        let usd = Decimal::ONE;
        Seen {
            bound: Bound {
                pool: PoolId::Contract(Address::ZERO),
                factory: alloy_primitives::Address::ZERO,
                fee_may_change: false,
                dex: "test".to_owned(),
                fee: 3_000,
                tick_spacing: 60,
                is_stable: false,
            },
            side: Side::Token0,
            decimals: DECIMALS,
            state: Some(state),
            age_seconds: 1,
            mean: None,
            base: BasePrice { usd, mean_usd: Some(usd) },
            near: None,
        }
    }

    /// A pool of so many whole tokens and dollars.
    fn reserves(tokens: u64, dollars: u64) -> State {
        let held = [
            U256::from(tokens) * U256::from(10).pow(U256::from(18)),
            U256::from(dollars) * U256::from(1_000_000),
        ];
        State::Reserves(held, tick_of_reserves(held))
    }

    fn priced(seen: &[Seen]) -> Result<String, NoPrice> {
        price(seen, &RULES).1.map(|priced| priced.usd.text(12))
    }

    #[test]
    fn a_pool_of_equal_worths_has_the_price_of_what_it_holds() {
        assert_eq!(priced(&[seen(reserves(100, 200_000))]).unwrap(), "2000");
        let base = BasePrice { usd: Decimal::of_u64(2_000), mean_usd: None };
        let other = Seen { side: Side::Token1, base, ..seen(reserves(100, 200_000)) };
        assert_eq!(priced(&[other]).unwrap(), "1");
    }

    #[test]
    fn thin_stale_drained_drifted_and_unread_pools_have_none() {
        assert_eq!(priced(&[]), Err(NoPrice::NoPool));
        assert!(matches!(priced(&[seen(reserves(1, 2_000))]), Err(NoPrice::Thin(_))));
        let stale = Seen { age_seconds: 3_601, ..seen(reserves(100, 200_000)) };
        assert_eq!(priced(&[stale]), Err(NoPrice::Left(Left::Stale)));
        let drained = State::Reserves([U256::from(6_228_999_908_u64), U256::ONE], None);
        assert_eq!(priced(&[seen(drained)]), Err(NoPrice::Left(Left::Drained)));
        assert_eq!(
            priced(&[seen(State::Reserves([U256::ZERO; 2], None))]),
            Err(NoPrice::Left(Left::Drained))
        );
        let unsettled = Seen { state: None, ..seen(reserves(1, 1)) };
        assert_eq!(priced(&[unsettled]), Err(NoPrice::Left(Left::Unsettled)));
        let tick = reserves(100, 200_000).tick().unwrap();
        let pumped = Seen { mean: Some((tick, 1_800)), ..seen(reserves(70, 285_000)) };
        assert!(matches!(priced(&[pumped]), Err(NoPrice::Drifted { .. })));
        let rules = Rules { covered_seconds_min: 300, ..RULES };
        let young = Seen { mean: Some((tick, 299)), ..seen(reserves(100, 200_000)) };
        assert_eq!(
            price(std::slice::from_ref(&young), &rules).1,
            Err(NoPrice::Young { covered_seconds: 299, least: 300 })
        );
        let old = Seen { mean: Some((tick, 300)), ..young };
        assert!(price(std::slice::from_ref(&old), &rules).1.is_ok());
        // a heavy pool of a moment neither counts beside an old one nor makes that an outlier
        let heavy = Seen { mean: Some((tick, 12)), ..seen(reserves(70_000, 285_000_000)) };
        let (said, priced) = price(&[heavy, old], &rules);
        assert_eq!(priced.unwrap().usd.text(6), "2000");
        assert_eq!(said[0].unwrap().left, Some(Left::Young));
        assert_eq!(said[1].unwrap().left, None);
    }

    /// A pool that was made is one, whatever it holds: what is missing is not the pool.
    #[test]
    fn pools_that_hold_nothing_are_no_missing_pools() {
        let spot = |tick, liquidity| {
            let sqrt_price_x96 = sqrt_price_at(tick).unwrap();
            seen(State::Spot(Spot { sqrt_price_x96, tick, liquidity }))
        };
        let fair = reserves(100, 200_000).tick().unwrap();
        for liquidity in [None, Some(0)] {
            let drained = priced(&[spot(fair, liquidity)]);
            assert_eq!(drained, Err(NoPrice::Left(Left::Drained)), "{liquidity:?}");
        }
        assert_eq!(priced(&[spot(fair, Some(1))]), Err(NoPrice::Thin(Decimal::ZERO)));
        // what such a price is worth is past what is computed where the base is dear
        let dear = Decimal::of_units(U256::from(1), 990).unwrap();
        for liquidity in [None, Some(0), Some(u128::MAX)] {
            let base = BasePrice { usd: dear, mean_usd: None };
            let beyond = Seen { base, ..spot(crate::tick::TICK_MAX - 1, liquidity) };
            let both = [beyond.clone(), beyond];
            assert_eq!(priced(&both), Err(NoPrice::Left(Left::Beyond)), "{liquidity:?}");
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
        let forged = seen(State::Spot(spot));
        let (said, priced) = price(&[forged, honest], &RULES);
        assert_eq!(priced.unwrap().usd.text(9), "2000");
        assert_eq!(said[0].unwrap().left, Some(Left::Outlier));
    }
}
