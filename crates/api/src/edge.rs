//! The outermost layer: request id, span and metrics.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::dress::insert;

/// Header that carries the request id, both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is taken over from a caller.
const ID_BYTES_MAX: usize = 128;
/// What a key begins with: an id that holds one would stand in the log.
const KEY_MARK: &str = "svc_";

/// Leads from an answer to its log lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestId(pub(crate) String);

impl RequestId {
    /// The caller's own id where it is a sane one, else a random one.
    fn of(headers: &HeaderMap) -> Self {
        let sent = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        let sane = |id: &&str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
            let has_length = (1..=ID_BYTES_MAX).contains(&id.len());
            has_length && id.bytes().all(allowed) && !id.contains(KEY_MARK)
        };
        match sent.filter(sane) {
            Some(id) => Self(id.to_owned()),
            None => Self(const_hex::encode(rand::random::<[u8; 16]>())),
        }
    }
}

/// The layer.
pub(crate) async fn edge(mut request: Request, next: Next) -> Response {
    let id = RequestId::of(request.headers());
    request.extensions_mut().insert(id.clone());
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let method = request.method().clone();
    let span = tracing::info_span!(
        "api.request",
        request.id = %id.0,
        http.method = %method,
        http.route = %route,
        http.status = tracing::field::Empty,
    );
    let start = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    span.record("http.status", status);
    count(&route, status, start);
    span.in_scope(|| tracing::debug!("answered {method} {route} with {status}"));
    insert(response.headers_mut(), REQUEST_ID, &id.0);
    let nosniff = axum::http::HeaderValue::from_static("nosniff");
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    response
}

fn count(route: &str, status: u16, start: Instant) {
    let (route, status) = (route.to_owned(), status.to_string());
    metrics::counter!("superroot_api_requests_total", "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("superroot_api_request_seconds", "route" => route)
        .record(start.elapsed().as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_for(sent: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID, sent.parse().unwrap());
        RequestId::of(&headers).0
    }

    #[test]
    fn a_sane_id_is_taken_over() {
        for sent in ["a", "7f0c1d2e-0000-4000-8000-000000000000", "trace:1.2_3", &"x".repeat(128)] {
            assert_eq!(id_for(sent), sent);
        }
    }

    #[test]
    fn any_other_id_is_replaced() {
        for sent in ["", "a b", "a\"b", "<script>", "%0a", "a:svc_live_1", &"x".repeat(129)] {
            let made = id_for(sent);
            assert_ne!(made, sent);
            assert!(made.len() == 32 && made.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
        assert_ne!(RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
    }
}
