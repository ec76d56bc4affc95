//! Orders across chains, by whatever leads to them.

use superroot_wire::order::OrderStatus;

use crate::error::codes::NOT_FOUND;
use crate::route::parameters::WAIT_FOR_CHANGE;
use crate::route::{Group, Operation, Route};

pub(crate) mod answer;
mod shape;

const ABOUT: &str = "By protocol:chain:id, the protocol's own id, a deposit's number, or a transaction of its origin or fill; a wrapper's id \
    (LI.FI, Socket) leads to the bridge's order. An ambiguous name is refused with candidates. See docs/orders.md.";

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::paid(23, "/events/{order_id}", Group::G3).serves(
            Operation::get("order", "State of a cross-chain order", answer::order)
                .query(&[WAIT_FOR_CHANGE])
                .errors(&[NOT_FOUND])
                .says(ABOUT)
                .returns::<OrderStatus>(),
        ),
    ]
}
