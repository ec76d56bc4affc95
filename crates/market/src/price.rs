//! Token price at a block: finds the pools, reads their state, and computes the price.

mod dollars;
mod pools;
mod quotes;
mod request;

use alloy_primitives::U256;
use superroot_dex::quote::{
    BasePrice, LeftOutReason, NoPrice, ObservedPool, PoolPrice, PricingRules,
};
use superroot_dex::{
    Decimal, Decimals, FactoryPool, PoolState, Ticks, TokenSide, cost, near_liquidity, quote, twap,
};
use superroot_store::StoreError;

pub use self::dollars::PricedBases;
pub use self::pools::pair_of;
pub use self::quotes::{BaseQuote, PoolQuote, Quote};
pub use self::request::{Bases, Market, Token};

use self::dollars::{Dollars, base_price, dollars};
use self::pools::CandidatePool;
use crate::read;

impl Market<'_> {
    /// A token's price, and of the chain's native coin, if any.
    pub fn price_with_native(&self, token: Token) -> Result<(Quote, Option<Quote>), StoreError> {
        let bases = self.priced_bases()?;
        Ok((self.price_by(token, &bases)?, bases.native))
    }

    pub fn price(&self, token: Token) -> Result<Quote, StoreError> {
        self.price_by(token, &self.priced_bases()?)
    }

    /// [`Market::price`] with known base prices.
    pub fn price_by(&self, token: Token, by: &PricedBases) -> Result<Quote, StoreError> {
        let is_native = self.bases.native.is_some_and(|native| native.address == token.address);
        if let Some(quote) = by.native.as_ref().filter(|_| is_native) {
            return Ok(quote.clone());
        }
        let is_stable = self.bases.stables.iter().any(|stable| stable.address == token.address);
        // what strayed from the dollar is priced by the others, and prices none of them
        let counts = |base: &&BaseQuote| {
            base.token.address != token.address && !(is_stable && base.by.is_some())
        };
        let mut bases: Vec<BaseQuote> = by.stables.iter().filter(counts).cloned().collect();
        if let Some(native) = self.bases.native.filter(|_| !is_stable)
            && let Some(quote) = &by.native
            && let Some(price) = base_price(quote)
        {
            let by = Some(Box::new(quote.clone()));
            let disputed_by = Vec::new();
            bases.push(BaseQuote { token: native, price, by, disputed_by });
        }
        self.through(token, &bases)
    }

    /// Prices of the base tokens. A stablecoin counts as one dollar; if the native coin's price in this stablecoin
    /// differs from the others by more than fees explain, the stablecoin is priced by the others.
    pub fn priced_bases(&self) -> Result<PricedBases, StoreError> {
        let one = BasePrice { usd: Decimal::ONE, mean_usd: Some(Decimal::ONE) };
        let dollar = |token: &Token| BaseQuote {
            token: *token,
            price: one,
            by: None,
            disputed_by: Vec::new(),
        };
        let stables: Vec<BaseQuote> = self.bases.stables.iter().map(dollar).collect();
        let Some(native) = self.bases.native else {
            return Ok(PricedBases { stables, native: None, agreeing: Vec::new() });
        };
        let quote = self.through(native, &stables)?;
        let Dollars { strays, agreeing } = dollars(&quote, &self.rules);
        if strays.is_empty() {
            return Ok(PricedBases { stables, native: Some(quote), agreeing });
        }
        let (strayed, mut stables): (Vec<BaseQuote>, Vec<BaseQuote>) =
            stables.into_iter().partition(|stable| strays.contains(&stable.token.address));
        for stable in &mut stables {
            stable.disputed_by.clone_from(&strays);
        }
        let dollars = stables.clone();
        for BaseQuote { token, .. } in strayed {
            let quote = self.through(token, &dollars)?;
            let price = base_price(&quote);
            let by = Some(Box::new(quote));
            let disputed_by = Vec::new();
            let base = price.map(|price| BaseQuote { token, price, by, disputed_by });
            stables.extend(base);
        }
        let native = self.through(native, &stables)?;
        Ok(PricedBases { stables, native: Some(native), agreeing })
    }

    /// Price of a token through its pools with these bases.
    fn through(&self, token: Token, bases: &[BaseQuote]) -> Result<Quote, StoreError> {
        let mut pools = Vec::new();
        for base in bases {
            self.see(token, base, &mut pools)?;
        }
        let seen: Vec<ObservedPool> =
            pools.iter().map(|pool: &PoolQuote| pool.seen.clone()).collect();
        let covered_seconds_min = self.rules.covered_seconds_min.min(self.window_seconds);
        let rules = PricingRules { covered_seconds_min, ..self.rules };
        let (mut said, mut price) = quote::price(&seen, &rules);
        // weights decide nothing where one pool alone counts, and is thick enough; an outlier may be the only honest one
        let is_counted =
            |said: &&PoolPrice| said.left.is_none_or(|left| left == LeftOutReason::Outlier);
        let counted = said.iter().flatten().filter(is_counted).count();
        if counted > 1 || matches!(price, Err(NoPrice::Thin(_))) {
            let mut seen = seen;
            let nears = seen.iter().map(|pool| self.near(pool)).collect::<Result<Vec<_>, _>>()?;
            seen.iter_mut().zip(&nears).for_each(|(pool, near)| pool.near = near.least);
            (said, price) = quote::price(&seen, &rules);
            if matches!(price, Err(NoPrice::Thin(_))) {
                stretch(&mut seen, &nears, &rules);
                (said, price) = quote::price(&seen, &rules);
            }
            for (pool, seen) in pools.iter_mut().zip(&seen) {
                pool.seen.near = seen.near;
            }
        }
        for (pool, said) in pools.iter_mut().zip(said) {
            pool.said = said;
        }
        let weight = |pool: &PoolQuote| {
            let said = pool.said.as_ref();
            (said.is_some_and(|said| said.left.is_none()), said.map(|said| said.depth_usd))
        };
        pools.sort_by_key(|pool| std::cmp::Reverse(weight(pool)));
        let is_met = |base: &&BaseQuote| pools.iter().any(|pool| pool.base == base.token);
        let bases = bases.iter().filter(is_met).cloned().collect();
        Ok(Quote { token, pools, price, bases })
    }

    /// Observes every pool of a token and a base.
    fn see(
        &self,
        token: Token,
        base: &BaseQuote,
        pools: &mut Vec<PoolQuote>,
    ) -> Result<(), StoreError> {
        for CandidatePool { pair, side, bound, creation } in
            self.bound(token.address, base.token.address)?
        {
            let priced = token.decimals;
            let other = base.token.decimals;
            let decimals = match side {
                TokenSide::Token0 => Decimals { token0: priced, token1: other },
                TokenSide::Token1 => Decimals { token0: other, token1: priced },
            };
            let Some(last) = self.last(&bound.pool)? else { continue };
            let settled = read::settled(self.store, self.chain, &bound.pool, &last, self.at.0)?;
            let (state, later) =
                settled.map_or((None, Vec::new()), |(state, later)| (Some(state), later));
            let asked = (self.floor, self.at.1, self.window_seconds);
            let window = read::window(self.store, self.chain, &bound.pool, &last, asked)?;
            let mean =
                twap::mean_tick(&window.ticks()).map(|(_, tick)| (tick, window.covered_seconds));
            let age_seconds = self.at.1.0.saturating_sub(last.at.0);
            let price = base.price;
            let near = None;
            let seen =
                ObservedPool { bound, side, decimals, state, age_seconds, mean, base: price, near };
            let base = base.token;
            pools.push(PoolQuote { seen, pair, base, last, later, creation, said: None });
        }
        Ok(())
    }

    /// Bounds of a pool's mean liquidity near its price, on the smaller side. From every position since the pool's
    /// creation if stored. Else the least is the liquidity in force within one spacing, as a mean over the window: at a
    /// spacing's end the smaller side is nothing, and a traded pool stays at no end.
    fn near(&self, seen: &ObservedPool) -> Result<NearLiquidity, StoreError> {
        let Some(state @ PoolState::Spot(spot)) = &seen.state else {
            return Ok(NearLiquidity { least: None, most: None });
        };
        let spacing = seen.bound.tick_spacing;
        let unknown = match self.ticks(&seen.bound, state)? {
            Ok(ticks) => {
                let known = near_liquidity(spot, spacing, Some(&ticks));
                return Ok(NearLiquidity { least: known, most: known });
            }
            Err(unknown) => unknown,
        };
        let pool = &seen.bound.pool;
        let Some(last) = self.last(pool)? else {
            return Ok(NearLiquidity { least: None, most: None });
        };
        let asked = (self.floor, self.at.1, self.window_seconds);
        let window = read::window(self.store, self.chain, pool, &last, asked)?;
        let least = window.near_in_spacing(spacing);
        let least = least.map(|near| near.min(spot.liquidity.unwrap_or(0)));
        let most = if unknown == UnknownRanges::Older { spot.liquidity } else { least };
        Ok(NearLiquidity { least, most })
    }

    fn ticks(
        &self,
        bound: &FactoryPool,
        state: &PoolState,
    ) -> Result<Result<Ticks, UnknownRanges>, StoreError> {
        let by = (&bound.pool, std::iter::once(bound.factory));
        let made = read::creation(self.store, self.chain, by, self.at.0)?;
        let Some(made) = made.filter(|made| made.place.number >= self.floor) else {
            return Ok(Err(UnknownRanges::Older));
        };
        let span = (made.place.number, self.at.0);
        let ticks = read::ticks(self.store, self.chain, &bound.pool, state, span)?;
        Ok(ticks.ok_or(UnknownRanges::Unsettled))
    }

    /// Payment that raises the token's price by two percent, in whole bases and without the fee; or the reason why
    /// unknown.
    pub fn cost_of_two_percent(
        &self,
        pool: &PoolQuote,
    ) -> Result<Result<Decimal, &'static str>, StoreError> {
        let Some(state) = &pool.seen.state else {
            return Ok(Err(UnknownRanges::Unsettled.reason()));
        };
        let bound = &pool.seen.bound;
        if bound.is_stable {
            return Ok(Err(OTHER_CURVE));
        }
        if matches!(state, PoolState::Bin(_)) {
            return Ok(Err(UNKNOWN_BINS));
        }
        let side = pool.seen.side;
        let of = bound.tick_spacing;
        let whole = |units: U256| {
            Decimal::of_units(units, -i32::from(pool.base.decimals))
                .ok_or("it is beyond what is computed")
        };
        if let Some(units) = cost::of_two_percent(state, side, of, None) {
            return Ok(whole(units));
        }
        let ticks = match self.ticks(bound, state)? {
            Ok(ticks) => ticks,
            Err(unknown) => return Ok(Err(unknown.reason())),
        };
        Ok(cost::of_two_percent(state, side, of, Some(&ticks)).map_or(Err(BEYOND), whole))
    }
}

/// Bounds of a pool's mean liquidity near its price.
struct NearLiquidity {
    least: Option<u128>,
    most: Option<u128>,
}

/// Lets pools older than the stored events count with their current liquidity over the whole hundredth, unless pools at
/// another price could have enough against that.
fn stretch(seen: &mut [ObservedPool], nears: &[NearLiquidity], rules: &PricingRules) {
    let mut most = seen.to_vec();
    most.iter_mut().zip(nears).for_each(|(pool, near)| pool.near = near.most);
    let (most, _) = quote::price(&most, rules);
    let apart_max = Decimal::of_u64(rules.outlier_percent_max).over(Decimal::of_u64(100));
    let least = Decimal::of_u64(rules.depth_usd_min);
    let is_counted =
        |said: &&PoolPrice| said.left.is_none_or(|left| left == LeftOutReason::Outlier);
    for ((pool, near), own) in seen.iter_mut().zip(nears).zip(&most) {
        let contradicts = |other: &&PoolPrice| {
            own.as_ref().is_none_or(|own| other.usd.apart(own.usd) > apart_max)
        };
        let others = most.iter().flatten().filter(is_counted).filter(contradicts);
        if others.fold(Decimal::ZERO, |sum, other| sum.plus(other.depth_usd)) < least {
            pool.near = near.most;
        }
    }
}

const OTHER_CURVE: &str = "it is a pool for tokens of one worth, which has a curve of its own";
const UNKNOWN_BINS: &str = "its events do not show what its bins hold";
const BEYOND: &str = "it has no liquidity for two hundredths more";

/// Why the ranges of a pool are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnknownRanges {
    Older,
    Unsettled,
}

impl UnknownRanges {
    const fn reason(self) -> &'static str {
        match self {
            Self::Older => {
                "its liquidity at other prices was put there before the first block whose events are all held"
            }
            Self::Unsettled => {
                "its changes of liquidity are too many or do not add up to what is in force"
            }
        }
    }
}
