//! Service health.

use serde::Serialize;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Liveness (`GET /health/live`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Health {
    /// `live`.
    pub status: String,
}

/// Readiness: whether a SuperRoot exists to prove against (`GET /health/ready`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Ready {
    /// `ready`.
    pub status: String,
    /// `on`, `held`, `repeating` or `forked`, as in `/api/v1/status`: proofs are available in every state.
    pub publishing: String,
    /// Why publishing is not `on`, and how to continue.
    pub publishing_why: Option<String>,
}
