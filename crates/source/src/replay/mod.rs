//! JSON-RPC server over recordings, for tests of node clients: answers are those of a real node. No state, no
//! transaction submission, no authentication: serve on a loopback address.
//!
//! ```text
//!   GET  /           what is recorded
//!   POST /<chain>    JSON-RPC 2.0, single or batch; the chain by id, alias, slug or name
//!   POST /           the same, where one chain alone is recorded
//!                    of a chain that is not recorded: an error of JSON-RPC, as for a block that is not
//!   /<chain>/<path>  a ledger whose nodes have a path for each call, as they have it
//! ```

mod envelope;
pub(crate) mod grpc;
pub(crate) mod methods;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use serde_json::json;
use superroot_socket::ConnectionBounds;
use superroot_types::ChainKey;
use tokio::net::TcpListener;

use crate::error::SourceError;
use crate::live::node::json_rpc::GRPC;
use crate::off_thread;
use crate::recorded::Recordings;
use crate::replay::grpc::GrpcFault;
use crate::replay::methods::{Methods, PathCall, PathReply};

const REQUEST_BYTES_MAX: usize = 1 << 20;

/// Longest time without a request before a connection is closed.
const IDLE: Duration = Duration::from_secs(600);
const CHAINS_NAMED_MAX: usize = 32;

/// Server, bound to an address and not yet running.
#[derive(Debug)]
pub struct ReplayServer {
    listener: TcpListener,
    address: SocketAddr,
    recordings: Arc<Recordings>,
}

impl ReplayServer {
    /// Binds to an address; port 0 takes a free port.
    ///
    /// # Errors
    /// [`SourceError::Serve`] if the address is unavailable.
    pub async fn bind(
        address: SocketAddr,
        recordings: Arc<Recordings>,
    ) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Serve { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, recordings })
    }

    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown`, then finishes open requests.
    ///
    /// # Errors
    /// [`SourceError::Serve`] if the system revokes the address.
    pub fn run(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> BoxFuture<'static, Result<(), SourceError>> {
        self.run_until(shutdown.boxed())
    }

    /// Not generic, so the server is compiled here.
    fn run_until(
        self,
        shutdown: BoxFuture<'static, ()>,
    ) -> BoxFuture<'static, Result<(), SourceError>> {
        let address = self.address;
        let router = Router::new()
            .route("/", get(list).post(post_single))
            .route("/{chain}", post(post_chain))
            .route("/{chain}/{*path}", any(ask_path))
            .layer(DefaultBodyLimit::max(REQUEST_BYTES_MAX))
            .with_state(self.recordings);
        let bounds = ConnectionBounds::new(IDLE, usize::MAX);
        superroot_socket::serve(self.listener, router, bounds, shutdown)
            .map_err(move |source| SourceError::Serve { address, source })
            .boxed()
    }
}

async fn list(State(recordings): State<Arc<Recordings>>) -> Response {
    let chains = recordings.chains().map(|recorded| {
        json!({
            "family": recorded.chain.family,
            "chainId": recorded.chain.id,
            "blockCount": recorded.block_count,
            "first": recorded.first,
            "tip": { "number": recorded.tip.number, "hash": recorded.tip.hash },
        })
    });
    axum::Json(json!({ "chains": chains.collect::<Vec<_>>() })).into_response()
}

async fn post_single(State(recordings): State<Arc<Recordings>>, body: Bytes) -> Response {
    let mut chains = recordings.chains();
    match (chains.next(), chains.next()) {
        (Some(only), None) => respond(Arc::clone(&recordings), only.chain, body).await,
        _ => refuse(&recordings, &body),
    }
}

async fn post_chain(
    State(recordings): State<Arc<Recordings>>,
    Path(chain): Path<String>,
    body: Bytes,
) -> Response {
    let row = recordings.registry().find(&chain);
    match row.map(superroot_chain::ChainSpec::key).filter(|key| recordings.tip(*key).is_ok()) {
        Some(key) => respond(recordings, key, body).await,
        None => refuse(&recordings, &body),
    }
}

async fn ask_path(
    State(recordings): State<Arc<Recordings>>,
    Path((chain, path)): Path<(String, String)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let row = recordings.registry().find(&chain).map(superroot_chain::ChainSpec::key);
    let Some(chain) = row.filter(|key| recordings.tip(*key).is_ok()) else {
        return not_found("no such chain is recorded");
    };
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == GRPC) {
        let work = move || {
            let methods = Methods::new(&recordings, chain);
            let answering = |message: &[u8]| crate::ledger::replay_grpc(&methods, &path, message);
            Ok(grpc::answer(&body, answering))
        };
        let failed = |error: SourceError| Err(GrpcFault::internal(&error.to_string()));
        return grpc::respond(off_thread(work).await.unwrap_or_else(failed));
    }
    let answered = off_thread(move || {
        let query = uri.query().unwrap_or_default();
        let call = PathCall { is_post: method == Method::POST, path: &path, query, body: &body };
        Ok(crate::ledger::replay_path(&Methods::new(&recordings, chain), &call))
    });
    match answered.await {
        Ok(Some(PathReply { status, media_type, body })) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, [(header::CONTENT_TYPE, media_type)], body).into_response()
        }
        Ok(None) => not_found("nodes of the chain have no such path"),
        Err(error) => {
            tracing::error!(chain.id = %chain.id, "a replayed call failed: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// JSON-RPC error for a chain not recorded, or for a missing chain path.
fn refuse(recordings: &Recordings, body: &Bytes) -> Response {
    let chains: Vec<_> =
        recordings.chains().take(CHAINS_NAMED_MAX).map(|one| one.chain.id.to_string()).collect();
    let why = format!(
        "no such chain is recorded here; post to /<chain id>, one of {}",
        chains.join(", ")
    );
    match envelope::refuse(body, &why) {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn respond(recordings: Arc<Recordings>, chain: ChainKey, body: Bytes) -> Response {
    let answered = off_thread(move || Ok(envelope::answer(&recordings, chain, &body))).await;
    match answered {
        Ok(Some(json)) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => {
            tracing::error!(chain.id = %chain.id, "a replayed call failed: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn not_found(why: &str) -> Response {
    (StatusCode::NOT_FOUND, axum::Json(json!({ "error": why }))).into_response()
}
