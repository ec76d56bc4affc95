//! Gate in front of the routes: keys, tiers, scopes, limits, sizes.
//!
//! ```text
//! headers -> key -> who -> limit -> tier x route -> scope -> [handler]
//!              \                                                |
//!               `- failed: counts against the address            `-> what is counted: meter.rs
//! ```
//! An exhausted limit answers first: 429, before any other refusal.

use std::cmp::Reverse;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts, Query, RawPathParams};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, Uri, header};
use superroot_account::limit::{AddressPrefix, Allowance};
use superroot_account::meter::MeteredCaller;
use superroot_account::{Entitlement, MeteredRoute, Passage, RouteRef, Tier};
use superroot_billing::Due;
use superroot_socket::Peer;
use superroot_types::ChainKey;

use super::client_address::client_address;
use super::key::presented;
use super::limit_headers::Quota;
use super::meter::MeteredRequest;
use super::paths::PathRow;
use crate::ApiError;
use crate::error::codes::{
    HEADERS_TOO_LARGE, INVALID_API_KEY, OUT_OF_SCOPE, PAYMENT_DUE, TIER_REQUIRED, URI_TOO_LONG,
};
use crate::error::{of_account, of_billing};
use crate::input::caller::{Caller, refused};
use crate::input::{BYTES_EACH, named_length};
use crate::route::is_chain;
use crate::service::{ApiService, Shared};

const KEYS: &str = "/api/v1/keys";
const KEYS_BELOW: &str = "/api/v1/sub-accounts/{account_id}/keys";
/// Longest path and query in bytes. This limit and the two below stay under the HTTP library's (65,534 bytes; 100
/// fields; 16 KiB in HTTP/2), whose error responses have neither body nor limit headers.
const URI_BYTES_MAX: usize = 8_192;
/// Most header fields.
const HEADERS_MAX: usize = 64;
/// Most bytes in all header names and values.
const HEADER_BYTES_MAX: usize = 8_192;

/// Gate result for a request.
pub(crate) struct Admission {
    pub(crate) caller: Caller,
    /// Metering data, whatever the outcome.
    pub(crate) asked: MeteredRequest,
    pub(crate) refused: Option<ApiError>,
}

/// Whether a request needs no key and is neither limited nor counted.
pub(crate) fn is_free(parts: &Parts) -> bool {
    let path = parts.uri.path();
    path == "/health" || path.starts_with("/health/") || path.starts_with("/grpc.health.v1.Health/")
}

/// Decides on a request to a route in this row.
pub(crate) async fn admit(service: &Shared, row: &PathRow, parts: &mut Parts) -> Admission {
    let mut route = row.metered;
    if parts.method == Method::HEAD {
        // nothing large is made for it
        route.weight = 0;
        route.requests = 1;
    }
    // what is read and parsed counts by its size
    let length = named_length(&parts.headers).unwrap_or(0) / BYTES_EACH;
    route.requests = route.requests.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
    let chain = if row.has_chain { chain_of(service, parts).await } else { None };
    let prefix = prefix_of(service, &parts.extensions, &parts.headers);
    let looked = look(service, parts, prefix, (row, &route), chain).await;
    let GateDecision { caller, quota, refused } = looked;
    let refused = refused.filter(|error| !is_waived(error, parts, &route, &caller));
    let asked = MeteredRequest {
        caller: metered_caller(&caller),
        route,
        chain,
        quota,
        left: caller.left(),
    };
    Admission { caller, asked, refused }
}

/// Whether a route lists, creates, changes or revokes keys.
fn manages_keys(route: &MeteredRoute) -> bool {
    route.path.starts_with(KEYS) || route.path.starts_with(KEYS_BELOW)
}

/// Whether a restricted key revokes itself: a finder may always end a leaked key.
fn is_waived(error: &ApiError, parts: &Parts, route: &MeteredRoute, caller: &Caller) -> bool {
    if error.code != OUT_OF_SCOPE {
        return false;
    }
    let Some(entitlement) = caller.entitlement() else { return false };
    let own = format!("{KEYS}/{}", entitlement.key);
    parts.method == Method::DELETE && route.path.starts_with(KEYS) && parts.uri.path() == own
}

async fn chain_of(service: &ApiService, parts: &mut Parts) -> Option<ChainKey> {
    let params = RawPathParams::from_request_parts(parts, &()).await.ok()?;
    let mut named = params.iter().filter(|(name, _)| is_chain(name));
    let (_, text) = named.next()?;
    service.api.registry.find(text).map(superroot_chain::ChainSpec::key)
}

/// Caller, and the decisions by limit and route.
struct GateDecision {
    caller: Caller,
    quota: Quota,
    refused: Option<ApiError>,
}

async fn look(
    service: &Shared,
    parts: &Parts,
    prefix: AddressPrefix,
    (row, route): (&PathRow, &MeteredRoute),
    chain: Option<ChainKey>,
) -> GateDecision {
    let limiter = service.api.accounts.limiter();
    let is_file = row.is_file(parts.uri.path());
    let keyless = |allowance, refused| GateDecision {
        caller: Caller::keyless(prefix),
        quota: Quota::new("keyless", allowance),
        refused,
    };
    let text = match presented(&parts.headers) {
        Ok(Some(text)) => LimitHeadersFor::Key(text),
        Ok(None) if token_of(&parts.uri, row).is_some() => {
            LimitHeadersFor::Token(token_of(&parts.uri, row).unwrap_or_default())
        }
        Ok(None) => {
            let (name, allowance) = if is_file {
                ("files", take(route, || limiter.file(prefix)))
            } else {
                ("keyless", take(route, || limiter.keyless(prefix)))
            };
            let refused = over_limit(allowance).or_else(|| pass(route, chain, None));
            return GateDecision { quota: Quota::new(name, allowance), ..keyless(None, refused) };
        }
        Err(error) => {
            let allowance = limiter.keyless(prefix);
            return keyless(allowance, over_limit(allowance).or(Some(error)));
        }
    };
    match authenticate(service, text, prefix).await {
        Ok(entitlement) => {
            let rights = &entitlement.rights;
            let (name, allowance) = if manages_keys(route) {
                ("keys", take(route, || limiter.of_keys(entitlement.key, prefix)))
            } else if is_file && rights.tier == Tier::Explorer {
                ("files", take(route, || limiter.file(prefix)))
            } else {
                let account = entitlement.limited_as();
                let count = || limiter.account(account, rights.limit_per_minute);
                let own = (rights.tier.name(), take(route, count));
                match rights.tier {
                    // a free account is had for nothing: it does not multiply the address's limit
                    Tier::Explorer => {
                        let count = || limiter.free_account(prefix, rights.limit_per_minute);
                        stricter(own, ("keyless", take(route, count)))
                    }
                    _ => own,
                }
            };
            let quota = Quota::new(name, allowance);
            let refused = over_limit(allowance).or_else(|| pass(route, chain, Some(&entitlement)));
            let refused = match refused {
                None if route.weight > 0 || row.is_stream => {
                    Box::pin(due(service, &entitlement)).await // seldom: not part of every future
                }
                refused => refused,
            };
            GateDecision { caller: Caller::keyed(prefix, entitlement), quota, refused }
        }
        Err(stopped @ (Stopped::Tried | Stopped::Refused(_))) => {
            let bound = limiter.failed_key(prefix);
            let allowance = bound.map(|(_, allowance)| allowance);
            let limit = allowance.map_or(0, |allowance| allowance.limit);
            let error = match stopped {
                Stopped::Refused(error) => error,
                _ => ApiError::rate_limited(limit, 1),
            };
            let refused = over_limit(allowance).or(Some(error));
            let quota = Quota::new(bound.map_or("failed_keys", |(name, _)| name), allowance);
            GateDecision { quota, ..keyless(None, refused) }
        }
        Err(Stopped::Unknown(error)) => {
            let allowance = limiter.keyless(prefix);
            keyless(allowance, over_limit(allowance).or(Some(error)))
        }
    }
}

/// Returns the stricter limit: a refusal before an allowance, then the fewer requests left.
fn stricter(
    one: (&'static str, Option<Allowance>),
    other: (&'static str, Option<Allowance>),
) -> (&'static str, Option<Allowance>) {
    let rank = |limit: Option<Allowance>| limit.map(|it| (it.retry_after, Reverse(it.remaining)));
    if rank(other.1) > rank(one.1) { other } else { one }
}

/// Refusal for an account that must pay, or prove its payer, before it uses more billing tokens.
pub(crate) async fn due(service: &Shared, entitlement: &Entitlement) -> Option<ApiError> {
    let account = entitlement.limited_as();
    let due = match service.dues.remembered(account, service.api.clock.now()) {
        Some(due) => due,
        None => {
            let shared = Arc::clone(service);
            let look = move || Ok(shared.dues.look(&shared.api.billing, account));
            match service.look_up(look).await {
                Ok(Ok(due)) => due,
                Ok(Err(error)) => return Some(of_billing(error)),
                Err(error) => return Some(error),
            }
        }
    };
    let usdc = superroot_billing::usdc_text;
    Some(match due? {
        Due::Wallet { used, free } => {
            let detail = format!(
                "{used} billing tokens are used this month and {free} are free: prove a wallet (POST \
                 /api/v1/wallet) to go on as you pay; see /api/v1/plans"
            );
            ApiError::new(PAYMENT_DUE, detail).with("used", used).with("free", free)
        }
        Due::Payment { owed_usdc_e6, most_usdc_e6 } => {
            let owed = usdc(owed_usdc_e6.into());
            let most = usdc(most_usdc_e6.into());
            let detail = format!(
                "{owed} USDC are owed, the running month included, and {most} may be: pay the invoices (GET \
                 /api/v1/invoices) or what the month costs so far, or agree on more with the operator"
            );
            ApiError::new(PAYMENT_DUE, detail).with("owed_usdc", owed).with("most_usdc", most)
        }
    })
}

/// Content for the limit headers, by caller.
enum LimitHeadersFor<'a> {
    Key(&'a str),
    /// Single-use stream token.
    Token(String),
}

fn token_of(uri: &Uri, row: &PathRow) -> Option<String> {
    if !row.is_stream || row.is_method {
        return None;
    }
    let Query(query) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    query.into_iter().find(|(name, _)| name == "token").map(|(_, token)| token)
}

/// Counts a request with its route's weight, up to the first refusal.
fn take(route: &MeteredRoute, count: impl Fn() -> Option<Allowance>) -> Option<Allowance> {
    let mut allowance = count();
    for _ in 1..route.requests {
        if allowance.is_some_and(|allowance| allowance.is_allowed()) {
            allowance = count();
        }
    }
    allowance
}

/// Reasons for a failed key lookup.
enum Stopped {
    /// Not looked up: too many invalid keys from this client, and too many lookups in progress.
    Tried,
    /// Invalid or no longer valid.
    Refused(ApiError),
    /// Unknown for now.
    Unknown(ApiError),
}

/// Resolves a key: from memory if cached, else from the store, on a blocking thread.
async fn authenticate(
    service: &Shared,
    shown: LimitHeadersFor<'_>,
    prefix: AddressPrefix,
) -> Result<Arc<Entitlement>, Stopped> {
    let text = match shown {
        LimitHeadersFor::Key(text) => text,
        LimitHeadersFor::Token(token) => {
            let taken = service.tokens.take(&token, service.api.clock.now());
            let detail = "the token is unknown, used or over; get another at /api/v1/stream-token";
            let refused = || Stopped::Refused(ApiError::new(INVALID_API_KEY, detail).at("token"));
            return taken.ok_or_else(refused);
        }
    };
    let stopped = |error: superroot_account::AccountError| {
        let is_refused = error.refuses_key();
        let error = of_account(error);
        if is_refused { Stopped::Refused(error) } else { Stopped::Unknown(error) }
    };
    let accounts = &service.api.accounts;
    if let Some(known) = accounts.accounts().authenticate_remembered(text).map_err(stopped)? {
        return Ok(known);
    }
    let look = accounts.limiter().key_look(prefix);
    if look.is_some_and(|allowance| !allowance.is_allowed()) {
        return Err(Stopped::Tried);
    }
    let text = text.to_owned();
    let accounts = Arc::clone(accounts);
    let look_up = move || Ok(accounts.accounts().authenticate(&text));
    let looked_up = Box::pin(service.look_up(look_up)).await; // seldom: not part of every future
    looked_up.map_err(Stopped::Unknown)?.map_err(stopped)
}

/// Refusal for a caller at this route; `None` if open.
fn pass(
    route: &MeteredRoute,
    chain: Option<ChainKey>,
    entitlement: Option<&Entitlement>,
) -> Option<ApiError> {
    let MeteredRoute { path, grid, access, .. } = *route;
    let chain = chain.map(|chain| chain.id);
    let tier = entitlement.map_or(Tier::Explorer, Entitlement::tier);
    match (RouteRef { path, grid, access }).pass(chain.as_slice(), entitlement) {
        Passage::Allowed => None,
        Passage::NeedsKey => Some(ApiError::needs_key()),
        Passage::TierRequired(needed) => Some(tier_required(needed, tier)),
        Passage::OutOfScope(outside) => Some(refused(outside)),
    }
}

fn tier_required(needed: Tier, tier: Tier) -> ApiError {
    let detail = format!("this route needs tier {needed}, the key has {tier}; see /api/v1/plans");
    let error = ApiError::new(TIER_REQUIRED, detail).with("tier_required", needed.name());
    error.with("tier", tier.name())
}

fn over_limit(allowance: Option<Allowance>) -> Option<ApiError> {
    match allowance {
        Some(Allowance { limit, retry_after: Some(retry_after), .. }) => {
            Some(ApiError::rate_limited(limit, retry_after))
        }
        _ => None,
    }
}

fn metered_caller(caller: &Caller) -> MeteredCaller {
    match caller.entitlement() {
        Some(entitlement) => {
            MeteredCaller::Account { account: entitlement.account, key: entitlement.key }
        }
        None => MeteredCaller::Keyless,
    }
}

/// Network prefix for a client.
pub(crate) fn prefix_of(
    service: &ApiService,
    extensions: &Extensions,
    headers: &HeaderMap,
) -> AddressPrefix {
    let trusted = &service.api.config.trusted_proxies;
    client_address(peer(extensions), headers, trusted).into()
}

/// Peer address. Without one all requests count as one client: never unlimited.
fn peer(extensions: &Extensions) -> IpAddr {
    let peer = extensions.get::<ConnectInfo<Peer>>().map(|info| info.0.address);
    let peer = peer.or_else(|| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0));
    peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip())
}

/// Refuses a request larger, actual or announced, than any route reads (414, 431, 413).
pub(crate) fn check_sizes(service: &ApiService, parts: &Parts) -> Result<(), ApiError> {
    if parts.uri.path_and_query().is_some_and(|uri| uri.as_str().len() > URI_BYTES_MAX) {
        return Err(ApiError::new(
            URI_TOO_LONG,
            format!("path and query are longer than {URI_BYTES_MAX} bytes"),
        ));
    }
    let sizes = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
    if parts.headers.len() > HEADERS_MAX || sizes.sum::<usize>() > HEADER_BYTES_MAX {
        let detail = format!(
            "there are more than {HEADERS_MAX} header fields, or more than {HEADER_BYTES_MAX} bytes \
             of them"
        );
        return Err(ApiError::new(HEADERS_TOO_LARGE, detail));
    }
    let max = service.api.config.body_bytes_max;
    let length = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    match length {
        Some(length) if usize::try_from(length).map_or(true, |length| length > max) => {
            Err(ApiError::body_too_large(max))
        }
        _ => Ok(()),
    }
}
