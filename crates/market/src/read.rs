//! What is in force in a pool at a block, and what was before it.

use alloy_primitives::{Address, U256};
use superroot_dex::twap::InForce;
use superroot_dex::{Pair, PoolId, Side, Spot, State, cost};
use superroot_store::layout::{StoredRow, end_of_prefix};
use superroot_store::{Direction, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::rows::{self, Change, Creation, Observation, Place};

/// Rows that are read at one time.
const PAGE_ROWS: usize = 256;
/// States of a pool that one window reads at most: a window of an hour over blocks of a quarter second.
const STATES_MAX: usize = 16_384;
/// Changes of a pool's liquidity that are added up at most.
const CHANGES_MAX: usize = 8_192;
/// Changes of liquidity since the last swap that a price follows at most: the largest.
const LATER_MAX: usize = 64;
/// The part of the liquidity in force that all others together may change: anybody may add what is next to nothing.
const LESSER_PARTS: u128 = 100;
/// Pools of two tokens that are looked at because of their creation, of each factory at most: those made first. What was
/// there before no later pool takes the place of.
const PAIR_POOLS_MAX: usize = 1_024;
/// Of those, pools that count because they were made first, and because they hold the most of the base, at most.
const PAIR_POOLS_KEPT_MAX: usize = 32;
/// Creations of one pool that are read at once: more than one only where contracts lie.
const CREATIONS_MAX: usize = 4;

/// The last event of a pool up to a block.
///
/// # Errors
/// Those of the store.
pub(crate) fn latest(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    at: BlockNumber,
) -> Result<Option<Observation>, StoreError> {
    Ok(states(store, chain, pool, (BlockNumber(0), at), 1)?.pop())
}

/// States of a pool in a range of blocks, falling.
fn states(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    (from, to): (BlockNumber, BlockNumber),
    limit: usize,
) -> Result<Vec<Observation>, StoreError> {
    let start = rows::state_key(chain, pool, from);
    let end = match to.0.checked_add(1) {
        Some(end) => Some(rows::state_key(chain, pool, BlockNumber(end))),
        None => end_of_prefix(&rows::states_prefix(chain, pool)),
    };
    let rows = store.scan(Table::Market, &start, end.as_deref(), limit, Direction::Falling)?;
    rows.iter().map(|(key, bytes)| Observation::decode(key, bytes)).collect()
}

/// Ticks in force in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Ticks, and for how many seconds each was in force.
    pub points: Vec<InForce<i32>>,
    /// Seconds that they cover together: up to the block, from the window's begin or the first event seen.
    pub covered_seconds: u64,
}

/// The ticks in force in the `seconds` before a block, out of events from `floor` on. Of each block the last event
/// counts, from the next block's time on: `latest` is the last one up to the block.
///
/// # Errors
/// Those of the store.
pub(crate) fn window(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    latest: &Observation,
    (floor, at, seconds): (BlockNumber, UnixSeconds, u64),
) -> Result<Window, StoreError> {
    let start = at.0.saturating_sub(seconds);
    let mut window = Window { points: Vec::new(), covered_seconds: 0 };
    let (mut until, mut read) = (at.0, 0);
    let mut page = vec![*latest];
    while let Some(last) = page.last().map(|last| last.place.number) {
        for state in &page {
            let from = state.at.0.clamp(start, until);
            if let Some(tick) = state.state.tick().filter(|_| from < until) {
                window.points.push(InForce { what: tick, seconds: until - from });
                window.covered_seconds += until - from;
            }
            until = from;
        }
        read += page.len();
        let before = last.0.checked_sub(1).map(BlockNumber).filter(|before| *before >= floor);
        let Some(before) = before.filter(|_| until > start && read < STATES_MAX) else { break };
        page = states(store, chain, pool, (floor, before), PAGE_ROWS)?;
    }
    Ok(window)
}

/// The creation of a pool up to a block, as one of these contracts tells of it. What others tell hides nothing.
///
/// # Errors
/// Those of the store.
pub(crate) fn creation(
    store: &dyn Store,
    chain: ChainKey,
    (pool, by): (&PoolId, impl Iterator<Item = Address>),
    at: BlockNumber,
) -> Result<Option<Creation>, StoreError> {
    // nearly always there is none, or one
    let all = creations(store, &rows::creations_prefix(chain, pool), CREATIONS_MAX)?;
    let is_all = all.len() < CREATIONS_MAX;
    let is_earlier = |one: &&Creation| one.place.number <= at;
    for by in by {
        let found = if is_all {
            all.iter().find(|one| one.by == by).copied()
        } else {
            creations(store, &rows::creations_by(chain, pool, by), 1)?.pop()
        };
        if let Some(found) = found.as_ref().filter(is_earlier) {
            return Ok(Some(*found));
        }
    }
    Ok(None)
}

fn creations(store: &dyn Store, prefix: &[u8], limit: usize) -> Result<Vec<Creation>, StoreError> {
    let end = end_of_prefix(prefix);
    let rows = store.scan(Table::Market, prefix, end.as_deref(), limit, Direction::Rising)?;
    rows.iter().map(|(key, bytes)| Creation::decode(key, bytes)).collect()
}

/// Changes of a pool's liquidity after a block's begin up to another; `None` where they are too many.
fn changes(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    (from, to): (BlockNumber, BlockNumber),
) -> Result<Option<Vec<Change>>, StoreError> {
    let prefix = rows::changes_prefix(chain, pool);
    let key = |number: u64| [prefix.as_slice(), &number.to_be_bytes()].concat();
    let end = to.0.checked_add(1).map(key).or_else(|| end_of_prefix(&prefix));
    let (start, limit) = (key(from.0), CHANGES_MAX + 1);
    let rows = store.scan(Table::Market, &start, end.as_deref(), limit, Direction::Rising)?;
    if rows.len() > CHANGES_MAX {
        return Ok(None);
    }
    rows.iter().map(|(key, bytes)| Change::decode(key, bytes)).collect::<Result<_, _>>().map(Some)
}

/// What is in force once liquidity came and went after the pool's last swap, and the events that say so; `None` where
/// they do not fit it, or are too many.
///
/// # Errors
/// Those of the store.
pub(crate) fn settled(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    latest: &Observation,
    at: BlockNumber,
) -> Result<Option<(State, Vec<Place>)>, StoreError> {
    let State::Spot(spot) = latest.state else { return Ok(Some((latest.state, Vec::new()))) };
    let Some(changes) = changes(store, chain, pool, (latest.place.number, at))? else {
        return Ok(None);
    };
    let later: Vec<&Change> = changes.iter().filter(|one| one.is_after(latest, &spot)).collect();
    let Some(later) = largest(later, spot.liquidity.unwrap_or(0)) else { return Ok(None) };
    let liquidity = later.iter().try_fold(spot.liquidity.unwrap_or(0), |sum, change| {
        sum.checked_add_signed(i128::try_from(change.delta).ok()?)
    });
    let places = later.iter().map(|change| change.place).collect();
    let state = |liquidity| State::Spot(Spot { liquidity: Some(liquidity), ..spot });
    Ok(liquidity.map(|liquidity| (state(liquidity), places)))
}

/// The changes that a price follows, by place; `None` where the others change more than next to nothing.
fn largest(mut later: Vec<&Change>, in_force: u128) -> Option<Vec<&Change>> {
    if later.len() <= LATER_MAX {
        return Some(later);
    }
    later.sort_by_key(|change| std::cmp::Reverse(change.delta.unsigned_abs()));
    let lesser = later.split_off(LATER_MAX);
    let sum = lesser.iter().try_fold(0_u128, |sum, change| {
        sum.checked_add(u128::try_from(change.delta.unsigned_abs()).ok()?)
    });
    later.sort_by_key(|change| change.place);
    sum.is_some_and(|sum| sum <= in_force / LESSER_PARTS).then_some(later)
}

/// Pools of two tokens of which a contract told up to a block that it made them: the oldest, and of those after them the
/// ones that hold the most of the `base`, which is money whatever liquidity somebody puts at an absurd price.
///
/// # Errors
/// Those of the store.
pub(crate) fn made(
    store: &dyn Store,
    chain: ChainKey,
    (pair, base, by): (&Pair, Side, Address),
    at: BlockNumber,
) -> Result<Vec<Creation>, StoreError> {
    let prefix = rows::pairs_prefix(chain, by, [pair.token0, pair.token1]);
    let end = end_of_prefix(&prefix);
    let rows =
        store.scan(Table::Market, &prefix, end.as_deref(), PAIR_POOLS_MAX, Direction::Rising)?;
    let mut pools = Vec::with_capacity(rows.len());
    for (key, _) in &rows {
        pools.push(rows::decode_pair(&prefix, key)?);
    }
    let later = pools.split_off(pools.len().min(PAIR_POOLS_KEPT_MAX));
    if later.len() <= PAIR_POOLS_KEPT_MAX {
        pools.extend(later);
    } else {
        let mut by_base = Vec::with_capacity(later.len());
        for pool in later {
            let held = latest(store, chain, &pool, at)?.map(|last| held_now(&last.state, base));
            by_base.push((std::cmp::Reverse(held.unwrap_or(U256::ZERO)), pool));
        }
        by_base.sort_by_key(|(held, _)| *held);
        pools.extend(by_base.into_iter().take(PAIR_POOLS_KEPT_MAX).map(|(_, pool)| pool));
    }
    let mut made = Vec::new();
    for pool in pools {
        let creation = creation(store, chain, (&pool, std::iter::once(by)), at)?;
        let of_pair =
            |one: &Creation| (one.made.token0, one.made.token1) == (pair.token0, pair.token1);
        made.extend(creation.filter(of_pair));
    }
    Ok(made)
}

/// What a pool holds of a token, of one with ranges within the tick of its price, in smallest units: a figure for comparing
/// pools of one pair.
fn held_now(state: &State, side: Side) -> U256 {
    let [of_token0, of_token1] = state.held(1).unwrap_or([U256::ZERO; 2]);
    match side {
        Side::Token0 => of_token0,
        Side::Token1 => of_token1,
    }
}

/// Every end of a range that a pool has at a block, out of all changes since it was made; `None` where these are too
/// many or do not add up to the liquidity in force.
///
/// # Errors
/// Those of the store.
pub(crate) fn ticks(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    state: &State,
    (made, at): (BlockNumber, BlockNumber),
) -> Result<Option<cost::Ticks>, StoreError> {
    let State::Spot(spot) = state else { return Ok(None) };
    let Some(changes) = changes(store, chain, pool, (made, at))? else { return Ok(None) };
    let mut ticks = cost::Ticks::new();
    let mut add = |tick: i32, delta: Option<i128>| {
        let net = ticks.entry(tick).or_default();
        *net = net.checked_add(delta?)?;
        Some(())
    };
    for change in &changes {
        let delta = i128::try_from(change.delta).ok();
        let (lower, upper) = change.ticks;
        let added = add(lower, delta).zip(add(upper, delta.and_then(i128::checked_neg)));
        if added.is_none() {
            return Ok(None);
        }
    }
    ticks.retain(|_, net| *net != 0);
    let below = ticks.range(..=spot.tick).try_fold(0_i128, |sum, (_, net)| sum.checked_add(*net));
    let in_force = spot.liquidity.and_then(|liquidity| i128::try_from(liquidity).ok());
    Ok((below == in_force).then_some(ticks))
}
