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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use superroot_account::{ROUTES, UNMATCHED};

    use super::*;

    /// Numbers are in stored rows: none comes to stand for another path, or for none.
    #[test]
    fn numbers_and_paths_are_one_to_one_and_a_method_stands_once_on_its_path() {
        let table = table();
        let numbers: BTreeSet<_> = table.iter().map(|route| route.metered.number).collect();
        let paths: BTreeSet<_> = table.iter().map(|route| route.metered.path).collect();
        assert_eq!((numbers.len(), paths.len()), (table.len(), table.len()));
        assert!(!numbers.contains(&UNMATCHED.number) && !paths.contains(UNMATCHED.path));
        for route in &table {
            let methods: BTreeSet<_> = route.operations.iter().map(|one| one.method).collect();
            assert_eq!(methods.len(), route.operations.len(), "{}", route.metered.path);
        }
    }

    #[test]
    fn only_verification_prices_signals_and_lambda_bundles_weigh() {
        let weighed = metered_routes().iter().filter(|route| route.weight > 0);
        let weighed: Vec<_> = weighed.map(|route| (route.path, route.weight)).collect();
        let expected = [
            ("/kv/verify", 1),
            ("/api/lambda/proof-bundle/block/{chain_id}/{block}", 1),
            ("/price/{chain}/{token}", 1),
            ("/signals/arb", 1),
        ];
        assert_eq!(weighed, expected);
    }

    /// What accounts take a number for is the route that has it here.
    #[test]
    fn accounts_know_the_same_routes() {
        assert_eq!(metered_routes(), ROUTES);
    }
}
