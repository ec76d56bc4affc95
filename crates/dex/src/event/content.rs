//! Content of pool events, the same for every form.

use alloy_primitives::{Address, I256, U256};
use superroot_types::Hash;

/// Pool: a contract, or one of many within a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PoolId {
    Contract(Address),
    /// Uniswap v4 and PancakeSwap Infinity: the manager, and the pool's id in the manager.
    Within(Address, Hash),
}

/// Current price and liquidity (Uniswap v3 white paper, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Square root of token 1 per token 0, in 1 / 2^96; below 2^160.
    pub sqrt_price_x96: U256,
    /// Tick at this price.
    pub tick: i32,
    /// Liquidity in range; `None` if not in the event.
    pub liquidity: Option<u128>,
}

/// Pool creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// Lower token address; zero for the native coin in pools within a contract.
    pub token0: Address,
    pub token1: Address,
    pub pool: PoolId,
    /// Fee in millionths, if in the event.
    pub fee: Option<u32>,
    /// Steps between usable ticks, if the pool has ticks; of a pool with bins the bin step, in ten-thousandths, negative
    /// where the pool's own order of tokens is the other one.
    pub tick_spacing: Option<i32>,
    /// Whether the curve is for tokens with equal value (Solidly).
    pub is_stable: bool,
    /// Contract called at each step; zero for none (Uniswap v4, PancakeSwap Infinity).
    pub hooks: Address,
    /// Initial price, if in the event.
    pub spot: Option<Spot>,
}

impl Created {
    #[must_use]
    pub fn other_than(&self, token: Address) -> Address {
        if self.token0 == token { self.token1 } else { self.token0 }
    }
}

/// Added or removed liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liquidity {
    /// Tick range, if the pool has ticks.
    pub ticks: Option<(i32, i32)>,
    /// Liquidity added to the range; negative: removed. `None` without ranges.
    pub delta: Option<I256>,
    /// Amounts of both tokens: paid in, or if `is_taken` owed to the remover.
    pub amounts: Option<[U256; 2]>,
    pub is_taken: bool,
}

impl Liquidity {
    /// Whether liquidity was added.
    #[must_use]
    pub fn adds(&self) -> bool {
        !self.is_taken && self.delta.is_none_or(|delta| delta.is_positive())
    }
}

/// A pool event's decoded content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolEvent {
    Created(Created),
    /// First price.
    Initialized(Spot),
    /// Current reserves (Uniswap v2).
    Reserves([U256; 2]),
    /// Swap: the pool's gain in each token (negative: loss), and the state after the swap.
    Swapped([I256; 2], Option<Spot>),
    /// Swap in a pool with bins, and the bin in force after the swap. The event does not show what bins hold.
    SwappedInBin(u32),
    Liquidity(Liquidity),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodedPoolEvent {
    pub pool: PoolId,
    pub event: PoolEvent,
}
