//! Displayed pool figures, compared with the events.

use superroot_dex::Decimal;
use superroot_dex::quote::PoolPrice;
use superroot_dex::{FactoryPool, PoolState};
use superroot_wire::price::PricePool;

use super::error::PriceCheckError;

/// Significant digits compared: the displayed ones.
pub(super) const DIGITS: u32 = 18;

/// Checks a pool's stated exchange and fee. Fees that change by events or hooks remain the service's claim.
pub(super) fn check_bound(pool: &PricePool, bound: &FactoryPool) -> Result<(), PriceCheckError> {
    same(pool, "protocol", &bound.dex, &pool.protocol)?;
    if !bound.fee_may_change {
        same(pool, "fee_millionths", &bound.fee, &pool.fee_millionths)?;
    }
    same(pool, "tick_spacing", &bound.tick_spacing, &pool.tick_spacing)
}

/// Checks a pool's stated reserves, or price and liquidity.
pub(super) fn check_state(
    pool: &PricePool,
    state: &PoolState,
    is_stable: bool,
) -> Result<(), PriceCheckError> {
    let (reserves, root, liquidity) = match state {
        PoolState::Reserves(held, _) => (Some(held.map(|held| held.to_string())), None, None),
        PoolState::Spot(spot) => {
            let liquidity = spot.liquidity.unwrap_or(0).to_string();
            (None, Some(spot.sqrt_price_x96.to_string()), Some(liquidity))
        }
        PoolState::Bin(_) => (None, None, None),
    };
    // the tick of reserves is that of another curve
    let tick = state.tick().filter(|_| !is_stable);
    same(pool, "reserves", &reserves, &pool.reserves)?;
    same(pool, "sqrt_price_x96", &root, &pool.sqrt_price_x96)?;
    same(pool, "liquidity", &liquidity, &pool.liquidity)?;
    same(pool, "tick", &tick, &pool.tick)
}

/// Checks prices, depth and weights for all judged pools.
pub(super) fn check_figures(
    pools: &[&PricePool],
    said: &[Option<PoolPrice>],
) -> Result<(), PriceCheckError> {
    let counted = said.iter().flatten().filter(|said| said.left.is_none());
    let all = counted.fold(Decimal::ZERO, |sum, said| sum.plus(said.depth_usd));
    for (pool, said) in pools.iter().zip(said) {
        let left_out = match said {
            Some(said) => said.left.map(|left| left.name().to_owned()),
            None => Some("beyond".to_owned()),
        };
        same(pool, "left_out", &left_out, &pool.left_out)?;
        let says = said.as_ref().filter(|said| !said.usd.is_zero());
        let text = |of: fn(&PoolPrice) -> Decimal| says.map(|said| of(said).text(DIGITS));
        same(pool, "price_base", &text(|said| said.in_base), &pool.price_base)?;
        same(pool, "price_usd", &text(|said| said.usd), &pool.price_usd)?;
        same(pool, "liquidity_usd", &text(|said| said.liquidity_usd), &pool.liquidity_usd)?;
        same(pool, "depth_usd", &text(|said| said.depth_usd), &pool.depth_usd)?;
        let weight = says.filter(|_| left_out.is_none());
        let weight = weight.and_then(|said| said.depth_usd.over(all)).unwrap_or(Decimal::ZERO);
        let weight = (weight.to_f64() * 10_000.0).round() / 10_000.0;
        same(pool, "weight", &weight, &pool.weight)?;
    }
    Ok(())
}

fn same<T: PartialEq + serde::Serialize>(
    pool: &PricePool,
    member: &'static str,
    computed: &T,
    said: &T,
) -> Result<(), PriceCheckError> {
    if computed == said {
        return Ok(());
    }
    let text = |value: &T| serde_json::to_string(value).unwrap_or_default();
    Err(PriceCheckError::Shown {
        pool: pool.address.clone(),
        member,
        computed: text(computed),
        said: superroot_types::first_chars(&text(said), 100).to_owned(),
    })
}
