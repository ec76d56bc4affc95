//! The documents of the service: OpenAPI, its readable form, and a page to begin with.

use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};

use crate::service::Shared;

/// No scripts, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// `GET /openapi.json`
pub(super) async fn openapi(State(service): State<Shared>) -> Response {
    let headers = headers("application/json");
    (headers, service.document.json.clone()).into_response()
}

/// `GET /docs`
pub(super) async fn docs(State(service): State<Shared>) -> Response {
    (headers("text/html; charset=utf-8"), service.document.html.clone()).into_response()
}

/// `GET /`
pub(super) async fn index(State(service): State<Shared>) -> Response {
    let page = crate::docs::index(service.api.prover.origin(), service.api.prover.network());
    (headers("text/html; charset=utf-8"), page).into_response()
}

const fn headers(media_type: &'static str) -> [(HeaderName, &'static str); 3] {
    [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ]
}
