//! Router: the table's routes, and the layers around them.
//!
//! ```text
//! request    request id, span, metrics, tag by content coding
//!  cors        preflights end here
//!   coding      zstd, br, gzip
//!    handling    keys, limits, tiers, scopes, sizes; query, time, panic -> 500;
//!     |          answer or error -> body, anchor, 304; counts, by the status that goes out
//!     route
//! ```

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Redirect, Response};
use metrics_exporter_prometheus::PrometheusHandle;
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use super::coding::CodingLayer;
use super::handling::{HandlingContext, HandlingLayer};
use super::limit_headers::{LIMIT_HEADERS, RATE_LIMIT, RATE_LIMIT_POLICY};
use super::meter::BILLING_WEIGHT;
use super::paths::PathRows;
use super::request::RequestLayer;
use super::request_id::REQUEST_ID;
use super::rpc;
use crate::accounts::pass;
use crate::error::codes::{METHOD_NOT_ALLOWED, UNKNOWN_PATH};
use crate::error::shorten;
use crate::openapi::{asyncapi, examples, openapi};
use crate::pages::{docs, html_file, json_file};
use crate::route::ApiRoute;
use crate::service::{Api, ApiService, Document, Shared};
use crate::{ApiError, grpc, mcp, routes};

/// OpenAPI document, built once per process.
static DOCUMENT: LazyLock<Document> = LazyLock::new(document);

/// Time of an agent's call beyond that of its route.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Browser cache time for a preflight answer in seconds.
const PREFLIGHT_SECONDS: u64 = 86_400;

/// HTTP router, which [`serve`](crate::serve()) puts on a socket. Other servers must use
/// `into_make_service_with_connect_info::<SocketAddr>()`: without the peer's address all requests count as one client.
pub fn router(api: Api) -> Router {
    let rpc = api.rpc.clone();
    let timeout = Duration::from_millis(api.config.request_timeout_ms).saturating_add(WAIT_MAX);
    let router = build(api, routes::table(), DOCUMENT.clone(), true);
    let router = mcp::mount(router, cors(), timeout);
    match rpc {
        Some(rpc) => rpc::mount(router, rpc, cors()),
        None => router,
    }
}

/// Routes without keys, limits and counts: for benchmarks. A route that needs the caller answers 500, so nothing
/// private is exposed.
#[doc(hidden)]
pub fn router_without_accounts(api: Api) -> Router {
    build(api, routes::table(), DOCUMENT.clone(), false)
}

/// Router over any table: tests have separate routes.
fn build(api: Api, table: Vec<ApiRoute>, document: Document, has_accounts: bool) -> Router {
    let paths = PathRows::new(&table, &grpc::methods());
    let service: Shared = Arc::new(ApiService::new(api, document));
    let mut router = Router::new();
    for ApiRoute { metered, operations, .. } in table {
        for operation in operations {
            router = router.route(metered.path, operation.handler);
        }
    }
    let router = grpc::mount(router, &service);
    let around = (
        RequestLayer,
        cors(),
        CodingLayer,
        HandlingLayer(Arc::new(HandlingContext {
            service: Arc::clone(&service),
            paths,
            has_accounts,
        })),
    );
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(around)
        .with_state(service)
}

fn document() -> Document {
    let document = openapi();
    let pushed = json_file(asyncapi().to_string());
    let html = html_file(docs::page(&document));
    let json = json_file(document.to_string());
    let with_examples = json_file(examples::put_into(document).to_string());
    Document { json, with_examples, html, pushed }
}

/// Answer for an unknown path; a page with a trailing slash redirects.
async fn unknown_path(request: Request) -> Response {
    match request.uri().path() {
        "/docs/" => Redirect::permanent("/docs").into_response(),
        "/docs/try/" => Redirect::permanent("/docs/try").into_response(),
        _ => ApiError::new(UNKNOWN_PATH, "no route has this path, see /docs").into_response(),
    }
}

async fn unknown_method(request: Request) -> ApiError {
    let got = shorten(request.method().as_str());
    ApiError::new(METHOD_NOT_ALLOWED, format!("method {got} is not allowed on this path"))
}

fn cors() -> CorsLayer {
    let mut exposed: Vec<HeaderName> = LIMIT_HEADERS.to_vec();
    exposed.extend([RATE_LIMIT, RATE_LIMIT_POLICY, BILLING_WEIGHT]);
    exposed.extend([header::RETRY_AFTER, REQUEST_ID, header::ETAG, header::WWW_AUTHENTICATE]);
    exposed.extend([pass::REQUIRED, pass::RESPONSE]);
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request()) // a star would not cover Authorization
        .expose_headers(exposed)
        .max_age(std::time::Duration::from_secs(PREFLIGHT_SECONDS))
}

/// `GET /metrics` in Prometheus text, for a separate port: no limits, no CORS.
pub fn metrics_router(handle: PrometheusHandle) -> Router {
    let render = move || {
        let handle = handle.clone();
        async move {
            handle.run_upkeep();
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], handle.render())
        }
    };
    Router::new().route("/metrics", axum::routing::get(render))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::Body;
    use axum::handler::Handler;
    use axum::http::StatusCode;
    use http_body_util::BodyExt;
    use serde_json::Value;
    use superroot_account::AccountService;
    use superroot_accumulate::Accumulator;
    use superroot_accumulate::prove::Prover;
    use superroot_chain::ChainRegistry;
    use superroot_store::MemoryStore;
    use superroot_types::{ManualClock, UnixSeconds};
    use superroot_wire::health::Health;
    use tower::ServiceExt;

    use super::*;
    use crate::route::{RouteGroup, RouteOperation};
    use crate::service::WorkPace;
    use crate::{ApiConfig, StatusBoard};

    fn api(config: ApiConfig) -> Api {
        let registry = ChainRegistry::builtin().clone();
        let store = Arc::new(MemoryStore::new());
        let rows = registry.proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), rows, "simulated/router").unwrap();
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_700_000_000)));
        let accounts = superroot_account::AccountConfig::default();
        let rows = Arc::new(MemoryStore::new());
        let accounts = AccountService::open(rows, clock.clone(), &accounts).unwrap();
        let prover = Prover::new(store, accumulator.board());
        Api {
            hub: superroot_stream::Hub::open(prover.clone()).unwrap(),
            prover,
            registry: Arc::new(registry),
            blooms: Arc::default(),
            status: Arc::new(StatusBoard::new()),
            billing: superroot_billing::BillingLedger::new(accounts.clone()),
            webhooks: superroot_webhook::Webhooks::new(
                accounts.clone(),
                superroot_webhook::WebhookConfig::default(),
            ),
            watches: superroot_watch::Watches::open(
                accounts.clone(),
                superroot_watch::WatchConfig::default(),
            )
            .unwrap(),
            accounts,
            market: crate::Markets::default(),
            contracts: Arc::new(superroot_account::wallet::NoNodes),
            price_nodes: Arc::new(superroot_gas::NoPriceNodes),
            clock,
            config,
            ready: Arc::new(true.into()),
            rpc: None,
            passes: None,
        }
    }

    async fn answer(router: &Router, path: &str) -> (StatusCode, Value) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response: Response = router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    fn with<T: 'static>(config: ApiConfig, handler: impl Handler<T, Shared>) -> Router {
        let operation = RouteOperation::get("test", "A test", handler).returns::<Health>();
        let route = ApiRoute::open(61, "/docs", RouteGroup::Service).serves(operation);
        let table = vec![route];
        let document = document();
        build(api(config), table, document, true)
    }

    #[tokio::test]
    async fn without_accounts_nothing_is_counted_and_what_has_an_owner_is_not_open() {
        let api = api(ApiConfig::default());
        let accounts = Arc::clone(&api.accounts);
        let open = router_without_accounts(api);
        assert_eq!(answer(&open, "/api/v1/chains").await.0, StatusCode::OK);
        for path in ["/api/v1/usage", "/api/v1/keys", "/api/v1/invoices"] {
            assert_eq!(answer(&open, path).await.0, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        }
        assert_eq!(accounts.flush(accounts.now()).unwrap(), 0);
    }

    #[tokio::test]
    async fn a_panic_is_a_500_that_says_nothing_of_our_insides() {
        let router = with(ApiConfig::default(), async || -> ApiError { panic!("secret insides") });
        let (status, body) = answer(&router, "/docs").await;
        assert_eq!((status.as_u16(), &body["code"]), (500, &Value::from("internal")));
        assert!(!body.to_string().contains("secret"), "{body}");
    }

    #[tokio::test]
    async fn a_panic_on_a_blocking_thread_is_a_500_too_and_frees_its_permit() {
        let handler = async |axum::extract::State(service): axum::extract::State<Shared>| {
            let work =
                |_: &Api| -> Result<crate::answer::ApiAnswer, ApiError> { panic!("insides") };
            service.blocking(work).await
        };
        let config = ApiConfig { proofs_at_once_max: 1, ..ApiConfig::default() };
        let router = with(config, handler);
        for _ in 0..3 {
            assert_eq!(answer(&router, "/docs").await.0, StatusCode::INTERNAL_SERVER_ERROR);
        }
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_given_up() {
        let handler = async || -> ApiError { std::future::pending().await };
        let router = with(ApiConfig { request_timeout_ms: 0, ..ApiConfig::default() }, handler);
        let (status, body) = answer(&router, "/docs").await;
        assert_eq!((status.as_u16(), &body["code"]), (503, &Value::from("timeout")));
        assert_eq!(body["retryable"], true);
    }

    /// A deadline ends the work itself, not only the waiting for it.
    #[tokio::test]
    async fn long_work_stops_when_its_request_is_given_up() {
        let api = api(ApiConfig { proofs_at_once_max: 1, ..ApiConfig::default() });
        let service = Arc::new(ApiService::new(api, document()));
        let long = service.blocking_while_wanted(|_, wanted| {
            loop {
                wanted.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
            #[expect(unreachable_code, reason = "it says what the work would give")]
            Ok(())
        });
        assert!(tokio::time::timeout(Duration::from_millis(20), long).await.is_err());
        // the only permit is free again
        let next = tokio::time::timeout(Duration::from_secs(20), service.blocking(|_| Ok(7)));
        assert_eq!(next.await.expect("work that nobody wants goes on").unwrap(), 7);
    }

    /// Two threads answer here: both may do brief work, wherever the router was made.
    #[test]
    fn the_threads_that_answer_are_those_of_the_runtime_that_serves() {
        let made_outside = ApiService::new(api(ApiConfig::default()), document());
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(made_outside.paces.room.available_permits(), 2);
        });
    }

    /// What is brief is done where it is asked for, once work of its kind has shown that it is, and while one of the threads
    /// that answer is left over.
    #[tokio::test]
    async fn brief_work_needs_no_thread_of_its_own() {
        let service = Arc::new(ApiService::new(api(ApiConfig::default()), document()));
        let here = std::thread::current().id();
        let pace = Arc::new(WorkPace::default());
        let work = async || {
            let place = service.briefly(&pace, |_| Ok(std::thread::current().id()));
            place.await.unwrap()
        };
        assert_ne!(work().await, here, "it has not shown yet that it is brief");
        let shown = async {
            while !pace.is_brief() {
                work().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), shown).await.expect("brief work is seen");
        assert_eq!(work().await, here);
        let room = service.paces.room.try_acquire().unwrap();
        assert_ne!(work().await, here, "others are at it already");
        drop(room);
        let failed = service.briefly(&pace, |_| {
            std::thread::sleep(Duration::from_millis(40));
            Err::<(), _>(ApiError::internal())
        });
        assert!(failed.await.is_err());
        assert_eq!(work().await, here, "what fails says nothing");
        let slow = service.briefly(&pace, |_| {
            std::thread::sleep(Duration::from_millis(40));
            Ok(())
        });
        slow.await.unwrap();
        assert_ne!(work().await, here, "it was slow of late");
    }

    /// `?levle=2` would be answered as if nothing had been asked for, and `sequence` as the newest.
    #[tokio::test]
    async fn a_query_with_a_name_that_the_route_does_not_have_is_refused_with_those_it_has() {
        let router = router(api(ApiConfig::default()));
        for (path, name, known) in [
            ("/v5/proof/1/7?levle=2", "levle", "one of root, sequence, note, level"),
            ("/v5/proof/1/7?level=2&api_key=sr_live_secret", "api_key", "one of root"),
            ("/v5/superroot/consistency?from=1&Strength=full", "Strength", "one of from, to"),
            ("/api/v1/status?limit=3", "limit", "none: this route has no query"),
            ("/health/live?x", "x", "none"),
        ] {
            let (status, body) = answer(&router, path).await;
            let said = body.to_string();
            assert_eq!(
                (status.as_u16(), &body["code"]),
                (400, &"invalid_parameter".into()),
                "{body}"
            );
            assert_eq!(body["parameter"], "query", "{path}: {body}");
            assert!(said.contains(name) && said.contains(known), "{path}: {body}");
            assert!(!said.contains("secret"), "{body}");
        }
        let (status, body) = answer(&router, "/v5/proof/1/7?level=2").await;
        assert_eq!(status.as_u16(), 503, "what it has is read: {body}");
        let request = Request::get("/docs?utm_source=mail").body(Body::empty()).unwrap();
        let page = router.oneshot(request).await.unwrap();
        assert_eq!(page.status(), 200, "pages are linked to with marks of all kinds");
    }

    #[tokio::test]
    async fn metrics_are_prometheus_text_by_route_and_never_by_what_a_caller_sent() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        let guard = metrics::set_default_local_recorder(&recorder);
        let router = router(api(ApiConfig::default()));
        for path in ["/health/live", "/v5/proof/1/7", "/not-a-route-7f3a"] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            router.clone().oneshot(request).await.unwrap();
        }
        drop(guard);
        let metrics = metrics_router(handle);
        for (method, path, status) in [
            ("GET", "/", StatusCode::NOT_FOUND),
            ("GET", "/metrics/", StatusCode::NOT_FOUND),
            ("GET", "/v5/superroot", StatusCode::NOT_FOUND),
            ("GET", "/health/live", StatusCode::NOT_FOUND),
            ("POST", "/api/v1/register", StatusCode::NOT_FOUND),
            ("POST", "/metrics", StatusCode::METHOD_NOT_ALLOWED),
        ] {
            let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
            let response = metrics.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{method} {path}");
        }
        let request = Request::get("/metrics").body(Body::empty()).unwrap();
        let response = metrics.oneshot(request).await.unwrap();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        for line in [
            r#"superroot_api_requests_total{route="/health/live",status="200"} 1"#,
            r#"superroot_api_requests_total{route="/v5/proof/{chain}/{block}",status="503"} 1"#,
            r#"superroot_api_requests_total{route="unmatched",status="404"} 1"#,
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
        assert!(text.contains("superroot_api_request_seconds"), "{text}");
        assert!(!text.contains("7f3a"));
    }
}
