//! Restriction of a key to chains and routes.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_types::ChainId;

use crate::{AccountError, Grid, MeteredRoute};

/// Most chains, or routes, of a scope.
pub const SCOPE_ENTRIES_MAX: usize = 64;

/// Most characters of a route pattern.
const PATTERN_CHARS_MAX: usize = 128;

/// Restriction of a key within its account's rights. The default restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scope {
    /// Allowed chains; `None` for all. A request about no particular chain is always allowed.
    pub chains: Option<BTreeSet<ChainId>>,
    /// Allowed routes; `None` for all.
    pub routes: Option<BTreeSet<RoutePattern>>,
}

impl Scope {
    /// Refuses an empty or oversized scope, and a path that matches no route.
    pub fn check(&self, routes: &[MeteredRoute]) -> Result<(), AccountError> {
        let counts =
            [self.chains.as_ref().map(BTreeSet::len), self.routes.as_ref().map(BTreeSet::len)];
        for count in counts.into_iter().flatten() {
            if count == 0 {
                return Err(AccountError::Scope { why: "an empty list would allow nothing" });
            }
            if count > SCOPE_ENTRIES_MAX {
                return Err(AccountError::Scope { why: "more than 64 entries" });
            }
        }
        self.routes.iter().flatten().try_for_each(|pattern| pattern.check_is_one_of(routes))
    }

    #[must_use]
    pub fn has_chain(&self, chain: ChainId) -> bool {
        self.chains.as_ref().is_none_or(|chains| chains.contains(&chain))
    }

    /// Whether the scope contains a route: `path` as in the route table, `/finality/{chain_id}`.
    #[must_use]
    pub fn has_route(&self, path: &str, grid: Option<Grid>) -> bool {
        let Some(routes) = &self.routes else { return true };
        routes.iter().any(|pattern| pattern.has(path, grid))
    }

    /// Whether `other` allows nothing further: the condition for handing on.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let has_chains = match (&self.chains, &other.chains) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(ours), Some(theirs)) => theirs.is_subset(ours),
        };
        let has_routes = match (&self.routes, &other.routes) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(ours), Some(theirs)) => {
                theirs.iter().all(|theirs| ours.iter().any(|ours| ours.contains(theirs)))
            }
        };
        has_chains && has_routes
    }
}

/// Route rule: a grid (`G1`), one path (`/finality/{chain_id}`, or `/finality/:chain_id`), or all paths below one
/// (`/v5/proof/*`). Parameter names do not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoutePattern(ScopeRule);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ScopeRule {
    Grid(Grid),
    /// Path as written; `is_open` if the path ends in `/*`.
    Path {
        text: String,
        is_open: bool,
    },
}

impl RoutePattern {
    fn has(&self, path: &str, grid: Option<Grid>) -> bool {
        match &self.0 {
            ScopeRule::Grid(ours) => grid == Some(*ours),
            ScopeRule::Path { text, is_open } => covers(text, *is_open, path, false),
        }
    }

    /// Refuses a path without a route: a key with this restriction would open nothing.
    fn check_is_one_of(&self, routes: &[MeteredRoute]) -> Result<(), AccountError> {
        match &self.0 {
            ScopeRule::Path { text, .. }
                if !routes.iter().any(|route| self.has(route.path, None)) =>
            {
                Err(AccountError::NoSuchRoute { asked: text.clone() })
            }
            ScopeRule::Path { .. } | ScopeRule::Grid(_) => Ok(()),
        }
    }

    /// Containment without the route table: a path is not known to be in a grid, so such a pair is not contained.
    fn contains(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (ScopeRule::Grid(ours), ScopeRule::Grid(theirs)) => ours == theirs,
            (
                ScopeRule::Path { text, is_open },
                ScopeRule::Path { text: theirs, is_open: theirs_open },
            ) => covers(text, *is_open, theirs, *theirs_open),
            (ScopeRule::Grid(_), ScopeRule::Path { .. })
            | (ScopeRule::Path { .. }, ScopeRule::Grid(_)) => false,
        }
    }
}

/// Whether the pattern `ours` covers `theirs`, segment by segment.
fn covers(ours: &str, ours_open: bool, theirs: &str, theirs_open: bool) -> bool {
    let mut ours = segments(ours, ours_open);
    let mut theirs = segments(theirs, theirs_open);
    loop {
        match (ours.next(), theirs.next()) {
            (Some(a), Some(b)) if a == b || (is_parameter(a) && is_parameter(b)) => {}
            (None, None) => return ours_open || !theirs_open,
            (None, Some(_)) => return ours_open,
            (Some(_), _) => return false,
        }
    }
}

fn segments(text: &str, is_open: bool) -> impl Iterator<Item = &str> {
    let text = if is_open { text.strip_suffix("/*").unwrap_or(text) } else { text };
    text.split('/').skip(1)
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with(':') || (segment.starts_with('{') && segment.ends_with('}'))
}

impl FromStr for RoutePattern {
    type Err = AccountError;

    fn from_str(text: &str) -> Result<Self, AccountError> {
        let refuse = |why| Err(AccountError::Scope { why });
        if let Some(grid) = Grid::ALL.into_iter().find(|grid| grid.name() == text) {
            return Ok(Self(ScopeRule::Grid(grid)));
        }
        if text.len() > PATTERN_CHARS_MAX {
            return refuse("a route pattern is longer than 128 characters");
        }
        let Some(path) = text.strip_prefix('/') else {
            return refuse("a route is a grid (G1 to G5) or a path that begins with /");
        };
        let (path, is_open) = match path.strip_suffix('*') {
            Some(path) if path.is_empty() || path.ends_with('/') => (path, true),
            Some(_) => return refuse("a star stands for whole segments: /v5/proof/*"),
            None => (path, false),
        };
        let path = path.strip_suffix('/').unwrap_or(path);
        let is_plain = |segment: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:{}".contains(&byte);
            !segment.is_empty() && segment != ".." && segment != "." && segment.bytes().all(allowed)
        };
        let is_all = path.is_empty() && is_open;
        if !is_all && !path.split('/').all(is_plain) {
            return refuse("a path has letters, digits, and -_.:{} between slashes");
        }
        let tail = match (path.is_empty(), is_open) {
            (true, _) => "*",
            (false, true) => "/*",
            (false, false) => "",
        };
        Ok(Self(ScopeRule::Path { text: format!("/{path}{tail}"), is_open }))
    }
}

impl fmt::Display for RoutePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ScopeRule::Grid(grid) => f.write_str(grid.name()),
            ScopeRule::Path { text, .. } => f.write_str(text),
        }
    }
}

impl TryFrom<String> for RoutePattern {
    type Error = AccountError;

    fn try_from(text: String) -> Result<Self, AccountError> {
        text.parse()
    }
}

impl From<RoutePattern> for String {
    fn from(pattern: RoutePattern) -> Self {
        pattern.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::tests::SAMPLE;
    use proptest::prelude::*;

    fn scope(chains: Option<&[u64]>, routes: Option<&[&str]>) -> Scope {
        Scope {
            chains: chains.map(|chains| chains.iter().copied().map(ChainId).collect()),
            routes: routes.map(|routes| routes.iter().map(|text| text.parse().unwrap()).collect()),
        }
    }

    #[test]
    fn a_scope_holds_what_it_names_and_no_more() {
        let all = Scope::default();
        assert!(all.has_chain(ChainId(1)) && all.has_route("/anything", None));
        let some = scope(Some(&[1, 10]), Some(&["G2", "/v5/proof/*", "/price/:chain/:token"]));
        assert!(some.has_chain(ChainId(10)) && !some.has_chain(ChainId(100)));
        for (path, grid, expected) in [
            ("/finality/{chain_id}", Some(Grid::G2), true),
            ("/v5/proof/{chain}/{block}", Some(Grid::G1), true),
            ("/v5/proof/tx/{chain_id}/{tx_hash}", Some(Grid::G3), true),
            ("/v5/proof", None, true),
            ("/v5/proofs", None, false),
            ("/v5/superroot", Some(Grid::G1), false),
            ("/price/{a}/{b}", Some(Grid::G4), true),
            ("/price/{a}", Some(Grid::G4), false),
            ("/price/{a}/{b}/{c}", Some(Grid::G4), false),
            ("/price/usd/{b}", Some(Grid::G4), false),
        ] {
            assert_eq!(some.has_route(path, grid), expected, "{path}");
        }
    }

    #[test]
    fn a_scope_hands_on_no_more_than_it_holds() {
        let all = Scope::default();
        let narrow = scope(Some(&[1]), Some(&["/v5/proof/*"]));
        assert!(all.contains(&narrow) && !narrow.contains(&all));
        assert!(narrow.contains(&scope(Some(&[1]), Some(&["/v5/proof/{a}/{b}"]))));
        assert!(narrow.contains(&scope(Some(&[1]), Some(&["/v5/proof/tx/*"]))));
        assert!(!narrow.contains(&scope(Some(&[1, 2]), Some(&["/v5/proof/*"]))));
        assert!(!narrow.contains(&scope(None, Some(&["/v5/proof/*"]))));
        assert!(!narrow.contains(&scope(Some(&[1]), None)));
        assert!(!narrow.contains(&scope(Some(&[1]), Some(&["/v5/*"]))));
        assert!(!narrow.contains(&scope(Some(&[1]), Some(&["/*"]))));
        assert!(!narrow.contains(&scope(Some(&[1]), Some(&["G1"]))));
        let exact = scope(None, Some(&["/v5/proof"]));
        assert!(!exact.contains(&scope(None, Some(&["/v5/proof/*"]))));
    }

    #[test]
    fn patterns_are_read_as_they_are_written_and_others_refused() {
        for text in ["G1", "G5", "/*", "/v5/*", "/kv/super-root/latest", "/a/{b}/:c"] {
            assert_eq!(text.parse::<RoutePattern>().unwrap().to_string(), text);
        }
        let long = format!("/{}", "a".repeat(128));
        for text in [
            "", "G6", "g1", "v5", "/", "//", "/a//b", "/v5*", "/*/a", "/a/../b", "/a?b", "/a%2fb",
            "/a b", "/é", &long,
        ] {
            assert!(text.parse::<RoutePattern>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_scope_that_allows_nothing_or_is_endless_is_refused() {
        assert!(scope(Some(&[1]), Some(&["G1"])).check(SAMPLE).is_ok());
        assert!(scope(Some(&[]), None).check(SAMPLE).is_err());
        assert!(scope(None, Some(&[])).check(SAMPLE).is_err());
        let many: Vec<u64> = (0..65).collect();
        assert!(scope(Some(&many[..64]), None).check(SAMPLE).is_ok());
        assert!(scope(Some(&many), None).check(SAMPLE).is_err());
    }

    #[test]
    fn a_scope_of_a_route_that_there_is_not_is_refused() {
        let check = |route: &str| scope(None, Some(&[route])).check(SAMPLE);
        for route in ["/*", "G4", "/v5/proof/*", "/finality/:chain", "/finality/{x}", "/finality"] {
            assert!(check(route).is_ok(), "{route}");
        }
        for route in ["/finality/1", "/finality/1/*", "/nope", "/nope/*", "/finality/:chain/proof"]
        {
            assert!(matches!(check(route), Err(AccountError::NoSuchRoute { .. })), "{route}");
        }
    }

    #[test]
    fn a_stored_scope_with_unknown_members_is_refused() {
        let text = r#"{"chains":[1],"routes":["G1"]}"#;
        assert_eq!(serde_json::from_str::<Scope>(text).unwrap(), scope(Some(&[1]), Some(&["G1"])));
        assert!(serde_json::from_str::<Scope>(r#"{"chain":[1]}"#).is_err());
        assert!(serde_json::from_str::<Scope>(r#"{"routes":["nowhere"]}"#).is_err());
    }

    proptest! {
        /// Whatever a contained scope holds, the containing one holds.
        #[test]
        fn what_is_contained_is_held(
            ours in prop::collection::vec("(/[ab]){1,3}(/\\*)?", 1..4),
            theirs in prop::collection::vec("(/[ab]){1,3}(/\\*)?", 1..4),
            path in "(/[ab]){1,4}",
        ) {
            let of = |texts: &[String]| {
                scope(None, Some(&texts.iter().map(String::as_str).collect::<Vec<_>>()))
            };
            let (ours, theirs) = (of(&ours), of(&theirs));
            prop_assert!(ours.contains(&ours));
            if ours.contains(&theirs) && theirs.has_route(&path, None) {
                prop_assert!(ours.has_route(&path, None));
            }
        }
    }
}
