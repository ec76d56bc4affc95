//! Pool state and derived amounts.

use alloy_primitives::{U256, U512};

use crate::tick::sqrt_price_at;
use crate::{Decimal, Price, Spot};

/// Liquidity change at each tick when the price rises past the tick.
pub type Ticks = std::collections::BTreeMap<i32, i128>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolState {
    /// Reserves and their tick (Uniswap v2); `None` without a tick.
    Reserves([U256; 2], Option<i32>),
    /// Price and liquidity (Uniswap v3).
    Spot(Spot),
    /// Bin in force (Liquidity Book): the price, but not what the pool holds.
    Bin(u32),
}

/// Side of a token in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSide {
    Token0,
    Token1,
}

/// Decimal places of both tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimals {
    pub token0: u8,
    pub token1: u8,
}

impl Decimals {
    const fn of(self, side: TokenSide) -> i32 {
        match side {
            TokenSide::Token0 => self.token0 as i32,
            TokenSide::Token1 => self.token1 as i32,
        }
    }
}

impl TokenSide {
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

/// Converts a raw price to whole tokens: the price of one `side` token in the other token.
#[must_use]
pub fn whole(price: &Price, side: TokenSide, decimals: Decimals) -> Option<Decimal> {
    let shift = decimals.of(side) - decimals.of(side.other());
    let (numerator, denominator) = match side {
        TokenSide::Token0 => price.parts(),
        TokenSide::Token1 => price.inverse().parts(),
    };
    Decimal::of_fraction(numerator, denominator, shift)
}

/// Price at a tick, in whole tokens.
#[must_use]
pub fn whole_at(tick: i32, side: TokenSide, decimals: Decimals) -> Option<Decimal> {
    let spot = Spot { sqrt_price_x96: sqrt_price_at(tick)?, tick, liquidity: None };
    whole(&Price::of_spot(&spot)?, side, decimals)
}

impl PoolState {
    #[must_use]
    pub const fn tick(&self) -> Option<i32> {
        match self {
            Self::Reserves(_, tick) => *tick,
            Self::Spot(spot) => Some(spot.tick),
            Self::Bin(_) => None,
        }
    }

    /// Price of token 0 in token 1, in the smallest units; `None` if a reserve is zero. `tick_spacing` is the bin step of a
    /// pool with bins.
    #[must_use]
    pub fn price(&self, tick_spacing: i32) -> Option<Price> {
        match self {
            Self::Reserves(reserves, _) => Price::of_reserves(*reserves),
            Self::Spot(spot) => Price::of_spot(spot),
            Self::Bin(bin) => Price::of_bin(*bin, tick_spacing),
        }
    }

    /// Amounts of both tokens near the current price, in the smallest units. For Uniswap v2 all reserves; for v3 the
    /// amounts between the two ticks around the price, which do not depend on other ticks.
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
            Self::Bin(_) => Some([U256::ZERO; 2]),
        }
    }

    /// Weight in a price: for Uniswap v2 a hundredth of the reserves (of each token half of that). A v3 pool weighs
    /// like a v2 pool with its mean liquidity near the price: `near` if the ranges are known, else [`near_liquidity`]
    /// from current liquidity and spacing alone.
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
            Self::Bin(_) => [U256::ZERO; 2],
        };
        Some(held.map(|amount| amount / U256::from(100)))
    }
}

/// Amounts in all ranges at a price, in the smallest units.
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

/// Ticks on each side that are near a price: one percent.
const NEAR_TICKS: i32 = 100;

/// Mean liquidity within one percent of the price. With known range ends: on the smaller side, since a one-sided offer
/// at an absurd price costs nothing. Else from the current liquidity between the two usable ticks around the price,
/// over both sides, with zero outside: one tick's liquidity counts for one tick only. Never above the current
/// liquidity, the only value shown by pool events.
#[must_use]
pub fn near_liquidity(spot: &Spot, tick_spacing: i32, ticks: Option<&Ticks>) -> Option<u128> {
    let from = spot.tick.checked_sub(NEAR_TICKS)?;
    let to = spot.tick.checked_add(NEAR_TICKS)?;
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
    let mut above = U256::ZERO;
    let mut at = spot.tick;
    let mut now = liquidity;
    for (tick, net) in ticks.range(spot.tick.checked_add(1)?..to) {
        above += part(now, at, *tick);
        (at, now) = (*tick, now.checked_add_signed(*net)?);
    }
    above += part(now, at, to);
    let mut below = U256::ZERO;
    let mut at = spot.tick;
    let mut now = liquidity;
    for (tick, net) in ticks.range(from.checked_add(1)?..=spot.tick).rev() {
        below += part(now, *tick, at);
        (at, now) = (*tick, now.checked_add_signed(net.checked_neg()?)?);
    }
    below += part(now, from, at);
    let mean: u128 = (above.min(below) / U256::from(NEAR_TICKS)).try_into().ok()?;
    Some(mean.min(liquidity))
}

/// [`near_liquidity`] for unknown ranges, from the current liquidity alone: the smaller side between the usable ticks
/// around the price, with zero outside.
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

/// Amounts of both tokens for a liquidity at a price within a range (Uniswap v3 white paper, section 6.2).
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

#[must_use]
pub fn amount(held: &[U256; 2], side: TokenSide, decimals: Decimals) -> Option<Decimal> {
    Decimal::of_units(held[side.index()], -decimals.of(side))
}
