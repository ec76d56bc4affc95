//! Table of all routes, collected from the features.

use std::sync::LazyLock;

use superroot_account::MeteredRoute;

use crate::route::ApiRoute;
use crate::{
    accounts, chains, events, finality, find, gas, grpc, health, market, orders, pages, proof,
    streams, superroot, verify, watches, webhooks,
};

pub(crate) fn table() -> Vec<ApiRoute> {
    let features = [
        proof::routes(),
        superroot::routes(),
        finality::routes(),
        events::routes(),
        find::routes(),
        streams::routes(),
        gas::routes(),
        market::routes(),
        orders::routes(),
        watches::routes(),
        webhooks::routes(),
        verify::routes(),
        chains::routes(),
        health::routes(),
        pages::routes(),
        accounts::routes(),
    ];
    features.into_iter().flatten().collect()
}

/// Metering data for every route, by number; accounts are opened with it.
#[must_use]
pub fn metered_routes() -> &'static [MeteredRoute] {
    static ROUTES: LazyLock<Vec<MeteredRoute>> = LazyLock::new(|| {
        let mut routes: Vec<_> =
            table().into_iter().chain(grpc::methods()).map(|route| route.metered).collect();
        routes.sort_unstable_by_key(|route| route.number.0);
        routes
    });
    &ROUTES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use superroot_account::UNMATCHED;

    use super::*;

    /// Numbers are in stored rows: none comes to stand for another path, or for none.
    #[test]
    fn numbers_and_paths_are_one_to_one_and_a_method_stands_once_on_its_path() {
        let table: Vec<_> = table().into_iter().chain(grpc::methods()).collect();
        let numbers: BTreeSet<_> = table.iter().map(|route| route.metered.number).collect();
        let paths: BTreeSet<_> = table.iter().map(|route| route.metered.path).collect();
        assert_eq!((numbers.len(), paths.len()), (table.len(), table.len()));
        assert!(!numbers.contains(&UNMATCHED.number) && !paths.contains(UNMATCHED.path));
        for route in &table {
            let methods: BTreeSet<_> = route.operations.iter().map(|one| one.method).collect();
            assert_eq!(methods.len(), route.operations.len(), "{}", route.metered.path);
        }
    }

    /// Numbers are in stored rows: these pairs hold for good.
    #[test]
    fn numbers_that_were_stored_keep_their_paths() {
        for (number, path) in [
            (1, "/v5/superroot"),
            (9, "/kv/verify"),
            (26, "/price/{chain}/{token}"),
            (41, "/api/v1/usage"),
            (64, "/health/ready"),
            (78, "/superroot.v5.Proofs/ProveBlock"),
            (96, "/superroot.v5.Events/QueryBlooms"),
        ] {
            let mut routes = metered_routes().iter();
            assert_eq!(routes.find(|route| route.number.0 == number).unwrap().path, path);
        }
    }
}
