//! Routes that are specified and not built: they answer so, instead of an unknown path.

use crate::ApiError;
use crate::route::{Group, Operation, Route, UNBUILT};

async fn not_built() -> ApiError {
    ApiError::not_built()
}

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    use Group::Account;
    let get = |id, about| Operation::get(id, about, not_built).errors(UNBUILT);
    vec![
        Route::keyed(43, "/api/v1/usage/checkpoints", Account).serves(
            get("usageCheckpoints", "Proofs of counts").says("Specified, and not built yet."),
        ),
    ]
}
