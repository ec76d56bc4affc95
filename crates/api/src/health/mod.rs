//! Whether the process answers, and whether there is something to prove against.

use std::sync::atomic::Ordering;

use axum::extract::State;
use superroot_wire::health::{Health, Ready};

use crate::ApiError;
use crate::answer::Answer;
use crate::error::codes::{NOTHING_RECORDED, STARTING, STOPPING};
use crate::route::{Group, Operation, Route};
use crate::service::Shared;

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::open(130, "/health", Group::Service).serves(
            Operation::get("health", "As /health/ready, for whoever knows one path", ready)
                .says("Without a key, and outside every limit.")
                .errors(&[STARTING, STOPPING, NOTHING_RECORDED])
                .returns::<Ready>(),
        ),
        Route::open(63, "/health/live", Group::Service).serves(
            Operation::get("live", "Whether the process answers", live)
                .says("200 as long as it runs, whatever its chains do.")
                .returns::<Health>(),
        ),
        Route::open(64, "/health/ready", Group::Service).serves(
            Operation::get("ready", "Whether there is a SuperRoot to prove against", ready)
                .says("503 until then, and while it stops.")
                .errors(&[STARTING, STOPPING, NOTHING_RECORDED])
                .returns::<Ready>(),
        ),
    ]
}

/// `GET /health/live`: the process answers.
async fn live() -> Answer {
    Answer::of(&Health { status: "live".to_owned() })
}

/// Passes once there is a SuperRoot to prove against that has everything that was final when the service
/// began.
///
/// # Errors
/// 503 until then, and once the service was asked to stop.
pub(crate) fn check_ready(service: &Shared) -> Result<(), ApiError> {
    if service.api.status.is_stopping() {
        let detail = "the service is stopping: ask another, or ask again after the restart";
        return Err(ApiError::new(STOPPING, detail));
    }
    service.latest()?;
    if service.api.ready.load(Ordering::SeqCst) {
        return Ok(());
    }
    Err(ApiError::new(
        STARTING,
        "the service is starting: not all that was final when it began is anchored yet",
    ))
}

/// `GET /health` and `/health/ready`: there is a SuperRoot to prove against, and it has everything that was final
/// when the service began.
async fn ready(State(service): State<Shared>) -> Result<Answer, ApiError> {
    check_ready(&service)?;
    let publishing = service.api.status.shown_publishing();
    Ok(Answer::of(&Ready {
        status: "ready".to_owned(),
        publishing: publishing.name().to_owned(),
        publishing_why: publishing.why().map(str::to_owned),
    }))
}
