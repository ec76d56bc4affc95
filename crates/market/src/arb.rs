//! Price differences between pools: profit of a trade with the best size.
//!
//! Sizes and profits are floating-point estimates from both pools' current state; the initial prices are exact and
//! proven. A pool with ticks counts only within its current range.

use superroot_dex::tick::sqrt_price_at;
use superroot_dex::{PoolState, TokenSide};

use crate::PoolQuote;

/// Steps in the search for the best size.
const STEPS: usize = 80;
/// Largest part of a constant-product pool's reserves that a trade takes.
const PART_MAX: f64 = 0.3;

/// Exchange curve of a pool near its price, in whole tokens and whole bases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    kind: CurveKind,
    /// Part of a payment left after the pool's fee.
    left: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CurveKind {
    Product {
        tokens: f64,
        bases: f64,
    },
    /// Square root of bases for one token, liquidity, and both ends of the current range.
    Range {
        root: f64,
        liquidity: f64,
        ends: (f64, f64),
    },
}

impl Curve {
    /// A quoted pool's curve; `None` if its state or fee is unknown.
    #[must_use]
    pub fn of(pool: &PoolQuote) -> Option<Self> {
        let seen = &pool.seen;
        if seen.bound.fee_may_change {
            return None;
        }
        let token0 = i32::from(seen.decimals.token0);
        let token1 = i32::from(seen.decimals.token1);
        let left = 1.0 - f64::from(seen.bound.fee) / 1e6;
        let kind = match seen.state? {
            PoolState::Reserves(reserves, _) => {
                let whole = |at: usize, digits: i32| f64::from(reserves[at]) / 10_f64.powi(digits);
                let held0 = whole(0, token0);
                let held1 = whole(1, token1);
                match seen.side {
                    TokenSide::Token0 => CurveKind::Product { tokens: held0, bases: held1 },
                    TokenSide::Token1 => CurveKind::Product { tokens: held1, bases: held0 },
                }
            }
            PoolState::Bin(_) => return None,
            PoolState::Spot(spot) => {
                let spacing = seen.bound.tick_spacing.max(1);
                let lower = spot.tick.div_euclid(spacing).checked_mul(spacing)?;
                let scale = 10_f64.powf(f64::from(token0 - token1) / 2.0);
                let root = |raw: alloy_primitives::U256| f64::from(raw) / 2_f64.powi(96) * scale;
                let low = root(sqrt_price_at(lower)?);
                let high = root(sqrt_price_at(lower.checked_add(spacing)?)?);
                let at = root(spot.sqrt_price_x96);
                let liquidity =
                    spot.liquidity? as f64 / 10_f64.powf(f64::from(token0 + token1) / 2.0);
                match seen.side {
                    TokenSide::Token0 => {
                        CurveKind::Range { root: at, liquidity, ends: (low, high) }
                    }
                    TokenSide::Token1 => CurveKind::Range {
                        root: 1.0 / at,
                        liquidity,
                        ends: (1.0 / high, 1.0 / low),
                    },
                }
            }
        };
        Some(Self { kind, left })
    }

    /// Largest payment in bases.
    fn bases_max(&self) -> f64 {
        match self.kind {
            CurveKind::Product { bases, .. } => bases * PART_MAX,
            CurveKind::Range { root, liquidity, ends } => {
                liquidity * (ends.1 - root).max(0.0) / self.left
            }
        }
    }

    /// Largest sale in tokens.
    fn tokens_max(&self) -> f64 {
        match self.kind {
            CurveKind::Product { tokens, .. } => tokens * PART_MAX,
            CurveKind::Range { root, liquidity, ends } => {
                liquidity * (1.0 / ends.0 - 1.0 / root).max(0.0) / self.left
            }
        }
    }

    /// Tokens for a payment in bases.
    #[must_use]
    pub fn buy(&self, paid: f64) -> f64 {
        let paid = paid * self.left;
        match self.kind {
            CurveKind::Product { tokens, bases } => tokens * paid / (bases + paid),
            CurveKind::Range { root, liquidity, .. } => {
                let more = paid / liquidity;
                paid / (root * (root + more))
            }
        }
    }

    /// Bases for a sale in tokens.
    #[must_use]
    pub fn sell(&self, sold: f64) -> f64 {
        let sold = sold * self.left;
        match self.kind {
            CurveKind::Product { tokens, bases } => bases * sold / (tokens + sold),
            CurveKind::Range { root, liquidity, .. } => {
                let more = sold / liquidity * root;
                sold * root * root / (1.0 + more)
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArbTrade {
    /// Payment, in US dollars.
    pub size_usd: f64,
    /// Return beyond the payment, in US dollars.
    pub gross_usd: f64,
    /// Fees of both pools, in US dollars.
    pub fees_usd: f64,
}

/// Buys at the cheap pool and sells at the dear one, with the most profitable size; each curve with its base in US
/// dollars. `None` without profit.
#[must_use]
pub fn best(buy: (&Curve, f64), sell: (&Curve, f64)) -> Option<ArbTrade> {
    let ((cheap, cheap_usd), (dear, dear_usd)) = (buy, sell);
    let profit = |paid: f64| dear.sell(cheap.buy(paid)) * dear_usd - paid * cheap_usd;
    let mut most = cheap.bases_max();
    let tokens_max = dear.tokens_max();
    // no more than the other pool takes within what is known of it
    let mut low = 0.0;
    let mut high = most;
    if cheap.buy(most) > tokens_max {
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if cheap.buy(middle) > tokens_max { high = middle } else { low = middle }
        }
        most = low;
    }
    (low, high) = (0.0, most);
    for _ in 0..STEPS {
        let a = low + (high - low) / 3.0;
        let b = high - (high - low) / 3.0;
        if profit(a) < profit(b) { low = a } else { high = b }
    }
    let paid = f64::midpoint(low, high);
    let gross_usd = profit(paid);
    let is_worth = gross_usd.is_finite() && gross_usd > 0.0 && paid > 0.0;
    is_worth.then(|| {
        let size_usd = paid * cheap_usd;
        let back = size_usd + gross_usd;
        let fees_usd = size_usd * (1.0 - cheap.left) + back * (1.0 / dear.left - 1.0);
        ArbTrade { size_usd, gross_usd, fees_usd }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn product(tokens: f64, bases: f64) -> Curve {
        Curve { kind: CurveKind::Product { tokens, bases }, left: 0.997 }
    }

    /// The closed form for two pools of equal worths (Angeris et al., 2021).
    #[test]
    fn the_best_size_is_that_of_the_closed_form() {
        let (cheap, dear) = (product(1_000.0, 2_000_000.0), product(1_000.0, 2_200_000.0));
        let trade = best((&cheap, 1.0), (&dear, 1.0)).unwrap();
        let g = 0.997_f64;
        let (ra, rb, sa, sb) = (2_000_000.0, 1_000.0, 1_000.0, 2_200_000.0);
        let closed = ((g * g * rb * sb * ra * sa).sqrt() - ra * sa) / (g * sa + g * g * rb);
        assert!((trade.size_usd / closed - 1.0).abs() < 1e-6, "{trade:?} {closed}");
        assert!(best((&dear, 1.0), (&cheap, 1.0)).is_none());
    }

    #[test]
    fn a_difference_within_the_fees_is_none() {
        assert!(
            best((&product(1_000.0, 2_000_000.0), 1.0), (&product(1_000.0, 2_008_000.0), 1.0))
                .is_none()
        );
    }

    proptest! {
        /// A range over all prices is a pool of equal worths.
        #[test]
        fn a_wide_range_trades_like_a_pool_of_equal_worths(tokens in 1.0..1e6_f64, price in 1e-3..1e6_f64, paid in 1e-6..1e3_f64) {
            let bases = tokens * price;
            let pool = product(tokens, bases);
            let range = Curve {
                kind: CurveKind::Range { root: price.sqrt(), liquidity: (tokens * bases).sqrt(), ends: (1e-9, 1e9) },
                left: 0.997,
            };
            prop_assert!((pool.buy(paid) / range.buy(paid) - 1.0).abs() < 1e-6);
            prop_assert!((pool.sell(paid) / range.sell(paid) - 1.0).abs() < 1e-6);
        }

        /// No other size brings more.
        #[test]
        fn no_other_size_brings_more(more in 1.02..3.0_f64, other in 0.0..1.0_f64) {
            let (cheap, dear) = (product(1_000.0, 2_000_000.0), product(500.0, 1_000_000.0 * more));
            if let Some(trade) = best((&cheap, 1.0), (&dear, 1.0)) {
                let paid = other * 600_000.0;
                prop_assume!(cheap.buy(paid) <= dear.tokens_max());
                prop_assert!(dear.sell(cheap.buy(paid)) - paid <= trade.gross_usd * (1.0 + 1e-9) + 1e-6);
            }
        }
    }
}
