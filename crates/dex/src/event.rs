//! Events of pools, by their forms.

use std::collections::HashMap;
use std::sync::LazyLock;

use alloy_primitives::aliases::{I24, U24, U112, U160};
use alloy_primitives::{Address, I256, U256};
use alloy_sol_types::SolType;
use alloy_sol_types::sol_data::{Address as Addr, Bool, Int, Uint};
use superroot_proof::hash::keccak256;
use superroot_types::Hash;

/// A pool: a contract, or one of many within a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PoolId {
    /// A contract of its own.
    Contract(Address),
    /// Of Uniswap v4 and PancakeSwap Infinity: the manager, and the pool's id within it.
    Within(Address, Hash),
}

/// Price and liquidity in force at a moment (Uniswap v3 white paper, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Square root of token 1 per token 0, in 1 / 2^96; below 2^160.
    pub sqrt_price_x96: U256,
    /// The tick that holds it.
    pub tick: i32,
    /// Liquidity in range; `None` where the event does not say it.
    pub liquidity: Option<u128>,
}

/// A pool that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// The lower token, by address; zero for the chain's own in pools within a contract.
    pub token0: Address,
    /// The other.
    pub token1: Address,
    /// The pool.
    pub pool: PoolId,
    /// Its fee in millionths, where the event says it.
    pub fee: Option<u32>,
    /// Steps between ticks that may be used, where there are ticks.
    pub tick_spacing: Option<i32>,
    /// Whether its curve is for tokens of one worth (Solidly).
    pub is_stable: bool,
    /// Contract that is called at each step; zero for none (Uniswap v4, PancakeSwap Infinity).
    pub hooks: Address,
    /// The price it begins with, where the event says it.
    pub spot: Option<Spot>,
}

impl Created {
    /// The other of its tokens.
    #[must_use]
    pub fn other_than(&self, token: Address) -> Address {
        if self.token0 == token { self.token1 } else { self.token0 }
    }
}

/// Liquidity that was added or taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liquidity {
    /// The range, where there are ticks.
    pub ticks: Option<(i32, i32)>,
    /// What was added to the range's liquidity; below zero: taken. `None` where there are no ranges.
    pub delta: Option<I256>,
    /// Amounts of both tokens that came in or, `is_taken`, are owed to who took them.
    pub amounts: Option<[U256; 2]>,
    /// Whether it was taken.
    pub is_taken: bool,
}

impl Liquidity {
    /// Whether liquidity came.
    #[must_use]
    pub fn adds(&self) -> bool {
        !self.is_taken && self.delta.is_none_or(|delta| delta.is_positive())
    }
}

/// What an event says of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolEvent {
    /// It was made.
    Created(Created),
    /// It was given its first price.
    Initialized(Spot),
    /// What it holds now (Uniswap v2).
    Reserves([U256; 2]),
    /// A swap: what the pool gained of each token, below zero what it gave; and what is in force after it.
    Swapped([I256; 2], Option<Spot>),
    /// Liquidity came or went.
    Liquidity(Liquidity),
}

/// An event of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Which pool.
    pub pool: PoolId,
    /// What happened.
    pub event: PoolEvent,
}

/// What reads the event of one form: contract, the topics behind the first, the data.
type Read = fn(Address, &[Hash], &[u8]) -> Option<Decoded>;

/// A form of event.
struct Form {
    /// Its signature, of which topic 0 is the hash.
    signature: &'static str,
    /// Topics besides the first.
    topics: usize,
    /// Words of 32 bytes in its data.
    words: usize,
    read: Read,
}

const FORMS: [Form; 26] = [
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
        let Decoded { pool, event: PoolEvent::Created(made) } =
            created(topics, PoolId::Contract(pool))?
        else {
            return None;
        };
        Some(Decoded { pool, event: PoolEvent::Created(Created { is_stable, ..made }) })
    }),
    form("PoolCreated(address,address,bool,address,uint256)", 3, 2, |_, topics, data| {
        let (pool, _) = words::<(Addr, Uint<256>)>(data)?;
        let (tokens, [stable]) = topics.split_first_chunk::<2>()? else { return None };
        let is_stable = words::<(Bool,)>(&stable.0)?.0;
        let pool = PoolId::Contract(pool);
        let made = Created { is_stable, ..pair(tokens, pool)? };
        Some(Decoded { pool, event: PoolEvent::Created(made) })
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
        let (fee, tick_spacing) = (Some(fee.to()), Some(small(tick_spacing)));
        let made = Created { fee, tick_spacing, ..pair(tokens, pool)? };
        Some(Decoded { pool, event: PoolEvent::Created(made) })
    }),
    // Slipstream of Velodrome and Aerodrome
    form("PoolCreated(address,address,int24,address)", 3, 1, |_, topics, data| {
        let (pool,) = words::<(Addr,)>(data)?;
        let (tokens, [tick_spacing]) = topics.split_first_chunk::<2>()? else { return None };
        let tick_spacing = Some(small(words::<(Int<24>,)>(&tick_spacing.0)?.0));
        let pool = PoolId::Contract(pool);
        let made = Created { tick_spacing, ..pair(tokens, pool)? };
        Some(Decoded { pool, event: PoolEvent::Created(made) })
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
            let (ticks, delta, amounts) = (Some((small(lower), small(upper))), Some(delta), None);
            let is_taken = delta.is_some_and(|delta: I256| delta.is_negative());
            Some(Decoded {
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
];

const fn form(signature: &'static str, topics: usize, words: usize, read: Read) -> Form {
    Form { signature, topics, words, read }
}

static BY_TOPIC: LazyLock<HashMap<Hash, &'static Form>> = LazyLock::new(|| {
    FORMS.iter().map(|form| (keccak256(form.signature.as_bytes()), form)).collect()
});

/// The first topics of the events that are decoded, with their signatures.
pub fn topics() -> impl Iterator<Item = (Hash, &'static str)> {
    BY_TOPIC.iter().map(|(topic, form)| (*topic, form.signature))
}

/// Those among them that change what is in force in a pool: whoever has all of these knows its price.
pub fn state_topics() -> impl Iterator<Item = Hash> {
    topics().filter(|(_, signature)| !NOT_OF_STATE.contains(signature)).map(|(topic, _)| topic)
}

/// Events that say nothing that another does not say as well, and creations.
const NOT_OF_STATE: [&str; 13] = [
    "PairCreated(address,address,address,uint256)",
    "Swap(address,uint256,uint256,uint256,uint256,address)",
    "Mint(address,uint256,uint256)",
    "Burn(address,uint256,uint256,address)",
    "PairCreated(address,address,bool,address,uint256)",
    "PoolCreated(address,address,bool,address,uint256)",
    "Swap(address,address,uint256,uint256,uint256,uint256)",
    "Burn(address,address,uint256,uint256)",
    "PoolCreated(address,address,uint24,int24,address)",
    "PoolCreated(address,address,int24,address)",
    "Pool(address,address,address)",
    "Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
    "Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)",
];

/// What an event says of a pool; `None` where it has none of the known forms, in every part.
#[must_use]
pub fn decode(contract: Address, topics: &[Hash], data: &[u8]) -> Option<Decoded> {
    let (first, others) = topics.split_first()?;
    let form = BY_TOPIC.get(first)?;
    let has_form = others.len() == form.topics && data.len() == form.words * 32;
    has_form.then(|| (form.read)(contract, others, data))?
}

/// The words of static types, each within its type.
fn words<T: SolType>(data: &[u8]) -> Option<T::RustType>
where
    for<'de> T::Token<'de>: alloy_sol_types::abi::TokenSeq<'de>,
{
    T::abi_decode_sequence_validate(data).ok()
}

fn of(contract: Address, event: PoolEvent) -> Option<Decoded> {
    Some(Decoded { pool: PoolId::Contract(contract), event })
}

fn address(topic: &Hash) -> Option<Address> {
    Some(words::<(Addr,)>(&topic.0)?.0)
}

/// A pool of two tokens, of which nothing else is known.
fn pair(tokens: &[Hash; 2], pool: PoolId) -> Option<Created> {
    let [token0, token1] = tokens;
    Some(Created {
        token0: address(token0)?,
        token1: address(token1)?,
        pool,
        fee: None,
        tick_spacing: None,
        is_stable: false,
        hooks: Address::ZERO,
        spot: None,
    })
}

fn created(topics: &[Hash], pool: PoolId) -> Option<Decoded> {
    Some(Decoded { pool, event: PoolEvent::Created(pair(topics.first_chunk()?, pool)?) })
}

/// A pool within a contract, with its fee, steps between ticks and hooks: the first topic is its id.
fn created_within(
    contract: Address,
    topics: &[Hash],
    (fee, tick_spacing, hooks): (u32, i32, Address),
    spot: Spot,
) -> Option<Decoded> {
    let (id, tokens) = topics.split_first()?;
    let pool = PoolId::Within(contract, *id);
    let made = Created {
        fee: Some(fee),
        tick_spacing: Some(tick_spacing),
        hooks,
        spot: Some(spot),
        ..pair(tokens.first_chunk()?, pool)?
    };
    Some(Decoded { pool, event: PoolEvent::Created(made) })
}

/// Steps between ticks in the parameters of a pool of PancakeSwap Infinity (`CLPoolParametersHelper`): its hook's calls
/// are the lowest 16 bits, the steps the 24 above, and no other bit is set. Without a hook there are no calls.
fn spacing_within(parameters: U256, hooks: Address) -> Option<i32> {
    let (calls, steps): (U256, U256) = (parameters & U256::from(u16::MAX), parameters >> 16_usize);
    let is_of_hook = calls.is_zero() || hooks != Address::ZERO;
    i32::try_from(steps).ok().filter(|steps| is_of_hook && (1..1 << 23).contains(steps))
}

fn swapped(contract: Address, gained: [I256; 2], spot: Spot) -> Option<Decoded> {
    of(contract, PoolEvent::Swapped(gained, Some(spot)))
}

/// A swap in a pool within a contract. Amounts are the swapper's: what it gains the pool gives.
fn swapped_within(
    contract: Address,
    topics: &[Hash],
    amounts: [i128; 2],
    spot: Spot,
) -> Option<Decoded> {
    let gained = amounts.map(|amount| -I256::try_from(amount).unwrap_or_default());
    let pool = PoolId::Within(contract, *topics.first()?);
    Some(Decoded { pool, event: PoolEvent::Swapped(gained, Some(spot)) })
}

fn swapped_in_and_out(contract: Address, _: &[Hash], data: &[u8]) -> Option<Decoded> {
    let (in0, in1, out0, out1) = words::<(Uint<256>, Uint<256>, Uint<256>, Uint<256>)>(data)?;
    let gained =
        |came: U256, went: U256| I256::try_from(came).ok()?.checked_sub(I256::try_from(went).ok()?);
    of(contract, PoolEvent::Swapped([gained(in0, out0)?, gained(in1, out1)?], None))
}

const fn amounts((amount0, amount1): (U256, U256), is_taken: bool) -> Liquidity {
    Liquidity { ticks: None, delta: None, amounts: Some([amount0, amount1]), is_taken }
}

/// Liquidity of a range: owner and both ticks are topics.
fn ranged(
    contract: Address,
    topics: &[Hash],
    amount: u128,
    amounts: [U256; 2],
    is_taken: bool,
) -> Option<Decoded> {
    let [_, lower, upper] = topics else { return None };
    let tick = |topic: &Hash| Some(small(words::<(Int<24>,)>(&topic.0)?.0));
    let ticks = Some((tick(lower)?, tick(upper)?));
    let amount = I256::try_from(amount).ok()?;
    let delta = Some(if is_taken { -amount } else { amount });
    let amounts = Some(amounts);
    of(contract, PoolEvent::Liquidity(Liquidity { ticks, delta, amounts, is_taken }))
}

fn spot(sqrt_price: U160, tick: I24, liquidity: Option<u128>) -> Spot {
    Spot { sqrt_price_x96: U256::from(sqrt_price), tick: small(tick), liquidity }
}

fn small(tick: I24) -> i32 {
    tick.as_i32()
}
