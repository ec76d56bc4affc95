//! Counts every answer, with the status it goes out with.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use superroot_account::MeteredRoute;
use superroot_account::meter::{Caller, Counted, StatusClass};
use superroot_types::ChainKey;

use super::grpc::Outcome;
use super::limit_headers::{Quota, RATE_LIMIT, write_limits};
use super::render::FOR_ALL;
use crate::answer::About;
use crate::input::caller::Left;
use crate::service::Service;

/// Billing tokens that the answer weighs.
pub(crate) const BILLING_WEIGHT: HeaderName = HeaderName::from_static("x-billing-weight");

/// What is counted of a request that came to the gate, and what is left after it.
pub(crate) struct Asked {
    pub(crate) caller: Caller,
    pub(crate) route: MeteredRoute,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) quota: Quota,
    /// The same where the handler counted more.
    pub(crate) left: Left,
}

/// Counts the answer and writes what that comes to: to be called when nothing changes the status
/// any more.
pub(crate) fn settle(service: &Service, asked: &Asked, response: &mut Response) {
    let status = StatusClass::of(Outcome::of(response).as_u16());
    let Asked { caller, route, chain, quota, left } = asked;
    let about = response.extensions().get::<About>().map(|About(chain)| *chain);
    let (accounts, now) = (&service.api.accounts, service.api.clock.now());
    accounts.meter().count(&Counted {
        environment: accounts.environment(),
        caller: *caller,
        route: route.number,
        chain: chain.or(about),
        status,
        weight: route.weight,
        at: now,
    });
    let weight = if status == StatusClass::Success { route.weight } else { 0 };
    // those of nearly all routes, without a piece of memory each
    let weight = match weight {
        0 => HeaderValue::from_static("0"),
        1 => HeaderValue::from_static("1"),
        2 => HeaderValue::from_static("2"),
        more => HeaderValue::from(more),
    };
    let headers = response.headers_mut();
    // an answer that caches keep for all says nothing of one caller's limit; a refusal by another limit than the route's
    // brings the headers of that
    let is_for_all = headers.get(header::CACHE_CONTROL).is_some_and(|kept| kept == FOR_ALL);
    if is_for_all {
        headers.insert(BILLING_WEIGHT, weight);
        return;
    }
    if status != StatusClass::ClientError || !headers.contains_key(RATE_LIMIT) {
        let left = left.get().map(|(policy, allowance)| Quota::new(policy, Some(*allowance)));
        write_limits(headers, left.as_ref().unwrap_or(quota));
    }
    headers.insert(BILLING_WEIGHT, weight);
}
