//! What a transaction costs on each chain, out of verified blocks.

use superroot_wire::gas::Gas;

use crate::error::codes::UNKNOWN_CHAIN;
use crate::route::{Group, Operation, Parameter, Route};

pub(crate) mod answer;
mod figures;
pub(crate) mod nodes;

const CHAIN: &[Parameter] = &[Parameter::text(
    "chain_id",
    "Chain id, name or CAIP-2 name; every chain if left out",
    "^[A-Za-z0-9 ._:-]+$",
)];
const ABOUT: &str = "Every figure but node_price (the nodes' word) is computed from verified headers and blocks. block is the newest one; tips, \
    use and trend are of it and up to 19 before it. A figure that blocks do not decide is null, and missing says why. See \
    docs/gas.md.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::open(27, "/search-api/v5/gas", Group::G4).serves(
            Operation::get(
                "gas",
                "Fees of each chain: next base fee, tips, L1 data fee",
                answer::gas,
            )
            .query(CHAIN)
            .errors(&[UNKNOWN_CHAIN])
            .says(ABOUT)
            .returns::<Gas>(),
        ),
    ]
}
