//! What is known of a path before any of its handlers is asked: what it asks of a caller, and which
//! names its query may have.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::{MatchedPath, Query};
use axum::http::{Method, Uri};
use superroot_account::{Access, MeteredRoute, Tier, UNMATCHED};

use crate::ApiError;
use crate::route::parameters::{WAIT, WAIT_SECONDS_MAX};
use crate::route::{Operation, Returns, Route, is_chain};

/// What marks the path of a tile that is not full (C2SP `tlog-tiles`).
const PARTIAL: &str = ".p/";

/// What is known of a path before any of its handlers is asked.
#[derive(Debug)]
pub(crate) struct PathRow {
    pub(crate) metered: MeteredRoute,
    /// Whether it names a chain.
    pub(crate) has_chain: bool,
    /// Whether it is one of a method of gRPC.
    pub(crate) is_method: bool,
    /// Whether it opens a stream.
    pub(crate) is_stream: bool,
    /// Whether it answers with files that never change.
    has_files: bool,
    /// Names that a query may have, by method. Methods that answer with pages and files are left
    /// out: those are asked for by people, whose links carry marks of all kinds.
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

    fn of(route: &Route) -> Self {
        let returning = route.operations.iter().filter(|operation| {
            matches!(operation.returns, Returns::Json(_)) || !operation.query.is_empty()
        });
        let names = |operation: &Operation| operation.query.iter().map(|one| one.name).collect();
        Self {
            has_chain: route.path_parameters().any(is_chain),
            is_stream: route.is_stream,
            has_files: route.has_files,
            queries: returning.map(|operation| (operation.method, names(operation))).collect(),
            ..Self::new(route.metered)
        }
    }

    /// What a request may take beyond the time of others, since it asks to wait.
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

    /// Whether that path is one of a file that never changes. A tile that is not full has 255 widths: it counts as others.
    pub(crate) fn is_file(&self, path: &str) -> bool {
        self.has_files && !path.contains(PARTIAL)
    }

    fn of_method(route: &Route) -> Self {
        Self { is_method: true, is_stream: route.is_stream, ..Self::new(route.metered) }
    }

    /// Whether no path matches.
    pub(crate) fn is_unmatched(&self) -> bool {
        self.metered.number == UNMATCHED.number
    }

    /// Refuses a query with a name that the route does not have: a misspelt one would be a wish
    /// that is silently not granted. Its value is not repeated, it may be a key.
    ///
    /// # Errors
    /// 400 `invalid_parameter`.
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

/// The rows of all paths of a table.
#[derive(Debug)]
pub(crate) struct PathRows {
    by_path: HashMap<&'static str, PathRow>,
    /// Of requests that no path matches.
    unmatched: PathRow,
    /// Of a path that is in no row: nothing is open by oversight.
    closed: PathRow,
}

impl PathRows {
    pub(crate) fn new(table: &[Route], methods: &[Route]) -> Self {
        let by_path = table.iter().map(|route| (route.metered.path, PathRow::of(route)));
        let methods = methods.iter().map(|one| (one.metered.path, PathRow::of_method(one)));
        let closed = MeteredRoute { access: Access::AtLeast(Tier::Builder), ..UNMATCHED };
        let (unmatched, closed) = (PathRow::new(UNMATCHED), PathRow::new(closed));
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
