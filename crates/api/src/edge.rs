//! The outermost layer: request id, span, metrics, and what is known of an answer only here.

use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use tower::{Layer, Service};
use tracing::Instrument;

use crate::dress::{insert, tag_coding};
use crate::handling::Answering;

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

/// Puts [`Edge`] around everything else.
#[derive(Clone, Copy)]
pub(crate) struct EdgeLayer;

impl<S> Layer<S> for EdgeLayer {
    type Service = Edge<S>;

    fn layer(&self, inside: S) -> Edge<S> {
        Edge { inside }
    }
}

/// Everything else, with an id, a span and a measure of each request.
#[derive(Clone)]
pub(crate) struct Edge<S> {
    inside: S,
}

impl<S, B> Service<Request> for Edge<S>
where
    S: Service<Request, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<B>;
    type Error = Infallible;
    type Future = Answering<Response<B>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inside.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let start = Instant::now();
        let id = RequestId::of(request.headers());
        request.extensions_mut().insert(id.clone());
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let method = request.method().clone();
        let span = tracing::info_span!(
            "api.request",
            request.id = %id.0,
            http.method = %method,
            http.route = name_of(matched.as_ref()),
            http.status = tracing::field::Empty,
        );
        let answer = span.in_scope(|| self.inside.call(request)).instrument(span.clone());
        Box::pin(async move {
            let mut response = answer.await?;
            let (route, status) = (name_of(matched.as_ref()), response.status().as_u16());
            span.record("http.status", status);
            count(route, status, start);
            span.in_scope(|| tracing::debug!("answered {method} {route} with {status}"));
            let headers = response.headers_mut();
            tag_coding(headers);
            insert(headers, REQUEST_ID, &id.0);
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            Ok(response)
        })
    }
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
