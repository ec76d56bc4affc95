//! Pools, built from their proven events.

use alloy_primitives::Address;
use superroot_dex::quote::{BasePrice, ObservedPool};
use superroot_dex::{
    Decimals, DecodedPoolEvent, Factories, FactoryPool, Pair, PoolEvent, PoolId, PoolState, Spot,
    TokenList, TokenSide, decode, tick,
};
use superroot_proof::bundle::Facts;
use superroot_wire::price::{EventPlace, PricePool};

use super::check::{Bases, PriceCheck};
use super::error::PriceCheckError;
use super::names::address;
use super::shown;

impl PriceCheck<'_> {
    /// Builds a pool from its proven events.
    pub(super) fn seen(
        &mut self,
        pool: &PricePool,
        (token, decimals): (Address, u8),
        bases: &Bases,
    ) -> Result<ObservedPool, PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let pair = Pair { token0: address(&pool.pair[0])?, token1: address(&pool.pair[1])? };
        let at = address(&pool.address)?;
        let id = match pool.pool_id {
            None => PoolId::Contract(at),
            Some(id) => PoolId::Within(at, id),
        };
        let base_at = address(&pool.base)?;
        let (base_decimals, usd) =
            *bases.get(&base_at).ok_or_else(|| refused("its base is not among the bases"))?;
        let slug = self.slug()?;
        let side = find_side(pool, &pair, (token, base_at), &slug)
            .ok_or_else(|| refused("it is of other tokens"))?;
        let bound = self.bound(pool, id, &pair, &slug)?;
        let decimals = match side {
            TokenSide::Token0 => Decimals { token0: decimals, token1: base_decimals },
            TokenSide::Token1 => Decimals { token0: base_decimals, token1: decimals },
        };
        shown::check_bound(pool, &bound)?;
        let (state, at) = self.state(pool, id)?;
        shown::check_state(pool, &state, bound.is_stable)?;
        let age_seconds = self.price.block.timestamp.saturating_sub(at);
        let base = BasePrice { usd, mean_usd: None };
        let near = self.near(pool, &state)?;
        Ok(ObservedPool {
            bound,
            side,
            decimals,
            state: Some(state),
            age_seconds,
            mean: None,
            base,
            near,
        })
    }

    /// Pool that follows from a known factory.
    fn bound(
        &self,
        pool: &PricePool,
        id: PoolId,
        pair: &Pair,
        slug: &str,
    ) -> Result<FactoryPool, PriceCheckError> {
        // what a creation says is proven: of an unusual fee nothing else shows the steps between ticks
        if let Some(creation) = &pool.creation_event {
            return self.created(pool, creation, (id, pair), slug);
        }
        let fee = pool.fee_millionths;
        let spacing = pool.tick_spacing;
        let bound = Factories::builtin().bind(slug, id, pair, (fee, spacing));
        bound.ok_or_else(|| PriceCheckError::Pool {
            pool: pool.address.clone(),
            why: "it follows from no factory known here".to_owned(),
        })
    }

    /// Liquidity at other prices, claimed by the service: at most the proven liquidity in force.
    fn near(
        &mut self,
        pool: &PricePool,
        state: &PoolState,
    ) -> Result<Option<u128>, PriceCheckError> {
        let Some(near) = &pool.near_liquidity else { return Ok(None) };
        let in_force = match state {
            PoolState::Spot(spot) => spot.liquidity,
            PoolState::Reserves(..) | PoolState::Bin(_) => None,
        };
        let number = near.parse::<u128>().ok().filter(|near| Some(*near) <= in_force);
        let number = number.ok_or_else(|| PriceCheckError::Pool {
            pool: pool.address.clone(),
            why: "its near_liquidity is no number up to the liquidity in force".to_owned(),
        })?;
        self.said.push(format!(
            "that pool {} has a mean liquidity of {number} within a hundredth of its price, which is its weight",
            pool.address
        ));
        Ok(Some(number))
    }

    /// Pool that a known factory created for these tokens, by a proven event.
    fn created(
        &self,
        pool: &PricePool,
        place: &EventPlace,
        (id, pair): (PoolId, &Pair),
        slug: &str,
    ) -> Result<FactoryPool, PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let (by, event, _) = self.event(pool, place, id)?;
        let PoolEvent::Created(made) = event else {
            return Err(refused("what is said to have made it is no creation"));
        };
        if (made.token0, made.token1) != (pair.token0, pair.token1) {
            return Err(refused("it was made of other tokens"));
        }
        let bound = Factories::builtin().made_by(slug, by, &made);
        bound.ok_or_else(|| refused("it was made by no factory known here"))
    }

    /// Pool state and its time: the last event plus later liquidity changes.
    fn state(&self, pool: &PricePool, id: PoolId) -> Result<(PoolState, u64), PriceCheckError> {
        let refused = |why: String| PriceCheckError::Pool { pool: pool.address.clone(), why };
        let (_, event, facts) = self.event(pool, &pool.last_event, id)?;
        let state = match event {
            PoolEvent::Reserves(reserves) => {
                PoolState::Reserves(reserves, tick::tick_of_reserves(reserves))
            }
            PoolEvent::Initialized(spot) | PoolEvent::Swapped(_, Some(spot)) => {
                PoolState::Spot(spot)
            }
            PoolEvent::SwappedInBin(bin) => PoolState::Bin(bin),
            // a pool within a contract: who says it is that contract itself
            PoolEvent::Created(made) => PoolState::Spot(
                made.spot.ok_or_else(|| refused("its last event says no price".to_owned()))?,
            ),
            _ => return Err(refused("its last event says no price".to_owned())),
        };
        let header = facts.header.as_ref().and_then(|header| header.timestamp());
        let at = header.unwrap_or(pool.last_event_timestamp);
        let PoolState::Spot(spot) = state else { return Ok((state, at)) };
        let mut liquidity = spot.liquidity.unwrap_or(0);
        let place = |event: &EventPlace| (event.block_number.0, event.tx_index, event.log_index);
        let mut before = place(&pool.last_event);
        for later in &pool.later_events {
            if place(later) <= before {
                return Err(refused("its later events do not follow each other".to_owned()));
            }
            before = place(later);
            let (_, event, _) = self.event(pool, later, id)?;
            let change = match event {
                PoolEvent::Liquidity(change) => change,
                _ => return Err(refused("a later event is no change of its liquidity".to_owned())),
            };
            let is_met = change.ticks.is_some_and(|(low, high)| (low..high).contains(&spot.tick));
            let delta = change.delta.and_then(|delta| i128::try_from(delta).ok());
            let sum = delta.and_then(|delta| liquidity.checked_add_signed(delta));
            liquidity = sum
                .filter(|_| is_met)
                .ok_or_else(|| refused("its changes of liquidity do not add up".to_owned()))?;
        }
        Ok((PoolState::Spot(Spot { liquidity: Some(liquidity), ..spot }), at))
    }

    /// Proven pool event and its emitting contract.
    fn event(
        &self,
        pool: &PricePool,
        place: &EventPlace,
        id: PoolId,
    ) -> Result<(Address, PoolEvent, &Facts), PriceCheckError> {
        let refused =
            |why: &str| PriceCheckError::Pool { pool: pool.address.clone(), why: why.to_owned() };
        let key = (place.block_number.0, place.tx_index, place.log_index);
        let facts = self.events.get(&key).ok_or_else(|| refused("an event of it has no proof"))?;
        if place.block_number > self.price.block.number {
            return Err(refused("an event of it is after the block"));
        }
        let log = facts.log().ok_or_else(|| refused("an event of it is no log"))?;
        let by = Address::from(log.log.address.0);
        match decode(by, &log.log.topics, &log.log.data) {
            Some(DecodedPoolEvent { pool: of, event }) if of == id => Ok((by, event, facts)),
            _ => Err(refused("an event is not of this pool")),
        }
    }
}

/// Side of the token in a pool of it and its base.
fn find_side(
    pool: &PricePool,
    pair: &Pair,
    (token, base): (Address, Address),
    slug: &str,
) -> Option<TokenSide> {
    // a pool within a contract may have the chain's coin itself in the place of the wrapped one, and of no other token
    let native = TokenList::builtin().wrapped_native(slug).map(|native| native.address);
    let is = |one: Address, meant: Address| {
        let is_coin = pool.pool_id.is_some() && one == Address::ZERO;
        one == meant || (is_coin && native == Some(meant))
    };
    if is(pair.token0, token) && is(pair.token1, base) && pair.token0 != base {
        Some(TokenSide::Token0)
    } else if is(pair.token1, token) && is(pair.token0, base) {
        Some(TokenSide::Token1)
    } else {
        None
    }
}
