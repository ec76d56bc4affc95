//! The page at `/docs/try`: Swagger UI, with a page and a start of our own.

use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use swagger_ui_dist::{ApiDefinition, OpenApiSource};
use tower::ServiceExt;

/// Scripts and styles of this service alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// The page itself, or a file that it loads; none has another name.
pub(super) async fn response(file: &str) -> Option<Response> {
    let mut response = match file {
        "try" => html(include_str!("tryout/index.html")),
        "start.js" => script(include_str!("tryout/start.js")),
        "swagger-ui.css" | "swagger-ui-bundle.js" => of_swagger(file).await?,
        _ => return None,
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Some(response)
}

fn html(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

fn script(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], text).into_response()
}

/// A file of Swagger UI. The crate has routes, not files.
async fn of_swagger(file: &str) -> Option<Response> {
    let api_definition = OpenApiSource::Uri("");
    let routes = ApiDefinition { uri_prefix: "/docs", api_definition, title: None };
    let request = Request::get(format!("/docs/{file}")).body(Body::empty()).ok()?;
    let Ok(response) = swagger_ui_dist::generate_routes(routes).oneshot(request).await;
    (response.status() == StatusCode::OK).then_some(response)
}
