//! Routes that are specified and not built: they answer so, instead of an unknown path.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, delete, get, patch, post};
use serde_json::Value;

use crate::ApiError;
use crate::input::{find_chain, read_json, text_of};
use crate::route::{Endpoint, Grid, Returns};
use crate::service::{Api, Shared};

async fn not_built() -> ApiError {
    ApiError::not_built()
}

/// `POST /bloom/query`: what can be said of it without the route is that some ledgers have no bloom.
async fn bloom_query(State(service): State<Shared>, headers: HeaderMap, body: Body) -> ApiError {
    match read_json(&service.api, &headers, body).await {
        Ok(body) => without_bloom(&service.api, &body).unwrap_or_else(ApiError::not_built),
        Err(error) => error,
    }
}

/// The refusal of a query that names nothing but chains whose headers commit to no bloom.
fn without_bloom(api: &Api, body: &Value) -> Option<ApiError> {
    let named = body.get("chain_ids")?.as_array()?;
    let mut without = None;
    for chain in named {
        let row = match find_chain(api, "chain_ids", &text_of(chain)) {
            Ok(row) => row,
            Err(error) => return Some(error),
        };
        let not_provable = row.ledger.check_bloom().err()?;
        let why = format!("on {}, {not_provable}", row.name);
        without = Some(ApiError::not_provable(row.key(), &why));
    }
    without
}

const BLOOM_QUERY: &str = "bloomQuery";

/// The rows: method, path, operation, grid, summary.
const ROWS: [(&str, &str, &str, Grid, &str); 21] = [
    ("GET", "/events/{order_id}", "order", Grid::G3, "State of a cross-chain order"),
    ("POST", "/bloom/query", BLOOM_QUERY, Grid::G3, "Where an address or topic may be"),
    ("GET", "/v5/logs", "logs", Grid::G3, "Events by chain, address and topics"),
    ("GET", "/price/{chain}/{token}", "price", Grid::G4, "Price of a token on a chain's exchanges"),
    ("GET", "/search-api/v5/gas", "gas", Grid::G4, "Fees of each chain"),
    ("GET", "/signals/launches", "launches", Grid::G5, "New tokens, as server-sent events"),
    ("GET", "/signals/arb", "arbitrage", Grid::G5, "Price differences between chains"),
    ("GET", "/signals/arb/stream", "arbitrageStream", Grid::G5, "The same as a stream"),
    ("GET", "/v5/stream", "stream", Grid::G5, "Events as they come, as server-sent events"),
    ("GET", "/api/v1/usage/checkpoints", "usageCheckpoints", Grid::Account, "Proofs of counts"),
    ("POST", "/api/v1/stream-token", "streamToken", Grid::Account, "A token for one stream"),
    ("GET", "/api/v1/watches", "watches", Grid::Account, "Addresses and topics watched"),
    ("POST", "/api/v1/watches", "createWatch", Grid::Account, "Another watch"),
    ("PATCH", "/api/v1/watches/{id}", "changeWatch", Grid::Account, "A watch changed"),
    ("DELETE", "/api/v1/watches/{id}", "deleteWatch", Grid::Account, "A watch ended"),
    ("GET", "/api/v1/webhooks", "webhooks", Grid::Account, "Where events are sent"),
    ("POST", "/api/v1/webhooks", "createWebhook", Grid::Account, "Another webhook"),
    ("PATCH", "/api/v1/webhooks/{id}", "changeWebhook", Grid::Account, "A webhook changed"),
    ("DELETE", "/api/v1/webhooks/{id}", "deleteWebhook", Grid::Account, "A webhook ended"),
    ("GET", "/v5/ws", "webSocket", Grid::G5, "Events as they come, over a WebSocket"),
    (
        "GET",
        "/v5/proof/hash/{proof_hash}",
        "proofByHash",
        Grid::G3,
        "The proof behind a signal, by its hash",
    ),
];

/// Their part of the route table.
pub(crate) fn table() -> Vec<Endpoint> {
    let rows = ROWS.into_iter().map(|(method, path, id, grid, summary)| {
        let handler: MethodRouter<Shared> = match method {
            _ if id == BLOOM_QUERY => post(bloom_query),
            "POST" => post(not_built),
            "PATCH" => patch(not_built),
            "DELETE" => delete(not_built),
            _ => get(not_built),
        };
        Endpoint {
            method,
            returns: Returns::NotBuilt,
            errors: if id == BLOOM_QUERY {
                &["not_built", "not_provable", "unknown_chain", "unsupported_media_type"]
            } else {
                &["not_built"]
            },
            ..Endpoint::get(path, id, grid, summary, "", handler)
        }
    });
    rows.collect()
}
