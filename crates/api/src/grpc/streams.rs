//! Streams that stay open: only so many at a time, and only for so long.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http_body_util::{BodyExt, BodyStream, StreamBody};
use tokio::sync::Semaphore;
use tower::Service;

use crate::ApiError;
use crate::error::codes::RATE_LIMITED;

/// Streams of one method that are open at a time.
const OPEN_MAX: usize = 256;
/// What a stream may take to end by itself when its time is up.
const SLACK: Duration = Duration::from_secs(10);

/// A method whose streams end after `lifetime`; one too many is refused.
#[derive(Clone)]
pub(super) struct Bounded<S> {
    method: S,
    open: Arc<Semaphore>,
    lifetime: Duration,
}

impl<S> Bounded<S> {
    pub(super) fn new(method: S, lifetime: Duration) -> Self {
        Self { method, open: Arc::new(Semaphore::new(OPEN_MAX)), lifetime }
    }
}

type Opening = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl<S, B> Service<Request> for Bounded<S>
where
    S: Service<Request, Response = axum::http::Response<B>, Error = Infallible>,
    S::Future: Send + 'static,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Opening;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.method.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Opening {
        let Ok(permit) = Arc::clone(&self.open).try_acquire_owned() else {
            let detail = format!("{OPEN_MAX} streams of this method are open, which is the most");
            return Box::pin(async { Ok(ApiError::new(RATE_LIMITED, detail).into_response()) });
        };
        let lifetime = self.lifetime;
        // where no more is asked, the stream ends by itself
        let opening = self.method.call(request.map(|body| cut(body, lifetime)));
        Box::pin(async move {
            let response = opening.await?;
            Ok(response.map(|body| {
                let body = cut(body, lifetime + SLACK);
                Body::new(body.map_frame(move |frame| {
                    let _held = &permit;
                    frame
                }))
            }))
        })
    }
}

/// The body, up to that time from now.
fn cut<B>(body: B, lifetime: Duration) -> Body
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let frames = BodyStream::new(Box::pin(body)).take_until(tokio::time::sleep(lifetime));
    Body::new(StreamBody::new(frames))
}
