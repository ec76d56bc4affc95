//! What accounts know of a route: its number, what it asks, its grid, what an answer weighs. The list
//! is that of whoever serves the routes, and stands in [`Config::routes`](crate::Config::routes).
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
    /// Requests that one of this route counts as under the limit of whoever asks; at least 1.
    pub requests: u32,
}

/// What requests count under that no route answers.
pub const UNMATCHED: MeteredRoute = MeteredRoute {
    number: RouteNumber(0),
    path: "unmatched",
    grid: None,
    access: Access::Anyone,
    weight: 0,
    requests: 1,
};

/// How invoices and usage name what was counted under a number.
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

    /// Routes of a small service.
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
