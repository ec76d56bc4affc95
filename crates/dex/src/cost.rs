//! Cost of moving a pool's price.

use alloy_primitives::{U256, U512};

pub use crate::state::Ticks;
use crate::state::amounts;
use crate::tick::sqrt_price_at;
use crate::{PoolState, Spot, TokenSide};

/// `sqrt(1.02) - 1` in units of 10^-18.
const ROOT_LESS_ONE: u128 = 9_950_493_836_207_795;
const ONE: u128 = 1_000_000_000_000_000_000;
/// Most ticks crossed: a pool with more ticks within two percent is refused.
const CROSSED_MAX: usize = 4_096;

/// Payment in the other token that raises the price of `side` by two percent, in the smallest units. Excludes the fee:
/// the pool's owners receive the fee, and the payer may be an owner. `ticks` are all ticks with liquidity at their
/// ends; without them only the range between the two ticks around the price is known. `None` if this is not enough.
#[must_use]
pub fn of_two_percent(
    state: &PoolState,
    side: TokenSide,
    tick_spacing: i32,
    ticks: Option<&Ticks>,
) -> Option<U256> {
    let net = match state {
        PoolState::Reserves(reserves, _) => {
            let base = match side {
                TokenSide::Token0 => reserves[1],
                TokenSide::Token1 => reserves[0],
            };
            U512::from(base) * U512::from(ROOT_LESS_ONE) / U512::from(ONE)
        }
        PoolState::Spot(spot) => of_spot(spot, side, tick_spacing, ticks)?,
        PoolState::Bin(_) => return None,
    };
    (net.bit_len() <= 256).then(|| net.to())
}

fn of_spot(spot: &Spot, side: TokenSide, spacing: i32, ticks: Option<&Ticks>) -> Option<U512> {
    let is_up = side == TokenSide::Token0;
    let more = U512::from(ONE + ROOT_LESS_ONE);
    let one = U512::from(ONE);
    let root = U512::from(spot.sqrt_price_x96);
    let target: U512 = if is_up { root * more / one } else { root * one / more };
    let target: U256 = (target.bit_len() <= 160).then(|| target.to())?;
    let mut liquidity = spot.liquidity?;
    let Some(ticks) = ticks else {
        let lower = spot.tick.div_euclid(spacing.max(1)).checked_mul(spacing.max(1))?;
        let end = if is_up { lower.checked_add(spacing.max(1))? } else { lower };
        let end = sqrt_price_at(end)?;
        let is_within = if is_up { target <= end } else { target >= end };
        return is_within.then(|| paid(liquidity, spot.sqrt_price_x96, target, is_up))?;
    };
    let mut at = spot.sqrt_price_x96;
    let mut sum = U512::ZERO;
    let crossed: Vec<(i32, i128)> = if is_up {
        ticks.range(spot.tick.checked_add(1)?..).take(CROSSED_MAX).map(|(t, n)| (*t, *n)).collect()
    } else {
        ticks.range(..=spot.tick).rev().take(CROSSED_MAX).map(|(t, n)| (*t, *n)).collect()
    };
    let is_cut = crossed.len() == CROSSED_MAX;
    for (tick, net) in crossed {
        let end = sqrt_price_at(tick)?;
        let is_reached = if is_up { target <= end } else { target >= end };
        if is_reached {
            return sum.checked_add(paid(liquidity, at, target, is_up)?);
        }
        sum = sum.checked_add(paid(liquidity, at, end, is_up)?)?;
        liquidity = liquidity.checked_add_signed(if is_up { net } else { net.checked_neg()? })?;
        at = end;
    }
    // past the last tick there is nothing: the price moves for nothing
    (!is_cut && liquidity == 0).then_some(sum)
}

/// Payment that moves the price from one root to another.
fn paid(liquidity: u128, from: U256, to: U256, is_up: bool) -> Option<U512> {
    if from == to {
        return Some(U512::ZERO);
    }
    let [_, amount1] = amounts(liquidity, from.max(to), (from.min(to), from.max(to)))?;
    let [amount0, _] = amounts(liquidity, from.min(to), (from.min(to), from.max(to)))?;
    Some(U512::from(if is_up { amount1 } else { amount0 }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tick::tick_at;

    fn spot(tick: i32, liquidity: u128) -> PoolState {
        let sqrt_price_x96 = sqrt_price_at(tick).unwrap();
        PoolState::Spot(Spot { sqrt_price_x96, tick, liquidity: Some(liquidity) })
    }

    /// A pool of Uniswap v2 is one of v3 with one range over all prices.
    #[test]
    fn one_range_over_all_prices_costs_what_a_pool_of_equal_worths_does() {
        let liquidity = 1_000_000_000_000_u128;
        let all = Ticks::from([(-887_220, 1_000_000_000_000), (887_220, -1_000_000_000_000)]);
        let state = spot(0, liquidity);
        let reserves = PoolState::Reserves([U256::from(liquidity); 2], Some(0));
        for side in [TokenSide::Token0, TokenSide::Token1] {
            let v3 = of_two_percent(&state, side, 60, Some(&all)).unwrap();
            let v2 = of_two_percent(&reserves, side, 60, None).unwrap();
            assert!(v3.abs_diff(v2) <= U256::from(2), "{side:?}: {v3} {v2}");
        }
        assert_eq!(of_two_percent(&state, TokenSide::Token0, 60, None), None);
        assert!(of_two_percent(&state, TokenSide::Token0, 200, None).is_some());
    }

    proptest! {
        /// However a range is cut in two, the cost is the same.
        #[test]
        fn ticks_that_change_nothing_cost_nothing(
            tick in -50_000..50_000_i32,
            cuts in proptest::collection::btree_set(-199..199_i32, 0..6),
            is_up: bool,
        ) {
            let liquidity = 1_000_000_000_000_000_000_i128;
            let whole = Ticks::from([(tick - 400, liquidity), (tick + 400, -liquidity)]);
            let mut cut = whole.clone();
            cut.extend(cuts.iter().map(|at| (tick + at, 0)));
            let side = if is_up { TokenSide::Token0 } else { TokenSide::Token1 };
            let state = spot(tick, liquidity as u128);
            let of = |ticks: &Ticks| of_two_percent(&state, side, 1, Some(ticks)).unwrap();
            let (a, b) = (of(&whole), of(&cut));
            prop_assert!(a.abs_diff(b) <= U256::from(8), "{a} {b}");
        }

        /// Liquidity that goes where nobody is costs less.
        #[test]
        fn no_number_makes_it_panic(root in any::<[u8; 20]>(), liquidity: u128, nets in proptest::collection::btree_map(-887_272..887_272_i32, any::<i128>(), 0..9), spacing: i32) {
            let mut bytes = [0; 32];
            bytes[12..].copy_from_slice(&root);
            let sqrt_price_x96 = U256::from_be_bytes(bytes);
            if let Some(tick) = tick_at(sqrt_price_x96) {
                let state = PoolState::Spot(Spot { sqrt_price_x96, tick, liquidity: Some(liquidity) });
                for side in [TokenSide::Token0, TokenSide::Token1] {
                    let _ = of_two_percent(&state, side, spacing, Some(&nets));
                    let _ = of_two_percent(&state, side, spacing, None);
                }
                let _ = (state.held(spacing), state.depth(spacing, None));
                    let PoolState::Spot(spot) = state else { unreachable!() };
                    let _ = (crate::near_liquidity(&spot, spacing, Some(&nets)), crate::near_in_spacing(&spot, spacing));
            }
        }
    }
}
