//! What becomes of a request between compression and its route: admitted, asked, dressed, counted.
//!
//! It is one service for all of that, not a layer each: a layer of axum's costs every request a box
//! for itself and a copy of all boxes below it.

use std::any::Any;
use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tower::{Layer, Service};

use crate::ApiError;
use crate::dress::Dress;
use crate::endpoint::PathRow;
use crate::gate::{Admission, admit, check_sizes, is_free};
use crate::input::drain;
use crate::meter::{Asked, settle};
use crate::service::Shared;

/// Puts [`Handling`] around a route.
#[derive(Clone)]
pub(crate) struct HandlingLayer {
    pub(crate) service: Shared,
    /// Whether there are keys, limits and counts; benchmarks look at what those cost.
    pub(crate) has_accounts: bool,
}

impl<R> Layer<R> for HandlingLayer {
    type Service = Handling<R>;

    fn layer(&self, route: R) -> Handling<R> {
        Handling { around: self.clone(), route }
    }
}

/// A route with everything that it need not know of.
#[derive(Clone)]
pub(crate) struct Handling<R> {
    around: HandlingLayer,
    route: R,
}

/// An answer that is being made.
pub(crate) type Answering<R> = Pin<Box<dyn Future<Output = Result<R, Infallible>> + Send>>;

impl<R> Service<Request> for Handling<R>
where
    R: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    R::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Answering<Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.route.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let next = self.route.clone();
        let route = std::mem::replace(&mut self.route, next); // the one that is ready
        let service = Arc::clone(&self.around.service);
        let has_accounts = self.around.has_accounts;
        Box::pin(async move { Ok(handle(&service, has_accounts, route, request).await) })
    }
}

async fn handle<R>(service: &Shared, has_accounts: bool, route: R, mut request: Request) -> Response
where
    R: Service<Request, Response = Response, Error = Infallible>,
{
    let dress = Dress::of(&mut request);
    let row = service.rows.of(request.extensions().get());
    let (mut response, asked) = if is_free(&request) {
        (ask(service, row, route, request).await, None)
    } else if has_accounts {
        let (response, asked) = admitted(service, row, route, request).await;
        (response, Some(asked))
    } else {
        (bounded(service, row, route, request).await, None)
    };
    dress.put_on(&service.api, &mut response);
    if let Some(asked) = asked {
        settle(service, &asked, &mut response);
    }
    response
}

/// Asks the route if the gate lets the request through.
async fn admitted<R>(
    service: &Shared,
    row: &PathRow,
    route: R,
    request: Request,
) -> (Response, Asked)
where
    R: Service<Request, Response = Response, Error = Infallible>,
{
    let (mut parts, body) = request.into_parts();
    let Admission { caller, asked, refused } = admit(service, row, &mut parts).await;
    let response = match refused.or_else(|| check_sizes(service, &parts).err()) {
        None => {
            parts.extensions.insert(caller);
            ask(service, row, route, Request::from_parts(parts, body)).await
        }
        Some(error) => {
            drain(&parts.headers, body).await;
            error.into_response()
        }
    };
    (response, asked)
}

/// What is left of [`admitted`] without accounts.
async fn bounded<R>(service: &Shared, row: &PathRow, route: R, request: Request) -> Response
where
    R: Service<Request, Response = Response, Error = Infallible>,
{
    let (parts, body) = request.into_parts();
    match check_sizes(service, &parts) {
        Ok(()) => ask(service, row, route, Request::from_parts(parts, body)).await,
        Err(error) => error.into_response(),
    }
}

/// The route's answer; a problem where the query has a name that the route does not know, where it
/// takes too long, and where it panics.
async fn ask<R>(service: &Shared, row: &PathRow, mut route: R, request: Request) -> Response
where
    R: Service<Request, Response = Response, Error = Infallible>,
{
    if let Err(error) = row.check_query(request.method(), request.uri()) {
        return error.into_response();
    }
    let limit_ms = service.api.config.request_timeout_ms;
    let answer = AssertUnwindSafe(async { route.call(request).await }).catch_unwind();
    match tokio::time::timeout(Duration::from_millis(limit_ms), answer).await {
        Ok(Ok(Ok(response))) => response,
        Ok(Ok(Err(never))) => match never {},
        Ok(Err(panic)) => panicked(&*panic),
        Err(_) => ApiError::Timeout { limit_ms }.into_response(),
    }
}

/// The answer where a handler panicked; the panic's text stays in the log.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    ApiError::Internal.into_response()
}
