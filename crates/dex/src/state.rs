//! What is in force in a pool, and what can be said of it.

use alloy_primitives::{U256, U512};

use crate::tick::sqrt_price_at;
use crate::{Decimal, Price, Spot};

/// What each tick adds to the liquidity in force when the price rises past it.
pub type Ticks = std::collections::BTreeMap<i32, i128>;

/// What is in force in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// What it holds, and the tick of that (Uniswap v2); `None` where it has none.
    Reserves([U256; 2], Option<i32>),
    /// Price and liquidity (Uniswap v3).
    Spot(Spot),
}

/// Which of a pool's two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The lower one.
    Token0,
    /// The other.
    Token1,
}

/// How many digits behind the point each of a pool's tokens has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimals {
    /// Of token 0.
    pub token0: u8,
    /// Of token 1.
    pub token1: u8,
}

impl Decimals {
    const fn of(self, side: Side) -> i32 {
        match side {
            Side::Token0 => self.token0 as i32,
            Side::Token1 => self.token1 as i32,
        }
    }
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Token0 => Self::Token1,
            Self::Token1 => Self::Token0,
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

/// A price in raw units as one in whole tokens: how many of the other token one of `side` is worth.
#[must_use]
pub fn whole(price: &Price, side: Side, decimals: Decimals) -> Option<Decimal> {
    let shift = decimals.of(side) - decimals.of(side.other());
    let (numerator, denominator) = match side {
        Side::Token0 => price.parts(),
        Side::Token1 => price.inverse().parts(),
    };
    Decimal::of_fraction(numerator, denominator, shift)
}

/// The price at a tick, in whole tokens.
#[must_use]
pub fn whole_at(tick: i32, side: Side, decimals: Decimals) -> Option<Decimal> {
    let spot = Spot { sqrt_price_x96: sqrt_price_at(tick)?, tick, liquidity: None };
    whole(&Price::of_spot(&spot)?, side, decimals)
}

impl State {
    /// Its tick.
    #[must_use]
    pub const fn tick(&self) -> Option<i32> {
        match self {
            Self::Reserves(_, tick) => *tick,
            Self::Spot(spot) => Some(spot.tick),
        }
    }

    /// Token 0 in token 1, in the smallest units; `None` where it has nothing of one.
    #[must_use]
    pub fn price(&self) -> Option<Price> {
        match self {
            Self::Reserves(reserves, _) => Price::of_reserves(*reserves),
            Self::Spot(spot) => Price::of_spot(spot),
        }
    }

    /// What it holds of both tokens for the prices next to the one in force, in the smallest units. Of a pool
    /// of Uniswap v2 all that it holds; of one of v3 what lies between the two ticks around its price, which is
    /// there whatever the liquidity of other ticks.
    #[must_use]
    pub fn held(&self, tick_spacing: i32) -> Option<[U256; 2]> {
        match self {
            Self::Reserves(reserves, _) => Some(*reserves),
            Self::Spot(spot) => {
                let spacing = tick_spacing.max(1);
                let lower = spot.tick.div_euclid(spacing).checked_mul(spacing)?;
                let ends = (sqrt_price_at(lower)?, sqrt_price_at(lower.checked_add(spacing)?)?);
                amounts(spot.liquidity.unwrap_or(0), spot.sqrt_price_x96, ends)
            }
        }
    }

    /// What weighs in a price: a hundredth of what a pool of Uniswap v2 holds (of each token half of that). One of v3
    /// weighs as a v2 pool that has its mean liquidity near the price: that is `near` where its ranges are known, else
    /// what [`near_liquidity`] makes of the liquidity in force and its spacing alone.
    #[must_use]
    pub fn depth(&self, tick_spacing: i32, near: Option<u128>) -> Option<[U256; 2]> {
        let held = match self {
            Self::Reserves(reserves, _) => *reserves,
            Self::Spot(spot) => {
                let near = near.or_else(|| near_liquidity(spot, tick_spacing, None))?;
                let root = U512::from(spot.sqrt_price_x96);
                let amount0 = (U512::from(near) << 96_usize).checked_div(root)?;
                let amount1 = (U512::from(near) * root) >> 96_usize;
                let narrow = |amount: U512| (amount.bit_len() <= 256).then(|| amount.to::<U256>());
                [narrow(amount0)?, narrow(amount1)?]
            }
        };
        Some(held.map(|amount| amount / U256::from(100)))
    }
}

/// What all ranges of a pool hold at a price, in the smallest units.
#[must_use]
pub fn held_in_ranges(root: U256, ticks: &Ticks) -> Option<[U256; 2]> {
    let mut held = [U256::ZERO; 2];
    let (mut liquidity, mut lower): (i128, Option<i32>) = (0, None);
    for (tick, net) in ticks {
        if let (Some(lower), Ok(liquidity @ 1..)) = (lower, u128::try_from(liquidity)) {
            let ends = (sqrt_price_at(lower)?, sqrt_price_at(*tick)?);
            let within = amounts(liquidity, root, ends)?;
            held = [held[0].checked_add(within[0])?, held[1].checked_add(within[1])?];
        }
        liquidity = liquidity.checked_add(*net)?;
        lower = Some(*tick);
    }
    Some(held)
}

/// Ticks on each side of a price that are near it: a hundredth.
const NEAR_TICKS: i32 = 100;

/// The mean liquidity of a hundredth of the price: of the side that has less, out of every end of a range that the pool
/// has, since who only asks, or only bids, at a price of his own loses nothing by it; else of the liquidity in force
/// between the two usable ticks around the price, over both sides, with nothing beside these. One tick's liquidity is one
/// tick's money: it is not taken for more. Never above what is in force, which is all that an event of the pool shows.
#[must_use]
pub fn near_liquidity(spot: &Spot, tick_spacing: i32, ticks: Option<&Ticks>) -> Option<u128> {
    let (from, to) = (spot.tick.checked_sub(NEAR_TICKS)?, spot.tick.checked_add(NEAR_TICKS)?);
    let liquidity = spot.liquidity.unwrap_or(0);
    let part = |liquidity: u128, from: i32, to: i32| {
        let length = u32::try_from(to.saturating_sub(from)).unwrap_or(0);
        U256::from(liquidity) * U256::from(length)
    };
    let Some(ticks) = ticks else {
        let spacing = tick_spacing.max(1);
        let lower = spot.tick.div_euclid(spacing).checked_mul(spacing)?;
        let sum = part(liquidity, lower.max(from), lower.checked_add(spacing)?.min(to));
        let mean: u128 = (sum / U256::from(to - from)).try_into().ok()?;
        return Some(mean.min(liquidity));
    };
    let (mut above, mut at, mut now) = (U256::ZERO, spot.tick, liquidity);
    for (tick, net) in ticks.range(spot.tick.checked_add(1)?..to) {
        above += part(now, at, *tick);
        (at, now) = (*tick, now.checked_add_signed(*net)?);
    }
    above += part(now, at, to);
    let (mut below, mut at, mut now) = (U256::ZERO, spot.tick, liquidity);
    for (tick, net) in ticks.range(from.checked_add(1)?..=spot.tick).rev() {
        below += part(now, *tick, at);
        (at, now) = (*tick, now.checked_add_signed(net.checked_neg()?)?);
    }
    below += part(now, from, at);
    let mean: u128 = (above.min(below) / U256::from(NEAR_TICKS)).try_into().ok()?;
    Some(mean.min(liquidity))
}

/// The same of the liquidity in force alone, where the ranges of a pool are not known: what the side of the usable ticks
/// around the price has that has less, and nothing beside these.
#[must_use]
pub fn near_in_spacing(spot: &Spot, tick_spacing: i32) -> Option<u128> {
    let spacing = tick_spacing.clamp(1, 2 * NEAR_TICKS);
    let lower = spot.tick.div_euclid(spacing).checked_mul(spacing)?;
    let (lower, upper) = (sqrt_price_at(lower)?, sqrt_price_at(lower.checked_add(spacing)?)?);
    let root = spot.sqrt_price_x96.clamp(lower, upper);
    // a root that is n ticks away is away by n / 20,000 of itself, about
    let wide = |number: U256| U512::from(number);
    let liquidity = wide(U256::from(spot.liquidity.unwrap_or(0)));
    let ticks_of = U512::from(20_000);
    let below = liquidity * ticks_of * wide(root - lower) / wide(root);
    let above = liquidity * ticks_of * wide(upper - root) / wide(upper);
    let mean = below.min(above) / U512::from(NEAR_TICKS.unsigned_abs());
    let mean = if mean.bit_len() <= 128 { mean.to::<u128>() } else { u128::MAX };
    Some(mean.min(spot.liquidity.unwrap_or(0)))
}

/// What liquidity holds of both tokens at a price within a range (Uniswap v3 white paper, section 6.2).
#[must_use]
pub fn amounts(liquidity: u128, root: U256, (lower, upper): (U256, U256)) -> Option<[U256; 2]> {
    if lower.is_zero() || lower >= upper {
        return None;
    }
    let root = root.clamp(lower, upper);
    let wide = |number: U256| U512::from(number);
    let liquidity = U512::from(liquidity);
    // below 2^(128 + 96 + 160)
    let amount0 = (liquidity << 96) * wide(upper - root) / wide(upper) / wide(root);
    let amount1 = (liquidity * wide(root - lower)) >> 96;
    let narrow = |amount: U512| (amount.bit_len() <= 256).then(|| amount.to::<U256>());
    Some([narrow(amount0)?, narrow(amount1)?])
}

/// An amount of a token of that side, in whole tokens.
#[must_use]
pub fn amount(held: &[U256; 2], side: Side, decimals: Decimals) -> Option<Decimal> {
    Decimal::of_units(held[side.index()], -decimals.of(side))
}
