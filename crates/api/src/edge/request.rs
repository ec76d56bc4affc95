//! Outermost layer: request id, span, metrics.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use metrics::{Counter, Histogram};
use tower::{Layer, Service};
use tracing::Instrument;

use super::answering::Answering;
use super::grpc::GrpcStatus;
use super::head::check_host;
use super::limit_headers::insert;
use super::render::tag_coding;
use super::request_id::{REQUEST_ID, RequestId};

/// Wraps everything else in [`RequestTrace`].
#[derive(Clone, Copy)]
pub(crate) struct RequestLayer;

impl<S> Layer<S> for RequestLayer {
    type Service = RequestTrace<S>;

    fn layer(&self, inside: S) -> RequestTrace<S> {
        RequestTrace { inside, measures: Arc::default() }
    }
}

/// Inner service with a request id, a span and metrics for each request. One per route: axum adds a layer to each.
#[derive(Clone)]
pub(crate) struct RequestTrace<S> {
    inside: S,
    measures: Arc<Measures>,
}

/// Metrics for one route, looked up once.
#[derive(Default)]
struct Measures {
    seconds: OnceLock<Histogram>,
    /// Counter for status 200, the most common.
    answered: OnceLock<Counter>,
}

impl<S, B> Service<Request> for RequestTrace<S>
where
    S: Service<Request, Response = Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: Default,
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
        let measures = Arc::clone(&self.measures);
        let span = tracing::info_span!(
            "api.request",
            request.id = %id.0,
            http.method = %method,
            http.route = name_of(matched.as_ref()),
            http.status = tracing::field::Empty,
        );
        // the layer that answers preflights looks at no host, and stands outside of the one that does
        let mut is_refused = false;
        if method == Method::OPTIONS {
            let (parts, body) = request.into_parts();
            is_refused = check_host(&parts).is_err();
            request = Request::from_parts(parts, body);
        }
        let answer = (!is_refused).then(|| span.in_scope(|| self.inside.call(request)));
        let answer = answer.map(|answer| answer.instrument(span.clone()));
        Box::pin(async move {
            let mut response = match answer {
                Some(answer) => answer.await?,
                None => bad_request(),
            };
            let route = name_of(matched.as_ref());
            let status = GrpcStatus::of(&response).as_u16();
            span.record("http.status", status);
            measures.count(route, status, start);
            span.in_scope(|| tracing::debug!("answered {method} {route} with {status}"));
            let headers = response.headers_mut();
            tag_coding(headers);
            insert(headers, REQUEST_ID, &id.0);
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            Ok(response)
        })
    }
}

/// Empty answer to a malformed preflight: nobody reads the body.
fn bad_request<B: Default>() -> Response<B> {
    let mut response = Response::new(B::default());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

fn name_of(matched: Option<&MatchedPath>) -> &str {
    matched.map_or("unmatched", MatchedPath::as_str)
}

impl Measures {
    fn count(&self, route: &str, status: u16, start: Instant) {
        let route = || route.to_owned();
        let answered = || {
            let status = status.to_string();
            metrics::counter!("superroot_api_requests_total", "route" => route(), "status" => status)
        };
        match status {
            200 => self.answered.get_or_init(answered).increment(1),
            _ => answered().increment(1),
        }
        let seconds = || metrics::histogram!("superroot_api_request_seconds", "route" => route());
        self.seconds.get_or_init(seconds).record(start.elapsed().as_secs_f64());
    }
}
