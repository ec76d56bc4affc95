//! Gaps in the index of events: blocks of a range that are not indexed.

use superroot_index::{EventFilter, EventGap, IndexError, SearchResult, gaps};
use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::logs::LogGap;

use super::ask::LogsAsk;
use crate::ApiError;
use crate::error::codes::TIMEOUT;
use crate::service::Api;

/// Most gaps in an answer: with more, a smaller range is better.
const GAPS_MAX: usize = 1000;

/// Newest blocks in a range indexed without a gap; `None` without any.
pub(super) fn newest_indexed(
    api: &Api,
    (chain, filter): (ChainKey, &EventFilter),
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Option<(BlockNumber, BlockNumber)>, ApiError> {
    let gaps = gaps(api.prover.store(), chain, filter, from, to).map_err(ApiError::of_store)?;
    let mut last = Some(to);
    for gap in gaps.iter().rev() {
        let Some(to) = last else { return Ok(None) };
        if gap.to < to {
            return Ok(Some((BlockNumber(gap.to.0.saturating_add(1)), to)));
        }
        last = gap.from.0.checked_sub(1).map(BlockNumber);
    }
    Ok(last.filter(|to| from <= *to).map(|to| (from, to)))
}

pub(super) fn all_gaps(
    api: &Api,
    ask: &LogsAsk,
    found: &SearchResult,
    (from, to): (BlockNumber, BlockNumber),
) -> Result<Vec<LogGap>, ApiError> {
    let store = api.prover.store();
    let chain = ask.row.key();
    let of =
        |filter: &EventFilter| gaps(store, chain, filter, from, to).map_err(ApiError::of_store);
    let mut all: Vec<LogGap> = of(&ask.filter)?
        .into_iter()
        .map(|EventGap { from, to, why }| LogGap { from, to, reason: why })
        .collect();
    all.extend(found.pending.iter().filter_map(|(first, last)| {
        let from = (*first).max(from);
        let to = (*last).min(to);
        (from <= to).then_some(LogGap { from, to, reason: "being_indexed" })
    }));
    all.sort_by_key(|gap| (gap.from, gap.to));
    if all.len() > GAPS_MAX {
        let expected = format!("a range with at most {GAPS_MAX} gaps; this one has {}", all.len());
        return Err(ApiError::parameter("fromBlock", &from.to_string(), expected));
    }
    Ok(all)
}

/// Hint for a withheld body.
const PARTIAL: &str = ". With partial=1 the events that are held are given, and such blocks listed";

/// Error for gaps in a range; `start` is the first block of the chain in this log.
pub(super) fn not_indexed(
    api: &Api,
    (chain, filter): (ChainKey, &EventFilter),
    gaps: &[LogGap],
    start: BlockNumber,
) -> ApiError {
    let Some(LogGap { from, to, reason }) = gaps.first() else { return ApiError::internal() };
    let (why, how) = match *reason {
        "not_watched" => ("their events were not kept", api.how_to_index(chain)),
        "being_indexed" => {
            return ApiError::new(TIMEOUT, "the index is still taking blocks of this range")
                .about(chain)
                .again_after(1_u64);
        }
        "no_body" => ("no body of them came", api.how_to_index(chain)),
        "skipped" => ("no block of these numbers was recorded", String::new()),
        "refused" => ("they do not recompute", String::new()),
        _ if *from < start => ("they are not collected", api.how_to_reach(chain, *from)),
        _ => ("they are not collected", api.how_to_index(chain)),
    };
    if *reason == "no_body"
        && let Some(withheld) = api.withheld(chain, (*from, *to), PARTIAL)
    {
        return withheld;
    }
    let more = match gaps.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more such runs)"),
    };
    let how = if how.is_empty() { how } else { format!("; {how}") };
    let why = format!(
        "blocks {from} to {to}{more}: {why}{how}. With partial=1 the events that are held are given, and \
         such blocks listed"
    );
    let before = from.0.checked_sub(1).map(BlockNumber).filter(|before| start <= *before);
    let run = before.map(|before| newest_indexed(api, (chain, filter), start, before));
    let scanned = match run.transpose() {
        Ok(run) => run.flatten(),
        Err(error) => return error,
    };
    ApiError::not_indexed(chain, scanned, &why)
}

/// API error for an unreadable index. Only a search reports that the index changed during the read.
pub(super) fn refuse_search(error: IndexError) -> ApiError {
    match error {
        IndexError::Store(error) => ApiError::of_store(error),
        IndexError::Busy { .. } => ApiError::new(TIMEOUT, error.to_string()).again_after(1_u64),
        IndexError::Block { .. } => {
            tracing::error!(%error, "the index of events cannot be read");
            ApiError::internal()
        }
    }
}
