//! Pages for people: the routes, the status, where to begin; and the OpenAPI document.

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::ApiError;
use crate::chains::status::load_status;
use crate::route::{Endpoint, Grid, Returns};
use crate::service::{Api, Shared};

pub(crate) mod docs;
mod status;

/// No scripts, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Their part of the route table.
pub(crate) fn table() -> Vec<Endpoint> {
    let (grid, text) = (Grid::Service, Returns::Text);
    let html = text("text/html");
    vec![
        Endpoint {
            returns: text("application/json"),
            ..Endpoint::get("/openapi.json", "openapi", grid, "This document", "", get(openapi))
        },
        Endpoint {
            returns: html,
            ..Endpoint::get("/docs", "docs", grid, "This document for people", "", get(page))
        },
        Endpoint {
            returns: html,
            ..Endpoint::get(
                "/status",
                "statusPage",
                grid,
                "The status as a page for people, which renews itself",
                "",
                get(status_page),
            )
        },
        Endpoint {
            returns: html,
            ..Endpoint::get("/", "index", grid, "Where to begin", "", get(index))
        },
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
    let load = move |api: &Api| Ok(status::page(&load_status(api, began_at)?));
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
