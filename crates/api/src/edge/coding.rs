//! Content codings of answers: zstd, br and gzip for who takes one.

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
use super::head::Taken;
use crate::coding;

/// Puts [`Coding`] around a route.
#[derive(Clone, Copy)]
pub(crate) struct CodingLayer;

impl<S> Layer<S> for CodingLayer {
    type Service = Coding<S>;

    fn layer(&self, inside: S) -> Coding<S> {
        Coding { inside }
    }
}

/// A route whose answers are compressed for who asks for it. An answer that may be compressed is six kilobytes long before
/// its body, so those of who does not ask are none of these.
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
        let mut taken = Taken::default();
        if request.headers().contains_key(header::ACCEPT_ENCODING) {
            taken = Taken::of(request.headers());
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
