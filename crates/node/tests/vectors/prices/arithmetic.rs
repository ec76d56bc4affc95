//! What follows from reserves and spots alone.

use alloy_primitives::U256;
use serde::{Deserialize, Serialize};
use superroot_dex::{Decimals, PoolState, Price, Spot, TokenSide, tick, whole};

use crate::same_in_file;

/// A pool's state, and the figures that follow.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arithmetic {
    name: String,
    pool: PoolVector,
    /// Bases for one token, 30 digits; null where it has no price.
    price_base: Option<String>,
    /// Tick of the reserves, or of the spot.
    tick: Option<i32>,
    /// What it holds of both next to its price, in smallest units.
    held: Option<[String; 2]>,
    /// What of it weighs.
    depth: Option<[String; 2]>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PoolVector {
    reserves: Option<[String; 2]>,
    sqrt_price_x96: Option<String>,
    tick: Option<i32>,
    liquidity: Option<String>,
    tick_spacing: i32,
    is_stable: bool,
    decimals: [u8; 2],
    side: u8,
}

fn row(
    name: String,
    state: PoolState,
    (tick_spacing, is_stable): (i32, bool),
    decimals: [u8; 2],
    side: TokenSide,
) -> Arithmetic {
    let price = match state {
        PoolState::Reserves(held, _) if is_stable => Price::of_stable_reserves(held, decimals),
        _ => state.price(tick_spacing),
    };
    let [token0, token1] = decimals;
    let price_base = price.and_then(|price| whole(&price, side, Decimals { token0, token1 }));
    let (reserves, spot) = match state {
        PoolState::Reserves(held, _) => (Some(held.map(|held| held.to_string())), None),
        PoolState::Spot(spot) => (None, Some(spot)),
        PoolState::Bin(_) => (None, None),
    };
    let pool = PoolVector {
        reserves,
        sqrt_price_x96: spot.map(|spot| spot.sqrt_price_x96.to_string()),
        tick: spot.map(|spot| spot.tick),
        liquidity: spot.map(|spot| spot.liquidity.unwrap_or(0).to_string()),
        tick_spacing,
        is_stable,
        decimals,
        side: side as u8,
    };
    let text = |held: [U256; 2]| held.map(|amount| amount.to_string());
    Arithmetic {
        name,
        pool,
        price_base: price_base.map(|price| price.text(30)),
        tick: state.tick(),
        held: state.held(tick_spacing).map(text),
        depth: state.depth(tick_spacing, None).map(text),
    }
}

fn all() -> Vec<Arithmetic> {
    let ten_to = |digits: u32| U256::from(10).pow(U256::from(digits));
    let mut all = Vec::new();
    let amounts = [
        [U256::ZERO, ten_to(18)],
        [U256::ONE, U256::ONE],
        [U256::from(3) * ten_to(18), U256::from(7) * ten_to(6)],
        [U256::from(123_456_789_u64), U256::from(987_654_321_u64) * ten_to(20)],
        [U256::from(u128::MAX >> 16), U256::ONE],
        [U256::ONE, U256::MAX],
        [U256::MAX, U256::from(u64::MAX)],
    ];
    for (at, held) in amounts.into_iter().enumerate() {
        for is_stable in [false, true] {
            for (decimals, side) in [
                ([18, 6], TokenSide::Token0),
                ([6, 18], TokenSide::Token1),
                ([0, 30], TokenSide::Token0),
            ] {
                let name = format!("reserves {at}, stable {is_stable}, {decimals:?}");
                let state = PoolState::Reserves(held, tick::tick_of_reserves(held));
                all.push(row(name, state, (1, is_stable), decimals, side));
            }
        }
    }
    for (at, tick) in [tick::TICK_MIN, -887_220, -196_257, -61, -60, -1, 0, 1, 59, 196_257, 887_271]
        .into_iter()
        .enumerate()
    {
        for (spacing, liquidity) in [(1, 0), (10, 1), (60, 1_u128 << 64), (200, u128::MAX)] {
            let root = tick::sqrt_price_at(tick).unwrap();
            let more = tick::sqrt_price_at(tick + 1).unwrap_or(root) - root;
            let sqrt_price_x96 = root + more / U256::from(3);
            let spot = Spot { sqrt_price_x96, tick, liquidity: Some(liquidity) };
            let side = if at % 2 == 0 { TokenSide::Token0 } else { TokenSide::Token1 };
            let name = format!("spot at tick {tick}, spacing {spacing}");
            all.push(row(name, PoolState::Spot(spot), (spacing, false), [18, 6], side));
        }
    }
    all
}

#[test]
fn figures_of_pools_are_those_of_the_file() {
    let vectors = same_in_file("prices/arithmetic.json", &all(), |one| &one.name);
    assert!(vectors.len() >= 80, "{} rows", vectors.len());
}
