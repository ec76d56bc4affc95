//! Keys and rows. Integers are big-endian; `chain` is the prefix shared by all tables.
//!
//! | key | value |
//! |---|---|
//! | `00 ‖ chain ‖ pool ‖ number:u64` | [`Observation`]: what is in force after that block |
//! | `01 ‖ chain ‖ pool ‖ by:20 ‖ place` | [`Creation`], by the contract that says so |
//! | `02 ‖ chain ‖ pool ‖ place` | [`LiquidityChange`] of liquidity |
//! | `03 ‖ chain ‖ by:20 ‖ token ‖ token ‖ place ‖ pool` | nothing: that contract says that it made it; the lower token first |
//!
//! A pool is `00 ‖ address:20`, or within a contract `01 ‖ address:20 ‖ id:32`. A place is `number:u64 ‖ tx_index:u32 ‖
//! log_index:u32`.

use alloy_primitives::{Address, I256, U256};
use superroot_dex::{Created, Liquidity, PoolId, PoolState, Spot};
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::{StoredRow, chain_key};
use superroot_store::{StoreError, Table};
use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

const OF_STATE: u8 = 0;
const OF_CREATION: u8 = 1;
const OF_LIQUIDITY: u8 = 2;
const OF_PAIR: u8 = 3;

/// An event's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPosition {
    pub number: BlockNumber,
    /// Transaction position in the block.
    pub tx_index: u32,
    /// Position in the receipt.
    pub log_index: u32,
}

/// Pool state after its last event in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    pub place: EventPosition,
    pub block_hash: Hash,
    /// Block time.
    pub at: UnixSeconds,
    pub state: PoolState,
}

/// Pool creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    pub place: EventPosition,
    pub block_hash: Hash,
    /// Block time.
    pub at: UnixSeconds,
    /// Reporting contract.
    pub by: Address,
    /// Reported creation.
    pub made: Created,
}

/// Liquidity change in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LiquidityChange {
    pub place: EventPosition,
    /// Range: from the first tick to before the second.
    pub ticks: (i32, i32),
    /// Added liquidity; negative: removed.
    pub delta: I256,
}

impl EventPosition {
    fn write(self, out: &mut Encoder) {
        out.u64(self.number.0).u32(self.tx_index).u32(self.log_index);
    }

    fn read(row: &mut Decoder<'_>) -> Option<Self> {
        let number = BlockNumber(row.u64()?);
        Some(Self { number, tx_index: row.u32()?, log_index: row.u32()? })
    }
}

impl Observation {
    /// `place ‖ hash ‖ at:u64 ‖ state`. A state is `00 ‖ reserve:32 ‖ reserve:32 ‖ tick`, an option of `u32`, `01 ‖
    /// spot` or `02 ‖ bin:u32`; a spot `root:32 ‖ tick:u32 ‖ liquidity`, an option of 16 bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        self.place.write(&mut out);
        out.hash(&self.block_hash).u64(self.at.0);
        match &self.state {
            PoolState::Reserves([reserve0, reserve1], tick) => {
                out.u8(0).raw(&reserve0.to_be_bytes::<32>()).raw(&reserve1.to_be_bytes::<32>());
                out.option(*tick, |out, tick| _ = out.raw(&tick.to_be_bytes()));
            }
            PoolState::Spot(spot) => write_spot(out.u8(1), spot),
            PoolState::Bin(bin) => _ = out.u8(2).u32(*bin),
        }
        out.finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let place = EventPosition::read(&mut row)?;
        let block_hash = row.hash()?;
        let at = UnixSeconds(row.u64()?);
        let state = match row.u8()? {
            0 => PoolState::Reserves(
                [read_u256(&mut row)?, read_u256(&mut row)?],
                row.option(|row| row.array().map(i32::from_be_bytes))?,
            ),
            1 => PoolState::Spot(read_spot(&mut row)?),
            2 => PoolState::Bin(row.u32()?),
            _ => return None,
        };
        row.finish(Self { place, block_hash, at, state })
    }
}

impl StoredRow for Observation {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Market, key, "not the state of a pool");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

impl Creation {
    /// `place ‖ hash ‖ at:u64 ‖ by:20 ‖ token:20 ‖ token:20 ‖ pool ‖ fee ‖ spacing ‖ is_stable:flag ‖ hooks:20 ‖ spot`;
    /// fee and spacing options of `u32`, the spot an option.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let Created { token0, token1, pool, fee, tick_spacing, is_stable, hooks, spot } =
            &self.made;
        let mut out = Encoder::new();
        self.place.write(&mut out);
        out.hash(&self.block_hash).u64(self.at.0).raw(self.by.as_slice());
        out.raw(token0.as_slice()).raw(token1.as_slice()).raw(&pool_key(pool));
        out.option(*fee, |out, fee| _ = out.u32(fee));
        out.option(*tick_spacing, |out, spacing| _ = out.raw(&spacing.to_be_bytes()));
        out.flag(*is_stable).raw(hooks.as_slice());
        out.option(spot.as_ref(), write_spot).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let place = EventPosition::read(&mut row)?;
        let block_hash = row.hash()?;
        let at = UnixSeconds(row.u64()?);
        let by = read_address(&mut row)?;
        let token0 = read_address(&mut row)?;
        let token1 = read_address(&mut row)?;
        let pool = read_pool(&mut row)?;
        let fee = row.option(Decoder::u32)?;
        let tick_spacing = row.option(|row| row.array().map(i32::from_be_bytes))?;
        let is_stable = row.flag()?;
        let hooks = read_address(&mut row)?;
        let spot = row.option(read_spot)?;
        let made = Created { token0, token1, pool, fee, tick_spacing, is_stable, hooks, spot };
        row.finish(Self { place, block_hash, at, by, made })
    }
}

impl StoredRow for Creation {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Market, key, "not the creation of a pool");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

impl LiquidityChange {
    /// Whether the change is later than this event and affects the current liquidity.
    pub(crate) fn is_after(&self, latest: &Observation, spot: &Spot) -> bool {
        let (lower, upper) = self.ticks;
        self.place > latest.place && (lower..upper).contains(&spot.tick)
    }

    /// Change from a liquidity event with a range.
    pub(crate) fn of(place: EventPosition, liquidity: &Liquidity) -> Option<Self> {
        Some(Self { place, ticks: liquidity.ticks?, delta: liquidity.delta? })
    }

    /// `place ‖ tick:u32 ‖ tick:u32 ‖ delta:32`.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        self.place.write(&mut out);
        out.raw(&self.ticks.0.to_be_bytes()).raw(&self.ticks.1.to_be_bytes());
        out.raw(&self.delta.to_be_bytes::<32>()).finish()
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut row = Decoder::new(bytes);
        let place = EventPosition::read(&mut row)?;
        let tick = |row: &mut Decoder<'_>| row.array().map(i32::from_be_bytes);
        let ticks = (tick(&mut row)?, tick(&mut row)?);
        let delta = I256::from_be_bytes::<32>(row.array()?);
        row.finish(Self { place, ticks, delta })
    }
}

impl StoredRow for LiquidityChange {
    fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let corrupt = || StoreError::corrupt(Table::Market, key, "not a change of liquidity");
        Self::read(bytes).ok_or_else(corrupt)
    }
}

fn write_spot(out: &mut Encoder, spot: &Spot) {
    out.raw(&spot.sqrt_price_x96.to_be_bytes::<32>()).raw(&spot.tick.to_be_bytes());
    out.option(spot.liquidity, |out, liquidity| _ = out.raw(&liquidity.to_be_bytes()));
}

fn read_spot(row: &mut Decoder<'_>) -> Option<Spot> {
    let sqrt_price_x96 = read_u256(row)?;
    let tick = i32::from_be_bytes(row.array()?);
    let liquidity = row.option(|row| row.array().map(u128::from_be_bytes))?;
    Some(Spot { sqrt_price_x96, tick, liquidity })
}

fn read_u256(row: &mut Decoder<'_>) -> Option<U256> {
    row.array().map(U256::from_be_bytes::<32>)
}

pub(crate) fn read_address(row: &mut Decoder<'_>) -> Option<Address> {
    row.array::<20>().map(Address::from)
}

pub(crate) fn pool_key(pool: &PoolId) -> Vec<u8> {
    match pool {
        PoolId::Contract(address) => [&[0][..], address.as_slice()].concat(),
        PoolId::Within(address, id) => [&[1][..], address.as_slice(), &id.0].concat(),
    }
}

pub(crate) fn read_pool(row: &mut Decoder<'_>) -> Option<PoolId> {
    match row.u8()? {
        0 => Some(PoolId::Contract(read_address(row)?)),
        1 => Some(PoolId::Within(read_address(row)?, row.hash()?)),
        _ => None,
    }
}

fn of_pool(kind: u8, chain: ChainKey, pool: &PoolId) -> Vec<u8> {
    [&[kind][..], &chain_key(chain), &pool_key(pool)].concat()
}

fn place_key(place: EventPosition) -> Vec<u8> {
    let mut out = Encoder::new();
    place.write(&mut out);
    out.finish()
}

/// Key prefix for all states of a pool.
pub(crate) fn states_prefix(chain: ChainKey, pool: &PoolId) -> Vec<u8> {
    of_pool(OF_STATE, chain, pool)
}

pub(crate) fn state_key(chain: ChainKey, pool: &PoolId, number: BlockNumber) -> Vec<u8> {
    [states_prefix(chain, pool), number.0.to_be_bytes().to_vec()].concat()
}

/// Key prefix for a pool's creations: one, unless a contract lies.
pub(crate) fn creations_prefix(chain: ChainKey, pool: &PoolId) -> Vec<u8> {
    of_pool(OF_CREATION, chain, pool)
}

/// Key prefix for a pool's creations reported by one contract.
pub(crate) fn creations_by(chain: ChainKey, pool: &PoolId, by: Address) -> Vec<u8> {
    [creations_prefix(chain, pool), by.to_vec()].concat()
}

pub(crate) fn creation_key(
    chain: ChainKey,
    by: Address,
    pool: &PoolId,
    place: EventPosition,
) -> Vec<u8> {
    [creations_by(chain, pool, by), place_key(place)].concat()
}

/// Key prefix for a pool's liquidity changes.
pub(crate) fn changes_prefix(chain: ChainKey, pool: &PoolId) -> Vec<u8> {
    of_pool(OF_LIQUIDITY, chain, pool)
}

pub(crate) fn change_key(chain: ChainKey, pool: &PoolId, place: EventPosition) -> Vec<u8> {
    [changes_prefix(chain, pool), place_key(place)].concat()
}

/// Key prefix for pools of two tokens reported by one contract.
pub(crate) fn pairs_prefix(chain: ChainKey, by: Address, tokens: [Address; 2]) -> Vec<u8> {
    let [a, b] = tokens;
    let token0 = a.min(b);
    let token1 = a.max(b);
    let addresses = [by, token0, token1].map(Address::into_array).concat();
    [&[OF_PAIR][..], &chain_key(chain), &addresses].concat()
}

/// Key of a pool by its tokens.
pub(crate) fn pair_key(
    chain: ChainKey,
    by: Address,
    made: &Created,
    place: EventPosition,
) -> Vec<u8> {
    let prefix = pairs_prefix(chain, by, [made.token0, made.token1]);
    [prefix, place_key(place), pool_key(&made.pool)].concat()
}

/// Pool in a key from [`pair_key`].
pub(crate) fn decode_pair(prefix: &[u8], key: &[u8]) -> Result<PoolId, StoreError> {
    let pool = key.strip_prefix(prefix).and_then(|rest| {
        let mut rest = Decoder::new(rest);
        EventPosition::read(&mut rest)?;
        read_pool(&mut rest)
    });
    pool.ok_or_else(|| StoreError::corrupt(Table::Market, key, "not a pool of two tokens"))
}

pub(crate) fn prefixes(chain: ChainKey) -> Vec<(Table, Vec<u8>)> {
    let kinds = [OF_STATE, OF_CREATION, OF_LIQUIDITY, OF_PAIR];
    kinds.map(|kind| (Table::Market, [&[kind][..], &chain_key(chain)].concat())).to_vec()
}

#[cfg(test)]
mod tests {
    use superroot_store::{WriteBatch, golden};
    use superroot_types::{ChainId, Family};

    use super::*;

    /// What is stored is read by every later build.
    #[test]
    fn a_row_of_each_kind_has_the_pinned_bytes_and_leads_back() {
        let chain = ChainKey { family: Family::Evm, id: ChainId(1) };
        let place = EventPosition { number: BlockNumber(5), tx_index: 2, log_index: 3 };
        let (block_hash, at) = (Hash([6; 32]), UnixSeconds(7));
        let contract = PoolId::Contract(Address::repeat_byte(1));
        let within = PoolId::Within(Address::repeat_byte(2), Hash([3; 32]));
        let spot = Spot { sqrt_price_x96: U256::from(4), tick: -5, liquidity: Some(6) };
        let held = [U256::from(8), U256::from(9)];
        let mut batch = WriteBatch::new();
        for (pool, state) in
            [(contract, PoolState::Reserves(held, Some(-1))), (within, PoolState::Spot(spot))]
        {
            let row = Observation { place, block_hash, at, state };
            let key = state_key(chain, &pool, place.number);
            assert_eq!(Observation::decode(&key, &row.encode()).unwrap(), row);
            batch.put(Table::Market, key, row.encode());
        }
        let made = Created {
            token0: Address::repeat_byte(4),
            token1: Address::repeat_byte(5),
            pool: within,
            fee: Some(500),
            tick_spacing: Some(10),
            is_stable: false,
            hooks: Address::ZERO,
            spot: Some(spot),
        };
        let row = Creation { place, block_hash, at, by: Address::repeat_byte(2), made };
        let key = creation_key(chain, row.by, &within, place);
        assert_eq!(Creation::decode(&key, &row.encode()).unwrap(), row);
        batch.put(Table::Market, key, row.encode());
        let key = pair_key(chain, row.by, &made, place);
        let prefix = pairs_prefix(chain, row.by, [made.token1, made.token0]);
        assert_eq!(decode_pair(&prefix, &key).unwrap(), within);
        batch.put(Table::Market, key, Vec::new());
        let row = LiquidityChange { place, ticks: (-60, 60), delta: -I256::ONE };
        let key = change_key(chain, &within, place);
        assert_eq!(LiquidityChange::decode(&key, &row.encode()).unwrap(), row);
        batch.put(Table::Market, key, row.encode());
        insta::assert_snapshot!(golden::lines(&batch).join("\n"));
    }
}
