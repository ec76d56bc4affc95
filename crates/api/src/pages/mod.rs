//! Pages for people: live data, routes, status; and the OpenAPI document.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::chains::status::load_status;
use crate::error::codes::UNKNOWN_PATH;
use crate::input::RequestInput;
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::{Api, Shared};
pub(crate) use file::HTML;
use file::PageFile;

pub(crate) mod docs;
pub(crate) mod file;
mod status;
mod tryout;
pub(crate) mod web;

/// Content security policy: no scripts, no external resources.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Media type of pages in the route table.
const MEDIA_TYPE: &str = "text/html";
/// Document for the try-out page.
const WITH_EXAMPLES: &str = "openapi-with-examples.json";

pub(crate) fn routes() -> Vec<ApiRoute> {
    let mut routes = document_routes();
    routes.extend(live_routes());
    routes
}

fn open(number: u16, path: &'static str, operation: RouteOperation) -> ApiRoute {
    ApiRoute::open(number, path, RouteGroup::Service).serves(operation)
}

/// Documents, and pages about them.
fn document_routes() -> Vec<ApiRoute> {
    vec![
        open(
            62,
            "/openapi.json",
            RouteOperation::get("openapi", "This document", openapi)
                .says("Made of the routes and types themselves.")
                .returns_text("application/json"),
        ),
        open(
            113,
            "/asyncapi.json",
            RouteOperation::get("asyncapi", "What is pushed, as AsyncAPI 3", asyncapi)
                .says("Topics of streams and webhooks, with their data.")
                .returns_text("application/json"),
        ),
        open(
            114,
            "/docs/{file}",
            RouteOperation::get("docsFile", "try: the document, to be tried out", tried)
                .says("try, and the files that it is made of.")
                .errors(&[UNKNOWN_PATH])
                .returns_text(MEDIA_TYPE),
        ),
        open(
            61,
            "/docs",
            RouteOperation::get("docs", "This document for people", page)
                .says("HTML that needs no script.")
                .returns_text(MEDIA_TYPE),
        ),
    ]
}

/// Pages with live data.
fn live_routes() -> Vec<ApiRoute> {
    vec![
        open(
            60,
            "/status",
            RouteOperation::get(
                "statusPage",
                "The status as a page for people, which renews itself",
                status_page,
            )
            .says("The same as /api/v1/status.")
            .returns_text(MEDIA_TYPE),
        ),
        open(
            65,
            "/",
            RouteOperation::get(
                "index",
                "Live data, and a check of any proof in the browser",
                index,
            )
            .says("HTML, with its scripts under /web.")
            .returns_text(MEDIA_TYPE),
        ),
        open(
            121,
            "/web/{*asset}",
            RouteOperation::get("webFile", "A script or style of that page", web_file)
                .says("JavaScript or CSS, from this service alone.")
                .errors(&[UNKNOWN_PATH])
                .returns_text("text/javascript"),
        )
        .has_files(),
    ]
}

pub(crate) fn json_file(text: String) -> PageFile {
    PageFile::new("application/json", POLICY, text)
}

pub(crate) fn html_file(text: String) -> PageFile {
    PageFile::new(HTML, POLICY, text)
}

async fn openapi(State(service): State<Shared>, asked: HeaderMap, ask: RequestInput) -> Response {
    service.document.json.response(&asked, &ask.seen()).await
}

async fn asyncapi(State(service): State<Shared>, asked: HeaderMap, ask: RequestInput) -> Response {
    service.document.pushed.response(&asked, &ask.seen()).await
}

/// `GET /docs/{file}`: try-out page and its files, all in this binary.
async fn tried(
    State(service): State<Shared>,
    asked: HeaderMap,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let file = match ask.path("file")? {
        WITH_EXAMPLES => Some(&service.document.with_examples),
        name => tryout::find(name).await,
    };
    let unknown = || ApiError::new(UNKNOWN_PATH, "no page has this path, see /docs");
    Ok(file.ok_or_else(unknown)?.response(&asked, &ask.seen()).await)
}

async fn page(State(service): State<Shared>, asked: HeaderMap, ask: RequestInput) -> Response {
    service.document.html.response(&asked, &ask.seen()).await
}

async fn index(State(service): State<Shared>, asked: HeaderMap, ask: RequestInput) -> Response {
    service.site.index.response(&asked, &ask.seen()).await
}

async fn web_file(
    State(service): State<Shared>,
    asked: HeaderMap,
    ask: RequestInput,
) -> Result<Response, ApiError> {
    let found = service.site.find(ask.path("asset")?);
    let unknown = || ApiError::new(UNKNOWN_PATH, "the page has no such file");
    let (file, is_fixed) = found.ok_or_else(unknown)?;
    let mut response = file.response(&asked, &ask.seen()).await;
    if is_fixed {
        let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, kept);
    }
    Ok(response)
}

async fn status_page(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    let began_at = service.began_at;
    let make = move |api: &Api| {
        let status = serde_json::to_value(load_status(api, began_at)?).unwrap_or_default();
        Ok(ApiAnswer::of_html(status::page(&status)))
    };
    service.page_of_state("/status", make).await
}
