//! Parts that the forms of pool events share.

use alloy_primitives::aliases::{I24, U24, U160};
use alloy_primitives::{Address, I256, U256};
use alloy_sol_types::SolType;
use alloy_sol_types::sol_data::{Address as Addr, Int, Uint};
use superroot_types::Hash;

use super::content::{Created, DecodedPoolEvent, Liquidity, PoolEvent, PoolId, Spot};

pub(super) fn narrow(bin: U24) -> u32 {
    bin.to()
}

/// Decodes static types, checking the range of each word.
pub(super) fn words<T: SolType>(data: &[u8]) -> Option<T::RustType>
where
    for<'de> T::Token<'de>: alloy_sol_types::abi::TokenSeq<'de>,
{
    T::abi_decode_sequence_validate(data).ok()
}

pub(super) fn of(contract: Address, event: PoolEvent) -> Option<DecodedPoolEvent> {
    Some(DecodedPoolEvent { pool: PoolId::Contract(contract), event })
}

fn address(topic: &Hash) -> Option<Address> {
    Some(words::<(Addr,)>(&topic.0)?.0)
}

/// Creation of a pool with two tokens and nothing else known.
pub(super) fn pair(tokens: &[Hash; 2], pool: PoolId) -> Option<Created> {
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

pub(super) fn created(topics: &[Hash], pool: PoolId) -> Option<DecodedPoolEvent> {
    Some(DecodedPoolEvent { pool, event: PoolEvent::Created(pair(topics.first_chunk()?, pool)?) })
}

/// Creation of a pool within a contract, with fee, tick spacing and hooks: the first topic is the pool id.
pub(super) fn created_within(
    contract: Address,
    topics: &[Hash],
    (fee, tick_spacing, hooks): (u32, i32, Address),
    spot: Spot,
) -> Option<DecodedPoolEvent> {
    let (id, tokens) = topics.split_first()?;
    let pool = PoolId::Within(contract, *id);
    let made = Created {
        fee: Some(fee),
        tick_spacing: Some(tick_spacing),
        hooks,
        spot: Some(spot),
        ..pair(tokens.first_chunk()?, pool)?
    };
    Some(DecodedPoolEvent { pool, event: PoolEvent::Created(made) })
}

/// Tick spacing in the parameters of a PancakeSwap Infinity pool (`CLPoolParametersHelper`): the lowest 16 bits are the
/// hook's calls, the next 24 bits the spacing, all other bits zero. Without a hook there are no calls.
pub(super) fn spacing_within(parameters: U256, hooks: Address) -> Option<i32> {
    let (calls, steps): (U256, U256) = (parameters & U256::from(u16::MAX), parameters >> 16_usize);
    let is_of_hook = calls.is_zero() || hooks != Address::ZERO;
    i32::try_from(steps).ok().filter(|steps| is_of_hook && (1..1 << 23).contains(steps))
}

pub(super) fn swapped(
    contract: Address,
    gained: [I256; 2],
    spot: Spot,
) -> Option<DecodedPoolEvent> {
    of(contract, PoolEvent::Swapped(gained, Some(spot)))
}

/// Swap in a pool within a contract. Amounts are the swapper's: the swapper's gain is the pool's loss.
pub(super) fn swapped_within(
    contract: Address,
    topics: &[Hash],
    amounts: [i128; 2],
    spot: Spot,
) -> Option<DecodedPoolEvent> {
    let gained = amounts.map(|amount| -I256::try_from(amount).unwrap_or_default());
    let pool = PoolId::Within(contract, *topics.first()?);
    Some(DecodedPoolEvent { pool, event: PoolEvent::Swapped(gained, Some(spot)) })
}

pub(super) fn swapped_in_and_out(
    contract: Address,
    _: &[Hash],
    data: &[u8],
) -> Option<DecodedPoolEvent> {
    let (in0, in1, out0, out1) = words::<(Uint<256>, Uint<256>, Uint<256>, Uint<256>)>(data)?;
    let gained =
        |came: U256, went: U256| I256::try_from(came).ok()?.checked_sub(I256::try_from(went).ok()?);
    of(contract, PoolEvent::Swapped([gained(in0, out0)?, gained(in1, out1)?], None))
}

pub(super) const fn amounts((amount0, amount1): (U256, U256), is_taken: bool) -> Liquidity {
    Liquidity { ticks: None, delta: None, amounts: Some([amount0, amount1]), is_taken }
}

/// A range's liquidity: owner and both ticks are topics.
pub(super) fn ranged(
    contract: Address,
    topics: &[Hash],
    amount: u128,
    amounts: [U256; 2],
    is_taken: bool,
) -> Option<DecodedPoolEvent> {
    let [_, lower, upper] = topics else { return None };
    let tick = |topic: &Hash| Some(small(words::<(Int<24>,)>(&topic.0)?.0));
    let ticks = Some((tick(lower)?, tick(upper)?));
    let amount = I256::try_from(amount).ok()?;
    let delta = Some(if is_taken { -amount } else { amount });
    let amounts = Some(amounts);
    of(contract, PoolEvent::Liquidity(Liquidity { ticks, delta, amounts, is_taken }))
}

pub(super) fn spot(sqrt_price: U160, tick: I24, liquidity: Option<u128>) -> Spot {
    Spot { sqrt_price_x96: U256::from(sqrt_price), tick: small(tick), liquidity }
}

pub(super) fn small(tick: I24) -> i32 {
    tick.as_i32()
}
