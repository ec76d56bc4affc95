//! One row of the route table: the router and the OpenAPI document are both made of it, so neither
//! can have a route that the other lacks.

use axum::routing::MethodRouter;
use superroot_account::{Access, MeteredRoute, Tier, UNMATCHED, route};

use crate::service::Shared;

/// The grids of the specification, and what stands outside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grid {
    /// Proofs.
    G1,
    /// Finality.
    G2,
    /// Events and transactions.
    G3,
    /// Prices.
    G4,
    /// Signals.
    G5,
    /// Accounts and keys.
    Account,
    /// The service itself.
    Service,
}

impl Grid {
    pub(crate) const ALL: [Self; 7] =
        [Self::G1, Self::G2, Self::G3, Self::G4, Self::G5, Self::Account, Self::Service];

    /// The tag in the document.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::G1 => "G1",
            Self::G2 => "G2",
            Self::G3 => "G3",
            Self::G4 => "G4",
            Self::G5 => "G5",
            Self::Account => "accounts",
            Self::Service => "service",
        }
    }

    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::G1 => "Proofs: blocks, SuperRoots, consistency",
            Self::G2 => "Finality, with its evidence",
            Self::G3 => "Transactions, events, and where they may be",
            Self::G4 => "Prices",
            Self::G5 => "Signals",
            Self::Account => "Accounts, keys, usage",
            Self::Service => "Chains, status, health, documents",
        }
    }
}

/// What a good answer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// JSON of that schema.
    Json(&'static str),
    /// Text of that media type.
    Text(&'static str),
    /// Nothing yet: the route is specified and not built.
    NotBuilt,
}

/// A route.
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    /// In axum's form: `/finality/{chain_id}`.
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) grid: Grid,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    /// Names of query parameters.
    pub(crate) query: &'static [&'static str],
    /// Schema of the request's body.
    pub(crate) body: Option<&'static str>,
    pub(crate) returns: Returns,
    /// Status of a good answer.
    pub(crate) success: u16,
    /// Codes of the errors that are particular to it.
    pub(crate) errors: &'static [&'static str],
    pub(crate) handler: MethodRouter<Shared>,
}

impl Endpoint {
    /// A route without query, body and description, which returns JSON of that schema.
    pub(crate) const fn get(
        path: &'static str,
        id: &'static str,
        grid: Grid,
        summary: &'static str,
        schema: &'static str,
        handler: MethodRouter<Shared>,
    ) -> Self {
        Self {
            method: "GET",
            path,
            id,
            grid,
            summary,
            description: "",
            query: &[],
            body: None,
            returns: Returns::Json(schema),
            success: 200,
            errors: &[],
            handler,
        }
    }

    pub(crate) const fn query(mut self, query: &'static [&'static str]) -> Self {
        self.query = query;
        self
    }

    pub(crate) const fn errors(mut self, errors: &'static [&'static str]) -> Self {
        self.errors = errors;
        self
    }

    pub(crate) const fn says(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// What it asks of who comes, and what an answer weighs. A path that the table of routes does not
    /// name asks for a tier: nothing is open by oversight.
    pub(crate) fn metered(&self) -> MeteredRoute {
        metered(self.path)
    }

    /// Names of the parameters in the path, in order.
    pub(crate) fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        let segments = self.path.split('/');
        segments.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

/// As [`Endpoint::metered`], by path.
pub(crate) fn metered(path: &str) -> MeteredRoute {
    let access = Access::AtLeast(Tier::Builder);
    route(path).copied().unwrap_or(MeteredRoute { access, ..UNMATCHED })
}

/// The name on the wire of a parameter that means something else on other routes.
pub(crate) fn wire_name(name: &'static str) -> &'static str {
    match name {
        "from_time" => "from",
        "until_time" => "until",
        "history_cursor" | "account_cursor" => "cursor",
        "wallet_chain_id" => "chain_id",
        "page_limit" => "limit",
        other => other,
    }
}

/// Whether a parameter of a path names a chain.
pub(crate) fn is_chain(parameter: &str) -> bool {
    matches!(parameter, "chain" | "chain_id")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use superroot_account::ROUTES;

    use super::*;

    /// One table says what routes there are, the other what they ask: neither has one more.
    #[test]
    fn the_route_table_and_the_table_of_accounts_name_the_same_paths_and_grids() {
        let table = crate::routes::table();
        let ours: BTreeSet<_> = table.iter().map(|endpoint| endpoint.path).collect();
        let theirs: BTreeSet<_> = ROUTES.iter().map(|route| route.path).collect();
        assert_eq!(ours, theirs);
        for endpoint in &table {
            let grid = endpoint.metered().grid.map(|grid| format!("{grid:?}"));
            let shown = endpoint.grid.name();
            let expected = shown.starts_with('G').then(|| shown.to_owned());
            assert_eq!(grid, expected, "{}", endpoint.path);
        }
    }

    #[test]
    fn a_path_that_no_table_names_is_not_open() {
        assert_eq!(metered("/nowhere").access, Access::AtLeast(Tier::Builder));
    }
}
