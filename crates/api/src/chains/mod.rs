//! Chains: registry, status and coverage.

use superroot_wire::chain::{ChainList, Coverage, Status};
use superroot_wire::paths;

use crate::error::codes::UNKNOWN_CHAIN;
use crate::route::{ApiRoute, RouteGroup, RouteOperation, RouteParameter};

mod coverage;
mod list;
pub(crate) mod parts;
mod ranges;
pub(crate) mod status;

const CHAIN_STATES: &str = "States: not_followed (no node is known), starting, catching_up (claimed: what its nodes have), backfilling, \
    following, stalled, halted (nodes contradict a final block), recorded, withdrawn. why says why a chain does not move.";

const CURSOR: RouteParameter =
    RouteParameter::integer("cursor", "next_cursor of the page before; the first page if left out");
const LIMIT: RouteParameter =
    RouteParameter::integer("limit", "Ranges of a page, 1 to 1000; 100 if left out");

pub(crate) fn routes() -> Vec<ApiRoute> {
    vec![
        ApiRoute::open(57, paths::CHAINS, RouteGroup::Service).serves(
            RouteOperation::get(
                "chains",
                "Every chain of the registry, and how it fares",
                list::chains,
            )
            .says(CHAIN_STATES)
            .returns::<ChainList>(),
        ),
        ApiRoute::open(58, paths::STATUS, RouteGroup::Service).serves(
            RouteOperation::get(
                "status",
                "The whole service at one glance: what each chain does, and why one does not move",
                status::status,
            )
            .says("States as in /api/v1/chains.")
            .returns::<Status>(),
        ),
        ApiRoute::open(59, paths::COVERAGE, RouteGroup::Service).serves(
            RouteOperation::get(
                "coverage",
                "What is held of a chain range by range, what is not and why, and how to have more",
                coverage::coverage,
            )
            .query(&[CURSOR, LIMIT])
            .errors(&[UNKNOWN_CHAIN])
            .says(
                "Ranges and gaps leave out no number. A page has at most limit ranges and the gaps \
                 before each; the last one has the gaps above everything that is held.",
            )
            .returns::<Coverage>(),
        ),
    ]
}
