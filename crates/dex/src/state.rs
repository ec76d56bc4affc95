//! What is in force in a pool, and what can be said of it.

use alloy_primitives::{U256, U512};

use crate::tick::sqrt_price_at;
use crate::{Decimal, Price, Spot};

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

    /// The part of what it holds that a trade of about one hundredth meets: what weighs in a price. For Uniswap v2
    /// a hundredth of all (of each token half of that); for v3 all that [`State::held`] says.
    #[must_use]
    pub fn depth(&self, tick_spacing: i32) -> Option<[U256; 2]> {
        let held = self.held(tick_spacing)?;
        Some(match self {
            Self::Reserves(..) => held.map(|amount| amount / U256::from(100)),
            Self::Spot(_) => held,
        })
    }
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
