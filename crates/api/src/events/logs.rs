//! `GET /v5/logs`.

use std::time::Duration;

use axum::extract::State;
use superroot_index::{Filter, Found, Gap, Hit, IndexError, Query, find, gaps};
use superroot_store::{Direction, StoreError, read};
use superroot_types::{BlockNumber, ChainKey};
use superroot_wire::Case;
use superroot_wire::logs::{EventLog, LogGap, Logs, Searched};

use super::ask::{Finality, LogsAsk};
use super::cursor::Cursor;
use super::scan;
use crate::ApiError;
use crate::answer::Answer;
use crate::error::codes::{CURSOR_UNDONE, TIMEOUT};
use crate::input::{Ask, Caller};
use crate::service::{Api, Shared, Wanted, fitted};

/// Events that one request looks at, at most.
const EXAMINED_MAX: usize = 20_000;
/// Bytes of data in one page, at most.
const DATA_BYTES_MAX: usize = 2 << 20;
/// Gaps that an answer lists, at most: more are a reason to ask for a smaller range.
const GAPS_MAX: usize = 1000;
/// Room of an answer with the largest scan, in hex, and its events.
const COMPLETE_ROOMS: u32 = 20;
/// Times that blocks are waited for which the index is about to take, and how long each time.
const WAITS_MAX: usize = 6;
const WAIT: Duration = Duration::from_millis(50);

/// `GET /v5/logs`
pub(super) async fn logs(
    State(service): State<Shared>,
    caller: Caller,
    ask: Ask,
) -> Result<Answer, ApiError> {
    let is_head = ask.is_head();
    let ask = LogsAsk::read(&service.api, &ask)?;
    let chain = ask.row.key();
    caller.check_chain(chain)?;
    if is_head {
        service.blocking(move |api| check(api, &ask)).await?;
        return Ok(Answer::head(false).about(chain));
    }
    if ask.is_complete {
        return complete(&service, ask).await;
    }
    let logs = find_logs(&service, &ask).await?;
    Ok(Answer::spelled(&logs, Case::Camel).about(chain))
}

/// The page. Blocks that the index is about to take are waited for a little.
pub(crate) async fn find_logs(service: &Shared, ask: &LogsAsk) -> Result<Logs, ApiError> {
    for attempt in 1.. {
        let (asked, is_last) = (ask.clone(), attempt == WAITS_MAX);
        let searched = service.blocking(move |api| search(api, &asked, is_last)).await?;
        if let Some(logs) = searched {
            return Ok(logs);
        }
        tokio::time::sleep(WAIT).await;
    }
    Err(ApiError::internal())
}

/// The page, and what shows that its events are all of the range.
async fn complete(service: &Shared, ask: LogsAsk) -> Result<Answer, ApiError> {
    let rooms = service.rooms(COMPLETE_ROOMS).await?;
    let make = move |api: &Api, wanted: &Wanted| {
        let (logs, page) = complete_logs(api, &ask, wanted)?;
        let answer = Answer::spelled(&logs, Case::Camel).about(ask.row.key());
        let Some(page) = page else { return Ok(answer) };
        let bytes = page.byte_count().saturating_mul(2).saturating_add(2 * DATA_BYTES_MAX);
        Ok(answer.under(page.published, false).taking(fitted(rooms, bytes)))
    };
    service.blocking_while_wanted(make).await
}

/// The same for whoever writes it in another form, off the async threads.
pub(crate) async fn find_complete(service: &Shared, ask: LogsAsk) -> Result<Logs, ApiError> {
    let _room = service.rooms(COMPLETE_ROOMS).await?;
    let make = move |api: &Api, wanted: &Wanted| complete_logs(api, &ask, wanted);
    service.blocking_while_wanted(make).await.map(|(logs, _)| logs)
}

fn complete_logs(
    api: &Api,
    ask: &LogsAsk,
    wanted: &Wanted,
) -> Result<(Logs, Option<scan::Page>), ApiError> {
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

/// The end of the range that was not named.
fn left_out(ask: &LogsAsk) -> Option<&'static str> {
    let ends = [("fromBlock", ask.from), ("toBlock", ask.to)];
    ends.iter().find(|(_, end)| end.is_none()).map(|(name, _)| *name)
}

/// Passes where a page may be had, as far as is known without searching.
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

/// The numbers that events of some finality are in.
#[derive(Clone, Copy)]
struct Limits {
    start: BlockNumber,
    /// Last block of the finality asked for.
    to: BlockNumber,
    finalized: Option<BlockNumber>,
    anchored: Option<BlockNumber>,
}

/// The page; `None` where it is worth waiting for the index.
fn search(api: &Api, ask: &LogsAsk, is_last: bool) -> Result<Option<Logs>, ApiError> {
    let (store, chain) = (api.prover.store(), ask.row.key());
    check_indexed(ask)?;
    let limits = limits(api, ask)?;
    let (from, to) = range(api, ask, &limits)?;
    if let Some(cursor) = &ask.cursor {
        check_cursor(api, chain, cursor)?;
    }
    // where a page of a finality that had come further ended
    let at = ask.cursor.map(|cursor| cursor.position.number);
    let first = match (ask.direction, at) {
        (Direction::Rising, Some(at)) => from.max(at),
        _ => from,
    };
    if first > to {
        return Ok(Some(nothing_yet(ask, first)));
    }
    let query = Query {
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
    let found = find(store, &query).map_err(|error| refused(&error))?;
    if !found.pending.is_empty() && !is_last {
        return Ok(None);
    }
    let (first, last) = searched(&query, &found);
    let gaps = all_gaps(api, ask, &found, (first, last))?;
    if !gaps.is_empty() && !ask.is_partial {
        return Err(not_indexed(api, (chain, &ask.filter), &gaps, limits));
    }
    let cursor = found.next.map(|position| -> Result<Cursor, ApiError> {
        let block = read::load_block(store, chain, position.number).map_err(failed)?;
        let block_hash = block.ok_or_else(ApiError::internal)?.hash;
        Ok(Cursor { position, block_hash })
    });
    let next_cursor = cursor.transpose()?.map(|cursor| cursor.text());
    let is_done = next_cursor.is_none() && ask.direction == Direction::Rising;
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

/// First and last block that are searched.
fn range(
    api: &Api,
    ask: &LogsAsk,
    limits: &Limits,
) -> Result<(BlockNumber, BlockNumber), ApiError> {
    let (store, chain) = (api.prover.store(), ask.row.key());
    let to = ask.to.map_or(limits.to, |to| to.min(limits.to));
    Ok(match (ask.from, ask.to) {
        (Some(from), _) => (from, to),
        // a page that goes on stays among the blocks of the page before
        (None, named) if ask.cursor.is_some() => {
            let at = ask.cursor.as_ref().map_or(to, |cursor| cursor.position.number);
            let all = gaps(store, chain, &ask.filter, limits.start, to).map_err(failed)?;
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

/// Where no block of the range is that final yet.
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

fn limits(api: &Api, ask: &LogsAsk) -> Result<Limits, ApiError> {
    let chain = ask.row.key();
    let state = read::load_chain_state(api.prover.store(), chain).map_err(failed)?;
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
        Finality::Head => state.head.map(|tip| stands(tip.number)),
        Finality::Finalized => finalized,
        Finality::Anchored => anchored,
    };
    Ok(Limits { start: state.start, to: to.ok_or_else(nothing)?, finalized, anchored })
}

/// The newest blocks of a range that are indexed without a gap; `None` where none is.
fn newest_indexed(
    api: &Api,
    (chain, filter): (ChainKey, &Filter),
    from: BlockNumber,
    to: BlockNumber,
) -> Result<Option<(BlockNumber, BlockNumber)>, ApiError> {
    let gaps = gaps(api.prover.store(), chain, filter, from, to).map_err(failed)?;
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

/// A cursor is of a block that still stands.
fn check_cursor(api: &Api, chain: ChainKey, cursor: &Cursor) -> Result<(), ApiError> {
    let number = cursor.position.number;
    let held = read::load_block(api.prover.store(), chain, number).map_err(failed)?;
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

/// The blocks of which the page has every event.
fn searched(query: &Query, found: &Found) -> (BlockNumber, BlockNumber) {
    let (mut from, mut to) = (query.from, query.to);
    match query.direction {
        Direction::Rising => {
            from = query.at.map_or(from, |at| from.max(at.number));
            to = found.next.map_or(to, |next| next.number);
        }
        Direction::Falling => {
            to = query.at.map_or(to, |at| to.min(at.number));
            from = found.next.map_or(from, |next| next.number);
        }
    }
    (from, to)
}

fn all_gaps(
    api: &Api,
    ask: &LogsAsk,
    found: &Found,
    (from, to): (BlockNumber, BlockNumber),
) -> Result<Vec<LogGap>, ApiError> {
    let (store, chain) = (api.prover.store(), ask.row.key());
    let of = |filter: &Filter| gaps(store, chain, filter, from, to).map_err(failed);
    let mut all: Vec<LogGap> = of(&ask.filter)?
        .into_iter()
        .map(|Gap { from, to, why }| LogGap { from, to, reason: why })
        .collect();
    all.extend(found.pending.iter().filter_map(|(first, last)| {
        let (from, to) = ((*first).max(from), (*last).min(to));
        (from <= to).then_some(LogGap { from, to, reason: "being_indexed" })
    }));
    all.sort_by_key(|gap| (gap.from, gap.to));
    if all.len() > GAPS_MAX {
        let expected = format!("a range with at most {GAPS_MAX} gaps; this one has {}", all.len());
        return Err(ApiError::parameter("fromBlock", &from.to_string(), expected));
    }
    Ok(all)
}

/// What to do where a body is withheld.
const PARTIAL: &str = ". With partial=1 the events that are held are given, and such blocks listed";

fn not_indexed(
    api: &Api,
    (chain, filter): (ChainKey, &Filter),
    gaps: &[LogGap],
    limits: Limits,
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
        _ if *from < limits.start => ("they are not collected", api.how_to_reach(chain, *from)),
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
    let before = from.0.checked_sub(1).map(BlockNumber).filter(|before| limits.start <= *before);
    let run = before.map(|before| newest_indexed(api, (chain, filter), limits.start, before));
    let scanned = match run.transpose() {
        Ok(run) => run.flatten(),
        Err(error) => return error,
    };
    ApiError::not_indexed(chain, scanned, &why)
}

fn event_log(chain: ChainKey, limits: &Limits, hit: Hit) -> EventLog {
    let Hit { position, block_hash, timestamp, event } = hit;
    let number = position.number;
    let is_within = |last: Option<BlockNumber>| last.is_some_and(|last| number <= last);
    let finality = if is_within(limits.anchored) {
        Finality::Anchored
    } else if is_within(limits.finalized) {
        Finality::Finalized
    } else {
        Finality::Head
    };
    superroot_stream::event_log(chain, (number, block_hash, timestamp), event, finality.name())
}

fn failed(error: StoreError) -> ApiError {
    ApiError::of_store(&error)
}

fn refused(error: &IndexError) -> ApiError {
    match error {
        IndexError::Store(error) => ApiError::of_store(error),
        IndexError::Busy { .. } => ApiError::new(TIMEOUT, error.to_string()).again_after(1_u64),
        IndexError::Block { .. } => {
            tracing::error!(%error, "the index of events cannot be read");
            ApiError::internal()
        }
    }
}
