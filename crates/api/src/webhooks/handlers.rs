//! Webhook handlers.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_account::Entitlement;
use superroot_webhook::{WebhookError, WebhookId, WebhookRow, Webhooks};
use superroot_wire::webhook::{WebhookList, WebhookSecret};

use super::ask::WebhookAsk;
use super::shapes;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::edge::due;
use crate::error::codes::{
    INVALID_PARAMETER, LIMIT_REACHED, NOTHING_TO_REPLAY, PAYMENT_DUE, TIER_REQUIRED,
    UNKNOWN_WEBHOOK,
};
use crate::error::of_account;
use crate::input::caller::Keyed;
use crate::input::{Caller, RequestInput, describe, only_members, read_json, read_json_if_any};
use crate::service::{Api, Shared};
use crate::streams::StreamAsk;

/// Request time reserved for the answer when an address is tested.
const OF_THE_REQUEST: Duration = Duration::from_secs(2);
/// Default time in seconds that an old secret still signs; `GRACE_SECONDS_MAX` is the longest.
const GRACE_SECONDS: u64 = 86_400;
const GRACE_SECONDS_MAX: u64 = 604_800;

pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let webhooks = run(&service, move |webhooks| webhooks.of(account)).await?;
    let mut shown = Vec::with_capacity(webhooks.len());
    for webhook in &webhooks {
        shown.push(show(&service, &keyed.0, webhook).await);
    }
    Ok(ApiAnswer::of(&WebhookList { webhooks: shown }).private())
}

pub(super) async fn create(
    State(service): State<Shared>,
    caller: Caller,
    keyed: Keyed,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json(&service, &headers, body).await?;
    let mut ask = WebhookAsk::read(&service.api, &caller, &body, true)?;
    check_followed(&service, ask.wish.as_mut()).await?;
    let new = ask.into_new(keyed.0.key)?;
    let account = keyed.0.account;
    let tier = keyed.0.tier();
    let (made, secret) = run(&service, move |webhooks| webhooks.create(account, tier, new)).await?;
    let webhook = show(&service, &keyed.0, &made).await;
    Ok(ApiAnswer::of(&WebhookSecret { webhook, secret }).created().private())
}

pub(super) async fn get(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let webhook = run(&service, move |webhooks| webhooks.get(account, id)).await?;
    Ok(ApiAnswer::of(&show(&service, &keyed.0, &webhook).await).private())
}

pub(super) async fn change(
    State(service): State<Shared>,
    caller: Caller,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let body = read_json(&service, &headers, body).await?;
    let mut wish = WebhookAsk::read(&service.api, &caller, &body, false)?;
    check_followed(&service, wish.wish.as_mut()).await?;
    let change = wish.into_change();
    let changed = run(&service, move |webhooks| webhooks.change(account, id, &change)).await?;
    Ok(ApiAnswer::of(&show(&service, &keyed.0, &changed).await).private())
}

pub(super) async fn delete(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let deleted = run(&service, move |webhooks| webhooks.delete(account, id)).await?;
    Ok(ApiAnswer::of(&show(&service, &keyed.0, &deleted).await).private())
}

pub(super) async fn test(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let webhook = run(&service, move |webhooks| webhooks.get(account, id)).await?;
    // an address that hangs is told of, before the request itself has taken too long
    let request = Duration::from_millis(service.api.config.request_timeout_ms);
    let within = request.saturating_sub(OF_THE_REQUEST).max(request / 2);
    let answered = service.api.webhooks.test(&webhook, within).await.map_err(refuse_webhook)?;
    Ok(ApiAnswer::of(&shapes::test(&answered)).private())
}

pub(super) async fn rotate(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let body = read_json_if_any(&service, &headers, body).await?;
    let members = body.as_object().cloned().unwrap_or_default();
    only_members(&members, "", &["grace_seconds"])?;
    let grace = match members.get("grace_seconds") {
        None => GRACE_SECONDS,
        Some(value) => {
            let seconds = value.as_u64().filter(|seconds| *seconds <= GRACE_SECONDS_MAX);
            let expected = format!("0 to {GRACE_SECONDS_MAX} seconds");
            seconds
                .ok_or_else(|| ApiError::parameter("grace_seconds", &describe(value), expected))?
        }
    };
    let (rotated, secret) =
        run(&service, move |webhooks| webhooks.rotate(account, id, grace)).await?;
    let webhook = show(&service, &keyed.0, &rotated).await;
    Ok(ApiAnswer::of(&WebhookSecret { webhook, secret }).created().private())
}

pub(super) async fn replay(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let account = keyed.0.account;
    let id = id_of(&ask)?;
    let (replayed, _) = run(&service, move |webhooks| webhooks.replay(account, id)).await?;
    Ok(ApiAnswer::of(&show(&service, &keyed.0, &replayed).await).private())
}

fn id_of(ask: &RequestInput) -> Result<WebhookId, ApiError> {
    let text = ask.path("id")?;
    text.parse().map_err(|_| ApiError::parameter("id", text, "a UUID (a webhook's id)"))
}

async fn show(
    service: &Shared,
    entitlement: &Entitlement,
    webhook: &WebhookRow,
) -> superroot_wire::webhook::Webhook {
    shapes::webhook(webhook, suspended(service, entitlement, webhook).await.as_ref())
}

/// Reason why an enabled webhook's account is not served, in words; asks the dispatcher's question.
async fn suspended(
    service: &Shared,
    entitlement: &Entitlement,
    webhook: &WebhookRow,
) -> Option<ApiError> {
    if service.api.accounts.plans().tier(entitlement.tier()).webhooks_max == 0 {
        let detail = format!("tier {} has no webhooks; see /api/v1/plans", entitlement.tier());
        return Some(ApiError::new(TIER_REQUIRED, detail));
    }
    if !webhook.weighs() {
        return None;
    }
    due(service, entitlement).await.filter(|error| error.code == PAYMENT_DUE)
}

/// Refuses events that are not all collected, as a stream would.
async fn check_followed(
    service: &Shared,
    wish: Option<&mut (Map<String, Value>, StreamAsk)>,
) -> Result<(), ApiError> {
    let Some((_, wish)) = wish else { return Ok(()) };
    let mut asked = wish.clone();
    let check = move |api: &Api| {
        asked.find_order(api)?;
        asked.not_indexed(api)?;
        Ok(asked)
    };
    *wish = service.blocking(check).await?;
    Ok(())
}

async fn run<T: Send + 'static>(
    service: &Shared,
    work: impl FnOnce(&Webhooks) -> Result<T, WebhookError> + Send + 'static,
) -> Result<T, ApiError> {
    let webhooks = Arc::clone(&service.api.webhooks);
    service.look_up(move || work(&webhooks).map_err(refuse_webhook)).await
}

fn refuse_webhook(error: WebhookError) -> ApiError {
    let text = error.to_string();
    match error {
        WebhookError::Account(error) => of_account(error),
        WebhookError::Store(error) => of_account(error.into()),
        WebhookError::Contended(error) => of_account(error.into()),
        WebhookError::Unknown { .. } => ApiError::new(UNKNOWN_WEBHOOK, text),
        WebhookError::Full { .. } => ApiError::new(LIMIT_REACHED, text),
        WebhookError::Address { .. } => ApiError::new(INVALID_PARAMETER, text).at("url"),
        WebhookError::NothingDead => ApiError::new(NOTHING_TO_REPLAY, text),
        WebhookError::Client(error) => {
            tracing::error!(%error, "no message of a webhook can be sent");
            ApiError::internal()
        }
    }
}
