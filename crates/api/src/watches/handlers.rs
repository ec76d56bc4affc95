//! Watch handlers.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use superroot_account::{AccountId, Tier};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};
use superroot_watch::{KeyWatch, WatchError, WatchId};
use superroot_wire::watch::{Watch, WatchPage};

use super::{ask, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{LIMIT_REACHED, NOT_INDEXED, UNKNOWN_WATCH};
use crate::error::of_account;
use crate::input::caller::Keyed;
use crate::input::{Caller, RequestInput, parse_integer, read_json};
use crate::service::{Api, Shared};

/// Default page size in watches; the largest is `LIMIT_MAX`.
const LIMIT: u64 = 50;
const LIMIT_MAX: u64 = 100;

pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let expected = "a count from 1 to 100";
    let limit = match ask.query("limit")? {
        None => LIMIT,
        Some(text) => match parse_integer("limit", text, LIMIT_MAX, expected)? {
            0 => return Err(ApiError::parameter("limit", text, expected)),
            limit => limit,
        },
    };
    let after = ask.query("cursor")?.map(|text| parse_id("cursor", text)).transpose()?;
    run(&service, keyed, move |api, account, tier| {
        let all = api.watches.of(account, tier).map_err(refuse_watch)?;
        let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let passed = after.map_or(0, |after| {
            all.iter().position(|(one, _)| one.id == after).map_or(all.len(), |at| at + 1)
        });
        let mut rest = all.iter().skip(passed);
        let page: Vec<_> =
            rest.by_ref().take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
        let next_cursor = rest.next().and(page.last()).map(|(one, _)| one.id.to_string());
        let watches = page.into_iter().map(|(one, is_served)| shapes::watch(api, one, *is_served));
        let watches = watches.collect::<Result<Vec<Watch>, ApiError>>()?;
        let watches_max = api.accounts.plans().tier(tier).watches_max;
        Ok(ApiAnswer::of(&WatchPage { watches, count, watches_max, next_cursor }).private())
    })
    .await
}

pub(super) async fn create(
    State(service): State<Shared>,
    caller: Caller,
    keyed: Keyed,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    run(&service, keyed, move |api, account, tier| {
        let new = ask::read_new(api, &caller, &body)?;
        if api.is_complete_recording() {
            let why =
                "the blocks of this service are recordings, so nothing newer comes: ask /v5/logs";
            return Err(ApiError::new(NOT_INDEXED, why).about(new.chain));
        }
        let newest = newest(api, new.chain)?;
        let (watch, is_new) =
            api.watches.create(account, tier, new, newest).map_err(refuse_watch)?;
        let answer = ApiAnswer::of(&shapes::watch(api, &watch, true)?).private();
        Ok(if is_new { answer.created() } else { answer })
    })
    .await
}

pub(super) async fn get(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let id = parse_id("id", ask.path("id")?)?;
    run(&service, keyed, move |api, account, tier| {
        let (watch, is_served) = api.watches.get(account, tier, id).map_err(refuse_watch)?;
        show(api, &watch, is_served)
    })
    .await
}

pub(super) async fn change(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let id = parse_id("id", ask.path("id")?)?;
    let body = read_json(&service, &headers, body).await?;
    run(&service, keyed, move |api, account, tier| {
        let change = ask::read_change(&body)?;
        let (watch, is_served) = api.watches.get(account, tier, id).map_err(refuse_watch)?;
        if let Some((_, row)) = api.registry.by_key(watch.chain()) {
            ask::check_held(api, row, change.from_block.flatten())?;
        }
        let newest = newest(api, watch.chain())?;
        let changed =
            api.watches.change(account, tier, id, &change, newest).map_err(refuse_watch)?;
        show(api, &changed, is_served)
    })
    .await
}

pub(super) async fn delete(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let id = parse_id("id", ask.path("id")?)?;
    run(&service, keyed, move |api, account, tier| {
        let (watch, is_served) = api.watches.get(account, tier, id).map_err(refuse_watch)?;
        let shown = show(api, &watch, is_served)?;
        api.watches.delete(account, id).map_err(refuse_watch)?;
        Ok(shown)
    })
    .await
}

fn show(api: &Api, watch: &KeyWatch, is_served: bool) -> Result<ApiAnswer, ApiError> {
    Ok(ApiAnswer::of(&shapes::watch(api, watch, is_served)?).private())
}

fn parse_id(name: &'static str, text: &str) -> Result<WatchId, ApiError> {
    text.parse().map_err(|_| ApiError::parameter(name, text, "a UUID (a watch's id)"))
}

fn newest(api: &Api, chain: ChainKey) -> Result<Option<BlockNumber>, ApiError> {
    let state = read::load_chain_state(api.prover.store(), chain);
    let state = state.map_err(ApiError::of_store)?;
    Ok(state.and_then(|state| state.indexed).map(|indexed| indexed.number))
}

async fn run(
    service: &Shared,
    keyed: Keyed,
    work: impl FnOnce(&Api, AccountId, Tier) -> Result<ApiAnswer, ApiError> + Send + 'static,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let tier = keyed.0.tier();
    service.blocking(move |api| work(api, account, tier)).await
}

fn refuse_watch(error: WatchError) -> ApiError {
    let text = error.to_string();
    match error {
        WatchError::Account(error) => of_account(error),
        WatchError::Store(error) => of_account(error.into()),
        WatchError::Contended(error) => of_account(error.into()),
        WatchError::Unknown { .. } => ApiError::new(UNKNOWN_WATCH, text),
        WatchError::Full { .. } | WatchError::ChainFull { .. } => {
            ApiError::new(LIMIT_REACHED, text)
        }
        WatchError::TooFarBack { first, .. } => {
            ApiError::new(LIMIT_REACHED, text).at("from_block").with("first_block", first)
        }
    }
}
