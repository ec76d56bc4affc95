//! The witness over HTTP: `POST /add-checkpoint`, `GET /<SHA-256 of the origin>/checkpoint`.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use superroot_types::{Clock, Hash};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::request::{REQUEST_BYTES_MAX, SIZE_TYPE};
use crate::{AddCheckpoint, Witness, WitnessRefusal};

/// Concurrent requests; further requests are asked to retry.
const IN_HAND_MAX: usize = 64;
const ANSWERS: &str = "superroot_witness_answers_total";
const TEXT: &str = "text/plain; charset=utf-8";

#[derive(Clone)]
struct Served {
    witness: Arc<Witness>,
    clock: Arc<dyn Clock>,
    in_hand: Arc<Semaphore>,
    failed: CancellationToken,
}

/// A witness's routes, with `/health/live` and `/health/ready`. `failed` is cancelled when the store can no longer be
/// written: the process must then end and reopen its folder.
pub fn router(witness: Arc<Witness>, clock: Arc<dyn Clock>, failed: CancellationToken) -> Router {
    for result in CosignOutcome::ALL {
        metrics::counter!(ANSWERS, "result" => result.name()).increment(0);
    }
    let in_hand = Arc::new(Semaphore::new(IN_HAND_MAX));
    Router::new()
        .route("/add-checkpoint", post(add_checkpoint))
        .route("/{origin_hash}/checkpoint", get(checkpoint))
        .route("/health/live", get(async || health("live")))
        .route("/health/ready", get(async || health("ready")))
        .layer(DefaultBodyLimit::max(REQUEST_BYTES_MAX))
        .with_state(Served { witness, clock, in_hand, failed })
}

fn health(status: &str) -> Response {
    axum::Json(serde_json::json!({ "status": status })).into_response()
}

#[derive(Clone, Copy)]
enum CosignOutcome {
    Cosigned,
    Malformed,
    UnknownLog,
    Unsigned,
    OldSize,
    Fork,
    Unproven,
    Busy,
    Failed,
}

impl CosignOutcome {
    const ALL: [Self; 9] = [
        Self::Cosigned,
        Self::Malformed,
        Self::UnknownLog,
        Self::Unsigned,
        Self::OldSize,
        Self::Fork,
        Self::Unproven,
        Self::Busy,
        Self::Failed,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Cosigned => "cosigned",
            Self::Malformed => "malformed",
            Self::UnknownLog => "unknown_log",
            Self::Unsigned => "unsigned",
            Self::OldSize => "old_size",
            Self::Fork => "fork",
            Self::Unproven => "unproven",
            Self::Busy => "busy",
            Self::Failed => "failed",
        }
    }

    const fn status(self) -> StatusCode {
        match self {
            Self::Cosigned => StatusCode::OK,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::UnknownLog => StatusCode::NOT_FOUND,
            Self::Unsigned => StatusCode::FORBIDDEN,
            Self::OldSize | Self::Fork => StatusCode::CONFLICT,
            Self::Unproven => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn of(refusal: &WitnessRefusal) -> Self {
        match refusal {
            WitnessRefusal::UnknownLog { .. } => Self::UnknownLog,
            WitnessRefusal::Unsigned { .. } => Self::Unsigned,
            WitnessRefusal::Checkpoint(_) | WitnessRefusal::Order { .. } => Self::Malformed,
            WitnessRefusal::OldSize { .. } => Self::OldSize,
            WitnessRefusal::Fork { .. } => Self::Fork,
            WitnessRefusal::Proof(_) => Self::Unproven,
            WitnessRefusal::Store(_) => Self::Failed,
        }
    }
}

async fn add_checkpoint(State(served): State<Served>, body: Bytes) -> Response {
    let (outcome, media_type, text) = answer(served, &body).await;
    metrics::counter!(ANSWERS, "result" => outcome.name()).increment(1);
    (outcome.status(), [(header::CONTENT_TYPE, media_type)], text).into_response()
}

async fn answer(served: Served, body: &[u8]) -> (CosignOutcome, &'static str, String) {
    let Served { witness, clock, in_hand, failed } = served;
    let Ok(permit) = in_hand.try_acquire_owned() else {
        return (CosignOutcome::Busy, TEXT, "too many requests in hand: try again\n".into());
    };
    let request = match AddCheckpoint::parse(body) {
        Ok(request) => request,
        Err(error) => return (CosignOutcome::Malformed, TEXT, format!("{error}\n")),
    };
    // a caller that goes away does not end what has begun, nor its turn
    let added = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        witness.add(&request, clock.now())
    });
    let refusal = match added.await {
        Ok(Ok(cosignature)) => {
            return (CosignOutcome::Cosigned, TEXT, cosignature.signature_lines());
        }
        Ok(Err(refusal)) => refusal,
        Err(error) => {
            tracing::error!(%error, "a request ended in a panic");
            return (CosignOutcome::Failed, TEXT, "the witness failed\n".into());
        }
    };
    let outcome = CosignOutcome::of(&refusal);
    match refusal {
        WitnessRefusal::OldSize { held, .. } | WitnessRefusal::Fork { held } => {
            (outcome, SIZE_TYPE, format!("{held}\n"))
        }
        WitnessRefusal::Store(error) => {
            tracing::error!(%error, "nothing can be stored, so nothing is cosigned");
            failed.cancel();
            (outcome, TEXT, "the witness failed\n".into())
        }
        refusal @ (WitnessRefusal::UnknownLog { .. }
        | WitnessRefusal::Unsigned { .. }
        | WitnessRefusal::Checkpoint(_)
        | WitnessRefusal::Order { .. }
        | WitnessRefusal::Proof(_)) => (outcome, TEXT, format!("{refusal}\n")),
    }
}

async fn checkpoint(State(served): State<Served>, Path(id): Path<String>) -> Response {
    let nothing = || (StatusCode::NOT_FOUND, "no checkpoint of such a log was cosigned\n");
    let is_hex = |id: &String| id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let bytes =
        Some(&id).filter(|id| is_hex(id)).and_then(|id| const_hex::decode_to_array(id).ok());
    let Some(id) = bytes.map(Hash) else { return nothing().into_response() };
    let found = tokio::task::spawn_blocking(move || served.witness.latest(&id)).await;
    match found {
        Ok(Ok(Some(note))) => {
            let headers = [(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-cache")];
            (headers, note.to_string()).into_response()
        }
        Ok(Ok(None)) => nothing().into_response(),
        Ok(Err(_)) | Err(_) => {
            tracing::error!("what was cosigned cannot be read");
            (StatusCode::INTERNAL_SERVER_ERROR, "the witness failed\n").into_response()
        }
    }
}
