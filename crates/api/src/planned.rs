//! Routes that are specified and not built: they answer so, instead of an unknown path.

use crate::ApiError;
use crate::route::{Group, Operation, Route, UNBUILT};

async fn not_built() -> ApiError {
    ApiError::not_built()
}

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    use Group::{Account, G3, G4, G5};
    let get = |id, about| Operation::get(id, about, not_built).errors(UNBUILT);
    vec![
        Route::paid(26, "/price/{chain}/{token}", G4)
            .weighs(1)
            .serves(get("price", "Price of a token on a chain's exchanges")),
        Route::paid(28, "/signals/launches", G5)
            .serves(get("launches", "New tokens, as server-sent events")),
        Route::paid(29, "/signals/arb", G5)
            .weighs(1)
            .serves(get("arbitrage", "Price differences between chains")),
        Route::paid(30, "/signals/arb/stream", G5)
            .serves(get("arbitrageStream", "The same as a stream")),
        Route::keyed(43, "/api/v1/usage/checkpoints", Account)
            .serves(get("usageCheckpoints", "Proofs of counts")),
        Route::open(22, "/v5/proof/hash/{proof_hash}", G3)
            .serves(get("proofByHash", "The proof behind a signal, by its hash")),
    ]
}
