//! Whether the service is well.

use serde::Serialize;
use utoipa::ToSchema;

/// Whether the service is well (`GET /health/live`, `GET /health/ready`).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Health {
    /// `live` or `ready`.
    pub status: String,
    /// With `ready`: `on`, `held`, `repeating` or `forked`, as `/api/v1/status` explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publishing: Option<String>,
    /// Why it is not `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publishing_why: Option<String>,
}
