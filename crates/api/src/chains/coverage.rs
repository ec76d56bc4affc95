//! Coverage of one chain: stored ranges, gaps, and how to extend it.

use axum::extract::State;
use superroot_chain::ChainSpec;
use superroot_store::coverage::{self as stored, CoverageRun};
use superroot_store::layout::{HeaderWhy, HeldRun, WatchFilter};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, SAFE_INTEGER_MAX};
use superroot_wire::chain as body;
use superroot_wire::chain::{CoverageGap, CoverageRange, WatchList};

use super::parts;
use super::ranges::{GapReason, RangeGap, RangePage, standing};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::{RequestInput, parse_integer};
use crate::service::{Api, Shared, retraction};

/// Default page size in ranges.
const LIMIT: u64 = 100;
/// Largest page size in ranges.
const LIMIT_MAX: u64 = 1_000;
/// Addresses, and topics, shown from a watch list.
const WATCHED_MAX: usize = 256;

pub(crate) async fn coverage(
    State(service): State<Shared>,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let cursor = read_cursor(&ask)?;
    let limit = read_limit(&ask)?;
    let chain = row.key();
    let body = service.blocking(move |api| load_coverage(api, &row, cursor, limit)).await?;
    Ok(ApiAnswer::of(&body).about(chain))
}

fn read_cursor(ask: &RequestInput) -> Result<Option<BlockNumber>, ApiError> {
    let Some(text) = ask.query("cursor")? else { return Ok(None) };
    let expected = "the next_cursor of a page";
    parse_integer("cursor", text, SAFE_INTEGER_MAX, expected).map(|it| Some(BlockNumber(it)))
}

fn read_limit(ask: &RequestInput) -> Result<usize, ApiError> {
    let expected = "a count from 1 to 1000";
    let limit = match ask.query("limit")? {
        None => LIMIT,
        Some(text) => match parse_integer("limit", text, LIMIT_MAX, expected)? {
            0 => return Err(ApiError::parameter("limit", text, expected)),
            limit => limit,
        },
    };
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

fn load_coverage(
    api: &Api,
    row: &ChainSpec,
    cursor: Option<BlockNumber>,
    limit: usize,
) -> Result<body::Coverage, ApiError> {
    let chain = row.key();
    let store = api.prover.store();
    let view = api.view(row);
    let why = api.why(row, &view);
    let runs = stored::load_coverage(store, chain).map_err(ApiError::of_store)?;
    let runs = standing(runs, &view);
    let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
    let page = RangePage::new(&runs, first, cursor, limit, &view);
    let gap = |gap: &RangeGap| gap_body(api, chain, gap, why.as_deref());
    let gaps = page.gaps.iter().map(gap).collect::<Result<_, ApiError>>()?;
    let retractions = api.retractions(chain)?;
    Ok(body::Coverage {
        standing: parts::standing(api, row, &view),
        ranges: page
            .ranges
            .iter()
            .map(|run| range_body(api, chain, run))
            .collect::<Result<_, ApiError>>()?,
        gaps,
        next_cursor: page.next,
        watch_list: load_watch_list(api, chain)?,
        how_to_widen: api.how_to_widen(row, &view),
        retractions: retractions.iter().map(|one| retraction::body(chain, one)).collect(),
    })
}

fn range_body(api: &Api, chain: ChainKey, run: &CoverageRun) -> Result<CoverageRange, ApiError> {
    let (held, why) = match run.held {
        HeldRun::Whole => ("whole", None),
        HeldRun::Watched { .. } => ("watched", Some("entries of the watch list of that hash")),
        HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched } => {
            ("header_only", Some("the watch list was empty"))
        }
        HeldRun::HeaderOnly { why: HeaderWhy::NoBody } => {
            ("header_only", Some("no body came that recomputes, or the chain commits to none"))
        }
        HeldRun::Partial { extent } => {
            let why = match (extent.transactions, extent.receipts) {
                (true, _) => "transactions alone are held",
                (false, _) => "receipts alone are held",
            };
            ("partial", Some(why))
        }
        HeldRun::Skipped => ("skipped", Some("no block of these numbers was recorded")),
        HeldRun::Refused => ("refused", None),
    };
    let why = match (run.held, why) {
        (HeldRun::HeaderOnly { why: HeaderWhy::NoBody } | HeldRun::Partial { .. }, Some(why)) => {
            Some(match first_refused(api, chain, run)? {
                Some((number, reason)) => format!("{why}; of block {number}: {reason}"),
                None => why.to_owned(),
            })
        }
        (_, why) => why.map(str::to_owned),
    };
    let watch_hash = match run.held {
        HeldRun::Watched { watch_hash } => Some(watch_hash),
        HeldRun::Whole
        | HeldRun::HeaderOnly { .. }
        | HeldRun::Partial { .. }
        | HeldRun::Skipped
        | HeldRun::Refused => None,
    };
    let from = run.from;
    let to = run.to;
    Ok(CoverageRange { from, to, held: held.to_owned(), why, watch_hash })
}

/// First block in the run with a refused body part, and the reason.
fn first_refused(
    api: &Api,
    chain: ChainKey,
    run: &CoverageRun,
) -> Result<Option<(BlockNumber, String)>, ApiError> {
    let store = api.prover.store();
    let numbers = run.from..BlockNumber(run.to.0.saturating_add(1));
    let numbers =
        read::load_refused_numbers(store, chain, numbers, 1).map_err(ApiError::of_store)?;
    let Some(number) = numbers.first().copied() else { return Ok(None) };
    let row = read::load_refused(store, chain, number).map_err(ApiError::of_store)?;
    Ok(row.map(|row| (number, row.reason)))
}

fn gap_body(
    api: &Api,
    chain: ChainKey,
    gap: &RangeGap,
    why: Option<&str>,
) -> Result<CoverageGap, ApiError> {
    let detail = match gap.reason {
        GapReason::BeforeStart => "collection begins after these numbers".to_owned(),
        GapReason::Backfilling => "older blocks are being fetched".to_owned(),
        GapReason::Missing => "nothing is held of these numbers and nothing says why".to_owned(),
        GapReason::Refused => {
            let row = read::load_refused(api.prover.store(), chain, gap.from);
            let row = row.map_err(ApiError::of_store)?;
            row.map_or_else(|| "the block does not recompute".to_owned(), |row| row.reason)
        }
        GapReason::NotCollectedYet => "final, and about to be collected".to_owned(),
        GapReason::RecordingsEnd => "nothing later was recorded".to_owned(),
        GapReason::Stage(_) => why.unwrap_or_default().to_owned(),
    };
    let RangeGap { from, to, reason } = *gap;
    Ok(CoverageGap { from, to, reason: reason.name().to_owned(), detail })
}

/// Watch list for the chain's collection, truncated if long; `None` if the store has none.
fn load_watch_list(api: &Api, chain: ChainKey) -> Result<Option<WatchList>, ApiError> {
    let store = api.prover.store();
    let Some(hash) = read::load_chain_watch(store, chain).map_err(ApiError::of_store)? else {
        return Ok(None);
    };
    let (addresses, topics) = match read::load_watch(store, &hash).map_err(ApiError::of_store)? {
        Some(WatchFilter::Some { addresses, topics }) => {
            let addresses: Vec<_> = addresses.into_iter().take(WATCHED_MAX).collect();
            let topics: Vec<_> = topics.into_iter().take(WATCHED_MAX).collect();
            (Some(addresses), Some(topics))
        }
        Some(WatchFilter::All) | None => (None, None),
    };
    Ok(Some(WatchList { hash, addresses, topics }))
}
