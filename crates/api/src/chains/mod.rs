//! The chains: the registry, how each fares, and what is held of it.

use axum::routing::get;

use crate::route::{Endpoint, Grid};

mod coverage;
mod list;
pub(crate) mod members;
mod ranges;
pub(crate) mod status;

const CHAIN_STATES: &str = "States: planned (this build does not read the chain), not_followed (no \
    source of it is configured), starting, catching_up (its nodes have final blocks that are not held \
    yet; claimed says what they have), backfilling (followed, and older blocks are fetched), \
    following, stalled (nothing new for too long), halted (its nodes contradict what was final), \
    recorded (nothing new will come), withdrawn (the log takes nothing of it any more). why says in \
    words why a chain does not move.";

/// Their part of the route table.
pub(crate) fn table() -> Vec<Endpoint> {
    let grid = Grid::Service;
    vec![
        Endpoint::get(
            "/api/v1/chains",
            "chains",
            grid,
            "Every chain of the registry, and how it fares",
            "ChainList",
            get(list::chains),
        )
        .says(CHAIN_STATES),
        Endpoint::get(
            "/api/v1/status",
            "status",
            grid,
            "The whole service at one glance: what each chain does, and why one does not move",
            "Status",
            get(status::status),
        )
        .says(CHAIN_STATES),
        Endpoint::get(
            "/api/v1/coverage/{chain}",
            "coverage",
            grid,
            "What is held of a chain range by range, what is not and why, and how to have more",
            "Coverage",
            get(coverage::coverage),
        )
        .query(&["cursor", "limit"])
        .errors(&["unknown_chain"])
        .says(
            "Ranges and gaps leave out no number. A page has at most limit ranges and the gaps \
             before each; the last one has the gaps above everything that is held.",
        ),
    ]
}
