//! Process liveness, and readiness to prove.

use std::sync::atomic::Ordering;

use axum::extract::State;
use superroot_wire::health::{Health, Ready};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::error::codes::{NOTHING_RECORDED, STARTING, STOPPING};
use crate::route::{ApiRoute, RouteGroup, RouteOperation};
use crate::service::Shared;

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(130, "/health", RouteGroup::Service).serves(
            RouteOperation::get("health", "Same as /health/ready", ready)
                .says("Without a key, and outside every limit.")
                .errors(&[STARTING, STOPPING, NOTHING_RECORDED])
                .returns::<Ready>(),
        ),
        ApiRoute::open(63, "/health/live", RouteGroup::Service).serves(
            RouteOperation::get("live", "Whether the process answers", live)
                .says("200 as long as it runs, whatever its chains do.")
                .returns::<Health>(),
        ),
        ApiRoute::open(64, "/health/ready", RouteGroup::Service).serves(
            RouteOperation::get("ready", "Whether there is a SuperRoot to prove against", ready)
                .says("503 until then, and while it stops.")
                .errors(&[STARTING, STOPPING, NOTHING_RECORDED])
                .returns::<Ready>(),
        ),
    ]
}

/// `GET /health/live`: the process answers.
async fn live() -> ApiAnswer {
    ApiAnswer::of(&Health { status: "live".to_owned() })
}

/// Checks for a SuperRoot that covers everything final at service start; 503 until then, and after a stop request.
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

/// `GET /health` and `/health/ready`: a SuperRoot exists that covers everything final at service start.
async fn ready(State(service): State<Shared>) -> Result<ApiAnswer, ApiError> {
    check_ready(&service)?;
    let publishing = service.api.status.shown_publishing();
    Ok(ApiAnswer::of(&Ready {
        status: "ready".to_owned(),
        publishing: publishing.name().to_owned(),
        publishing_why: publishing.why().map(str::to_owned),
    }))
}
