use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, U256};
use superroot_dex::quote::{NoPrice, PricingRules};
use superroot_dex::{Decimal, PoolEvent, PoolId, PoolState, TokenSide, held_in_ranges};
use superroot_index::{BlockEvent, IndexError};
use superroot_store::{Store, read as blocks};
use superroot_types::{BlockNumber, ChainKey, Hash};

use super::events::events;
use super::given_up::given_up;
use super::holders::top_holders;
use super::launching::Launching;
use super::rows::load_of_pool;
use super::taken::is_taken;
use super::{Changed, Launch, LaunchEvent, LaunchKind};
use crate::price::{Market, Token, pair_of};
use crate::rows::LiquidityChange;
use crate::view::{pool_events, read as decoded};
use crate::{Bases, EventPosition, TokenFacts, read};

/// A pool has been pulled below this share of its launch liquidity, in hundredths.
const PULLED_PERCENT: u64 = 10;
/// Ticks of a price that falls to the same share: `ln(10) / ln(1.0001)`.
const PULLED_TICKS: i32 = 23_027;

/// Age up to which a block is new, in seconds.
const NEW_SECONDS: u64 = 60;
/// Timeout for the token queries of a new block.
const WAIT: Duration = Duration::from_secs(1);

/// Launches and pulls in a block: new pools with enough value and no launch yet, and pools almost emptied. For pools in
/// `changed`, that state replaces the store's.
pub(super) fn in_block(
    launching: &Launching,
    store: &dyn Store,
    (chain, number): (ChainKey, BlockNumber),
    changed: &Changed,
) -> Result<Vec<Launch>, IndexError> {
    let hits = events(store, chain, number, pool_events().clone())?;
    let mut pools: BTreeMap<PoolId, Touched> = BTreeMap::new();
    for hit in &hits {
        let Some((_, said)) = decoded(&hit.event) else { continue };
        if let PoolEvent::Created(_) = said.event {
            continue;
        }
        let place =
            EventPosition { number, tx_index: hit.event.tx_index, log_index: hit.event.log_index };
        let last = (place, hit.event.transaction_hash);
        let first = Touched { last, added: None, held: None };
        pools.entry(said.pool).or_insert(first).note(last, &said.event);
    }
    if pools.is_empty() {
        return Ok(Vec::new());
    }
    let Some(block) = blocks::load_block(store, chain, number)? else { return Ok(Vec::new()) };
    let bases = launching.tokens.bases(chain);
    let market = Market {
        store,
        chain,
        slug: &launching.slug,
        factories: &launching.factories,
        bases: &bases,
        // what a launch is worth is no price to trade at: a service that has just begun finds them too
        rules: PricingRules { covered_seconds_min: 0, ..launching.config.rules() },
        at: (number, block.timestamp),
        floor: BlockNumber(0),
        window_seconds: launching.config.window_seconds,
    };
    let age_seconds = launching.clock.now().0.saturating_sub(block.timestamp.0);
    let wait = if age_seconds < NEW_SECONDS { WAIT } else { Duration::ZERO };
    let mut look =
        LaunchSearch { market, launching, bases: &bases, native_usd: None, changed, wait };
    let mut found = Vec::new();
    for (pool, touched) in pools {
        let event = |(place, transaction_hash): Placed| {
            let event = LaunchEvent { place, block_hash: block.hash, at: block.timestamp };
            PoolTouch { event, transaction_hash }
        };
        let added = touched.added.or(touched.held);
        found.extend(look.at(&pool, event(touched.last), added.map(event))?);
    }
    Ok(found)
}

type Placed = (EventPosition, Option<Hash>);

struct Touched {
    last: Placed,
    /// Last event that added liquidity.
    added: Option<Placed>,
    /// Last event with the pool's reserves that no trade or withdrawal explains.
    held: Option<Placed>,
}

impl Touched {
    fn note(&mut self, at: Placed, event: &PoolEvent) {
        self.last = at;
        match event {
            PoolEvent::Liquidity(change) if change.adds() => {
                (self.added, self.held) = (Some(at), None)
            }
            PoolEvent::Reserves(_) => self.held = Some(at),
            // a pool says what it holds right before it says why
            PoolEvent::Liquidity(_) | PoolEvent::Swapped(..) | PoolEvent::SwappedInBin(_) => {
                self.held = None;
            }
            PoolEvent::Created(_) | PoolEvent::Initialized(_) => {}
        }
    }
}

struct LaunchSearch<'a> {
    market: Market<'a>,
    launching: &'a Launching,
    bases: &'a Bases,
    /// Native coin in US dollars, set on first use; inner `None` without a price.
    native_usd: Option<Option<Decimal>>,
    changed: &'a Changed,
    /// Remaining node timeout for this block, all tokens together.
    wait: Duration,
}

/// Event of the block in a pool.
struct PoolTouch {
    event: LaunchEvent,
    /// Transaction hash; `None` if transactions are not stored.
    transaction_hash: Option<Hash>,
}

/// Created pool with the price of its paired token.
struct PricedPool<'a> {
    pool: &'a PoolId,
    spacing: i32,
    /// The creation's block.
    made_at: BlockNumber,
    /// The new token's side.
    side: TokenSide,
    base: Token,
    base_usd: Decimal,
}

/// Launch or pull of a pool, with the event behind it.
struct PoolChange {
    kind: LaunchKind,
    by: PoolTouch,
    /// This block's event, if `by` is of an earlier one.
    reached: Option<LaunchEvent>,
}

impl LaunchSearch<'_> {
    fn at(
        &mut self,
        pool: &PoolId,
        last: PoolTouch,
        added: Option<PoolTouch>,
    ) -> Result<Option<Launch>, IndexError> {
        let store = self.market.store;
        let chain = self.market.chain;
        let number = last.event.place.number;
        let by = (pool, self.market.factories.of_chain(self.market.slug));
        let Some(creation) = read::creation(store, chain, by, number)? else { return Ok(None) };
        let made = &creation.made;
        let factories = self.market.factories;
        let Some(bound) = factories.made_with_hooks(self.market.slug, creation.by, made) else {
            return Ok(None);
        };
        let Some((token, base, base_usd)) = self.sides(made.token0, made.token1)? else {
            return Ok(None);
        };
        let (_, side) = pair_of(token, made.other_than(token));
        let priced = PricedPool {
            pool,
            spacing: bound.tick_spacing,
            made_at: creation.place.number,
            side,
            base,
            base_usd,
        };
        let Some(usd) = self.worth_at(&priced, number)? else { return Ok(None) };
        let Some(change) = self.find_change(&priced, usd, last, added)? else { return Ok(None) };
        Ok(Some(Launch {
            kind: change.kind,
            token,
            facts: self.facts(token),
            paired_with: base.address,
            pool: *pool,
            dex: bound.dex,
            fee: bound.fee,
            liquidity_usd: usd,
            given_up: given_up(&self.market, pool, number)?,
            top_holders: top_holders(store, (chain, number), token, pool)?,
            creation: LaunchEvent {
                place: creation.place,
                block_hash: creation.block_hash,
                at: creation.at,
            },
            liquidity: change.by.event,
            transaction_hash: change.by.transaction_hash,
            hooks: Some(made.hooks).filter(|hooks| *hooks != Address::ZERO),
            reached: change.reached,
        }))
    }

    /// Pool liquidity at a block, in US dollars.
    fn worth_at(
        &self,
        priced: &PricedPool<'_>,
        at: BlockNumber,
    ) -> Result<Option<Decimal>, IndexError> {
        let held = self.held(priced.pool, priced.spacing, (priced.made_at, at))?;
        Ok(held.and_then(|held| worth(&held, priced.side, priced.base, priced.base_usd)))
    }

    /// Change of a pool whose liquidity is now worth this; `None` if the change is already known.
    fn find_change(
        &self,
        priced: &PricedPool<'_>,
        usd: Decimal,
        last: PoolTouch,
        added: Option<PoolTouch>,
    ) -> Result<Option<PoolChange>, IndexError> {
        let before = match self.changed.get(priced.pool) {
            Some(changed) => changed.clone(),
            None => load_of_pool(self.market.store, self.market.chain, priced.pool)?,
        };
        let least = Decimal::of_u64(self.launching.config.launch_usd_min);
        match (&before, added) {
            (None, Some(added)) if usd >= least => {
                Ok(Some(PoolChange { kind: LaunchKind::Launched, by: added, reached: None }))
            }
            (None, None) if usd >= least => {
                let added = self.last_added(priced, last.event.place.number)?;
                let reached = Some(last.event);
                let kind = LaunchKind::Launched;
                Ok(added.map(|by| PoolChange { kind, by, reached }))
            }
            // one is told once: it was more after the last event before this block
            (Some(launch), _) if is_pulled(usd, launch) => {
                let now = last.event.place.number;
                let earlier = now.0.checked_sub(1).map(BlockNumber);
                let was = earlier.map(|at| self.is_emptied(priced, launch, at));
                let is_first = was.transpose()?.flatten() == Some(false);
                let is_told = is_first && self.is_emptied(priced, launch, now)? == Some(true);
                let kind = LaunchKind::Pulled;
                Ok(is_told.then_some(PoolChange { kind, by: last, reached: None }))
            }
            _ => Ok(None),
        }
    }

    /// Newest event that added liquidity to a pool with ranges, up to a block.
    fn last_added(
        &self,
        priced: &PricedPool<'_>,
        to: BlockNumber,
    ) -> Result<Option<PoolTouch>, IndexError> {
        let store = self.market.store;
        let chain = self.market.chain;
        let changes = read::changes(store, chain, priced.pool, (priced.made_at, to))?;
        let adds = |change: &&LiquidityChange| change.delta.is_positive();
        let added = changes.as_deref().and_then(|changes| changes.iter().rfind(adds));
        let Some(place) = added.map(|added| added.place) else { return Ok(None) };
        let Some(block) = blocks::load_block(store, chain, place.number)? else { return Ok(None) };
        let hits = events(store, chain, place.number, pool_events().clone())?;
        let is_it = |event: &BlockEvent| {
            (event.tx_index, event.log_index) == (place.tx_index, place.log_index)
        };
        let transaction_hash =
            hits.iter().find(|hit| is_it(&hit.event)).and_then(|hit| hit.event.transaction_hash);
        let event = LaunchEvent { place, block_hash: block.hash, at: block.timestamp };
        Ok(Some(PoolTouch { event, transaction_hash }))
    }

    /// Whether a launched pool has less than a tenth left at a block. In a pool with ranges a price at the end of a range
    /// leaves nothing of one token while nobody took anything: as much of the launch's liquidity was taken, or the price
    /// fell as far. `None` if what the pool holds is unknown.
    fn is_emptied(
        &self,
        priced: &PricedPool<'_>,
        launch: &Launch,
        at: BlockNumber,
    ) -> Result<Option<bool>, IndexError> {
        match self.worth_at(priced, at)? {
            Some(usd) if is_pulled(usd, launch) => {}
            other => return Ok(other.map(|_| false)),
        }
        let store = self.market.store;
        let chain = self.market.chain;
        let tick = |at| {
            let state = read::latest(store, chain, priced.pool, at)?.map(|last| last.state);
            Ok::<_, IndexError>(state.and_then(|state| match state {
                PoolState::Spot(spot) => Some(spot.tick),
                PoolState::Reserves(..) | PoolState::Bin(_) => None,
            }))
        };
        let launched = launch.found_at().place.number;
        let Some((then, now)) = tick(launched)?.zip(tick(at)?) else { return Ok(Some(true)) };
        let fell = match priced.side {
            TokenSide::Token0 => then.saturating_sub(now),
            TokenSide::Token1 => now.saturating_sub(then),
        };
        if fell > PULLED_TICKS {
            return Ok(Some(true));
        }
        let since = |from, to| read::changes(store, chain, priced.pool, (from, to));
        let after = BlockNumber(launched.0.saturating_add(1));
        let before = since(priced.made_at, launched)?;
        let changes = before.zip(since(after, at)?);
        Ok(Some(changes.is_none_or(|(before, after)| is_taken(&before, &after))))
    }

    /// Pool amounts at a block, over all ranges since its creation; if these do not add up to the current liquidity,
    /// only between the two usable ticks around the price.
    fn held(
        &self,
        pool: &PoolId,
        spacing: i32,
        (made, at): (BlockNumber, BlockNumber),
    ) -> Result<Option<[U256; 2]>, IndexError> {
        let store = self.market.store;
        let chain = self.market.chain;
        let Some(last) = read::latest(store, chain, pool, at)? else { return Ok(None) };
        let Some((state, _)) = read::settled(store, chain, pool, &last, at)? else {
            return Ok(None);
        };
        let PoolState::Spot(spot) = state else { return Ok(state.held(spacing)) };
        let ticks = read::ticks(store, chain, pool, &state, (made, at))?;
        Ok(match ticks {
            Some(ticks) => held_in_ranges(spot.sqrt_price_x96, &ticks),
            None => state.held(spacing),
        })
    }

    /// New token and its paired token with a known price; `None` if both are known.
    fn sides(
        &mut self,
        token0: Address,
        token1: Address,
    ) -> Result<Option<(Address, Token, Decimal)>, IndexError> {
        let base = |one: Address| {
            let native =
                self.bases.native.filter(|native| native.address == one || one == Address::ZERO);
            self.bases.stables.iter().find(|stable| stable.address == one).copied().or(native)
        };
        let (token, base) = match (base(token0), base(token1)) {
            (Some(base), None) => (token1, base),
            (None, Some(base)) => (token0, base),
            _ => return Ok(None),
        };
        if self.launching.tokens.is_known(self.market.chain, token) {
            return Ok(None);
        }
        if self.bases.stables.contains(&base) {
            return Ok(Some((token, base, Decimal::ONE)));
        }
        let usd = match self.native_usd {
            Some(usd) => usd,
            None => {
                // what is too far from its mean to trade at still tells a launch from dust
                let usd = match self.market.price(base)?.price {
                    Ok(priced) => Some(priced.usd),
                    Err(NoPrice::Drifted { usd, .. }) => Some(usd),
                    Err(_) => None,
                };
                *self.native_usd.insert(usd)
            }
        };
        Ok(usd.map(|usd| (token, base, usd)))
    }

    /// Facts about a new token. Waits for nodes only in new blocks: launches are reported at once, and later listings
    /// include newer facts.
    fn facts(&mut self, token: Address) -> TokenFacts {
        let chain = self.market.chain;
        let began = Instant::now();
        let facts = self.launching.tokens.ask(chain, token, self.wait);
        self.wait = self.wait.saturating_sub(began.elapsed());
        facts.unwrap_or(TokenFacts { symbol: None, decimals: None, evidence: "none", asked: None })
    }
}

/// Twice the pool's base amount, in US dollars.
fn worth(held: &[U256; 2], side: TokenSide, base: Token, usd: Decimal) -> Option<Decimal> {
    let of_base = match side {
        TokenSide::Token0 => held[1],
        TokenSide::Token1 => held[0],
    };
    let whole = Decimal::of_units(of_base, -i32::from(base.decimals))?.times(usd)?;
    Some(whole.plus(whole))
}

fn is_pulled(usd: Decimal, launch: &Launch) -> bool {
    let percent = usd.times(Decimal::of_u64(100));
    let least = launch.liquidity_usd.times(Decimal::of_u64(PULLED_PERCENT));
    percent.zip(least).is_some_and(|(now, least)| now < least)
}
