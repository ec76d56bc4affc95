//! The table of all routes: each feature brings its own.

mod accounts;

use std::sync::LazyLock;

use superroot_account::MeteredRoute;

use crate::route::Route;
use crate::{chains, finality, health, pages, planned, proof, superroot, verify};

/// Every route of this service.
pub(crate) fn table() -> Vec<Route> {
    let features = [
        proof::routes(),
        superroot::routes(),
        finality::routes(),
        verify::routes(),
        chains::routes(),
        health::routes(),
        pages::routes(),
        accounts::routes(),
        planned::routes(),
    ];
    features.into_iter().flatten().collect()
}

/// What every route is counted under, by number: accounts are opened with it.
#[must_use]
pub fn metered_routes() -> &'static [MeteredRoute] {
    static ROUTES: LazyLock<Vec<MeteredRoute>> = LazyLock::new(|| {
        let mut routes: Vec<_> = table().into_iter().map(|route| route.metered).collect();
        routes.sort_unstable_by_key(|route| route.number.0);
        routes
    });
    &ROUTES
}
