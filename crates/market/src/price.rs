//! The price of a token at a block: its pools are found, what is in force in each is read, and the price follows.

use alloy_primitives::{Address, U256};
use superroot_dex::quote::{BasePrice, NoPrice, Priced, Rules, Said, Seen};
use superroot_dex::{
    Bound, Decimal, Decimals, Factories, Pair, PoolId, Side, State, cost, quote, twap,
};
use superroot_store::{Store, StoreError};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::read;
use crate::rows::{Observation, Place};

/// A token of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its contract.
    pub address: Address,
    /// Digits behind the point.
    pub decimals: u8,
}

/// Tokens through which others are priced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// Tokens that are taken to be worth one US dollar: that is configured, not proven.
    pub stables: Vec<Token>,
    /// The chain's own coin, wrapped. It is priced by its pools with these.
    pub native: Option<Token>,
}

/// A block of a chain, and what is asked of it.
#[derive(Clone, Copy)]
pub struct Market<'a> {
    /// Where pools are kept.
    pub store: &'a dyn Store,
    /// The chain.
    pub chain: ChainKey,
    /// Its name in `factories.toml`.
    pub slug: &'a str,
    /// Whose pools are believed.
    pub factories: &'a Factories,
    /// Through which tokens prices go.
    pub bases: &'a Bases,
    /// When pools are believed.
    pub rules: Rules,
    /// The block: its number and time.
    pub at: (BlockNumber, UnixSeconds),
    /// First block from which on every event of pools is held.
    pub floor: BlockNumber,
    /// Window of the mean, in seconds.
    pub window_seconds: u64,
}

/// A pool that was looked at.
#[derive(Clone, Debug)]
pub struct PoolQuote {
    /// The pool, as it was seen.
    pub seen: Seen,
    /// Both tokens.
    pub pair: Pair,
    /// The base.
    pub base: Token,
    /// The event that left its price in force.
    pub last: Observation,
    /// Changes of its liquidity since.
    pub later: Vec<Place>,
    /// The event by which it is known; `None` where its address or id follows from a factory alone.
    pub creation: Option<Place>,
    /// What it says; `None` where that is beyond what is computed.
    pub said: Option<Said>,
}

/// A pool of two tokens that is one of a known factory.
struct Known {
    pair: Pair,
    side: Side,
    bound: Bound,
    creation: Option<Place>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Quote {
    /// The token.
    pub token: Token,
    /// Its pools that had events, those of most weight first.
    pub pools: Vec<PoolQuote>,
    /// The price, or why there is none.
    pub price: Result<Priced, NoPrice>,
    /// The bases that its pools have, with their prices.
    pub bases: Vec<BaseQuote>,
}

/// A base.
#[derive(Clone, Debug)]
pub struct BaseQuote {
    /// The token.
    pub token: Token,
    /// Its price.
    pub price: BasePrice,
    /// What that follows from; `None` where it is configured.
    pub by: Option<Box<Quote>>,
}

impl Market<'_> {
    /// The price of a token, and with it that of the chain's own coin, if it has one.
    ///
    /// # Errors
    /// Those of the store.
    pub fn price_with_native(&self, token: Token) -> Result<(Quote, Option<Quote>), StoreError> {
        let Some(native) = self.bases.native else { return Ok((self.price(token)?, None)) };
        if token.address == native.address {
            let quote = self.price(token)?;
            return Ok((quote.clone(), Some(quote)));
        }
        let by_native = self.price(native)?;
        Ok((self.price_by(token, Some(&by_native))?, Some(by_native)))
    }

    /// The price of a token.
    ///
    /// # Errors
    /// Those of the store.
    pub fn price(&self, token: Token) -> Result<Quote, StoreError> {
        self.price_by(token, None)
    }

    /// The same, where the price of the chain's own coin is known already.
    ///
    /// # Errors
    /// Those of the store.
    pub fn price_by(&self, token: Token, by_native: Option<&Quote>) -> Result<Quote, StoreError> {
        let one = BasePrice { usd: Decimal::ONE, mean_usd: Some(Decimal::ONE) };
        let is_other = |other: &Token| other.address != token.address;
        let stables = self.bases.stables.iter().copied().filter(is_other);
        let mut bases: Vec<BaseQuote> =
            stables.map(|token| BaseQuote { token, price: one, by: None }).collect();
        let is_stable = self.bases.stables.iter().any(|stable| stable.address == token.address);
        if let Some(native) = self.bases.native.filter(|native| is_other(native) && !is_stable) {
            let by = match by_native {
                Some(by) => by.clone(),
                None => self.through(native, &bases)?,
            };
            if let Ok(priced) = &by.price {
                let mean_usd = priced.mean.map(|(mean, _)| mean);
                let price = BasePrice { usd: priced.usd, mean_usd };
                bases.push(BaseQuote { token: native, price, by: Some(Box::new(by)) });
            }
        }
        self.through(token, &bases)
    }

    /// The price of a token by its pools with these.
    fn through(&self, token: Token, bases: &[BaseQuote]) -> Result<Quote, StoreError> {
        let mut pools = Vec::new();
        for base in bases {
            self.see(token, base, &mut pools)?;
        }
        let seen: Vec<Seen> = pools.iter().map(|pool: &PoolQuote| pool.seen.clone()).collect();
        let covered_seconds_min = self.rules.covered_seconds_min.min(self.window_seconds);
        let (said, price) = quote::price(&seen, &Rules { covered_seconds_min, ..self.rules });
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

    /// Looks at every pool of a token and a base.
    fn see(
        &self,
        token: Token,
        base: &BaseQuote,
        pools: &mut Vec<PoolQuote>,
    ) -> Result<(), StoreError> {
        for Known { pair, side, bound, creation } in
            self.bound(token.address, base.token.address)?
        {
            let (priced, other) = (token.decimals, base.token.decimals);
            let decimals = match side {
                Side::Token0 => Decimals { token0: priced, token1: other },
                Side::Token1 => Decimals { token0: other, token1: priced },
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
            let seen = Seen { bound, side, decimals, state, age_seconds, mean, base: base.price };
            let base = base.token;
            pools.push(PoolQuote { seen, pair, base, last, later, creation, said: None });
        }
        Ok(())
    }

    /// The last event of a pool among those that are all held.
    fn last(&self, pool: &PoolId) -> Result<Option<Observation>, StoreError> {
        let last = read::latest(self.store, self.chain, pool, self.at.0)?;
        Ok(last.filter(|last| last.place.number >= self.floor))
    }

    /// The pools of two tokens that are of known factories. Those of Uniswap v4 may have the chain's coin itself, as the
    /// token of address zero, in the place of the wrapped one.
    fn bound(&self, token: Address, base: Address) -> Result<Vec<Known>, StoreError> {
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

    fn bound_as(&self, (pair, side): (Pair, Side)) -> Result<Vec<Known>, StoreError> {
        let known = |bound, creation| Known { pair, side, bound, creation };
        let usual = self.factories.pools_of(self.slug, &pair);
        let mut found: Vec<Known> = usual.iter().map(|bound| known(bound.clone(), None)).collect();
        for factory in self.factories.telling(self.slug) {
            for creation in read::made(self.store, self.chain, (&pair, factory), self.at.0)? {
                let made = &creation.made;
                if found.iter().all(|known| known.bound.pool != made.pool) {
                    let bound = self.factories.made_by(self.slug, factory, made);
                    found.extend(bound.map(|bound| known(bound, Some(creation.place))));
                }
            }
        }
        Ok(found)
    }

    /// Whether a token has a pool with a base, and an event of it.
    ///
    /// # Errors
    /// Those of the store.
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

    /// How much of the base has to be paid for the token to cost two hundredths more there, in whole bases; or why that
    /// is not known.
    ///
    /// # Errors
    /// Those of the store.
    pub fn cost_of_two_percent(
        &self,
        pool: &PoolQuote,
    ) -> Result<Result<Decimal, &'static str>, StoreError> {
        let Some(state) = &pool.seen.state else { return Ok(Err(UNSETTLED)) };
        let bound = &pool.seen.bound;
        if bound.fee_may_change {
            return Ok(Err(CHANGING));
        }
        let (side, of) = (pool.seen.side, (bound.fee, bound.tick_spacing));
        let whole = |units: U256| {
            Decimal::of_units(units, -i32::from(pool.base.decimals))
                .ok_or("it is beyond what is computed")
        };
        if let Some(units) = cost::of_two_percent(state, side, of, None) {
            return Ok(whole(units));
        }
        let by = (&bound.pool, std::iter::once(bound.factory));
        let made = read::creation(self.store, self.chain, by, self.at.0)?;
        let Some(made) = made.filter(|made| made.place.number >= self.floor) else {
            return Ok(Err(OLDER));
        };
        let span = (made.place.number, self.at.0);
        let Some(ticks) = read::ticks(self.store, self.chain, &bound.pool, state, span)? else {
            return Ok(Err(UNSETTLED));
        };
        Ok(cost::of_two_percent(state, side, of, Some(&ticks)).map_or(Err(BEYOND), whole))
    }
}

const CHANGING: &str = "its exchange changes fees of pools, and events of that are not read";
const OLDER: &str =
    "its liquidity at other prices was put there before the first block whose events are all held";
const UNSETTLED: &str =
    "its changes of liquidity are too many or do not add up to what is in force";
const BEYOND: &str = "it has no liquidity for two hundredths more";

/// Two tokens as a pool has them, and which of them the first is.
#[must_use]
pub fn pair_of(token: Address, other: Address) -> (Pair, Side) {
    if token < other {
        (Pair { token0: token, token1: other }, Side::Token0)
    } else {
        (Pair { token0: other, token1: token }, Side::Token1)
    }
}

impl PoolQuote {
    /// What is in force, as far as that is known.
    #[must_use]
    pub const fn state(&self) -> Option<&State> {
        self.seen.state.as_ref()
    }
}
