//! Pages for people: the routes, the status, where to begin; and the OpenAPI document.

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};

use crate::ApiError;
use crate::chains::status::load_status;
use crate::route::{Group, Operation, Route};
use crate::service::{Api, Shared};

pub(crate) mod docs;
mod status;

/// No scripts, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let open =
        |number, path, operation| Route::open(number, path, Group::Service).serves(operation);
    let html = "text/html";
    vec![
        open(
            62,
            "/openapi.json",
            Operation::get("openapi", "This document", openapi).returns_text("application/json"),
        ),
        open(
            61,
            "/docs",
            Operation::get("docs", "This document for people", page).returns_text(html),
        ),
        open(
            60,
            "/status",
            Operation::get(
                "statusPage",
                "The status as a page for people, which renews itself",
                status_page,
            )
            .returns_text(html),
        ),
        open(65, "/", Operation::get("index", "Where to begin", index).returns_text(html)),
    ]
}

/// `GET /openapi.json`
async fn openapi(State(service): State<Shared>) -> Response {
    let headers = headers("application/json");
    (headers, service.document.json.clone()).into_response()
}

/// `GET /docs`
async fn page(State(service): State<Shared>) -> Response {
    (headers("text/html; charset=utf-8"), service.document.html.clone()).into_response()
}

/// `GET /`
async fn index(State(service): State<Shared>) -> Response {
    let page = docs::index(service.api.prover.origin(), service.api.prover.network());
    (headers("text/html; charset=utf-8"), page).into_response()
}

/// `GET /status`
async fn status_page(State(service): State<Shared>) -> Result<Response, ApiError> {
    let began_at = service.began_at;
    let load = move |api: &Api| {
        Ok(status::page(&serde_json::to_value(load_status(api, began_at)?).unwrap_or_default()))
    };
    let page = service.blocking(load).await?;
    Ok((headers("text/html; charset=utf-8"), page).into_response())
}

const fn headers(media_type: &'static str) -> [(HeaderName, &'static str); 3] {
    [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ]
}
