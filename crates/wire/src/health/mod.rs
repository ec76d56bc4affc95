//! Whether the service is well.

use serde::Serialize;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// Whether the process answers (`GET /health/live`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Health {
    /// `live`.
    pub status: String,
}

/// Whether there is something to prove against (`GET /health/ready`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Ready {
    /// `ready`.
    pub status: String,
    /// `on`, `held`, `repeating` or `forked`, as in `/api/v1/status`: proofs are given all the same.
    pub publishing: String,
    /// Why it is not `on`, and how to go on.
    pub publishing_why: Option<String>,
}
