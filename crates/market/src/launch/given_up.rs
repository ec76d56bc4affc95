//! Pool tokens that nobody can take back.

use alloy_primitives::{Address, U256};
use superroot_dex::PoolId;
use superroot_index::IndexError;
use superroot_types::BlockNumber;

use super::events::events;
use super::holders::{is_nobody, read_transfer, transfers};
use crate::LockedShare;
use crate::price::Market;

/// Irrevocable share of the pool's own tokens issued in the block.
pub(super) fn given_up(
    market: &Market<'_>,
    pool: &PoolId,
    number: BlockNumber,
) -> Result<Option<LockedShare>, IndexError> {
    let PoolId::Contract(contract) = pool else { return Ok(None) };
    let mut all = U256::ZERO;
    let mut burned = U256::ZERO;
    let mut locked = U256::ZERO;
    let lockers = superroot_dex::lockers(market.slug);
    let store = market.store;
    let chain = market.chain;
    for hit in events(store, chain, number, transfers(*contract))? {
        let Some((from, to, amount)) = read_transfer(&hit.event) else { continue };
        if from == Address::ZERO {
            all = all.saturating_add(amount);
        }
        // what was sent to the pool itself is paid out for, and is no more: that gives nothing up
        if from == *contract && to == Address::ZERO {
            all = all.saturating_sub(amount);
        } else if is_nobody(to) {
            burned = burned.saturating_add(amount);
        }
        if lockers.contains(&to) {
            locked = locked.saturating_add(amount);
        }
        if lockers.contains(&from) {
            locked = locked.saturating_sub(amount);
        }
    }
    let percent = |part: U256| {
        let percent = part.min(all).saturating_mul(U256::from(100)).checked_div(all)?;
        u8::try_from(percent).ok()
    };
    let locked = percent(locked).filter(|_| !lockers.is_empty());
    Ok(percent(burned).map(|burned| LockedShare { burned, locked }))
}
