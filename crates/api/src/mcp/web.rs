//! `POST /mcp`: each call becomes a request to the tool's route. Also `GET /llms.txt`.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rmcp::RoleServer;
use rmcp::model::Tool;
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value, json};
use superroot_socket::Peer;
use tower::ServiceExt;
use tower_http::cors::CorsLayer;

use super::tools::definition;
use super::{
    ROUTE_TOOLS, RouteTool, ToolCaller, ToolEvidence, ToolOutcome, ToolRefusal, ToolServer, llms,
};

const PATH: &str = "/mcp";
/// Longest request in bytes: a proof in JSON.
const REQUEST_BYTES_MAX: usize = 2 << 20;
/// Longest answer for an agent, in bytes.
const ANSWER_BYTES_MAX: usize = 256 << 10;
/// Caller's headers for the route: key, address behind a proxy, host.
const PASSED_ON: [HeaderName; 6] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-service-key"),
    HeaderName::from_static("x-forwarded-for"),
    header::HOST,
    header::USER_AGENT,
];
const VERIFY: &str = "verify";
const VERIFY_PATH: &str = "/kv/verify";
const INSTRUCTIONS: &str = "Proofs and data of many chains. Answers of prove_* carry a proof that this service has verified; \
    to verify it yourself, run `superroot mcp` on your own machine, or save the answer and run `superroot verify`. Other \
    answers are the service's word. Send an API key as X-API-Key or Authorization: Bearer where a tier is needed.";

/// Adds `/mcp`, over the routes of this router.
pub(crate) fn mount(router: Router, cors: CorsLayer, timeout: Duration) -> Router {
    let routes = router.clone();
    let make = move || {
        let caller = RouteCaller { routes: routes.clone() };
        Ok(ToolServer::new(caller, INSTRUCTIONS))
    };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES_MAX)
        // the routes check the host themselves
        .disable_allowed_hosts();
    let service = StreamableHttpService::new(make, NeverSessionManager::default().into(), config);
    let within = move |request: Request, next: Next| async move {
        let answered = tokio::time::timeout(timeout, next.run(request)).await;
        answered.unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response())
    };
    let text = ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], llms::document());
    let own = Router::new()
        .route_service(PATH, service)
        .route("/llms.txt", get(move || std::future::ready(text.clone())))
        .layer(middleware::from_fn(within));
    router.merge(own.layer(cors))
}

/// Answers tools by requests to routes.
#[derive(Clone)]
struct RouteCaller {
    routes: Router,
}

impl RouteCaller {
    /// Asks a route in the caller's name.
    async fn ask(&self, mut request: Request, context: &RequestContext<RoleServer>) -> Response {
        if let Some(caller) = context.extensions.get::<Parts>() {
            for name in PASSED_ON {
                for value in caller.headers.get_all(&name) {
                    request.headers_mut().append(&name, value.clone());
                }
            }
            if let Some(peer) = caller.extensions.get::<ConnectInfo<Peer>>() {
                request.extensions_mut().insert(peer.clone());
            }
            if let Some(peer) = caller.extensions.get::<ConnectInfo<SocketAddr>>() {
                request.extensions_mut().insert(*peer);
            }
        }
        match self.routes.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    async fn verify(
        &self,
        mut arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolOutcome, ToolRefusal> {
        let mut proof = arguments.remove("proof").unwrap_or_default();
        if let Some(answer) = proof.get_mut("answer") {
            proof = answer.take();
        }
        if let Some(unknown) = arguments.keys().next() {
            return Err(ToolRefusal::new(unknown, "unknown argument, expected proof"));
        }
        if !proof.is_object() {
            return Err(ToolRefusal::new(
                "proof",
                "expected the JSON object that a prove tool returned",
            ));
        }
        let request = Request::builder()
            .method(Method::POST)
            .uri(VERIFY_PATH)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(proof.to_string()));
        let request = request.map_err(|_| ToolRefusal::new("proof", "no request of it"))?;
        let response = self.ask(request, context).await;
        Ok(outcome(VERIFY_PATH, ToolEvidence::Proof, response).await)
    }
}

impl ToolCaller for RouteCaller {
    fn tools(&self) -> Vec<Tool> {
        let proof = json!({ "proof": { "type": "object", "description": "Answer of a prove tool, as it is" } });
        let properties = proof.as_object().cloned().unwrap_or_default();
        let about = "Check a proof. The service checks it: an agent that trusts no service runs superroot mcp.";
        let verify = definition(VERIFY, about, properties, &["proof"]);
        ROUTE_TOOLS.iter().map(RouteTool::definition).chain([verify]).collect()
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolOutcome, ToolRefusal> {
        if tool == VERIFY {
            return self.verify(arguments, context).await;
        }
        let unknown = || ToolRefusal::new(tool, "no such tool; tools/list has them");
        let tool = RouteTool::find(tool).ok_or_else(unknown)?;
        let mut path = tool.path_of(&arguments)?;
        if tool.evidence == ToolEvidence::Proof {
            // a key anchors the answer, wherever it is verified later
            path.push_str("?note=1");
        }
        let request = Request::get(&path).body(Body::empty());
        let request = request.map_err(|_| ToolRefusal::new(tool.name, "no request of it"))?;
        let response = self.ask(request, context).await;
        Ok(outcome(&path, tool.evidence, response).await)
    }
}

/// Route's answer, with path and verifier.
async fn outcome(route: &str, evidence: ToolEvidence, response: Response) -> ToolOutcome {
    let status = response.status();
    let verified_by = match evidence {
        ToolEvidence::Proof => "service",
        ToolEvidence::Statement => "nobody",
    };
    let failure = |detail: &str| {
        ToolOutcome::Failure(json!({ "route": route, "status": status.as_u16(), "detail": detail }))
    };
    let Ok(bytes) = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await else {
        return failure("the answer is longer than 262,144 bytes: ask the route itself");
    };
    match serde_json::from_slice::<Value>(&bytes) {
        Err(_) => failure("the route answered no JSON"),
        Ok(problem) if !status.is_success() => {
            ToolOutcome::Failure(json!({ "route": route, "problem": problem }))
        }
        Ok(answer) => {
            let said = json!({ "route": route, "verified_by": verified_by, "answer": answer });
            ToolOutcome::Answer(said)
        }
    }
}
