//! Sub-accounts: an integrator's customer accounts.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use superroot_account::{AccountError, AccountId, AccountService, Actor, Entitlement};
use superroot_wire::account::{IssuedSubAccount, SubAccount, SubAccountList};

use super::keys::Members;
use super::usage::{load_usage, page_limit};
use super::{answer, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::caller::Keyed;
use crate::input::{RequestInput, read_json_if_any};
use crate::service::Shared;

/// Sub-accounts per page.
const PAGE: u64 = 100;
const PAGE_MAX: usize = 1_000;

fn parse_account(name: &'static str, text: &str) -> Result<AccountId, ApiError> {
    text.parse().map_err(|_| ApiError::parameter(name, text, "a UUID (an account's user_id)"))
}

pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let after = ask.query("cursor")?.map(|text| parse_account("cursor", text)).transpose()?;
    let limit = page_limit(&ask, PAGE, PAGE_MAX)?;
    let integrator = keyed.0.account;
    let load = move |service: &AccountService| {
        let accounts = service.accounts();
        if !accounts.is_integrator(integrator)? {
            return Err(AccountError::NoIntegrator);
        }
        let ids = accounts.sub_accounts(integrator, after, limit)?;
        let next = ids.last().filter(|_| ids.len() == limit).copied();
        let accounts = ids.into_iter().map(|id| service.accounts().account(id));
        Ok((accounts.collect::<Result<Vec<_>, _>>()?, next))
    };
    let (accounts, next) = service.account(load).await?;
    let shown = accounts.iter().map(|account| SubAccount {
        user_id: account.id.to_string(),
        label: account.label.as_ref().map(ToString::to_string),
        created_at: account.created_at,
        closed_at: account.closed_at,
    });
    let sub_accounts = shown.collect();
    let next_cursor = next.map(|id| id.to_string());
    Ok(answer(&SubAccountList { sub_accounts, next_cursor }))
}

pub(super) async fn create(
    State(service): State<Shared>,
    keyed: Keyed,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let body = read_json_if_any(&service, &headers, body).await?;
    let first = Members::read(&service.api, &body)?.into_new_key();
    let body = service.account(move |service| {
        let entitlement: &Entitlement = &keyed.0;
        let integrator = entitlement.account;
        let (account, issued) =
            service.accounts().open_sub_account(Actor::Key(entitlement), integrator, &first)?;
        let made = shapes::issued(&issued, service.accounts().now(), entitlement.key);
        Ok(IssuedSubAccount {
            user_id: account.id.to_string(),
            label: account.label.as_ref().map(ToString::to_string),
            created_at: account.created_at,
            api_key: made.api_key,
            key: made.key,
        })
    });
    Ok(answer(&body.await?).created())
}

pub(super) async fn usage(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let id = parse_account("account_id", ask.path("account_id")?)?;
    let usage = service.billing(move |billing| {
        let account = billing.accounts().account_below(&keyed.0, id)?;
        let rights = billing.accounts().accounts().rights(account.id)?;
        load_usage(billing, account.id, &rights)
    });
    Ok(answer(&usage.await?))
}
