//! What the owners of keys watch: list, make, change, end.

use superroot_wire::watch::{Watch, WatchPage, WatchSettings};

use crate::error::codes::{LIMIT_REACHED, NOT_INDEXED, NOT_PROVABLE, UNKNOWN_CHAIN, UNKNOWN_WATCH};
use crate::route::parameters::Parameter;
use crate::route::{Group, Operation, Route};

mod ask;
mod handlers;
mod shapes;

const ABOUT: &str = "Every event of the address or topic is collected from the head on, and from from_block on in \
    blocks that are held already: see progress. The same target again is the same watch (200), with the lower from_block \
    of both. See docs/events.md.";

const LIMIT: Parameter = Parameter::integer("limit", "Watches of a page, 1 to 100; 50 if left out");
const CURSOR: Parameter =
    Parameter::text("cursor", "next_cursor of the page before", "^[0-9a-fA-F-]+$");

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    use Group::Account;
    vec![
        Route::paid(34, "/api/v1/watches", Account)
            .serves(
                Operation::get("watches", "Addresses and topics watched", handlers::list)
                    .says("Of the key's account, in pages.")
                    .query(&[CURSOR, LIMIT])
                    .returns::<WatchPage>(),
            )
            .serves(
                Operation::post("createWatch", "Another watch", handlers::create)
                    .reads::<WatchSettings>()
                    .errors(&[LIMIT_REACHED, UNKNOWN_CHAIN, NOT_INDEXED, NOT_PROVABLE])
                    .says(ABOUT)
                    .creates()
                    .returns::<Watch>(),
            ),
        Route::paid(35, "/api/v1/watches/{id}", Account)
            .serves(
                Operation::get("watch", "A watch, and how far it has come", handlers::get)
                    .says("Only of the key's own account.")
                    .errors(&[UNKNOWN_WATCH])
                    .returns::<Watch>(),
            )
            .serves(
                Operation::patch("changeWatch", "A watch changed", handlers::change)
                    .says("A member that is left out stays as it is.")
                    .reads::<WatchSettings>()
                    .errors(&[UNKNOWN_WATCH, LIMIT_REACHED])
                    .returns::<Watch>(),
            )
            .serves(
                Operation::delete("deleteWatch", "A watch ended", handlers::delete)
                    .errors(&[UNKNOWN_WATCH])
                    .says("What was collected because of it stays.")
                    .returns::<Watch>(),
            ),
    ]
}
