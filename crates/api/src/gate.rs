//! The gate in front of the routes: limits, keys, body size, time.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use superroot_account::limit::Allowance;

use crate::ApiError;
use crate::client::client_address;
use crate::connection::Peer;
use crate::input::drain;
use crate::key::check_keys;
use crate::service::{Service, Shared};

/// The three headers of every limited answer.
pub(crate) const LIMIT_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// The layer. `/health/*` is neither limited nor asked for keys.
pub(crate) async fn gate(State(service): State<Shared>, request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/health/") {
        return run(&service, request, next).await;
    }
    let trusted = &service.api.config.trusted_proxies;
    let address = client_address(peer(&request), request.headers(), trusted);
    let allowance = service.limiter.keyless(address.into());
    let passed = check_allowance(allowance).and_then(|()| check_keys(request.headers()));
    let mut response = match passed.and_then(|()| check_length(&service, request.headers())) {
        Ok(()) => run(&service, request, next).await,
        Err(error) => {
            let (head, body) = request.into_parts();
            drain(&head.headers, body).await;
            error.into_response()
        }
    };
    if let Some(allowance) = allowance {
        let values = [u64::from(allowance.limit), allowance.remaining.into(), allowance.reset.0];
        for (name, value) in LIMIT_HEADERS.into_iter().zip(values) {
            response.headers_mut().insert(name, HeaderValue::from(value));
        }
    }
    response
}

fn check_allowance(allowance: Option<Allowance>) -> Result<(), ApiError> {
    match allowance {
        Some(Allowance { limit, retry_after: Some(retry_after), .. }) => {
            Err(ApiError::RateLimited { limit, retry_after })
        }
        _ => Ok(()),
    }
}

/// Without a known peer all requests count as of one client: never unlimited.
fn peer(request: &Request) -> IpAddr {
    let extensions = request.extensions();
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
