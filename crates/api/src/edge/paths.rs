//! Static path data, known before the handler runs: caller requirements and query names.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::{MatchedPath, Query};
use axum::http::{Method, Uri};
use superroot_account::{Access, MeteredRoute, Tier, UNMATCHED};

use crate::ApiError;
use crate::route::parameters::{WAIT, WAIT_SECONDS_MAX};
use crate::route::{ApiRoute, Returns, RouteOperation, is_chain};

/// Path marker for a partial tile (C2SP `tlog-tiles`).
const PARTIAL: &str = ".p/";

#[derive(Debug)]
pub(crate) struct PathRow {
    pub(crate) metered: MeteredRoute,
    pub(crate) has_chain: bool,
    pub(crate) is_method: bool,
    pub(crate) is_stream: bool,
    has_files: bool,
    /// Allowed query names by method. Methods for pages and files are exempt: people's links carry tracking parameters.
    queries: Vec<(&'static str, Vec<&'static str>)>,
}

impl PathRow {
    const fn new(metered: MeteredRoute) -> Self {
        Self {
            metered,
            has_chain: false,
            is_method: false,
            is_stream: false,
            has_files: false,
            queries: Vec::new(),
        }
    }

    fn of(route: &ApiRoute) -> Self {
        let returning = route.operations.iter().filter(|operation| {
            matches!(operation.returns, Returns::Json(_)) || !operation.query.is_empty()
        });
        let names =
            |operation: &RouteOperation| operation.query.iter().map(|one| one.name).collect();
        Self {
            has_chain: route.path_parameters().any(is_chain),
            is_stream: route.is_stream,
            has_files: route.has_files,
            queries: returning.map(|operation| (operation.method, names(operation))).collect(),
            ..Self::new(route.metered)
        }
    }

    /// Extra time for a request that asks to wait.
    pub(crate) fn waiting(&self, uri: &Uri) -> Duration {
        if !self.queries.iter().any(|(_, names)| names.contains(&WAIT.name)) {
            return Duration::ZERO;
        }
        let query = Query::<Vec<(String, String)>>::try_from_uri(uri).ok();
        let mut named = query.into_iter().flat_map(|Query(query)| query);
        let text = named.find(|(name, _)| name == WAIT.name).map(|(_, text)| text);
        let seconds = text.and_then(|text| text.parse().ok()).unwrap_or(0);
        Duration::from_secs(WAIT_SECONDS_MAX.min(seconds))
    }

    /// Whether the path counts as an immutable file. Partial tiles have 255 widths, so they count as ordinary requests.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.has_files && !path.contains(PARTIAL)
    }

    fn of_method(route: &ApiRoute) -> Self {
        Self { is_method: true, is_stream: route.is_stream, ..Self::new(route.metered) }
    }

    pub(crate) fn is_unmatched(&self) -> bool {
        self.metered.number == UNMATCHED.number
    }

    /// Refuses an unknown query name (400 `invalid_parameter`): a typo would be ignored silently. The value is not
    /// repeated, because it may be a key.
    pub(crate) fn check_query(&self, method: &Method, uri: &Uri) -> Result<(), ApiError> {
        if uri.query().is_none() {
            return Ok(());
        }
        let method = if method == Method::HEAD { "GET" } else { method.as_str() };
        let of_method = self.queries.iter().find(|(one, _)| *one == method);
        let Some((_, known)) = of_method else { return Ok(()) };
        let Ok(Query(query)) = Query::<Vec<(String, String)>>::try_from_uri(uri) else {
            // the route says so itself, if it reads one
            return Ok(());
        };
        let Some((name, _)) = query.iter().find(|(name, _)| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let expected = match known.as_slice() {
            [] => "none: this route has no query".to_owned(),
            known => format!("one of {}", known.join(", ")),
        };
        Err(ApiError::parameter("query", name, expected))
    }
}

#[derive(Debug)]
pub(crate) struct PathRows {
    by_path: HashMap<&'static str, PathRow>,
    /// For requests without a matching path.
    unmatched: PathRow,
    /// For a path outside the table: nothing is open by oversight.
    closed: PathRow,
}

impl PathRows {
    pub(crate) fn new(table: &[ApiRoute], methods: &[ApiRoute]) -> Self {
        let by_path = table.iter().map(|route| (route.metered.path, PathRow::of(route)));
        let methods = methods.iter().map(|one| (one.metered.path, PathRow::of_method(one)));
        let closed = MeteredRoute { access: Access::AtLeast(Tier::Builder), ..UNMATCHED };
        let unmatched = PathRow::new(UNMATCHED);
        let closed = PathRow::new(closed);
        Self { by_path: by_path.chain(methods).collect(), unmatched, closed }
    }

    pub(crate) fn of(&self, matched: Option<&MatchedPath>) -> &PathRow {
        matched
            .map_or(&self.unmatched, |path| self.by_path.get(path.as_str()).unwrap_or(&self.closed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever owes opens none of them: the gate asks by this, so none can be left out.
    #[test]
    fn what_opens_a_stream_is_read_from_what_it_answers() {
        let (table, methods) = (crate::routes::table(), crate::grpc::methods());
        let rows = PathRows::new(&table, &methods);
        let mut streams: Vec<_> = rows.by_path.values().filter(|row| row.is_stream).collect();
        streams.sort_by_key(|row| row.metered.path);
        let paths: Vec<_> = streams.iter().map(|row| row.metered.path).collect();
        let expected = [
            "/signals/arb/stream",
            "/signals/launches",
            "/superroot.v5.Streams/Listen",
            "/v5/stream",
            "/v5/ws",
        ];
        assert_eq!(paths, expected);
        // a key is needed for each: keyless streams are bounded by address
        assert!(streams.iter().all(|row| row.metered.access != Access::Anyone));
    }

    #[test]
    fn a_path_that_no_table_names_is_not_open() {
        let rows = PathRows::new(&[], &[]);
        assert_eq!(rows.closed.metered.access, Access::AtLeast(Tier::Builder));
        assert_eq!(rows.of(None).metered, UNMATCHED);
    }
}
