//! Request handling between compression and route: admission, answer, rendering, metering.
//!
//! One service does all steps: each axum layer would cost a box per request and a copy of all boxes below it.

use std::any::Any;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use tower::{Layer, Service, ServiceExt};

use super::answering::Answering;
use super::gate::{admit, is_free};
use super::grpc;
use super::head::{AcceptedCodings, check_host};
use super::meter::settle;
use super::paths::{PathRow, PathRows};
use super::render::RenderOptions;
use super::sizes::check_sizes;
use crate::ApiError;
use crate::error::codes::TIMEOUT;
use crate::input::drain;
use crate::route::EVENT_STREAM;
use crate::service::Shared;

/// Headers added from here on: form, limits, weight, and the outer layers.
const HEADERS_MORE: usize = 16;

/// Wraps a route in [`Handling`].
#[derive(Clone)]
pub(crate) struct HandlingLayer(pub(crate) Arc<HandlingContext>);

pub(crate) struct HandlingContext {
    pub(crate) service: Shared,
    pub(crate) paths: PathRows,
    /// Whether keys, limits and counts are active; benchmarks measure their cost.
    pub(crate) has_accounts: bool,
}

impl<R> Layer<R> for HandlingLayer {
    type Service = Handling<R>;

    fn layer(&self, route: R) -> Handling<R> {
        Handling { around: Arc::clone(&self.0), route: Arc::new(route) }
    }
}

/// Route with admission, rendering and metering. It is cloned for each request, the route inside only when called.
pub(crate) struct Handling<R> {
    around: Arc<HandlingContext>,
    route: Arc<R>,
}

impl<R> Clone for Handling<R> {
    fn clone(&self) -> Self {
        Self { around: Arc::clone(&self.around), route: Arc::clone(&self.route) }
    }
}

impl<R> Service<Request> for Handling<R>
where
    R: Service<Request, Response = Response, Error = Infallible> + Clone + Send + Sync + 'static,
    R::Future: Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Answering<Response>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(())) // the copy that is asked says when it is ready
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Self { around, route } = self.clone();
        Box::pin(async move { Ok(handle(&around, route.as_ref(), request).await) })
    }
}

async fn handle<R>(layer: &HandlingContext, route: &R, mut request: Request) -> Response
where
    R: Service<Request, Response = Response, Error = Infallible> + Clone,
{
    let service = &layer.service;
    let row = layer.paths.of(request.extensions().get());
    let is_grpc = grpc::is_of(request.headers()) && (row.is_method || row.is_unmatched());
    let form = RenderOptions::of(&mut request, is_grpc);
    let (mut parts, body) = request.into_parts();
    let is_free = is_free(&parts);
    let mut asked = None;
    let mut refused = None;
    if layer.has_accounts && !is_free {
        let admission = admit(service, row, &mut parts).await;
        parts.extensions.insert(admission.caller);
        (asked, refused) = (Some(admission.asked), admission.refused);
    }
    refused = check_host(&parts).err().or(refused);
    let taken = parts.extensions.remove::<AcceptedCodings>().unwrap_or_default();
    refused = refused.or_else(|| taken.check().err());
    if !is_free {
        refused = refused.or_else(|| check_sizes(service, &parts).err());
    }
    if row.is_method && !is_grpc {
        refused = refused.or_else(|| Some(grpc::wrong_type(&parts.headers)));
    }
    let mut response = match refused {
        None => {
            let request = Request::from_parts(parts, body);
            ask(service, (row, is_grpc), route, request).await
        }
        Some(error) => {
            Box::pin(drain(&parts.headers, body)).await;
            error.into_response()
        }
    };
    if is_stream(&response)
        && let Err(error) = taken.check_plain()
    {
        response = error.into_response();
    }
    response.headers_mut().reserve(HEADERS_MORE); // at one time, not by and by
    form.render(&service.api, &mut response);
    if let Some(asked) = asked {
        settle(service, &asked, &mut response);
    }
    response
}

fn is_stream(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    media_type.is_some_and(|media_type| media_type.as_bytes().starts_with(EVENT_STREAM.as_bytes()))
}

/// Calls the route; returns a problem for an unknown query name, a timeout or a panic.
async fn ask<R>(
    service: &Shared,
    (row, is_grpc): (&PathRow, bool),
    route: &R,
    mut request: Request,
) -> Response
where
    R: Service<Request, Response = Response, Error = Infallible> + Clone,
{
    if let Err(error) = row.check_query(request.method(), request.uri()) {
        return error.into_response();
    }
    let limit_ms = service.api.config.request_timeout_ms;
    let mut limit = Duration::from_millis(limit_ms) + row.waiting(request.uri());
    let mut deadline = None;
    let patience = grpc::Patience::default();
    if is_grpc {
        match grpc::timeout(request.headers()) {
            // what is late already is not begun
            Ok(Some(Duration::ZERO)) => return late(Duration::ZERO).into_response(),
            Ok(named) => deadline = named,
            Err(error) => return error.into_response(),
        }
        limit = deadline.map_or(limit, |deadline| deadline.min(limit));
        request.extensions_mut().insert(patience.clone());
    }
    let answer = AssertUnwindSafe(async { route.clone().oneshot(request).await }).catch_unwind();
    let mut answer = std::pin::pin!(answer);
    let mut answered = tokio::time::timeout(limit, &mut answer).await;
    let longer = patience.after(limit, deadline);
    if answered.is_err() && !longer.is_zero() {
        limit += longer;
        answered = tokio::time::timeout(longer, &mut answer).await;
    }
    match answered {
        Ok(Ok(Ok(response))) => response,
        Ok(Ok(Err(never))) => match never {},
        Ok(Err(panic)) => panicked(&*panic),
        Err(_) => late(limit).into_response(),
    }
}

fn late(limit: Duration) -> ApiError {
    ApiError::new(TIMEOUT, format!("the request took longer than {} ms", limit.as_millis()))
}

/// Response for a handler panic; the panic message stays in the log.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    ApiError::internal().into_response()
}
