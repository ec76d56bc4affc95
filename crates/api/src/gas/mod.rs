//! Transaction costs per chain, from verified blocks.

use superroot_wire::gas::Gas;

use crate::error::codes::UNKNOWN_CHAIN;
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};

pub(crate) mod answer;
mod figures;
pub(crate) mod nodes;

const CHAIN: &[RouteParameter] = &[RouteParameter::text(
    "chain_id",
    "Chain id, name or CAIP-2 name; every chain if left out",
    "^[A-Za-z0-9 ._:-]+$",
)];
const ABOUT: &str = "Every figure but node_price is computed from verified headers and blocks. block is the newest; tips, use and trend cover up to 20. A figure that blocks do not decide is null, and missing says why. See docs/gas.md.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(27, "/search-api/v5/gas", RouteGroup::G4).serves(
            RouteOperation::get(
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
