//! Whether the service is well.

use serde::Serialize;
use utoipa::ToSchema;

/// Whether the service is well (`GET /health/live`, `GET /health/ready`).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Health {
    /// `live` or `ready`.
    pub status: String,
}
