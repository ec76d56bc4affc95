//! JSON-RPC for a chain in the same process.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::post;
use tower_http::cors::CorsLayer;

use crate::service::ChainRpc;

/// Adds `POST /rpc/{chain id}` outside of keys, limits and counts.
pub(super) fn mount(router: Router, rpc: Arc<dyn ChainRpc>, cors: CorsLayer) -> Router {
    let path = format!("/rpc/{}", rpc.chain_id());
    let own = Router::new().route(&path, post(answer)).layer(cors).with_state(rpc);
    router.merge(own)
}

async fn answer(State(rpc): State<Arc<dyn ChainRpc>>, body: Bytes) -> impl IntoResponse {
    let answered = tokio::task::spawn_blocking(move || rpc.answer(&body)).await;
    ([(header::CONTENT_TYPE, "application/json")], answered.unwrap_or_default())
}
