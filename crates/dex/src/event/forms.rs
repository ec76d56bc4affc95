//! Forms of pool events, each with its decoder.

use alloy_primitives::aliases::{U24, U112};
use alloy_primitives::{Address, I256, U256};
use alloy_sol_types::sol_data::{Address as Addr, Bool, Int, Uint};
use superroot_types::Hash;

use super::content::{Created, DecodedPoolEvent, Liquidity, PoolEvent, PoolId};
use super::parts::{
    amounts, created, created_within, narrow, of, pair, ranged, small, spacing_within, spot,
    swapped, swapped_in_and_out, swapped_within, words,
};

/// Decoder for one event form: contract, topics after the first, data.
pub(super) type Read = fn(Address, &[Hash], &[u8]) -> Option<DecodedPoolEvent>;

pub(super) struct EventForm {
    /// Signature; topic 0 is its hash.
    pub(super) signature: &'static str,
    /// Topics after the first.
    pub(super) topics: usize,
    /// Words of 32 bytes in the data.
    pub(super) words: usize,
    pub(super) read: Read,
}

pub(super) const FORMS: [EventForm; 30] = [
    // Uniswap v2 and what was copied from it
    form("PairCreated(address,address,address,uint256)", 2, 2, |_, topics, data| {
        let (pool, _) = words::<(Addr, Uint<256>)>(data)?;
        created(topics, PoolId::Contract(pool))
    }),
    form("Sync(uint112,uint112)", 0, 2, |contract, _, data| {
        let (reserve0, reserve1) = words::<(Uint<112>, Uint<112>)>(data)?;
        let wide = |reserve: U112| U256::from(reserve);
        of(contract, PoolEvent::Reserves([wide(reserve0), wide(reserve1)]))
    }),
    form("Swap(address,uint256,uint256,uint256,uint256,address)", 2, 4, swapped_in_and_out),
    form("Mint(address,uint256,uint256)", 1, 2, |contract, _, data| {
        of(contract, PoolEvent::Liquidity(amounts(words::<(Uint<256>, Uint<256>)>(data)?, false)))
    }),
    form("Burn(address,uint256,uint256,address)", 2, 2, |contract, _, data| {
        of(contract, PoolEvent::Liquidity(amounts(words::<(Uint<256>, Uint<256>)>(data)?, true)))
    }),
    // Solidly, Velodrome, Aerodrome
    form("PairCreated(address,address,bool,address,uint256)", 2, 3, |_, topics, data| {
        let (is_stable, pool, _) = words::<(Bool, Addr, Uint<256>)>(data)?;
        let DecodedPoolEvent { pool, event: PoolEvent::Created(made) } =
            created(topics, PoolId::Contract(pool))?
        else {
            return None;
        };
        Some(DecodedPoolEvent { pool, event: PoolEvent::Created(Created { is_stable, ..made }) })
    }),
    form("PoolCreated(address,address,bool,address,uint256)", 3, 2, |_, topics, data| {
        let (pool, _) = words::<(Addr, Uint<256>)>(data)?;
        let (tokens, [stable]) = topics.split_first_chunk::<2>()? else { return None };
        let is_stable = words::<(Bool,)>(&stable.0)?.0;
        let pool = PoolId::Contract(pool);
        let made = Created { is_stable, ..pair(tokens, pool)? };
        Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
    }),
    form("Sync(uint256,uint256)", 0, 2, |contract, _, data| {
        let (reserve0, reserve1) = words::<(Uint<256>, Uint<256>)>(data)?;
        of(contract, PoolEvent::Reserves([reserve0, reserve1]))
    }),
    form("Swap(address,address,uint256,uint256,uint256,uint256)", 2, 4, swapped_in_and_out),
    form("Burn(address,address,uint256,uint256)", 2, 2, |contract, _, data| {
        of(contract, PoolEvent::Liquidity(amounts(words::<(Uint<256>, Uint<256>)>(data)?, true)))
    }),
    // Uniswap v3 and what was copied from it
    form("PoolCreated(address,address,uint24,int24,address)", 3, 2, |_, topics, data| {
        let (tick_spacing, pool) = words::<(Int<24>, Addr)>(data)?;
        let (tokens, [fee]) = topics.split_first_chunk::<2>()? else { return None };
        let fee: U24 = words::<(Uint<24>,)>(&fee.0)?.0;
        let pool = PoolId::Contract(pool);
        let fee = Some(fee.to());
        let tick_spacing = Some(small(tick_spacing));
        let made = Created { fee, tick_spacing, ..pair(tokens, pool)? };
        Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
    }),
    // Slipstream of Velodrome and Aerodrome
    form("PoolCreated(address,address,int24,address)", 3, 1, |_, topics, data| {
        let (pool,) = words::<(Addr,)>(data)?;
        let (tokens, [tick_spacing]) = topics.split_first_chunk::<2>()? else { return None };
        let tick_spacing = Some(small(words::<(Int<24>,)>(&tick_spacing.0)?.0));
        let pool = PoolId::Contract(pool);
        let made = Created { tick_spacing, ..pair(tokens, pool)? };
        Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
    }),
    form("Pool(address,address,address)", 2, 1, |_, topics, data| {
        created(topics, PoolId::Contract(words::<(Addr,)>(data)?.0)) // Algebra
    }),
    form("Initialize(uint160,int24)", 0, 2, |contract, _, data| {
        let (sqrt_price, tick) = words::<(Uint<160>, Int<24>)>(data)?;
        of(contract, PoolEvent::Initialized(spot(sqrt_price, tick, None)))
    }),
    form("Swap(address,address,int256,int256,uint160,uint128,int24)", 2, 5, |contract, _, data| {
        type Words = (Int<256>, Int<256>, Uint<160>, Uint<128>, Int<24>);
        let (amount0, amount1, sqrt_price, liquidity, tick) = words::<Words>(data)?;
        swapped(contract, [amount0, amount1], spot(sqrt_price, tick, Some(liquidity)))
    }),
    form(
        "Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)",
        2,
        7,
        |contract, _, data| {
            // PancakeSwap v3: its protocol's fees besides
            type Words = (Int<256>, Int<256>, Uint<160>, Uint<128>, Int<24>, Uint<128>, Uint<128>);
            let (amount0, amount1, sqrt_price, liquidity, tick, ..) = words::<Words>(data)?;
            swapped(contract, [amount0, amount1], spot(sqrt_price, tick, Some(liquidity)))
        },
    ),
    form(
        "Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)",
        2,
        7,
        |contract, _, data| {
            // Algebra Integral 1.2, `overrideFee` and `pluginFee`: the swap's fee is the first, or the pool's own where
            // that is 0, and the second besides. The pool's own is in another event, so no fee is taken from here
            type Words = (Int<256>, Int<256>, Uint<160>, Uint<128>, Int<24>, Uint<24>, Uint<24>);
            let (amount0, amount1, sqrt_price, liquidity, tick, ..) = words::<Words>(data)?;
            swapped(contract, [amount0, amount1], spot(sqrt_price, tick, Some(liquidity)))
        },
    ),
    form(
        "Mint(address,address,int24,int24,uint128,uint256,uint256)",
        3,
        4,
        |contract, topics, data| {
            type Words = (Addr, Uint<128>, Uint<256>, Uint<256>);
            let (_, amount, amount0, amount1) = words::<Words>(data)?;
            ranged(contract, topics, amount, [amount0, amount1], false)
        },
    ),
    form(
        "Mint(address,address,uint256,int24,int24,uint128,uint256,uint256)",
        3,
        5,
        |contract, topics, data| {
            // Ramses v3 and what was copied from it (Shadow, Pharaoh, Etherex): which of its owner's positions besides
            type Words = (Addr, Uint<256>, Uint<128>, Uint<256>, Uint<256>);
            let (_, _, amount, amount0, amount1) = words::<Words>(data)?;
            ranged(contract, topics, amount, [amount0, amount1], false)
        },
    ),
    form("Burn(address,int24,int24,uint128,uint256,uint256)", 3, 3, |contract, topics, data| {
        let (amount, amount0, amount1) = words::<(Uint<128>, Uint<256>, Uint<256>)>(data)?;
        ranged(contract, topics, amount, [amount0, amount1], true)
    }),
    form(
        "Burn(address,int24,int24,uint128,uint256,uint256,uint24)",
        3,
        4,
        |contract, topics, data| {
            // Algebra Integral 1.2: what its plugin takes besides
            type Words = (Uint<128>, Uint<256>, Uint<256>, Uint<24>);
            let (amount, amount0, amount1, _) = words::<Words>(data)?;
            ranged(contract, topics, amount, [amount0, amount1], true)
        },
    ),
    // Uniswap v4
    form(
        "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
        3,
        5,
        |contract, topics, data| {
            type Words = (Uint<24>, Int<24>, Addr, Uint<160>, Int<24>);
            let (fee, tick_spacing, hooks, sqrt_price, tick) = words::<Words>(data)?;
            let kind = (fee.to(), small(tick_spacing), hooks);
            created_within(contract, topics, kind, spot(sqrt_price, tick, None))
        },
    ),
    form(
        "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)",
        2,
        6,
        |contract, topics, data| {
            type Words = (Int<128>, Int<128>, Uint<160>, Uint<128>, Int<24>, Uint<24>);
            let (amount0, amount1, sqrt_price, liquidity, tick, _) = words::<Words>(data)?;
            let spot = spot(sqrt_price, tick, Some(liquidity));
            swapped_within(contract, topics, [amount0, amount1], spot)
        },
    ),
    form(
        "ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)",
        2,
        4,
        |contract, topics, data| {
            type Words = (Int<24>, Int<24>, Int<256>, Uint<256>);
            let (lower, upper, delta, _) = words::<Words>(data)?;
            let ticks = Some((small(lower), small(upper)));
            let delta = Some(delta);
            let amounts = None;
            let is_taken = delta.is_some_and(|delta: I256| delta.is_negative());
            Some(DecodedPoolEvent {
                pool: PoolId::Within(contract, *topics.first()?),
                event: PoolEvent::Liquidity(Liquidity { ticks, delta, amounts, is_taken }),
            })
        },
    ),
    // PancakeSwap Infinity, pools with ranges; its changes of liquidity are those of Uniswap v4
    form(
        "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)",
        3,
        5,
        |contract, topics, data| {
            type Words = (Addr, Uint<24>, Uint<256>, Uint<160>, Int<24>);
            let (hooks, fee, parameters, sqrt_price, tick) = words::<Words>(data)?;
            let kind = (fee.to(), spacing_within(parameters, hooks)?, hooks);
            created_within(contract, topics, kind, spot(sqrt_price, tick, None))
        },
    ),
    form(
        "Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)",
        2,
        7,
        |contract, topics, data| {
            type Words = (Int<128>, Int<128>, Uint<160>, Uint<128>, Int<24>, Uint<24>, Uint<16>);
            let (amount0, amount1, sqrt_price, liquidity, tick, ..) = words::<Words>(data)?;
            let spot = spot(sqrt_price, tick, Some(liquidity));
            swapped_within(contract, topics, [amount0, amount1], spot)
        },
    ),
    // PancakeSwap Infinity, pools with bins
    form(
        "Initialize(bytes32,address,address,address,uint24,bytes32,uint24)",
        3,
        4,
        |contract, topics, data| {
            let (hooks, fee, parameters, _) = words::<(Addr, Uint<24>, Uint<256>, Uint<24>)>(data)?;
            let (id, tokens) = topics.split_first()?;
            let pool = PoolId::Within(contract, *id);
            let fee: U24 = fee;
            let fee = Some(fee.to());
            let tick_spacing = Some(spacing_within(parameters, hooks)?);
            let made = Created { fee, tick_spacing, hooks, ..pair(tokens.first_chunk()?, pool)? };
            Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
        },
    ),
    form(
        "Swap(bytes32,address,int128,int128,uint24,uint24,uint16)",
        2,
        5,
        |contract, topics, data| {
            let (_, _, bin, ..) =
                words::<(Int<128>, Int<128>, Uint<24>, Uint<24>, Uint<16>)>(data)?;
            let pool = PoolId::Within(contract, *topics.first()?);
            Some(DecodedPoolEvent { pool, event: PoolEvent::SwappedInBin(narrow(bin)) })
        },
    ),
    // Liquidity Book 2.1 and 2.2: a swap has one event for each bin that it passes, the last one's is in force
    form("LBPairCreated(address,address,uint256,address,uint256)", 3, 2, |_, topics, data| {
        let (pool, _) = words::<(Addr, Uint<256>)>(data)?;
        let (tokens, [bin_step]) = topics.split_first_chunk::<2>()? else { return None };
        let bin_step = words::<(Uint<16>,)>(&bin_step.0)?.0;
        let pool = PoolId::Contract(pool);
        let made = pair(tokens, pool)?;
        // the contract's order of tokens is its maker's: in the other one a bin's price is the inverse
        let (token0, token1) = (made.token0.min(made.token1), made.token0.max(made.token1));
        let step = if made.token0 == token0 { i32::from(bin_step) } else { -i32::from(bin_step) };
        let made = Created { token0, token1, tick_spacing: Some(step), ..made };
        Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
    }),
    form(
        "Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)",
        2,
        6,
        |contract, _, data| {
            type Amounts = Uint<256>;
            type Words = (Uint<24>, Amounts, Amounts, Uint<24>, Amounts, Amounts);
            let (bin, ..) = words::<Words>(data)?;
            of(contract, PoolEvent::SwappedInBin(narrow(bin)))
        },
    ),
];

const fn form(signature: &'static str, topics: usize, words: usize, read: Read) -> EventForm {
    EventForm { signature, topics, words, read }
}
