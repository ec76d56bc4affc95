//! What becomes of a request between compression and its route: admitted, answered, rendered, counted.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::gate::{admit, check_sizes, is_free};
use super::meter::settle;
use super::paths::{PathRow, PathRows};
use super::render::Form;
use crate::ApiError;
use crate::error::codes::TIMEOUT;
use crate::input::drain;
use crate::service::Shared;

/// What stands around every route.
#[derive(Clone)]
pub(crate) struct Around {
    pub(crate) service: Shared,
    pub(crate) paths: Arc<PathRows>,
    /// Whether there are keys, limits and counts; benchmarks look at what those cost.
    pub(crate) has_accounts: bool,
}

/// Admits a request, has its route answer, renders the answer and counts it.
pub(crate) async fn handle(
    State(around): State<Around>,
    mut request: Request,
    route: Next,
) -> Response {
    let service = &around.service;
    let form = Form::of(&mut request);
    let row = around.paths.of(request.extensions().get());
    let (mut parts, body) = request.into_parts();
    let is_free = is_free(&parts);
    let (mut asked, mut refused) = (None, None);
    if around.has_accounts && !is_free {
        let admission = admit(service, row, &mut parts).await;
        parts.extensions.insert(admission.caller);
        (asked, refused) = (Some(admission.asked), admission.refused);
    }
    if !is_free {
        refused = refused.or_else(|| check_sizes(service, &parts).err());
    }
    let mut response = match refused {
        None => ask(service, row, route, Request::from_parts(parts, body)).await,
        Some(error) => {
            Box::pin(drain(&parts.headers, body)).await;
            error.into_response()
        }
    };
    form.render(&service.api, &mut response);
    if let Some(asked) = asked {
        settle(service, &asked, &mut response);
    }
    response
}

/// The route's answer; a problem where the query has a name that the route does not know, where it
/// takes too long, and where it panics.
async fn ask(service: &Shared, row: &PathRow, route: Next, request: Request) -> Response {
    if let Err(error) = row.check_query(request.method(), request.uri()) {
        return error.into_response();
    }
    let limit_ms = service.api.config.request_timeout_ms;
    let answer = AssertUnwindSafe(route.run(request)).catch_unwind();
    match tokio::time::timeout(Duration::from_millis(limit_ms), answer).await {
        Ok(Ok(response)) => response,
        Ok(Err(panic)) => panicked(&*panic),
        Err(_) => ApiError::new(TIMEOUT, format!("the request took longer than {limit_ms} ms"))
            .into_response(),
    }
}

/// The answer where a handler panicked; the panic's text stays in the log.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    tracing::error!(panic = text, "a handler panicked");
    ApiError::internal().into_response()
}
