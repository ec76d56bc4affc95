//! Route data for accounts: number, access, grid, weight of an answer. The server of the routes supplies the list in
//! [`AccountConfig::routes`](crate::AccountConfig::routes).
//!
//! Counts are stored by number, so a used number never gets another path: a removed route leaves its number unused.

use crate::meter::RouteNumber;
use crate::{Grid, Tier};

/// Access required by a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// No key.
    Anyone,
    /// A key of any tier.
    AnyKey,
    /// At least the tier.
    AtLeast(Tier),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeteredRoute {
    pub number: RouteNumber,
    /// Path with parameter names: `/finality/{chain_id}`.
    pub path: &'static str,
    pub grid: Option<Grid>,
    pub access: Access,
    /// Billing tokens per successful answer. Each event of a signal stream costs
    /// [`SIGNAL_EVENT_WEIGHT`](crate::SIGNAL_EVENT_WEIGHT); opening the stream is free.
    pub weight: u32,
    /// Number of requests that one request counts as under the caller's limit; at least 1.
    pub requests: u32,
}

/// Route of requests without a matching route.
pub const UNMATCHED: MeteredRoute = MeteredRoute {
    number: RouteNumber(0),
    path: "unmatched",
    grid: None,
    access: Access::Anyone,
    weight: 0,
    requests: 1,
};

/// Route label on invoices and in usage.
#[must_use]
pub fn label_of(routes: &[MeteredRoute], number: RouteNumber) -> String {
    match routes.iter().find(|route| route.number == number) {
        Some(route) => route.path.to_owned(),
        None if number == UNMATCHED.number => UNMATCHED.path.to_owned(),
        None => format!("route {}", number.0),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const fn row(number: u16, path: &'static str, grid: Option<Grid>, weight: u32) -> MeteredRoute {
        let (number, access) = (RouteNumber(number), Access::Anyone);
        MeteredRoute { number, path, grid, access, weight, requests: 1 }
    }

    /// A small service's routes.
    pub(crate) const SAMPLE: &[MeteredRoute] = &[
        row(1, "/v5/proof/{chain}/{block}", Some(Grid::G1), 0),
        row(2, "/kv/verify", Some(Grid::G1), 1),
        row(3, "/finality", Some(Grid::G2), 0),
        row(4, "/finality/{chain_id}", Some(Grid::G2), 0),
        row(5, "/finality/{chain_id}/proof/{block}", Some(Grid::G2), 0),
        row(6, "/price/{chain}/{token}", Some(Grid::G4), 1),
        row(7, "/api/v1/keys/{id}/rotate", None, 0),
        row(8, "/", None, 0),
    ];

    #[test]
    fn what_was_counted_is_named_by_its_path_and_a_number_nobody_knows_by_itself() {
        for route in SAMPLE {
            assert_eq!(label_of(SAMPLE, route.number), route.path);
        }
        assert_eq!(label_of(SAMPLE, RouteNumber(0)), "unmatched");
        assert_eq!(label_of(SAMPLE, RouteNumber(u16::MAX)), "route 65535");
    }
}
