//! Every route, by number: what it asks, its grid, what an answer weighs. One table: the gate, the
//! meter, invoices and the HTTP face all read it.
//!
//! A number is stored with what was counted, so one that was used never comes to stand for another
//! path: a route that goes leaves its number behind.

use crate::meter::Route as RouteNumber;
use crate::{Grid, Tier};

/// What a route asks of who comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing.
    Anyone,
    /// A key of any tier.
    AnyKey,
    /// That tier, or a higher one.
    AtLeast(Tier),
}

/// A route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeteredRoute {
    /// What it is counted under.
    pub number: RouteNumber,
    /// Its path, with names for what varies: `/finality/{chain_id}`.
    pub path: &'static str,
    /// Its grid.
    pub grid: Option<Grid>,
    /// What it asks of who comes.
    pub access: Access,
    /// Billing tokens that one successful answer weighs. Each event of a signal stream weighs
    /// [`SIGNAL_EVENT_WEIGHT`](crate::SIGNAL_EVENT_WEIGHT); opening the stream weighs nothing.
    pub weight: u32,
}

/// What requests count under that no route answers.
pub const UNMATCHED: MeteredRoute = MeteredRoute {
    number: RouteNumber(0),
    path: "unmatched",
    grid: None,
    access: Access::Anyone,
    weight: 0,
};

const PAID: Access = Access::AtLeast(Tier::Builder);

const fn open(number: u16, path: &'static str, grid: Option<Grid>, weight: u32) -> MeteredRoute {
    let access = Access::Anyone;
    MeteredRoute { number: RouteNumber(number), path, grid, access, weight }
}

const fn keyed(number: u16, path: &'static str) -> MeteredRoute {
    let access = Access::AnyKey;
    MeteredRoute { number: RouteNumber(number), path, grid: None, access, weight: 0 }
}

const fn paid(number: u16, path: &'static str, grid: Option<Grid>, weight: u32) -> MeteredRoute {
    MeteredRoute { number: RouteNumber(number), path, grid, access: PAID, weight }
}

use Grid::{G1, G2, G3, G4, G5};

/// Every route, by number.
pub const ROUTES: [MeteredRoute; 65] = [
    open(1, "/v5/superroot", Some(G1), 0),
    open(2, "/v5/superroot/{sequence}", Some(G1), 0),
    open(3, "/v5/superroot/consistency", Some(G1), 0),
    open(4, "/v5/checkpoint", Some(G1), 0),
    open(5, "/v5/proof/{chain}/{block}", Some(G1), 0),
    open(6, "/kv/proof/{chain_id}/{block_number}", Some(G1), 0),
    open(7, "/kv/super-root/latest", Some(G1), 0),
    open(8, "/kv/blob/{superroot_hash}", Some(G1), 0),
    open(9, "/kv/verify", Some(G1), 1),
    open(10, "/api/v5/proof/blob/{chain_id}/{block}", Some(G1), 0),
    open(11, "/api/lambda/proof-bundle/block/{chain_id}/{block}", Some(G1), 1),
    open(12, "/finality", Some(G2), 0),
    open(13, "/finality/{chain_id}", Some(G2), 0),
    open(14, "/finality/{chain_id}/proof/{block}", Some(G2), 0),
    open(15, "/api/finality/{chain_id}/proof/{block}", Some(G2), 0),
    open(16, "/v5/proof/tx/{chain_id}/{tx_hash}", Some(G3), 0),
    open(17, "/v5/tx/{chain}/{hash}", Some(G3), 0),
    open(18, "/v5/proof/event/{chain_id}/{block_number}/{tx_index}/{log_index}", Some(G3), 0),
    open(19, "/v5/event/{chain}/{tx}/{log_index}", Some(G3), 0),
    open(20, "/v5/proof/absence/{chain_id}/{block}/{tx_index}", Some(G3), 0),
    open(21, "/v5/proof/batch", Some(G3), 0),
    open(22, "/v5/proof/hash/{proof_hash}", Some(G3), 0),
    paid(23, "/events/{order_id}", Some(G3), 0),
    paid(24, "/bloom/query", Some(G3), 0),
    paid(25, "/v5/logs", Some(G3), 0),
    paid(26, "/price/{chain}/{token}", Some(G4), 1),
    open(27, "/search-api/v5/gas", Some(G4), 0),
    paid(28, "/signals/launches", Some(G5), 0),
    paid(29, "/signals/arb", Some(G5), 1),
    paid(30, "/signals/arb/stream", Some(G5), 0),
    paid(31, "/v5/stream", Some(G5), 0),
    paid(32, "/v5/ws", Some(G5), 0),
    paid(33, "/api/v1/stream-token", None, 0),
    paid(34, "/api/v1/watches", None, 0),
    paid(35, "/api/v1/watches/{id}", None, 0),
    paid(36, "/api/v1/webhooks", None, 0),
    paid(37, "/api/v1/webhooks/{id}", None, 0),
    open(38, "/api/v1/register", None, 0),
    open(39, "/api/v1/register/challenge", None, 0),
    keyed(40, "/api/v1/wallet"),
    keyed(41, "/api/v1/usage"),
    keyed(42, "/api/v1/usage/history"),
    keyed(43, "/api/v1/usage/checkpoints"),
    keyed(44, "/api/v1/verify"),
    keyed(45, "/api/v1/keys"),
    keyed(46, "/api/v1/keys/{id}"),
    keyed(47, "/api/v1/keys/{id}/rotate"),
    open(48, "/api/v1/plans", None, 0),
    keyed(49, "/api/v1/invoices"),
    keyed(50, "/api/v1/invoices/{invoice}"),
    keyed(51, "/api/v1/sub-accounts"),
    keyed(52, "/api/v1/sub-accounts/{account_id}/keys"),
    keyed(53, "/api/v1/sub-accounts/{account_id}/keys/{id}"),
    keyed(54, "/api/v1/sub-accounts/{account_id}/keys/{id}/rotate"),
    keyed(55, "/api/v1/sub-accounts/{account_id}/usage"),
    open(56, "/api/v1/availability", None, 0),
    open(57, "/api/v1/chains", None, 0),
    open(58, "/api/v1/status", None, 0),
    open(59, "/api/v1/coverage/{chain}", None, 0),
    open(60, "/status", None, 0),
    open(61, "/docs", None, 0),
    open(62, "/openapi.json", None, 0),
    open(63, "/health/live", None, 0),
    open(64, "/health/ready", None, 0),
    open(65, "/", None, 0),
];

/// The route of a path as the table has it, with names for what varies.
#[must_use]
pub fn route(path: &str) -> Option<&'static MeteredRoute> {
    ROUTES.iter().find(|route| route.path == path)
}

/// The route that something was counted under; none for [`UNMATCHED`], and for one that only a later
/// version knows.
#[must_use]
pub fn route_of_number(number: RouteNumber) -> Option<&'static MeteredRoute> {
    ROUTES.iter().find(|route| route.number == number)
}

/// How invoices and usage name what was counted under a number.
#[must_use]
pub fn label_of(number: RouteNumber) -> String {
    match route_of_number(number) {
        Some(route) => route.path.to_owned(),
        None if number == UNMATCHED.number => UNMATCHED.path.to_owned(),
        None => format!("route {}", number.0),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_and_paths_are_one_to_one_and_none_is_that_of_no_route() {
        let numbers: BTreeSet<_> = ROUTES.iter().map(|route| route.number).collect();
        let paths: BTreeSet<_> = ROUTES.iter().map(|route| route.path).collect();
        assert_eq!((numbers.len(), paths.len()), (ROUTES.len(), ROUTES.len()));
        assert!(!numbers.contains(&UNMATCHED.number) && !paths.contains(UNMATCHED.path));
        for (one, number) in ROUTES.iter().zip(1..) {
            assert_eq!(one.number, RouteNumber(number), "numbers are in order and never reused");
            assert_eq!(route(one.path), Some(one));
            assert_eq!(route_of_number(one.number), Some(one));
            assert_eq!(label_of(one.number), one.path);
        }
        assert_eq!(label_of(RouteNumber(0)), "unmatched");
        assert_eq!(label_of(RouteNumber(u16::MAX)), "route 65535");
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
            assert_eq!(route_of_number(RouteNumber(number)).unwrap().path, path);
        }
    }

    #[test]
    fn only_verification_prices_signals_and_lambda_bundles_weigh() {
        let weighed: Vec<_> = ROUTES.iter().filter(|one| one.weight > 0).collect();
        let paths: Vec<_> = weighed.iter().map(|one| one.path).collect();
        let expected = [
            "/kv/verify",
            "/api/lambda/proof-bundle/block/{chain_id}/{block}",
            "/price/{chain}/{token}",
            "/signals/arb",
        ];
        assert_eq!(paths, expected);
        assert!(weighed.iter().all(|one| one.weight == 1));
    }
}
