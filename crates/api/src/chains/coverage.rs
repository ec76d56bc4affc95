//! What is held of one chain, what is not, and how to have more.

use axum::extract::State;
use superroot_chain::ChainRow;
use superroot_store::coverage::{self as stored, Coverage};
use superroot_store::layout::{HeaderWhy, Held, Watch};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, SAFE_INTEGER_MAX};
use superroot_wire::chain as body;
use superroot_wire::chain::{CoverageGap, CoverageRange, WatchList};

use super::parts;
use super::ranges::{Gap, Page, Reason, standing};
use crate::ApiError;
use crate::answer::Answer;
use crate::input::{Ask, parse_integer};
use crate::service::{Api, Shared, retraction};

/// Ranges of a page where the request names no limit.
const LIMIT: u64 = 100;
/// Ranges of a page at most.
const LIMIT_MAX: u64 = 1_000;
/// Addresses, and topics, of a watch list that are shown.
const WATCHED_MAX: usize = 256;

/// `GET /api/v1/coverage/{chain}`
pub(crate) async fn coverage(State(service): State<Shared>, ask: Ask) -> Result<Answer, ApiError> {
    let row = ask.chain(&service.api, "chain")?.clone();
    let (cursor, limit) = (read_cursor(&ask)?, read_limit(&ask)?);
    let chain = row.key();
    let body = service.blocking(move |api| load_coverage(api, &row, cursor, limit)).await?;
    Ok(Answer::of(&body).about(chain))
}

fn read_cursor(ask: &Ask) -> Result<Option<BlockNumber>, ApiError> {
    let Some(text) = ask.query("cursor")? else { return Ok(None) };
    let expected = "the next_cursor of a page";
    parse_integer("cursor", text, SAFE_INTEGER_MAX, expected).map(|it| Some(BlockNumber(it)))
}

fn read_limit(ask: &Ask) -> Result<usize, ApiError> {
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
    row: &ChainRow,
    cursor: Option<BlockNumber>,
    limit: usize,
) -> Result<body::Coverage, ApiError> {
    let (chain, store) = (row.key(), api.prover.store());
    let view = api.view(row);
    let why = api.why(row, &view);
    let runs = stored::load_coverage(store, chain).map_err(|error| ApiError::of_store(&error))?;
    let runs = standing(runs, &view);
    let first = BlockNumber(row.rules.first().map_or(0, |rule| rule.from_number));
    let page = Page::new(&runs, first, cursor, limit, &view);
    let gap = |gap: &Gap| gap_body(api, chain, gap, why.as_deref());
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

fn range_body(api: &Api, chain: ChainKey, run: &Coverage) -> Result<CoverageRange, ApiError> {
    let (held, why) = match run.held {
        Held::Whole => ("whole", None),
        Held::Watched { .. } => ("watched", Some("entries of the watch list of that hash")),
        Held::HeaderOnly { why: HeaderWhy::NothingWatched } => {
            ("header_only", Some("the watch list was empty"))
        }
        Held::HeaderOnly { why: HeaderWhy::NoBody } => {
            ("header_only", Some("no body came that recomputes, or the chain commits to none"))
        }
        Held::Partial { extent } => {
            let why = match (extent.transactions, extent.receipts) {
                (true, _) => "transactions alone are held",
                (false, _) => "receipts alone are held",
            };
            ("partial", Some(why))
        }
        Held::Skipped => ("skipped", Some("no block of these numbers was recorded")),
        Held::Refused => ("refused", None),
    };
    let why = match (run.held, why) {
        (Held::HeaderOnly { why: HeaderWhy::NoBody } | Held::Partial { .. }, Some(why)) => {
            Some(match first_refused(api, chain, run)? {
                Some((number, reason)) => format!("{why}; of block {number}: {reason}"),
                None => why.to_owned(),
            })
        }
        (_, why) => why.map(str::to_owned),
    };
    let watch_hash = match run.held {
        Held::Watched { watch_hash } => Some(watch_hash),
        Held::Whole
        | Held::HeaderOnly { .. }
        | Held::Partial { .. }
        | Held::Skipped
        | Held::Refused => None,
    };
    let (from, to) = (run.from, run.to);
    Ok(CoverageRange { from, to, held: held.to_owned(), why, watch_hash })
}

/// The first block of the run of whose body a part was refused, and why.
fn first_refused(
    api: &Api,
    chain: ChainKey,
    run: &Coverage,
) -> Result<Option<(BlockNumber, String)>, ApiError> {
    let (store, failed) = (api.prover.store(), |error| ApiError::of_store(&error));
    let numbers = run.from..BlockNumber(run.to.0.saturating_add(1));
    let numbers = read::load_refused_numbers(store, chain, numbers, 1).map_err(failed)?;
    let Some(number) = numbers.first().copied() else { return Ok(None) };
    let row = read::load_refused(store, chain, number).map_err(failed)?;
    Ok(row.map(|row| (number, row.reason)))
}

fn gap_body(
    api: &Api,
    chain: ChainKey,
    gap: &Gap,
    why: Option<&str>,
) -> Result<CoverageGap, ApiError> {
    let detail = match gap.reason {
        Reason::BeforeStart => "collection begins after these numbers".to_owned(),
        Reason::Backfilling => "older blocks are being fetched".to_owned(),
        Reason::Missing => "nothing is held of these numbers and nothing says why".to_owned(),
        Reason::Refused => {
            let row = read::load_refused(api.prover.store(), chain, gap.from);
            let row = row.map_err(|error| ApiError::of_store(&error))?;
            row.map_or_else(|| "the block does not recompute".to_owned(), |row| row.reason)
        }
        Reason::NotCollectedYet => "final, and about to be collected".to_owned(),
        Reason::RecordingsEnd => "nothing later was recorded".to_owned(),
        Reason::Stage(_) => why.unwrap_or_default().to_owned(),
    };
    let Gap { from, to, reason } = *gap;
    Ok(CoverageGap { from, to, reason: reason.name().to_owned(), detail })
}

/// The watch list that the chain is collected under, its beginning where it is long; none where the
/// store knows none.
fn load_watch_list(api: &Api, chain: ChainKey) -> Result<Option<WatchList>, ApiError> {
    let store = api.prover.store();
    let failed = |error| ApiError::of_store(&error);
    let Some(hash) = read::load_chain_watch(store, chain).map_err(failed)? else {
        return Ok(None);
    };
    let (addresses, topics) = match read::load_watch(store, &hash).map_err(failed)? {
        Some(Watch::Some { addresses, topics }) => {
            let addresses: Vec<_> = addresses.into_iter().take(WATCHED_MAX).collect();
            let topics: Vec<_> = topics.into_iter().take(WATCHED_MAX).collect();
            (Some(addresses), Some(topics))
        }
        Some(Watch::All) | None => (None, None),
    };
    Ok(Some(WatchList { hash, addresses, topics }))
}
