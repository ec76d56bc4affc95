//! Page at `/docs/try`: Swagger UI, with our page and start script.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use swagger_ui_dist::{ApiDefinition, OpenApiSource};
use tokio::sync::OnceCell;
use tower::ServiceExt;

use super::file::{CSS, HTML, JS, PageFile};

/// Content security policy: scripts and styles from this service only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

static PAGE: LazyLock<PageFile> =
    LazyLock::new(|| PageFile::new(HTML, POLICY, include_str!("tryout/index.html")));
static START: LazyLock<PageFile> =
    LazyLock::new(|| PageFile::new(JS, POLICY, include_str!("tryout/start.js")));
static STYLE: OnceCell<PageFile> = OnceCell::const_new();
static BUNDLE: OnceCell<PageFile> = OnceCell::const_new();

/// Returns the page or one of its files; `None` for another name.
pub(super) async fn find(name: &str) -> Option<&'static PageFile> {
    match name {
        "try" => Some(&PAGE),
        "start.js" => Some(&START),
        "swagger-ui.css" => of_swagger(&STYLE, name, CSS).await,
        "swagger-ui-bundle.js" => of_swagger(&BUNDLE, name, JS).await,
        _ => None,
    }
}

/// Swagger UI file. The crate provides routes, not files.
async fn of_swagger(
    kept: &'static OnceCell<PageFile>,
    name: &str,
    media_type: &'static str,
) -> Option<&'static PageFile> {
    let load = async || {
        let api_definition = OpenApiSource::Uri("");
        let routes = ApiDefinition { uri_prefix: "/docs", api_definition, title: None };
        let request = Request::get(format!("/docs/{name}")).body(Body::empty()).map_err(|_| ())?;
        let Ok(response) = swagger_ui_dist::generate_routes(routes).oneshot(request).await;
        if response.status() != StatusCode::OK {
            return Err(());
        }
        let bytes = response.into_body().collect().await.map_err(|_| ())?.to_bytes();
        Ok(PageFile::new(media_type, POLICY, bytes))
    };
    kept.get_or_try_init(load).await.ok()
}
