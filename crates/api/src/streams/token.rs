//! `POST /api/v1/stream-token`.

use axum::extract::State;
use superroot_wire::account::StreamToken;

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::caller::Keyed;
use crate::service::Shared;
use crate::service::tokens::TOKEN_SECONDS;

pub(super) async fn give(
    State(service): State<Shared>,
    Keyed(entitlement): Keyed,
) -> Result<ApiAnswer, ApiError> {
    let now = service.api.clock.now();
    let token = service.tokens.give(entitlement, now);
    let answer = StreamToken { token, expires_in_seconds: TOKEN_SECONDS };
    Ok(ApiAnswer::of(&answer).created().private())
}
