//! Account keys: list, create, change, revoke, rotate. An integrator's key also manages sub-account keys.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Map, Value};
use superroot_account::{
    AccountId, Actor, KeyChange, KeyId, Label, NewKey, RoutePattern, SCOPE_ENTRIES_MAX, Scope,
};
use superroot_types::{ChainId, SAFE_INTEGER_MAX, UnixSeconds};
use superroot_wire::account::KeyList;

use super::{answer, shapes};
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::INVALID_PARAMETER;
use crate::error::of_account;
use crate::input::caller::Keyed;
use crate::input::{RequestInput, describe, find_chain, only_members, read_json, text_of};
use crate::service::{Api, Shared};

/// Default grace period for a rotated key in seconds.
const GRACE_SECONDS: u64 = 86_400;

/// Account in the path, or else the key's account.
fn account_of(ask: &RequestInput, keyed: &Keyed) -> Result<AccountId, ApiError> {
    match ask.path_if_named("account_id") {
        None => Ok(keyed.0.account),
        Some(text) => text
            .parse()
            .map_err(|_| ApiError::parameter("account_id", text, "a UUID (an account's user_id)")),
    }
}

fn key_of(ask: &RequestInput) -> Result<KeyId, ApiError> {
    let text = ask.path("id")?;
    text.parse().map_err(|_| ApiError::parameter("id", text, "a UUID (a key's id)"))
}

pub(super) async fn list(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let id = account_of(&ask, &keyed)?;
    let presented = keyed.0.key;
    let load = move |service: &superroot_account::AccountService| {
        service.account_below(&keyed.0, id)?;
        Ok((service.accounts().keys(id)?, service.accounts().now()))
    };
    let (keys, now) = service.account(load).await?;
    let keys = keys.iter().map(|key| shapes::key(key, now, presented)).collect();
    Ok(answer(&KeyList { keys }))
}

pub(super) async fn create(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let id = account_of(&ask, &keyed)?;
    let body = read_json(&service, &headers, body).await?;
    let new = Members::read(&service.api, &body)?.into_new_key();
    let made = service.account(move |service| {
        let actor = Actor::Key(&keyed.0);
        let made = service.accounts().create_key(actor, id, &new)?;
        Ok(shapes::issued(&made, service.accounts().now(), keyed.0.key))
    });
    Ok(answer(&made.await?).created())
}

pub(super) async fn change(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let id = account_of(&ask, &keyed)?;
    let key = key_of(&ask)?;
    let body = read_json(&service, &headers, body).await?;
    let members = Members::read(&service.api, &body)?;
    let changed = service.account(move |service| {
        let accounts = service.accounts();
        let Members { label, chains, routes, expires_at } = members;
        let change = KeyChange { label, chains, routes, expires_at };
        let changed = accounts.change_key(Actor::Key(&keyed.0), id, key, &change)?;
        Ok(shapes::key(&changed, accounts.now(), keyed.0.key))
    });
    Ok(answer(&changed.await?))
}

pub(super) async fn revoke(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
) -> Result<ApiAnswer, ApiError> {
    let id = account_of(&ask, &keyed)?;
    let key = key_of(&ask)?;
    let revoked = service.account(move |service| {
        let revoked = service.accounts().revoke_key(Actor::Key(&keyed.0), id, key)?;
        Ok(shapes::key(&revoked, service.accounts().now(), keyed.0.key))
    });
    Ok(answer(&revoked.await?))
}

pub(super) async fn rotate(
    State(service): State<Shared>,
    keyed: Keyed,
    ask: RequestInput,
    headers: HeaderMap,
    body: Body,
) -> Result<ApiAnswer, ApiError> {
    let id = account_of(&ask, &keyed)?;
    let key = key_of(&ask)?;
    let body = read_json(&service, &headers, body).await?;
    let members = body.as_object().cloned().unwrap_or_default();
    only_members(&members, "", &["grace_seconds"])?;
    let most = service.api.accounts.config().keys.rotation_grace_seconds_max;
    let grace_seconds = match members.get("grace_seconds") {
        None => GRACE_SECONDS.min(most),
        Some(value) => value.as_u64().ok_or_else(|| {
            ApiError::parameter("grace_seconds", &describe(value), format!("0 to {most} seconds"))
        })?,
    };
    let made = service.account(move |service| {
        let accounts = service.accounts();
        let made = accounts.rotate_key(Actor::Key(&keyed.0), id, key, grace_seconds)?;
        Ok(shapes::issued(&made, accounts.now(), keyed.0.key))
    });
    Ok(answer(&made.await?).created())
}

/// A key request's members: absent, `null` or a value.
#[derive(Debug, Default)]
pub(super) struct Members {
    label: Option<Option<Label>>,
    chains: Option<Option<BTreeSet<ChainId>>>,
    routes: Option<Option<BTreeSet<RoutePattern>>>,
    expires_at: Option<Option<UnixSeconds>>,
}

impl Members {
    pub(super) fn into_new_key(self) -> NewKey {
        let scope = Scope { chains: self.chains.flatten(), routes: self.routes.flatten() };
        NewKey { label: self.label.flatten(), scope, expires_at: self.expires_at.flatten() }
    }

    pub(super) fn read(api: &Api, body: &Value) -> Result<Self, ApiError> {
        let none = Map::new();
        let members = body.as_object().unwrap_or(&none);
        only_members(members, "", &["label", "chains", "routes", "expires_at"])?;
        Ok(Self {
            label: given(members, "label", read_label)?,
            chains: given(members, "chains", |value| {
                read_list("chains", value, |place, text| Ok(find_chain(api, place, text)?.id))
            })?,
            routes: given(members, "routes", |value| {
                read_list("routes", value, |place, text| {
                    let refuse = |error: superroot_account::AccountError| {
                        ApiError::new(INVALID_PARAMETER, error.to_string()).at(place)
                    };
                    text.parse::<RoutePattern>().map_err(refuse)
                })
            })?,
            expires_at: given(members, "expires_at", |value| {
                let expected = "Unix seconds below 2^53, or null";
                let seconds = value.as_u64().filter(|seconds| *seconds <= SAFE_INTEGER_MAX);
                let wrong = || ApiError::parameter("expires_at", &describe(value), expected);
                seconds.map(UnixSeconds).ok_or_else(wrong)
            })?,
        })
    }
}

/// Reads a member: outer `None` if absent, inner `None` if `null`.
fn given<T>(
    members: &Map<String, Value>,
    name: &str,
    read: impl FnOnce(&Value) -> Result<T, ApiError>,
) -> Result<Option<Option<T>>, ApiError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(None)),
        Some(value) => read(value).map(|value| Some(Some(value))),
    }
}

fn read_label(value: &Value) -> Result<Label, ApiError> {
    let wrong = || ApiError::parameter("label", &describe(value), "a text, or null");
    let text = value.as_str().ok_or_else(wrong)?;
    Label::try_from(text.to_owned()).map_err(of_account)
}

fn read_list<T: Ord>(
    name: &str,
    value: &Value,
    read: impl Fn(&str, &str) -> Result<T, ApiError>,
) -> Result<BTreeSet<T>, ApiError> {
    let expected = format!("a list of 1 to {SCOPE_ENTRIES_MAX} entries, or null");
    let list = value.as_array().filter(|list| (1..=SCOPE_ENTRIES_MAX).contains(&list.len()));
    let list = list.ok_or_else(|| ApiError::parameter(name, &describe(value), expected))?;
    let entries = list.iter().enumerate().map(|(index, entry)| {
        let place = format!("{name}[{index}]");
        match entry {
            Value::String(_) => read(&place, &text_of(entry)),
            Value::Number(number) if number.is_u64() => read(&place, &text_of(entry)),
            other => Err(ApiError::parameter(place, &describe(other), "a name or a whole number")),
        }
    });
    entries.collect()
}
