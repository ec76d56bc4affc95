//! Fees of a transaction on a followed chain.

use superroot_chain::ChainSpec;
use superroot_gas::FeeCache;
use superroot_outbox::Fees;
use superroot_store::layout::BlockTip;
use superroot_store::{Store, read};

/// Fees by the newest stored blocks; or the reason for missing fees.
pub(super) fn fees_of(
    cache: &FeeCache,
    store: &dyn Store,
    row: &ChainSpec,
) -> Result<Fees, String> {
    let state = read::load_chain_state(store, row.key()).map_err(|error| error.to_string())?;
    let head = state.and_then(|state| state.head.or(state.indexed));
    let Some(BlockTip { number, hash }) = head else {
        return Err(format!("the fee is unknown: no block of chain {} is held", row.key().id));
    };
    let figures = cache.figures(store, row, false, BlockTip { number, hash });
    let figures = figures.map_err(|error| error.to_string())?;
    let base_fee = match (&figures.next_base_fee, &figures.base_fee) {
        (Ok(next), _) => next.wei,
        (Err(_), Ok(base_fee)) => *base_fee,
        (Err(why), Err(_)) => return Err(format!("the fee is unknown: {why}")),
    };
    // a chain without paid tips in its newest blocks asks for next to none
    let tip = figures.tips.as_ref().map_or(1_000_000, |tips| tips.standard);
    Ok(Fees::for_base_fee(base_fee.into(), tip.max(1)))
}
