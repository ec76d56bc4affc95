//! Usage, and key information.

use axum::extract::State;
use superroot_account::usage::HISTORY_PAGE_MAX;
use superroot_account::{AccountId, AccountService, Hour, Month, Rights, label_of};
use superroot_billing::{BillingError, BillingLedger};
use superroot_types::{SAFE_INTEGER_MAX, UnixSeconds};
use superroot_wire::account::{EndpointCount, HourlyUsage, Usage, UsageHistory, Verification};

use super::{answer, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::caller::Keyed;
use crate::input::{RequestInput, parse_integer};
use crate::routes::metered_routes;
use crate::service::Shared;

/// Routes in `top_endpoints`.
const TOP_ROUTES: usize = 10;
/// Default history page size in rows.
const HISTORY_PAGE: u64 = 100;
const DAY_SECONDS: u64 = 86_400;

pub(super) async fn usage(
    State(service): State<Shared>,
    keyed: Keyed,
) -> Result<ApiAnswer, ApiError> {
    let usage =
        service.billing(move |billing| load_usage(billing, keyed.0.account, &keyed.0.rights));
    Ok(answer(&usage.await?))
}

pub(super) fn load_usage(
    billing: &BillingLedger,
    account: AccountId,
    rights: &Rights,
) -> Result<Usage, BillingError> {
    let service = billing.accounts();
    let now = service.now();
    let totals = service.usage().totals(account, now)?;
    let top = service.usage().top_routes(account, Month::of(now)?, TOP_ROUTES)?;
    let top = top
        .into_iter()
        .map(|used| EndpointCount { endpoint: endpoint(used.route), count: used.requests });
    Ok(Usage {
        user_id: account.to_string(),
        tier: rights.tier.name().into(),
        requests_today: totals.requests_today,
        requests_this_month: totals.requests_this_month,
        rate_limit_rpm: rights.limit_per_minute,
        top_endpoints: top.collect(),
        subscription: shapes::subscription(
            rights,
            billing.paid_usdc_e6(account)?,
            &billing.payments(account)?,
        ),
        billing: shapes::billing(billing, account, now)?,
    })
}

fn endpoint(number: superroot_account::meter::RouteNumber) -> String {
    label_of(metered_routes(), number)
}

pub(super) async fn verify(
    State(service): State<Shared>,
    keyed: Keyed,
) -> Result<ApiAnswer, ApiError> {
    let verification = service.billing(move |billing| {
        let entitlement = &keyed.0;
        let rights = &keyed.0.rights;
        Ok(Verification {
            valid: true,
            tier: rights.tier.name().into(),
            rate_limit_rpm: rights.limit_per_minute,
            expires_at: shapes::ends_at(rights),
            subscription_status: rights.subscription.status.name().into(),
            user_id: entitlement.account.to_string(),
            prove_wallet: rights.subscription.wallet_to_prove.map(shapes::prove_wallet),
            key: shapes::key_shown(entitlement),
            billing: shapes::billing(billing, entitlement.account, billing.now())?,
        })
    });
    Ok(answer(&verification.await?))
}

pub(super) async fn history(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let now = service.api.accounts.now();
    let until = time(&ask, "until")?.unwrap_or(UnixSeconds(now.0.saturating_add(1)));
    let from = time(&ask, "from")?;
    let from = from.unwrap_or(UnixSeconds(until.0.saturating_sub(DAY_SECONDS)));
    if from > until {
        return Err(ApiError::parameter("from", &from.to_string(), "a time before until"));
    }
    let cursor = match ask.query("cursor")? {
        None => None,
        Some(text) => {
            let expected = "next_cursor of the page before";
            Some(text.parse().map_err(|_| ApiError::parameter("cursor", text, expected))?)
        }
    };
    let limit = page_limit(&ask, HISTORY_PAGE, HISTORY_PAGE_MAX)?;
    // hours that begin before `until`
    let end = Hour::of(UnixSeconds(until.0.saturating_add(3_599)));
    let hours = (Hour::of(from), end);
    let account = keyed.0.account;
    let load =
        move |service: &AccountService| service.usage().history(account, hours, cursor, limit);
    let page = service.account(load).await?;
    let rows = page.rows.iter().map(|row| HourlyUsage {
        hour: row.hour.start(),
        key_id: row.key.map(|key| key.to_string()),
        endpoint: endpoint(row.route),
        chain_id: row.chain.map(|chain| chain.id.0),
        status: row.status.name().into(),
        requests: row.requests,
        billing_tokens: row.tokens,
    });
    let hours = rows.collect();
    let next_cursor = page.next.map(|cursor| cursor.to_string());
    Ok(answer(&UsageHistory { from, until, hours, next_cursor }))
}

fn time(ask: &RequestInput, name: &'static str) -> Result<Option<UnixSeconds>, ApiError> {
    let Some(text) = ask.query(name)? else { return Ok(None) };
    parse_integer(name, text, SAFE_INTEGER_MAX, "Unix seconds").map(|it| Some(UnixSeconds(it)))
}

/// Page size in rows from `?limit=`; outside 1 to `most` the error is [`ApiError::Parameter`].
pub(super) fn page_limit(ask: &RequestInput, usual: u64, most: usize) -> Result<usize, ApiError> {
    let expected = format!("a count from 1 to {most}");
    let Some(text) = ask.query("limit")? else { return Ok(usize::try_from(usual).unwrap_or(most)) };
    let limit = parse_integer("limit", text, u64::try_from(most).unwrap_or(1), &expected)?;
    match usize::try_from(limit) {
        Ok(limit) if limit > 0 => Ok(limit),
        _ => Err(ApiError::parameter("limit", text, expected)),
    }
}
