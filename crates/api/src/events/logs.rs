//! `GET /v5/logs`.

use std::time::Duration;

use axum::extract::State;
use superroot_index::{EventQuery, Hit, SearchResult, find, gaps};
use superroot_store::{ScanOrder, read};
use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::Case;
use superroot_wire::logs::{EventLog, Logs, Searched};

use super::ask::{FinalityFloor, LogsAsk};
use super::cursor::ScanCursor;
use super::index_gaps::{all_gaps, newest_indexed, not_indexed, refuse_search};
use super::scan;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::CURSOR_UNDONE;
use crate::input::{Caller, RequestInput};
use crate::service::{Api, CancelFlag, Shared, fitted};

/// Most events examined per request.
const EXAMINED_MAX: usize = 20_000;
/// Most data bytes per page.
const DATA_BYTES_MAX: usize = 2 << 20;
/// Memory units for an answer with the largest scan, in hex, and its events.
const COMPLETE_ROOMS: u32 = 20;
/// Most waits for blocks about to be indexed; each lasts `WAIT`.
const WAITS_MAX: usize = 6;
const WAIT: Duration = Duration::from_millis(50);

pub(super) async fn logs(
    State(service): State<Shared>,
    caller: Caller,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let is_head = ask.is_head();
    let ask = LogsAsk::read(&service.api, &ask)?;
    let chain = ask.row.key();
    caller.check_chain(chain)?;
    if is_head {
        service.blocking(move |api| check(api, &ask)).await?;
        return Ok(ApiAnswer::head(false).about(chain));
    }
    if ask.is_complete {
        return complete(&service, ask).await;
    }
    let logs = find_logs(&service, &ask).await?;
    Ok(ApiAnswer::spelled(&logs, Case::Camel).about(chain))
}

/// Returns a page. Waits briefly for blocks about to be indexed.
pub(crate) async fn find_logs(service: &Shared, ask: &LogsAsk) -> Result<Logs, ApiError> {
    for attempt in 1.. {
        let asked = ask.clone();
        let is_last = attempt == WAITS_MAX;
        let searched = service.blocking(move |api| search(api, &asked, is_last)).await?;
        if let Some(logs) = searched {
            return Ok(logs);
        }
        tokio::time::sleep(WAIT).await;
    }
    Err(ApiError::internal())
}

/// Page, with the proof that its events are complete.
async fn complete(service: &Shared, ask: LogsAsk) -> Result<ApiAnswer, ApiError> {
    let rooms = service.rooms(COMPLETE_ROOMS).await?;
    let make = move |api: &Api, wanted: &CancelFlag| {
        let (logs, page) = complete_logs(api, &ask, wanted)?;
        let answer = ApiAnswer::spelled(&logs, Case::Camel).about(ask.row.key());
        let Some(page) = page else { return Ok(answer) };
        let bytes = page.byte_count().saturating_mul(2).saturating_add(2 * DATA_BYTES_MAX);
        Ok(answer.under(page.published, false).taking(fitted(rooms, bytes)))
    };
    service.blocking_while_wanted(make).await
}

/// Like `complete`, without rendering, on a blocking thread.
pub(crate) async fn find_complete(service: &Shared, ask: LogsAsk) -> Result<Logs, ApiError> {
    let _room = service.rooms(COMPLETE_ROOMS).await?;
    let make = move |api: &Api, wanted: &CancelFlag| complete_logs(api, &ask, wanted);
    service.blocking_while_wanted(make).await.map(|(logs, _)| logs)
}

fn complete_logs(
    api: &Api,
    ask: &LogsAsk,
    wanted: &CancelFlag,
) -> Result<(Logs, Option<scan::ProvenScan>), ApiError> {
    // what is anchored was indexed long ago
    let mut logs = search(api, ask, true)?.ok_or_else(ApiError::internal)?;
    wanted.check()?;
    let Some(whole) = logs.searched else { return Ok((logs, None)) };
    let from = ask.from.unwrap_or(whole.from);
    let to = limits(api, ask)?.to;
    let range = (from, ask.to.map_or(to, |asked| asked.min(to)));
    let page = scan::complete(api, &ask.row, &ask.filter, range, left_out(ask), wanted)?;
    logs.completeness = Some(page.completeness());
    Ok((logs, Some(page)))
}

fn left_out(ask: &LogsAsk) -> Option<&'static str> {
    let ends = [("fromBlock", ask.from), ("toBlock", ask.to)];
    ends.iter().find(|(_, end)| end.is_none()).map(|(name, _)| *name)
}

/// Checks for a page without searching.
fn check(api: &Api, ask: &LogsAsk) -> Result<(), ApiError> {
    check_indexed(ask)?;
    let limits = limits(api, ask)?;
    if let Some(cursor) = &ask.cursor {
        check_cursor(api, ask.row.key(), cursor)?;
    }
    if !ask.is_complete {
        return Ok(());
    }
    let (from, to) = range(api, ask, &limits)?;
    if from > to {
        return Ok(());
    }
    scan::check_complete(api, &ask.row, &ask.filter, (from, to), left_out(ask))
}

fn check_indexed(ask: &LogsAsk) -> Result<(), ApiError> {
    let chain = ask.row.key();
    if superroot_index::event::is_indexed(chain.family) {
        return Ok(());
    }
    let why = format!(
        "events of {} are not indexed: its blocks commit to none, or come from its nodes without what leads them \
         to a root; its transactions are proven by their hash",
        ask.row.name
    );
    Err(ApiError::not_provable(chain, &why))
}

#[derive(Clone, Copy)]
struct FinalityRange {
    start: BlockNumber,
    to: BlockNumber,
    finalized: Option<BlockNumber>,
    anchored: Option<BlockNumber>,
}

/// Returns the page; `None` if a wait for the index is worthwhile.
fn search(api: &Api, ask: &LogsAsk, is_last: bool) -> Result<Option<Logs>, ApiError> {
    let store = api.prover.store();
    let chain = ask.row.key();
    check_indexed(ask)?;
    let limits = limits(api, ask)?;
    let (from, to) = range(api, ask, &limits)?;
    if let Some(cursor) = &ask.cursor {
        check_cursor(api, chain, cursor)?;
    }
    // where a page of a finality that had come further ended
    let at = ask.cursor.map(|cursor| cursor.position.number);
    let first = match (ask.direction, at) {
        (ScanOrder::Rising, Some(at)) => from.max(at),
        _ => from,
    };
    if first > to {
        return Ok(Some(nothing_yet(ask, first)));
    }
    let query = EventQuery {
        chain,
        filter: ask.filter.clone(),
        from,
        to,
        direction: ask.direction,
        at: ask.cursor.map(|cursor| cursor.position),
        limit: ask.limit,
        examined_max: EXAMINED_MAX,
        data_bytes_max: DATA_BYTES_MAX,
    };
    let found = find(store, &query).map_err(refuse_search)?;
    if !found.pending.is_empty() && !is_last {
        return Ok(None);
    }
    let (first, last) = searched(&query, &found);
    let gaps = all_gaps(api, ask, &found, (first, last))?;
    if !gaps.is_empty() && !ask.is_partial {
        return Err(not_indexed(api, (chain, &ask.filter), &gaps, limits.start));
    }
    let cursor = found.next.map(|position| -> Result<ScanCursor, ApiError> {
        let block = read::load_block(store, chain, position.number).map_err(ApiError::of_store)?;
        let block_hash = block.ok_or_else(ApiError::internal)?.hash;
        Ok(ScanCursor { position, block_hash })
    });
    let next_cursor = cursor.transpose()?.map(|cursor| cursor.text());
    let is_done = next_cursor.is_none() && ask.direction == ScanOrder::Rising;
    Ok(Some(Logs {
        chain_id: ask.row.id,
        finality: ask.finality.name(),
        searched: Some(Searched { from: first, to: last }),
        logs: found.events.into_iter().map(|hit| event_log(chain, &limits, hit)).collect(),
        gaps,
        next_cursor,
        completeness: None,
        next_block: is_done.then_some(BlockNumber(to.0.saturating_add(1))),
    }))
}

fn range(
    api: &Api,
    ask: &LogsAsk,
    limits: &FinalityRange,
) -> Result<(BlockNumber, BlockNumber), ApiError> {
    let store = api.prover.store();
    let chain = ask.row.key();
    let to = ask.to.map_or(limits.to, |to| to.min(limits.to));
    Ok(match (ask.from, ask.to) {
        (Some(from), _) => (from, to),
        // a page that goes on stays among the blocks of the page before
        (None, named) if ask.cursor.is_some() => {
            let at = ask.cursor.as_ref().map_or(to, |cursor| cursor.position.number);
            let all =
                gaps(store, chain, &ask.filter, limits.start, to).map_err(ApiError::of_store)?;
            let from = all.iter().rev().find(|gap| gap.to < at);
            let from = from.map_or(limits.start, |gap| BlockNumber(gap.to.0.saturating_add(1)));
            let end = all.iter().find(|gap| gap.from > at).filter(|_| named.is_none());
            (from, end.map_or(to, |gap| BlockNumber(gap.from.0.saturating_sub(1))))
        }
        (None, named) => {
            let newest = newest_indexed(api, (chain, &ask.filter), limits.start, to)?;
            // an end that was named in a gap: the answer is about that gap
            newest.filter(|newest| named.is_none() || newest.1 == to).unwrap_or((to, to))
        }
    })
}

/// Page for a range without a block at the requested finality yet.
fn nothing_yet(ask: &LogsAsk, from: BlockNumber) -> Logs {
    Logs {
        chain_id: ask.row.id,
        finality: ask.finality.name(),
        searched: None,
        logs: Vec::new(),
        gaps: Vec::new(),
        next_cursor: None,
        completeness: None,
        next_block: Some(from),
    }
}

fn limits(api: &Api, ask: &LogsAsk) -> Result<FinalityRange, ApiError> {
    let chain = ask.row.key();
    let state = read::load_chain_state(api.prover.store(), chain).map_err(ApiError::of_store)?;
    let nothing = || api.nothing_yet(chain, "no block of it was collected yet");
    let state = state.ok_or_else(nothing)?;
    let last = api.not_final_from(chain)?.map(|from| BlockNumber(from.0.saturating_sub(1)));
    let stands = |number: BlockNumber| last.map_or(number, |last| last.min(number));
    let finalized = state.indexed.map(|tip| stands(tip.number));
    let latest = api.prover.latest();
    let anchored = latest.and_then(|latest| api.anchored(&latest, chain));
    let anchored = anchored.map(|anchored| stands(anchored.number));
    let to = match ask.finality {
        // what is taken back, and what stands on it, is shown by nobody
        FinalityFloor::Head => state.head.map(|tip| stands(tip.number)),
        FinalityFloor::Finalized => finalized,
        FinalityFloor::Anchored => anchored,
    };
    Ok(FinalityRange { start: state.start, to: to.ok_or_else(nothing)?, finalized, anchored })
}

/// Refuses a cursor at a block that was reorganised away.
fn check_cursor(api: &Api, chain: ChainKey, cursor: &ScanCursor) -> Result<(), ApiError> {
    let number = cursor.position.number;
    let held = read::load_block(api.prover.store(), chain, number).map_err(ApiError::of_store)?;
    if held.is_some_and(|held| held.hash == cursor.block_hash) {
        return Ok(());
    }
    let detail = format!(
        "block {number} of chain {chain} is not {}: the chain reorganised, or the cursor is of another chain. Events \
         from that block on are to be asked for anew, with fromBlock={number}",
        cursor.block_hash
    );
    Err(ApiError::new(CURSOR_UNDONE, detail).about(chain).at("cursor"))
}

/// Blocks with all events on the page.
fn searched(query: &EventQuery, found: &SearchResult) -> (BlockNumber, BlockNumber) {
    let mut from = query.from;
    let mut to = query.to;
    match query.direction {
        ScanOrder::Rising => {
            from = query.at.map_or(from, |at| from.max(at.number));
            to = found.next.map_or(to, |next| next.number);
        }
        ScanOrder::Falling => {
            to = query.at.map_or(to, |at| to.min(at.number));
            from = found.next.map_or(from, |next| next.number);
        }
    }
    (from, to)
}

fn event_log(chain: ChainKey, limits: &FinalityRange, hit: Hit) -> EventLog {
    let Hit { position, block_hash, timestamp, event } = hit;
    let number = position.number;
    let is_within = |last: Option<BlockNumber>| last.is_some_and(|last| number <= last);
    let finality = if is_within(limits.anchored) {
        FinalityFloor::Anchored
    } else if is_within(limits.finalized) {
        FinalityFloor::Finalized
    } else {
        FinalityFloor::Head
    };
    superroot_stream::event_log(chain, (number, block_hash, timestamp), event, finality.name())
}
