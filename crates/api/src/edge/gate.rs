//! Gate in front of the routes: keys, tiers, scopes, limits.
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
use axum::http::{Extensions, HeaderMap, Method, Uri};
use superroot_account::limit::{AddressPrefix, Allowance, Limiter};
use superroot_account::meter::MeteredCaller;
use superroot_account::{Entitlement, MeteredRoute, Passage, RouteRef, Tier};
use superroot_socket::Peer;
use superroot_types::ChainKey;
use superroot_wire::paths;

use super::client_address::client_address;
use super::key::presented;
use super::limit_headers::Quota;
use super::meter::MeteredRequest;
use super::paths::PathRow;
use super::payment::due;
use crate::ApiError;
use crate::error::codes::{INVALID_API_KEY, OUT_OF_SCOPE, TIER_REQUIRED};
use crate::error::of_account;
use crate::input::caller::{Caller, refuse_outside_scope};
use crate::input::{BYTES_EACH, named_length};
use crate::route::is_chain;
use crate::service::{ApiService, Shared};

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
    let is_file = row.is_file(parts.uri.path());
    let request = GateRequest { service, prefix, row, route: &route, chain, is_file };
    let GateDecision { caller, quota, refused } = request.decide(parts).await;
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
    route.path.starts_with(paths::KEYS) || route.path.starts_with(paths::KEYS_BELOW)
}

/// Whether a restricted key revokes itself: a finder may always end a leaked key.
fn is_waived(error: &ApiError, parts: &Parts, route: &MeteredRoute, caller: &Caller) -> bool {
    if error.code != OUT_OF_SCOPE {
        return false;
    }
    let Some(entitlement) = caller.entitlement() else { return false };
    let own = format!("{}/{}", paths::KEYS, entitlement.key);
    parts.method == Method::DELETE && route.path.starts_with(paths::KEYS) && parts.uri.path() == own
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

/// Request at the gate, to a route in this row.
#[derive(Clone, Copy)]
struct GateRequest<'a> {
    service: &'a Shared,
    prefix: AddressPrefix,
    row: &'a PathRow,
    route: &'a MeteredRoute,
    chain: Option<ChainKey>,
    is_file: bool,
}

/// Limit that a request counts against.
struct CountedLimit {
    policy: &'static str,
    allowance: Option<Allowance>,
}

impl GateRequest<'_> {
    async fn decide(self, parts: &Parts) -> GateDecision {
        let shown = match presented(&parts.headers) {
            Ok(Some(text)) => LimitHeadersFor::Key(text),
            Ok(None) => match token_of(&parts.uri, self.row) {
                Some(token) => LimitHeadersFor::Token(token),
                None => return self.decide_keyless(),
            },
            Err(error) => return self.refuse_unread_key(error),
        };
        match authenticate(self.service, shown, self.prefix).await {
            Ok(entitlement) => self.decide_keyed(entitlement).await,
            Err(Stopped::Tried) => self.refuse_failed_key(None),
            Err(Stopped::Refused(error)) => self.refuse_failed_key(Some(error)),
            Err(Stopped::Unknown(error)) => self.refuse_unread_key(error),
        }
    }

    fn limiter(&self) -> &Limiter {
        self.service.api.accounts.limiter()
    }

    fn decide_keyless(&self) -> GateDecision {
        let Self { prefix, route, chain, .. } = *self;
        let limiter = self.limiter();
        let (policy, allowance) = if self.is_file {
            ("files", take(route, || limiter.file(prefix)))
        } else {
            ("keyless", take(route, || limiter.keyless(prefix)))
        };
        let refused = over_limit(allowance).or_else(|| pass(route, chain, None));
        self.keyless(Quota::new(policy, allowance), refused)
    }

    /// Refuses a request whose key cannot be read or looked up; it counts as one without a key.
    fn refuse_unread_key(&self, error: ApiError) -> GateDecision {
        let allowance = self.limiter().keyless(self.prefix);
        let refused = over_limit(allowance).or(Some(error));
        self.keyless(Quota::new("keyless", allowance), refused)
    }

    /// Refuses a failed key; without an error the key was not looked up.
    fn refuse_failed_key(&self, error: Option<ApiError>) -> GateDecision {
        let bound = self.limiter().failed_key(self.prefix);
        let allowance = bound.map(|(_, allowance)| allowance);
        let limit = allowance.map_or(0, |allowance| allowance.limit);
        let error = error.unwrap_or_else(|| ApiError::rate_limited(limit, 1));
        let refused = over_limit(allowance).or(Some(error));
        let quota = Quota::new(bound.map_or("failed_keys", |(name, _)| name), allowance);
        self.keyless(quota, refused)
    }

    fn keyless(&self, quota: Quota, refused: Option<ApiError>) -> GateDecision {
        GateDecision { caller: Caller::keyless(self.prefix), quota, refused }
    }

    async fn decide_keyed(self, entitlement: Arc<Entitlement>) -> GateDecision {
        let Self { service, prefix, row, route, chain, .. } = self;
        let CountedLimit { policy, allowance } = self.count_keyed(&entitlement);
        let quota = Quota::new(policy, allowance);
        let refused = over_limit(allowance).or_else(|| pass(route, chain, Some(&entitlement)));
        let refused = match refused {
            None if route.weight > 0 || row.is_stream => {
                Box::pin(due(service, &entitlement)).await // seldom: not part of every future
            }
            refused => refused,
        };
        GateDecision { caller: Caller::keyed(prefix, entitlement), quota, refused }
    }

    fn count_keyed(&self, entitlement: &Entitlement) -> CountedLimit {
        let Self { prefix, route, .. } = *self;
        let limiter = self.limiter();
        let rights = &entitlement.rights;
        if manages_keys(route) {
            let allowance = take(route, || limiter.of_keys(entitlement.key, prefix));
            return CountedLimit { policy: "keys", allowance };
        }
        if self.is_file && rights.tier == Tier::Explorer {
            let allowance = take(route, || limiter.file(prefix));
            return CountedLimit { policy: "files", allowance };
        }
        let account = entitlement.limited_as();
        let count = || limiter.account(account, rights.limit_per_minute);
        let own = CountedLimit { policy: rights.tier.name(), allowance: take(route, count) };
        match rights.tier {
            // a free account is had for nothing: it does not multiply the address's limit
            Tier::Explorer => {
                let count = || limiter.free_account(prefix, rights.limit_per_minute);
                let of_address = CountedLimit { policy: "keyless", allowance: take(route, count) };
                stricter(own, of_address)
            }
            _ => own,
        }
    }
}

/// Returns the stricter limit: a refusal before an allowance, then the fewer requests left.
fn stricter(one: CountedLimit, other: CountedLimit) -> CountedLimit {
    let rank =
        |limit: &CountedLimit| limit.allowance.map(|it| (it.retry_after, Reverse(it.remaining)));
    if rank(&other) > rank(&one) { other } else { one }
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
            let detail = "the stream token is invalid, already used or expired; request a new one at /api/v1/stream-token";
            let refuse = || Stopped::Refused(ApiError::new(INVALID_API_KEY, detail).at("token"));
            return taken.ok_or_else(refuse);
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
        Passage::OutOfScope(outside) => Some(refuse_outside_scope(outside)),
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
