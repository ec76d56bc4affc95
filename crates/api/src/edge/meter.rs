//! Metering: counts every answer by its final status.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use superroot_account::MeteredRoute;
use superroot_account::meter::{CountedRequest, MeteredCaller, StatusClass};
use superroot_types::ChainKey;

use super::grpc::GrpcStatus;
use super::limit_headers::{Quota, RATE_LIMIT, write_limits};
use super::render::FOR_ALL;
use crate::answer::AnswerChain;
use crate::input::caller::RemainingAllowance;
use crate::service::ApiService;

/// Billing tokens for the answer.
pub(crate) const BILLING_WEIGHT: HeaderName = HeaderName::from_static("x-billing-weight");

/// An admitted request's metering data, and the remaining limit.
pub(crate) struct MeteredRequest {
    pub(crate) caller: MeteredCaller,
    pub(crate) route: MeteredRoute,
    pub(crate) chain: Option<ChainKey>,
    pub(crate) quota: Quota,
    /// Remaining limit after further counts in the handler.
    pub(crate) left: RemainingAllowance,
}

/// Counts the answer and writes its weight and limit headers. Call after the last status change.
pub(crate) fn settle(service: &ApiService, asked: &MeteredRequest, response: &mut Response) {
    let status = StatusClass::of(GrpcStatus::of(response).as_u16());
    let MeteredRequest { caller, route, chain, quota, left } = asked;
    let about = response.extensions().get::<AnswerChain>().map(|AnswerChain(chain)| *chain);
    let accounts = &service.api.accounts;
    let now = service.api.clock.now();
    accounts.meter().count(&CountedRequest {
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
