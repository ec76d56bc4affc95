//! Token price at a block: finds the pools, reads their state, and computes the price.

use alloy_primitives::{Address, U256};
use superroot_dex::median::{WeightedPrice, weighted_median};
use superroot_dex::quote::{
    BasePrice, LeftOutReason, NoPrice, ObservedPool, PoolPrice, Priced, PricingRules,
};
use superroot_dex::{
    Decimal, Decimals, Factories, FactoryPool, Pair, PoolId, PoolState, Ticks, TokenSide, cost,
    near_in_spacing, near_liquidity, quote, twap,
};
use superroot_store::{Store, StoreError};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::read;
use crate::rows::{EventPosition, Observation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub address: Address,
    /// Decimal places.
    pub decimals: u8,
}

/// Base tokens for pricing other tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// Tokens assumed to be worth one US dollar: configured, not proven.
    pub stables: Vec<Token>,
    /// The chain's native coin, wrapped. Its price comes from pools with the stablecoins.
    pub native: Option<Token>,
}

/// Pricing request at a block.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    pub store: &'a dyn Store,
    pub chain: ChainKey,
    /// Chain name in `factories.toml`.
    pub slug: &'a str,
    /// Trusted factories.
    pub factories: &'a Factories,
    pub bases: &'a Bases,
    /// Rules for pools to count.
    pub rules: PricingRules,
    pub at: (BlockNumber, UnixSeconds),
    /// First block with complete pool events from there on.
    pub floor: BlockNumber,
    /// Window of the mean, in seconds.
    pub window_seconds: u64,
}

/// Pool in a quote.
#[derive(Clone, Debug)]
pub struct PoolQuote {
    /// Observed pool.
    pub seen: ObservedPool,
    pub pair: Pair,
    pub base: Token,
    /// Event that set the current price.
    pub last: Observation,
    /// Later liquidity changes.
    pub later: Vec<EventPosition>,
    /// Creation event; `None` if the address or id follows from a factory alone.
    pub creation: Option<EventPosition>,
    /// Pool price; `None` if out of range.
    pub said: Option<PoolPrice>,
}

struct CandidatePool {
    pair: Pair,
    side: TokenSide,
    bound: FactoryPool,
    creation: Option<EventPosition>,
}

#[derive(Clone, Debug)]
pub struct Quote {
    pub token: Token,
    /// Pools with events, heaviest first.
    pub pools: Vec<PoolQuote>,
    /// Price, or the reason why there is none.
    pub price: Result<Priced, NoPrice>,
    /// Base tokens in the pools, with their prices.
    pub bases: Vec<BaseQuote>,
}

#[derive(Clone, Debug)]
pub struct BaseQuote {
    pub token: Token,
    pub price: BasePrice,
    /// Source quote; `None` for a configured price.
    pub by: Option<Box<Quote>>,
    /// Stablecoins that disagree with a configured base. With only one, the greater depth decided which coin is the
    /// dollar.
    pub disputed_by: Vec<Address>,
}

/// Prices of the base tokens.
#[derive(Clone, Debug)]
pub struct PricedBases {
    /// Stablecoins at one dollar, and stablecoins off the peg with a price by the others.
    stables: Vec<BaseQuote>,
    /// Native coin of the chain, if any.
    pub native: Option<Quote>,
    /// Stablecoins with the same native coin price as another stablecoin, in pools with enough depth.
    agreeing: Vec<Address>,
}

impl PricedBases {
    /// Stablecoins behind a base's dollar price, and whether each agrees with another stablecoin on its chain.
    #[must_use]
    pub fn dollars(&self, base: Address) -> Vec<(Address, bool)> {
        let alone = |stable: Address| (stable, self.agreeing.contains(&stable));
        let is_base = |one: &&BaseQuote| one.token.address == base;
        let by = match self.native.as_ref().filter(|native| native.token.address == base) {
            Some(native) => &native.bases,
            None => match self.stables.iter().find(is_base).and_then(|one| one.by.as_ref()) {
                Some(by) => &by.bases,
                None => return vec![alone(base)],
            },
        };
        by.iter().filter(|one| one.by.is_none()).map(|one| alone(one.token.address)).collect()
    }
}

fn base_price(quote: &Quote) -> Option<BasePrice> {
    let priced = quote.price.as_ref().ok()?;
    Some(BasePrice { usd: priced.usd, mean_usd: priced.mean.map(|(mean, _)| mean) })
}

/// Dollar check by the native coin's prices.
#[derive(Default)]
struct Dollars {
    /// Stablecoins with a native coin price further from the others than pools may be apart.
    strays: Vec<Address>,
    /// Stablecoins with the same native coin price as another.
    agreeing: Vec<Address>,
}

/// Chooses the dollar: among two disagreeing stablecoins the one with more depth, among more the median.
fn dollars(native: &Quote, rules: &PricingRules) -> Dollars {
    let mut costs: Vec<(Decimal, Decimal, Address)> = Vec::new();
    for base in &native.bases {
        let pools = native.pools.iter().filter(|pool| pool.base == base.token);
        let said = pools.filter_map(|pool| pool.said.as_ref());
        let said = said.filter(|said| said.left.is_none_or(|left| left == LeftOutReason::Outlier));
        let voices: Vec<WeightedPrice> =
            said.map(|said| WeightedPrice { price: said.in_base, depth: said.depth_usd }).collect();
        let depth = voices.iter().fold(Decimal::ZERO, |sum, voice| sum.plus(voice.depth));
        if let Some(cost) =
            weighted_median(&voices).filter(|_| depth >= Decimal::of_u64(rules.depth_usd_min))
        {
            costs.push((cost, depth, base.token.address));
        }
    }
    costs.sort();
    let middle = match costs.as_slice() {
        [] | [_] => return Dollars::default(),
        [one, other] => {
            if one.1 > other.1 {
                one.0
            } else {
                other.0
            }
        }
        several => several.get(several.len() / 2).map_or(Decimal::ONE, |(cost, ..)| *cost),
    };
    let apart_max = Decimal::of_u64(rules.outlier_percent_max).over(Decimal::of_u64(100));
    let is_far = |(cost, ..): &(Decimal, Decimal, Address)| cost.apart(middle) > apart_max;
    let (far, near): (Vec<_>, Vec<_>) = costs.into_iter().partition(is_far);
    let addresses = |costs: Vec<(Decimal, Decimal, Address)>| -> Vec<Address> {
        costs.into_iter().map(|(.., stable)| stable).collect()
    };
    // one that nothing confirms agrees with nobody
    let agreeing = if near.len() > 1 { addresses(near) } else { Vec::new() };
    Dollars { strays: addresses(far), agreeing }
}

impl Market<'_> {
    /// Price of a token, and of the chain's native coin, if any.
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
            for (pool, seen) in pools.iter_mut().zip(&mut seen) {
                seen.near = self.near(seen)?;
                pool.seen.near = seen.near;
            }
            (said, price) = quote::price(&seen, &rules);
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
                twap::mean_tick(&window.points).map(|(_, tick)| (tick, window.covered_seconds));
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

    /// Mean liquidity of a pool near its price, on the smaller side: from every position since the pool's creation if
    /// stored, else from the current liquidity.
    fn near(&self, seen: &ObservedPool) -> Result<Option<u128>, StoreError> {
        let Some(state @ PoolState::Spot(spot)) = &seen.state else { return Ok(None) };
        let spacing = seen.bound.tick_spacing;
        Ok(match self.ticks(&seen.bound, state)? {
            Ok(ticks) => near_liquidity(spot, spacing, Some(&ticks)),
            Err(_) => near_in_spacing(spot, spacing),
        })
    }

    fn ticks(
        &self,
        bound: &FactoryPool,
        state: &PoolState,
    ) -> Result<Result<Ticks, &'static str>, StoreError> {
        let by = (&bound.pool, std::iter::once(bound.factory));
        let made = read::creation(self.store, self.chain, by, self.at.0)?;
        let Some(made) = made.filter(|made| made.place.number >= self.floor) else {
            return Ok(Err(OLDER));
        };
        let span = (made.place.number, self.at.0);
        let ticks = read::ticks(self.store, self.chain, &bound.pool, state, span)?;
        Ok(ticks.ok_or(UNSETTLED))
    }

    /// Last event of a pool within the complete events.
    fn last(&self, pool: &PoolId) -> Result<Option<Observation>, StoreError> {
        let last = read::latest(self.store, self.chain, pool, self.at.0)?;
        Ok(last.filter(|last| last.place.number >= self.floor))
    }

    /// Known factories' pools for two tokens. In Uniswap v4 pools the native coin itself (token address zero) may
    /// replace the wrapped coin.
    fn bound(&self, token: Address, base: Address) -> Result<Vec<CandidatePool>, StoreError> {
        let native = self.bases.native.map(|native| native.address);
        let unwrapped = |one: Address| if native == Some(one) { Address::ZERO } else { one };
        let mut found = self.bound_as(pair_of(token, base))?;
        let coin = (unwrapped(token), unwrapped(base));
        if coin != (token, base) {
            let of_coin = self.bound_as(pair_of(coin.0, coin.1))?;
            found.extend(of_coin.into_iter().filter(|one| one.bound.is_within()));
        }
        Ok(found)
    }

    fn bound_as(&self, (pair, side): (Pair, TokenSide)) -> Result<Vec<CandidatePool>, StoreError> {
        let known = |bound, creation| CandidatePool { pair, side, bound, creation };
        let usual = self.factories.pools_of(self.slug, &pair);
        let mut found: Vec<CandidatePool> =
            usual.iter().map(|bound| known(bound.clone(), None)).collect();
        for factory in self.factories.telling(self.slug) {
            let of = (&pair, side.other(), factory);
            for creation in read::made(self.store, self.chain, of, self.at.0)? {
                let made = &creation.made;
                if found.iter().all(|known| known.bound.pool != made.pool) {
                    let bound = self.factories.made_by(self.slug, factory, made);
                    found.extend(bound.map(|bound| known(bound, Some(creation.place))));
                }
            }
        }
        Ok(found)
    }

    /// Whether a token has a pool with a base, and an event in the pool.
    pub fn has_pool(&self, token: Address) -> Result<bool, StoreError> {
        let bases = self.bases.stables.iter().chain(&self.bases.native);
        for base in bases.filter(|base| base.address != token) {
            for known in self.bound(token, base.address)? {
                if self.last(&known.bound.pool)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Payment that raises the token's price by two percent, in whole bases and without the fee; or the reason why
    /// unknown.
    pub fn cost_of_two_percent(
        &self,
        pool: &PoolQuote,
    ) -> Result<Result<Decimal, &'static str>, StoreError> {
        let Some(state) = &pool.seen.state else { return Ok(Err(UNSETTLED)) };
        let bound = &pool.seen.bound;
        if bound.is_stable {
            return Ok(Err(OTHER_CURVE));
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
            Err(why) => return Ok(Err(why)),
        };
        Ok(cost::of_two_percent(state, side, of, Some(&ticks)).map_or(Err(BEYOND), whole))
    }
}

const OTHER_CURVE: &str = "it is a pool for tokens of one worth, which has a curve of its own";
const OLDER: &str =
    "its liquidity at other prices was put there before the first block whose events are all held";
const UNSETTLED: &str =
    "its changes of liquidity are too many or do not add up to what is in force";
const BEYOND: &str = "it has no liquidity for two hundredths more";

/// Both tokens in pool order, and the side of the first argument.
#[must_use]
pub fn pair_of(token: Address, other: Address) -> (Pair, TokenSide) {
    if token < other {
        (Pair { token0: token, token1: other }, TokenSide::Token0)
    } else {
        (Pair { token0: other, token1: token }, TokenSide::Token1)
    }
}

/// Most pools named in an answer.
const NAMED_MAX: usize = 16;

impl Quote {
    /// Pools whose events cover too few seconds, by address or id, heaviest first: at most 16.
    #[must_use]
    pub fn young_pools(&self) -> Vec<String> {
        let is_young = |pool: &&PoolQuote| {
            pool.said.is_some_and(|said| said.left == Some(LeftOutReason::Young))
        };
        let name = |pool: &PoolQuote| match pool.seen.bound.pool {
            PoolId::Contract(address) => format!("{address:#x}"),
            PoolId::Within(_, id) => id.to_string(),
        };
        self.pools.iter().filter(is_young).take(NAMED_MAX).map(name).collect()
    }
}

impl PoolQuote {
    /// Current pool state, if known.
    #[must_use]
    pub const fn state(&self) -> Option<&PoolState> {
        self.seen.state.as_ref()
    }
}
