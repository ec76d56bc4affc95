//! The table of all routes: each feature brings its own.

use std::sync::LazyLock;

use superroot_account::MeteredRoute;

use crate::route::Route;
use crate::{accounts, chains, finality, health, pages, planned, proof, superroot, verify};

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

    use superroot_account::{Access, Tier, UNMATCHED};

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

    /// The routes of the specification and of the rest, with what each asks.
    #[test]
    fn every_route_asks_what_its_documents_say() {
        let open = [
            "/v5/superroot",
            "/v5/superroot/consistency",
            "/v5/superroot/{sequence}",
            "/v5/checkpoint",
            "/v5/proof/{chain}/{block}",
            "/v5/proof/tx/{chain_id}/{tx_hash}",
            "/v5/proof/event/{chain_id}/{block_number}/{tx_index}/{log_index}",
            "/v5/proof/batch",
            "/v5/tx/{chain}/{hash}",
            "/v5/event/{chain}/{tx}/{log_index}",
            "/kv/proof/{chain_id}/{block_number}",
            "/kv/super-root/latest",
            "/kv/verify",
            "/kv/blob/{superroot_hash}",
            "/api/v5/proof/blob/{chain_id}/{block}",
            "/api/lambda/proof-bundle/block/{chain_id}/{block}",
            "/finality",
            "/finality/{chain_id}",
            "/finality/{chain_id}/proof/{block}",
            "/api/finality/{chain_id}/proof/{block}",
            "/search-api/v5/gas",
            "/api/v1/register",
            "/api/v1/register/challenge",
            "/api/v1/plans",
            "/api/v1/chains",
            "/api/v1/status",
            "/api/v1/coverage/{chain}",
            "/health/live",
            "/health/ready",
            "/openapi.json",
            "/docs",
            "/status",
            "/",
        ];
        let keyed = [
            "/api/v1/usage",
            "/api/v1/usage/history",
            "/api/v1/usage/checkpoints",
            "/api/v1/verify",
            "/api/v1/keys",
            "/api/v1/keys/{id}",
            "/api/v1/keys/{id}/rotate",
            "/api/v1/wallet",
            "/api/v1/invoices",
            "/api/v1/sub-accounts",
        ];
        let paid = [
            "/events/{order_id}",
            "/bloom/query",
            "/price/{chain}/{token}",
            "/signals/launches",
            "/signals/arb",
            "/signals/arb/stream",
            "/v5/logs",
            "/v5/stream",
            "/v5/ws",
            "/api/v1/watches",
            "/api/v1/webhooks",
            "/api/v1/stream-token",
        ];
        let of = |path| {
            metered_routes().iter().find(|route| route.path == path).map(|route| route.access)
        };
        for path in open {
            assert_eq!(of(path), Some(Access::Anyone), "{path}");
        }
        for path in keyed {
            assert_eq!(of(path), Some(Access::AnyKey), "{path}");
        }
        for path in paid {
            assert_eq!(of(path), Some(Access::AtLeast(Tier::Builder)), "{path}");
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
        ] {
            let mut routes = metered_routes().iter();
            assert_eq!(routes.find(|route| route.number.0 == number).unwrap().path, path);
        }
    }
}
