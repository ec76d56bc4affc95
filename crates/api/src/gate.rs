//! The gate in front of the routes: keys, tiers, scopes, limits, body size, time.
//!
//! ```text
//! headers -> key -> who -> limit -> tier x route -> scope -> [handler]
//!              \                                                |
//!               `- failed: counts against the address            `-> what is counted: meter.rs
//! ```
//! A limit that is used up answers first: 429, whatever else stands against the request.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use superroot_account::limit::{AddressPrefix, Allowance};
use superroot_account::meter::Caller as MeteredCaller;
use superroot_account::{Entitlement, MeteredRoute, Outside, Passage, Route, Tier, UNMATCHED};
use superroot_types::{ChainId, ChainKey};

use crate::caller::Caller;
use crate::client::client_address;
use crate::connection::Peer;
use crate::endpoint::metered;
use crate::input::drain;
use crate::key::presented;
use crate::limits::{Quota, write_limits};
use crate::meter::Asked;
use crate::service::{Service, Shared};
use crate::{ApiError, refusal};

/// Where routes begin that list, make, change and revoke keys.
const KEYS: &str = "/api/v1/keys";

/// What the gate made of a request.
struct Admission {
    caller: Caller,
    quota: Quota,
    /// Why it goes no further.
    refused: Option<ApiError>,
}

/// The layer. `/health/*` is neither limited nor asked for keys nor counted.
pub(crate) async fn gate(State(service): State<Shared>, request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/health/") {
        return run(&service, request, next).await;
    }
    let (mut parts, body) = request.into_parts();
    let matched = parts.extensions.get::<MatchedPath>();
    let route = matched.map_or(UNMATCHED, |path| metered(path.as_str()));
    let chain = chain_of(&service, &mut parts).await;
    let trusted = &service.api.config.trusted_proxies;
    let address = client_address(peer(&parts.extensions), &parts.headers, trusted);
    let admission = admit(&service, &parts.headers, address.into(), &route, chain).await;
    let Admission { caller, quota, refused } = admission;
    let asked = Asked { caller: metered_caller(&caller), route, chain };
    let refused = refused.filter(|error| !is_waived(error, &parts, &route, &caller));
    let refused = refused.or_else(|| check_length(&service, &parts.headers).err());
    let mut response = match refused {
        None => {
            parts.extensions.insert(caller);
            run(&service, Request::from_parts(parts, body), next).await
        }
        Some(error) => {
            drain(&parts.headers, body).await;
            error.into_response()
        }
    };
    write_limits(response.headers_mut(), &quota, service.api.clock.now());
    response.extensions_mut().insert(asked);
    response
}

/// Whether a key that is confined revokes itself: whoever finds it out may put an end to it.
fn is_waived(
    error: &ApiError,
    parts: &axum::http::request::Parts,
    route: &MeteredRoute,
    caller: &Caller,
) -> bool {
    let ApiError::OutOfScope { .. } = error else { return false };
    let Some(entitlement) = caller.entitlement() else { return false };
    let own = format!("{KEYS}/{}", entitlement.key);
    parts.method == Method::DELETE && route.path.starts_with(KEYS) && parts.uri.path() == own
}

/// What is left of the gate without accounts: the body's size, and time.
pub(crate) async fn bounds(
    State(service): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    match check_length(&service, request.headers()) {
        Ok(()) => run(&service, request, next).await,
        Err(error) => error.into_response(),
    }
}

/// The chain that the path names, where it names one that there is.
async fn chain_of(service: &Service, parts: &mut axum::http::request::Parts) -> Option<ChainKey> {
    let params = RawPathParams::from_request_parts(parts, &()).await.ok()?;
    let mut named = params.iter().filter(|(name, _)| matches!(*name, "chain" | "chain_id"));
    let (_, text) = named.next()?;
    service.api.registry.find(text).map(superroot_chain::ChainRow::key)
}

async fn admit(
    service: &Shared,
    headers: &HeaderMap,
    prefix: AddressPrefix,
    route: &MeteredRoute,
    chain: Option<ChainKey>,
) -> Admission {
    let limiter = service.api.accounts.limiter();
    let keyless = |allowance, refused| Admission {
        caller: Caller::keyless(prefix),
        quota: Quota::new("keyless", allowance),
        refused,
    };
    let text = match presented(headers) {
        Ok(Some(text)) => text,
        Ok(None) => {
            let allowance = limiter.keyless(prefix);
            let refused = over_limit(allowance).or_else(|| pass(route, chain, None));
            return keyless(allowance, refused);
        }
        Err(error) => {
            let allowance = limiter.keyless(prefix);
            return keyless(allowance, over_limit(allowance).or(Some(error)));
        }
    };
    match authenticate(service, text, prefix).await {
        Ok(entitlement) => {
            let rights = &entitlement.rights;
            let (name, allowance) = if route.path.starts_with(KEYS) {
                ("keys", limiter.of_keys(entitlement.key))
            } else {
                let account = entitlement.limited_as();
                (rights.tier.name(), limiter.account(account, rights.limit_per_minute))
            };
            let quota = Quota::new(name, allowance);
            let refused = over_limit(allowance).or_else(|| pass(route, chain, Some(&entitlement)));
            Admission { caller: Caller::keyed(prefix, entitlement), quota, refused }
        }
        Err(Stopped::Tried) => {
            let allowance = limiter.failed_key(prefix);
            let limit = allowance.map_or(0, |allowance| allowance.limit);
            let soon = ApiError::RateLimited { limit, retry_after: 1 };
            keyless(allowance, over_limit(allowance).or(Some(soon)))
        }
        Err(Stopped::Refused(error)) => {
            let allowance = limiter.failed_key(prefix);
            keyless(allowance, over_limit(allowance).or(Some(error)))
        }
        Err(Stopped::Unknown(error)) => {
            let allowance = limiter.keyless(prefix);
            keyless(allowance, over_limit(allowance).or(Some(error)))
        }
    }
}

/// Why a key gives nothing.
enum Stopped {
    /// Too many keys that were none came from there: this one was not looked up.
    Tried,
    /// It is none, or none any more.
    Refused(ApiError),
    /// It cannot be known now.
    Unknown(ApiError),
}

/// What a key gives: from memory where it is remembered, else from the store, off the async threads.
async fn authenticate(
    service: &Shared,
    text: &str,
    prefix: AddressPrefix,
) -> Result<Arc<Entitlement>, Stopped> {
    let stopped = |error: superroot_account::AccountError| {
        let is_refused = error.refuses_key();
        let error = refusal::of_account(error);
        if is_refused { Stopped::Refused(error) } else { Stopped::Unknown(error) }
    };
    let accounts = &service.api.accounts;
    if let Some(known) = accounts.accounts().authenticate_remembered(text).map_err(stopped)? {
        return Ok(known);
    }
    let peeked = accounts.limiter().key_look_peek(prefix);
    if peeked.is_some_and(|allowance| !allowance.is_allowed()) {
        return Err(Stopped::Tried);
    }
    let (text, accounts) = (text.to_owned(), Arc::clone(accounts));
    let look_up = move || Ok(accounts.accounts().authenticate(&text));
    service.look_up(look_up).await.map_err(Stopped::Unknown)?.map_err(stopped)
}

/// Why the route is closed to whoever asks; none where it is open.
fn pass(
    route: &MeteredRoute,
    chain: Option<ChainKey>,
    entitlement: Option<&Entitlement>,
) -> Option<ApiError> {
    let MeteredRoute { path, grid, access, .. } = *route;
    let chains: Vec<ChainId> = chain.iter().map(|chain| chain.id).collect();
    let tier = entitlement.map_or(Tier::Explorer, Entitlement::tier);
    match (Route { path, grid, access }).pass(&chains, entitlement) {
        Passage::Allowed => None,
        Passage::NeedsKey => Some(ApiError::NeedsKey),
        Passage::TierRequired(needed) => Some(ApiError::TierRequired { needed, tier }),
        Passage::OutOfScope(outside) => Some(out_of_scope(outside)),
    }
}

fn out_of_scope(outside: Outside) -> ApiError {
    crate::caller::refused(outside)
}

fn over_limit(allowance: Option<Allowance>) -> Option<ApiError> {
    match allowance {
        Some(Allowance { limit, retry_after: Some(retry_after), .. }) => {
            Some(ApiError::RateLimited { limit, retry_after })
        }
        _ => None,
    }
}

fn metered_caller(caller: &Caller) -> MeteredCaller {
    match caller.entitlement() {
        Some(entitlement) => {
            MeteredCaller::Account { account: entitlement.account, key: entitlement.key }
        }
        None => MeteredCaller::Address(caller.prefix()),
    }
}

/// Without a known peer all requests count as of one client: never unlimited.
fn peer(extensions: &axum::http::Extensions) -> IpAddr {
    let peer = extensions.get::<ConnectInfo<Peer>>().map(|info| info.0.0);
    let peer = peer.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0));
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip())
}

fn check_length(service: &Service, headers: &HeaderMap) -> Result<(), ApiError> {
    let max = service.api.config.body_bytes_max;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    match length {
        Some(length) if usize::try_from(length).map_or(true, |length| length > max) => {
            Err(ApiError::BodyTooLarge { max })
        }
        _ => Ok(()),
    }
}

async fn run(service: &Service, request: Request, next: Next) -> Response {
    let limit_ms = service.api.config.request_timeout_ms;
    let answered = tokio::time::timeout(Duration::from_millis(limit_ms), next.run(request)).await;
    answered.unwrap_or_else(|_| ApiError::Timeout { limit_ms }.into_response())
}

/// The answer where a handler panicked; the panic's text stays in the log.
pub(crate) fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    ApiError::Internal.into_response()
}
