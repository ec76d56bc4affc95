//! Block for a market query, and the first block with complete market events.

use superroot_chain::ChainSpec;
use superroot_index::{EVENTS, gaps};
use superroot_market::pool_events;
use superroot_store::feed::{FollowerStanding, load_standing};
use superroot_store::layout::BlockRow;
use superroot_store::read;
use superroot_types::{BlockNumber, BlockRef, ChainKey};

use crate::ApiError;
use crate::error::codes::{NOT_FOUND, NOT_INDEXED, TIMEOUT};
use crate::service::Api;

/// Attempts when new blocks arrive during a query.
const ATTEMPTS_MAX: usize = 8;

/// Block, and the start of complete pool events.
pub(super) struct MarketBlock {
    pub(super) number: BlockNumber,
    pub(super) row: BlockRow,
    pub(super) finality: &'static str,
    pub(super) floor: BlockNumber,
}

/// Runs a query on an unchanging state; retries on changes.
pub(super) fn steadily<T>(
    api: &Api,
    chain: ChainKey,
    mut look: impl FnMut(&FollowerStanding) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let standing = || load_standing(api.prover.store(), EVENTS, chain).map_err(ApiError::of_store);
    let mut before = standing()?;
    for _ in 0..ATTEMPTS_MAX {
        let seen = look(&before);
        let after = standing()?;
        if after.stamp == before.stamp {
            return seen;
        }
        before = after;
    }
    Err(ApiError::new(TIMEOUT, "blocks come faster than they can be looked at")
        .about(chain)
        .again_after(1_u64))
}

impl MarketBlock {
    /// Requested block, or else the newest fully indexed block.
    pub(super) fn find(
        api: &Api,
        chain: &ChainSpec,
        asked: Option<BlockRef>,
        standing: &FollowerStanding,
    ) -> Result<Self, ApiError> {
        let store = api.prover.store();
        let key = chain.key();
        let nothing = || api.nothing_yet(key, "no block of it was collected yet");
        let state =
            read::load_chain_state(store, key).map_err(ApiError::of_store)?.ok_or_else(nothing)?;
        let taken_back = api.not_final_from(key)?;
        let below = |from: BlockNumber| from.0.checked_sub(1).map(BlockNumber);
        let last = taken_back.map_or(Some(BlockNumber(u64::MAX)), below).ok_or_else(nothing)?;
        let pending = standing.pending.iter().map(|(from, _)| *from).min();
        let head = state.head.or(state.indexed).ok_or_else(nothing)?.number.min(last);
        let latest = api.prover.latest();
        let anchored = latest.and_then(|latest| api.anchored(&latest, key));
        let anchored = anchored.map(|anchored| anchored.number.min(last));
        let number = match asked {
            Some(BlockRef::Number(number)) => number,
            Some(BlockRef::Latest) => anchored.ok_or_else(nothing)?,
            None => pending.and_then(below).map_or(head, |indexed| indexed.min(head)),
        };
        api.still_stands(key, number)?;
        if number > head {
            let why =
                format!("block {number} of chain {key} is above the newest that is held, {head}");
            return Err(ApiError::new(NOT_FOUND, why).about(key).with("head", head));
        }
        if pending.is_some_and(|from| from <= number) {
            let why = format!("the events of block {number} are being indexed");
            return Err(ApiError::new(TIMEOUT, why).about(key).again_after(1_u64));
        }
        let floor = floor(api, key, (state.start, number))?;
        let row = read::load_block(store, key, number).map_err(ApiError::of_store)?;
        let row = row.ok_or_else(|| {
            let why = format!("block {number} of chain {key} is not held");
            ApiError::new(NOT_FOUND, why).about(key)
        })?;
        let is_to = |tip: Option<BlockNumber>| tip.is_some_and(|tip| number <= tip);
        let finality = if is_to(anchored) {
            "anchored"
        } else if is_to(state.indexed.map(|tip| tip.number.min(last))) {
            "finalized"
        } else {
            "head"
        };
        Ok(Self { number, row, finality, floor })
    }
}

/// First block of the gapless run with all pool events, up to this block.
fn floor(
    api: &Api,
    chain: ChainKey,
    (start, number): (BlockNumber, BlockNumber),
) -> Result<BlockNumber, ApiError> {
    if number < start {
        let why = format!("block {number} is not collected; {}", api.how_to_reach(chain, number));
        return Err(ApiError::not_indexed(chain, None, &why));
    }
    let gaps = gaps(api.prover.store(), chain, pool_events(), start, number)
        .map_err(ApiError::of_store)?;
    match gaps.last() {
        None => Ok(start),
        Some(gap) if gap.to < number => Ok(BlockNumber(gap.to.0 + 1)),
        Some(gap) => {
            if gap.why == "no_body"
                && let Some(withheld) = api.withheld(chain, (gap.from, gap.to), "")
            {
                return Err(withheld);
            }
            let how = match gap.why {
                "not_watched" => format!(
                    "events of pools are not kept there: watch the word prices; {}",
                    api.how_to_index(chain)
                ),
                _ => api.how_to_index(chain),
            };
            let why =
                format!("events of pools in block {number} are not held ({}); {how}", gap.why);
            Err(ApiError::new(NOT_INDEXED, why).about(chain))
        }
    }
}
