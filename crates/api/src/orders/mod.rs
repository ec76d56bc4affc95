//! Orders across chains, by any identifier.

use superroot_wire::order::OrderStatus;
use superroot_wire::paths;

use crate::error::codes::NOT_FOUND;
use crate::route::parameters::WAIT_FOR_CHANGE;
use crate::route::{ApiRoute, RouteGroup, RouteOperation};

pub(crate) mod answer;
mod shape;

const ABOUT: &str = "By protocol:chain:id, the protocol's own id, a deposit's number, or a transaction of its origin or fill; a wrapper's id \
    (LI.FI, Socket) leads to the bridge's order. An ambiguous name is refused with candidates. See docs/orders.md.";

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::paid(23, paths::ORDER, RouteGroup::G3).serves(
            RouteOperation::get("order", "State of a cross-chain order", answer::order)
                .query(&[WAIT_FOR_CHANGE])
                .errors(&[NOT_FOUND])
                .says(ABOUT)
                .returns::<OrderStatus>(),
        ),
    ]
}
