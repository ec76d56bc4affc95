//! Whether the service is well.

use serde::Serialize;

/// Whether the service is well (`GET /health/live`, `GET /health/ready`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Health {
    /// `live` or `ready`.
    pub status: String,
}
