//! The page at `/docs/try`: Swagger UI, with a page and a start of our own.

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use swagger_ui_dist::{ApiDefinition, OpenApiSource};
use tokio::sync::OnceCell;
use tower::ServiceExt;

use super::file::{CSS, File, HTML, JS};

/// Scripts and styles of this service alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

static PAGE: LazyLock<File> =
    LazyLock::new(|| File::new(HTML, POLICY, include_str!("tryout/index.html")));
static START: LazyLock<File> =
    LazyLock::new(|| File::new(JS, POLICY, include_str!("tryout/start.js")));
static STYLE: OnceCell<File> = OnceCell::const_new();
static BUNDLE: OnceCell<File> = OnceCell::const_new();

/// The page itself, or a file that it loads; none has another name.
pub(super) async fn find(name: &str) -> Option<&'static File> {
    match name {
        "try" => Some(&PAGE),
        "start.js" => Some(&START),
        "swagger-ui.css" => of_swagger(&STYLE, name, CSS).await,
        "swagger-ui-bundle.js" => of_swagger(&BUNDLE, name, JS).await,
        _ => None,
    }
}

/// A file of Swagger UI. The crate has routes, not files.
async fn of_swagger(
    kept: &'static OnceCell<File>,
    name: &str,
    media_type: &'static str,
) -> Option<&'static File> {
    let load = async || {
        let api_definition = OpenApiSource::Uri("");
        let routes = ApiDefinition { uri_prefix: "/docs", api_definition, title: None };
        let request = Request::get(format!("/docs/{name}")).body(Body::empty()).map_err(|_| ())?;
        let Ok(response) = swagger_ui_dist::generate_routes(routes).oneshot(request).await;
        if response.status() != StatusCode::OK {
            return Err(());
        }
        let bytes = response.into_body().collect().await.map_err(|_| ())?.to_bytes();
        Ok(File::new(media_type, POLICY, bytes))
    };
    kept.get_or_try_init(load).await.ok()
}
