//! Key owners' watches: list, create, change, delete.

use superroot_wire::watch::{Watch, WatchPage, WatchSettings};

use crate::error::codes::{LIMIT_REACHED, NOT_INDEXED, NOT_PROVABLE, UNKNOWN_CHAIN, UNKNOWN_WATCH};
use crate::route::parameters::RouteParameter;
use crate::route::{ApiRoute, RouteGroup, RouteOperation};

mod ask;
mod handlers;
mod shapes;

const ABOUT: &str = "Events of the address or topic are collected from the head on, and from from_block on in stored blocks: see progress. The same target is the same watch (200), with the lower from_block. See docs/events.md.";

const LIMIT: RouteParameter =
    RouteParameter::integer("limit", "Watches of a page, 1 to 100; 50 if left out");
const CURSOR: RouteParameter =
    RouteParameter::text("cursor", "next_cursor of the page before", "^[0-9a-fA-F-]+$");

pub(crate) fn routes() -> Vec<ApiRoute> {
    use RouteGroup::Account;
    vec![
        ApiRoute::paid(34, "/api/v1/watches", Account)
            .serves(
                RouteOperation::get("watches", "Addresses and topics watched", handlers::list)
                    .says("Of the key's account, in pages.")
                    .query(&[CURSOR, LIMIT])
                    .returns::<WatchPage>(),
            )
            .serves(
                RouteOperation::post("createWatch", "Another watch", handlers::create)
                    .reads::<WatchSettings>()
                    .errors(&[LIMIT_REACHED, UNKNOWN_CHAIN, NOT_INDEXED, NOT_PROVABLE])
                    .says(ABOUT)
                    .creates()
                    .returns::<Watch>(),
            ),
        ApiRoute::paid(35, "/api/v1/watches/{id}", Account)
            .serves(
                RouteOperation::get("watch", "A watch, and how far it has come", handlers::get)
                    .says("Only of the key's own account.")
                    .errors(&[UNKNOWN_WATCH])
                    .returns::<Watch>(),
            )
            .serves(
                RouteOperation::patch("changeWatch", "A watch changed", handlers::change)
                    .says("A member that is left out stays as it is.")
                    .reads::<WatchSettings>()
                    .errors(&[UNKNOWN_WATCH, LIMIT_REACHED])
                    .returns::<Watch>(),
            )
            .serves(
                RouteOperation::delete("deleteWatch", "A watch ended", handlers::delete)
                    .errors(&[UNKNOWN_WATCH])
                    .says("What was collected because of it stays.")
                    .returns::<Watch>(),
            ),
    ]
}
