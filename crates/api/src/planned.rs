//! Specified routes without an implementation: they report this instead of an unknown path.

use crate::ApiError;
use crate::route::{ApiRoute, RouteGroup, RouteOperation, UNBUILT};

async fn not_built() -> ApiError {
    ApiError::not_built()
}

pub(crate) fn routes() -> Vec<ApiRoute> {
    use RouteGroup::Account;
    let get = |id, about| RouteOperation::get(id, about, not_built).errors(UNBUILT);
    vec![
        ApiRoute::keyed(43, "/api/v1/usage/checkpoints", Account).serves(
            get("usageCheckpoints", "Proofs of counts").says("Specified, and not built yet."),
        ),
    ]
}
