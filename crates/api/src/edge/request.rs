//! The outermost layer: request id, span, metrics, and what is known of an answer only here.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::limit_headers::insert;
use super::render::tag_coding;
use super::request_id::{REQUEST_ID, RequestId};

/// Gives each request an id, a span and a measure.
pub(crate) async fn observe(mut request: Request, inside: Next) -> Response {
    let start = Instant::now();
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let route = name_of(matched.as_ref());
    let span = tracing::info_span!(
        "api.request",
        request.id = %id.0,
        http.method = %method,
        http.route = route,
        http.status = tracing::field::Empty,
    );
    let mut response = inside.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    span.record("http.status", status);
    count(route, status, start);
    span.in_scope(|| tracing::debug!("answered {method} {route} with {status}"));
    let headers = response.headers_mut();
    tag_coding(headers);
    insert(headers, REQUEST_ID, &id.0);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The route as logs and measures name it.
fn name_of(matched: Option<&MatchedPath>) -> &str {
    matched.map_or("unmatched", MatchedPath::as_str)
}

fn count(route: &str, status: u16, start: Instant) {
    let (route, status) = (route.to_owned(), status.to_string());
    metrics::counter!("superroot_api_requests_total", "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("superroot_api_request_seconds", "route" => route)
        .record(start.elapsed().as_secs_f64());
}
