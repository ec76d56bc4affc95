//! Content codings: zstd, br and gzip, by `Accept-Encoding`.

use std::convert::Infallible;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use tower::{Layer, Service, ServiceExt};
use tower_http::compression::DefaultPredicate;
use tower_http::compression::predicate::Predicate;

use super::answering::Answering;
use super::head::AcceptedCodings;
use crate::coding;

/// Wraps a route in [`Coding`].
#[derive(Clone, Copy)]
pub(crate) struct CodingLayer;

impl<S> Layer<S> for CodingLayer {
    type Service = Coding<S>;

    fn layer(&self, inside: S) -> Coding<S> {
        Coding { inside }
    }
}

/// Route with compressed answers on request. A compressible response has a six kilobyte future before its body, so
/// uncompressed answers avoid the type.
#[derive(Clone)]
pub(crate) struct Coding<S> {
    inside: S,
}

impl<S> Service<Request> for Coding<S>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Answering<Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inside.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let mut taken = AcceptedCodings::default();
        if request.headers().contains_key(header::ACCEPT_ENCODING) {
            taken = AcceptedCodings::of(request.headers());
            request.extensions_mut().insert(taken);
        }
        // of who takes none the layer would make every answer a 406, a refusal for another reason too
        if taken.is_any_coding() {
            let answer = coding::layer().layer(self.inside.clone()).oneshot(request);
            return Box::pin(async move { Ok(answer.await?.map(Body::new)) });
        }
        let answer = self.inside.call(request);
        Box::pin(async move {
            let mut response = answer.await?;
            let is_coded = response.headers().contains_key(header::CONTENT_ENCODING);
            if !is_coded && DefaultPredicate::new().should_compress(&response) {
                let varies = HeaderValue::from_static("accept-encoding");
                response.headers_mut().append(header::VARY, varies);
            }
            Ok(response)
        })
    }
}
