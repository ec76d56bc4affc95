//! Whether the process answers, and whether there is something to prove against.

use std::sync::atomic::Ordering;

use axum::extract::State;
use axum::routing::get;
use serde_json::json;

use crate::ApiError;
use crate::answer::Answer;
use crate::error::codes::STARTING;
use crate::route::{Endpoint, Grid};
use crate::service::Shared;

/// Their part of the route table.
pub(crate) fn table() -> Vec<Endpoint> {
    let grid = Grid::Service;
    vec![
        Endpoint::get(
            "/health/live",
            "live",
            grid,
            "Whether the process answers",
            "Health",
            get(live),
        ),
        Endpoint::get(
            "/health/ready",
            "ready",
            grid,
            "Whether there is a SuperRoot to prove against",
            "Health",
            get(ready),
        )
        .errors(&["starting", "nothing_recorded"]),
    ]
}

/// `GET /health/live`: the process answers.
async fn live() -> Answer {
    Answer::new(json!({ "status": "live" }))
}

/// `GET /health/ready`: there is a SuperRoot to prove against, and it has everything that was final
/// when the service began.
async fn ready(State(service): State<Shared>) -> Result<Answer, ApiError> {
    service.latest()?;
    if !service.api.ready.load(Ordering::SeqCst) {
        return Err(ApiError::new(
            STARTING,
            "the service is starting: not all that was final when it began is anchored yet",
        ));
    }
    Ok(Answer::new(json!({ "status": "ready" })))
}
