//! The documents of the service: OpenAPI, its readable form, and a page to begin with.

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::status::load_status;
use super::{chains, coverage, status};
use crate::ApiError;
use crate::endpoint::{Endpoint, Grid, Returns};
use crate::service::{Api, Shared};

/// No scripts, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const CHAIN_STATES: &str = "States: planned (this build does not read the chain), not_followed (no \
    source of it is configured), starting, catching_up (its nodes have final blocks that are not held \
    yet; claimed says what they have), backfilling (followed, and older blocks are fetched), \
    following, stalled (nothing new for too long), halted (its nodes contradict what was final), \
    recorded (nothing new will come), withdrawn (the log takes nothing of it any more). why says in \
    words why a chain does not move.";

/// Their part of the route table, with the chains and the status.
pub(super) fn table() -> Vec<Endpoint> {
    let (grid, text) = (Grid::Service, Returns::Text);
    let html = text("text/html");
    vec![
        Endpoint::get(
            "/api/v1/chains",
            "chains",
            grid,
            "Every chain of the registry, and how it fares",
            "ChainList",
            get(chains::chains),
        )
        .says(CHAIN_STATES),
        Endpoint::get(
            "/api/v1/status",
            "status",
            grid,
            "The whole service at one glance: what each chain does, and why one does not move",
            "Status",
            get(status::status),
        )
        .says(CHAIN_STATES),
        Endpoint::get(
            "/api/v1/coverage/{chain}",
            "coverage",
            grid,
            "What is held of a chain range by range, what is not and why, and how to have more",
            "Coverage",
            get(coverage::coverage),
        )
        .query(&["cursor", "limit"])
        .errors(&["unknown_chain"])
        .says(
            "Ranges and gaps leave out no number. A page has at most limit ranges and the gaps \
             before each; the last one has the gaps above everything that is held.",
        ),
        Endpoint::get(
            "/health/live",
            "live",
            grid,
            "Whether the process answers",
            "Health",
            get(status::live),
        ),
        Endpoint::get(
            "/health/ready",
            "ready",
            grid,
            "Whether there is a SuperRoot to prove against",
            "Health",
            get(status::ready),
        )
        .errors(&["starting", "nothing_recorded"]),
        Endpoint {
            returns: text("application/json"),
            ..Endpoint::get("/openapi.json", "openapi", grid, "This document", "", get(openapi))
        },
        Endpoint {
            returns: html,
            ..Endpoint::get("/docs", "docs", grid, "This document for people", "", get(docs))
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
async fn docs(State(service): State<Shared>) -> Response {
    (headers("text/html; charset=utf-8"), service.document.html.clone()).into_response()
}

/// `GET /`
async fn index(State(service): State<Shared>) -> Response {
    let page = crate::docs::index(service.api.prover.origin(), service.api.prover.network());
    (headers("text/html; charset=utf-8"), page).into_response()
}

/// `GET /status`
async fn status_page(State(service): State<Shared>) -> Result<Response, ApiError> {
    let began_at = service.began_at;
    let load = move |api: &Api| Ok(crate::status_page::page(&load_status(api, began_at)?));
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
