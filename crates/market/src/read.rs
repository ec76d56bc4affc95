//! Pool state at a block, and before.

use alloy_primitives::{Address, U256};
use superroot_dex::twap::InForce;
use superroot_dex::{Pair, PoolId, PoolState, Spot, TokenSide, cost, near_in_spacing};
use superroot_store::layout::{StoredRow, end_of_prefix};
use superroot_store::{ScanOrder, Store, StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::rows::{self, Creation, EventPosition, LiquidityChange, Observation};

/// Rows in one read.
const PAGE_ROWS: usize = 256;
/// Most pool states read for one window: an hour of quarter-second blocks.
const STATES_MAX: usize = 16_384;
/// Most liquidity changes summed for a pool.
const CHANGES_MAX: usize = 8_192;
/// Most liquidity changes after the last swap that a price follows: the largest.
const LATER_MAX: usize = 64;
/// Inverse part of the current liquidity that all ignored changes together may reach: anyone may add tiny amounts.
const LESSER_PARTS: u128 = 100;
/// Most pools of two tokens considered by creation, for each factory: the oldest, so that no later pool replaces an
/// earlier one.
const PAIR_POOLS_MAX: usize = 1_024;
/// Most pools kept by age, and again most kept by base amount.
const PAIR_POOLS_KEPT_MAX: usize = 32;
/// Most creations read for one pool: more than one only if contracts lie.
const CREATIONS_MAX: usize = 4;

pub(crate) fn latest(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    at: BlockNumber,
) -> Result<Option<Observation>, StoreError> {
    Ok(states(store, chain, pool, (BlockNumber(0), at), 1)?.pop())
}

/// Pool states in a block range, descending.
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
    let rows = store.scan(Table::Market, &start, end.as_deref(), limit, ScanOrder::Falling)?;
    rows.iter().map(|(key, bytes)| Observation::decode(key, bytes)).collect()
}

/// States with a tick within a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// States, and the seconds that each was in force.
    pub states: Vec<InForce<PoolState>>,
    /// Seconds covered in total: up to the block, from the window's begin or the first event.
    pub covered_seconds: u64,
}

impl Window {
    /// Ticks, and the seconds that each was in force.
    pub(crate) fn ticks(&self) -> Vec<InForce<i32>> {
        let tick = |point: &InForce<PoolState>| {
            Some(InForce { what: point.what.tick()?, seconds: point.seconds })
        };
        self.states.iter().filter_map(tick).collect()
    }

    /// Mean of [`near_in_spacing`] over the time; `None` over no time.
    pub(crate) fn near_in_spacing(&self, tick_spacing: i32) -> Option<u128> {
        let (mut sum, mut seconds) = (U256::ZERO, U256::ZERO);
        for point in &self.states {
            let PoolState::Spot(spot) = &point.what else { return None };
            let near = U256::from(near_in_spacing(spot, tick_spacing)?);
            sum += near * U256::from(point.seconds);
            seconds += U256::from(point.seconds);
        }
        sum.checked_div(seconds)?.try_into().ok()
    }
}

/// States in the `seconds` before a block, from events since `floor`. In each block the last event counts, from the next
/// block's time on: `latest` is the last event up to the block.
pub(crate) fn window(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    latest: &Observation,
    (floor, at, seconds): (BlockNumber, UnixSeconds, u64),
) -> Result<Window, StoreError> {
    let start = at.0.saturating_sub(seconds);
    let mut window = Window { states: Vec::new(), covered_seconds: 0 };
    let mut until = at.0;
    let mut read = 0;
    let mut page = vec![*latest];
    while let Some(last) = page.last().map(|last| last.place.number) {
        for state in &page {
            let from = state.at.0.clamp(start, until);
            if state.state.tick().is_some() && from < until {
                window.states.push(InForce { what: state.state, seconds: until - from });
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

/// Creation of a pool up to a block, as reported by one of these contracts. Reports by other contracts hide nothing.
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
    let rows = store.scan(Table::Market, prefix, end.as_deref(), limit, ScanOrder::Rising)?;
    rows.iter().map(|(key, bytes)| Creation::decode(key, bytes)).collect()
}

/// A pool's liquidity changes, from a block's begin up to another block; `None` if too many.
pub(crate) fn changes(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    (from, to): (BlockNumber, BlockNumber),
) -> Result<Option<Vec<LiquidityChange>>, StoreError> {
    let prefix = rows::changes_prefix(chain, pool);
    let key = |number: u64| [prefix.as_slice(), &number.to_be_bytes()].concat();
    let end = to.0.checked_add(1).map(key).or_else(|| end_of_prefix(&prefix));
    let start = key(from.0);
    let limit = CHANGES_MAX + 1;
    let rows = store.scan(Table::Market, &start, end.as_deref(), limit, ScanOrder::Rising)?;
    if rows.len() > CHANGES_MAX {
        return Ok(None);
    }
    rows.iter()
        .map(|(key, bytes)| LiquidityChange::decode(key, bytes))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Pool state after liquidity changes since the last swap, and the events behind the state; `None` if the changes do
/// not fit or are too many.
pub(crate) fn settled(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    latest: &Observation,
    at: BlockNumber,
) -> Result<Option<(PoolState, Vec<EventPosition>)>, StoreError> {
    let PoolState::Spot(spot) = latest.state else { return Ok(Some((latest.state, Vec::new()))) };
    let Some(changes) = changes(store, chain, pool, (latest.place.number, at))? else {
        return Ok(None);
    };
    let later: Vec<&LiquidityChange> =
        changes.iter().filter(|one| one.is_after(latest, &spot)).collect();
    let Some(later) = largest(later, spot.liquidity.unwrap_or(0)) else { return Ok(None) };
    let liquidity = later.iter().try_fold(spot.liquidity.unwrap_or(0), |sum, change| {
        sum.checked_add_signed(i128::try_from(change.delta).ok()?)
    });
    let places = later.iter().map(|change| change.place).collect();
    let state = |liquidity| PoolState::Spot(Spot { liquidity: Some(liquidity), ..spot });
    Ok(liquidity.map(|liquidity| (state(liquidity), places)))
}

/// Largest changes, by position; `None` if the others exceed the negligible part.
fn largest(mut later: Vec<&LiquidityChange>, in_force: u128) -> Option<Vec<&LiquidityChange>> {
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

/// Pools of two tokens created by a contract, by its own reports up to a block: the oldest, and among later ones the
/// pools with the most `base`, which is real money whatever liquidity sits at an absurd price.
pub(crate) fn made(
    store: &dyn Store,
    chain: ChainKey,
    (pair, base, by): (&Pair, TokenSide, Address),
    at: BlockNumber,
) -> Result<Vec<Creation>, StoreError> {
    let prefix = rows::pairs_prefix(chain, by, [pair.token0, pair.token1]);
    let end = end_of_prefix(&prefix);
    let rows =
        store.scan(Table::Market, &prefix, end.as_deref(), PAIR_POOLS_MAX, ScanOrder::Rising)?;
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

/// Amount of a token in a pool, for ranges within the tick at its price, in smallest units: for comparing pools of one
/// pair.
fn held_now(state: &PoolState, side: TokenSide) -> U256 {
    let [of_token0, of_token1] = state.held(1).unwrap_or([U256::ZERO; 2]);
    match side {
        TokenSide::Token0 => of_token0,
        TokenSide::Token1 => of_token1,
    }
}

/// Every range end of a pool at a block, from all changes since its creation; `None` if too many, or if the sum differs
/// from the current liquidity.
pub(crate) fn ticks(
    store: &dyn Store,
    chain: ChainKey,
    pool: &PoolId,
    state: &PoolState,
    (made, at): (BlockNumber, BlockNumber),
) -> Result<Option<cost::Ticks>, StoreError> {
    let PoolState::Spot(spot) = state else { return Ok(None) };
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
