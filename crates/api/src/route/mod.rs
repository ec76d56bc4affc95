//! Rows of the route table. Router, gate, meter and OpenAPI document are built from the same rows, so all have the same
//! routes.
//!
//! ```text
//! Route::open(5, "/v5/proof/{chain}/{block}", Group::G1)      what it is counted under, path, grid
//!     .serves(Operation::get("proveBlock", "..", block)       method, id, handler
//!         .query(&[LEVEL]).returns::<BlockProof>())           what it reads and answers
//! ```

use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, patch, post};
use superroot_account::meter::RouteNumber;
use superroot_account::{Access, Grid, MeteredRoute, Tier};
use superroot_wire::Case;

use crate::error::codes::ErrorCode;
use crate::service::Shared;

pub(crate) mod parameters;
mod schema;

pub(crate) use parameters::RouteParameter;
pub(crate) use schema::{BodySchema, ToSchema};

pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// An upgraded connection's status.
const UPGRADED: u16 = 101;

/// Grids in the specification, and routes outside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RouteGroup {
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
    Account,
    Service,
}

impl RouteGroup {
    const fn grid(self) -> Option<Grid> {
        match self {
            Self::G1 => Some(Grid::G1),
            Self::G2 => Some(Grid::G2),
            Self::G3 => Some(Grid::G3),
            Self::G4 => Some(Grid::G4),
            Self::G5 => Some(Grid::G5),
            Self::Account | Self::Service => None,
        }
    }
}

/// Route: a path and its operations by method.
#[cfg_attr(not(test), expect(dead_code, reason = "the documents are made of it, in tests"))]
pub(crate) struct ApiRoute {
    /// Metering data: path in axum's form (`/finality/{chain_id}`), grid, caller requirement, billing weight.
    ///
    /// The number is stored with the counts, so it is never reused: a removed route leaves its number behind.
    pub(crate) metered: MeteredRoute,
    pub(crate) group: RouteGroup,
    pub(crate) operations: Vec<RouteOperation>,
    /// Whether the route opens a stream, whose billing weight is counted per event sent.
    pub(crate) is_stream: bool,
    /// Whether the route serves immutable files, which have a separate limit.
    pub(crate) has_files: bool,
}

impl ApiRoute {
    const fn new(number: u16, path: &'static str, group: RouteGroup, access: Access) -> Self {
        let number = RouteNumber(number);
        let grid = group.grid();
        let metered = MeteredRoute { number, path, grid, access, weight: 0, requests: 1 };
        Self { metered, group, operations: Vec::new(), is_stream: false, has_files: false }
    }

    /// Route without a key.
    pub(crate) const fn open(number: u16, path: &'static str, group: RouteGroup) -> Self {
        Self::new(number, path, group, Access::Anyone)
    }

    /// Route for any key.
    pub(crate) const fn keyed(number: u16, path: &'static str, group: RouteGroup) -> Self {
        Self::new(number, path, group, Access::AnyKey)
    }

    /// Route for a paid tier.
    pub(crate) const fn paid(number: u16, path: &'static str, group: RouteGroup) -> Self {
        Self::new(number, path, group, Access::AtLeast(Tier::Builder))
    }

    /// gRPC method, for the tiers that include gRPC.
    pub(crate) const fn protocol(number: u16, path: &'static str, group: RouteGroup) -> Self {
        Self::new(number, path, group, Access::AtLeast(Tier::Protocol))
    }

    /// Sets the billing tokens for one successful answer.
    pub(crate) const fn weighs(mut self, weight: u32) -> Self {
        self.metered.weight = weight;
        self
    }

    pub(crate) const fn has_files(mut self) -> Self {
        self.has_files = true;
        self
    }

    /// Sets the number of requests counted against the caller's limit.
    pub(crate) const fn counts_as(mut self, requests: u32) -> Self {
        self.metered.requests = requests;
        self
    }

    pub(crate) fn serves(mut self, operation: RouteOperation) -> Self {
        self.is_stream |= operation.opens_stream();
        self.operations.push(operation);
        self
    }

    /// Sets whether a gRPC method opens a stream.
    pub(crate) const fn streams(mut self, is_stream: bool) -> Self {
        self.is_stream = is_stream;
        self
    }

    pub(crate) fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        let segments = self.metered.path.split('/');
        let names = segments.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        names.map(|name| name.trim_start_matches('*'))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Returns {
    Json(BodySchema),
    Text(&'static str),
    Bytes,
    /// No body.
    Nothing,
}

#[cfg_attr(not(test), expect(dead_code, reason = "the documents are made of it, in tests"))]
pub(crate) struct RouteOperation {
    /// In capitals.
    pub(crate) method: &'static str,
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) query: &'static [RouteParameter],
    /// Request body schema, and whether the body is required.
    pub(crate) body: Option<(BodySchema, bool)>,
    pub(crate) returns: Returns,
    /// Media type of an alternative form, on request.
    pub(crate) also: Option<&'static str>,
    pub(crate) success: u16,
    pub(crate) errors: &'static [ErrorCode],
    pub(crate) handler: MethodRouter<Shared>,
}

impl RouteOperation {
    fn new(
        method: &'static str,
        id: &'static str,
        summary: &'static str,
        handler: MethodRouter<Shared>,
    ) -> Self {
        Self {
            method,
            id,
            summary,
            description: "",
            query: &[],
            body: None,
            returns: Returns::Nothing,
            also: None,
            success: 200,
            errors: &[],
            handler,
        }
    }

    pub(crate) fn get<T: 'static>(
        id: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        Self::new("GET", id, summary, get(handler))
    }

    pub(crate) fn post<T: 'static>(
        id: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        Self::new("POST", id, summary, post(handler))
    }

    pub(crate) fn patch<T: 'static>(
        id: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        Self::new("PATCH", id, summary, patch(handler))
    }

    pub(crate) fn delete<T: 'static>(
        id: &'static str,
        summary: &'static str,
        handler: impl Handler<T, Shared>,
    ) -> Self {
        Self::new("DELETE", id, summary, delete(handler))
    }

    pub(crate) const fn query(mut self, query: &'static [RouteParameter]) -> Self {
        self.query = query;
        self
    }

    pub(crate) fn reads<T: ToSchema>(mut self) -> Self {
        self.body = Some((BodySchema::new::<T>(), true));
        self
    }

    pub(crate) fn may_read<T: ToSchema>(mut self) -> Self {
        self.body = Some((BodySchema::new::<T>(), false));
        self
    }

    pub(crate) fn returns<T: ToSchema>(mut self) -> Self {
        self.returns = Returns::Json(BodySchema::new::<T>());
        self
    }

    /// Sets a text answer with this media type.
    pub(crate) const fn returns_text(mut self, media_type: &'static str) -> Self {
        self.returns = Returns::Text(media_type);
        self
    }

    /// Sets a binary answer.
    pub(crate) const fn returns_bytes(mut self) -> Self {
        self.returns = Returns::Bytes;
        self
    }

    /// Adds server-sent events as the default form.
    pub(crate) const fn or_events(mut self) -> Self {
        self.also = Some(EVENT_STREAM);
        self
    }

    /// Adds a file as alternative form.
    pub(crate) const fn or_file(mut self) -> Self {
        self.also = Some("application/octet-stream");
        self
    }

    /// Sets status 201.
    pub(crate) const fn creates(mut self) -> Self {
        self.success = 201;
        self
    }

    /// Whether an answer form is an event stream.
    fn opens_stream(&self) -> bool {
        let is_of_events = matches!(self.returns, Returns::Text(EVENT_STREAM));
        is_of_events || self.also == Some(EVENT_STREAM) || self.success == UPGRADED
    }

    /// Sets status 101: the connection becomes a WebSocket with text messages.
    pub(crate) const fn upgrades(mut self) -> Self {
        self.success = UPGRADED;
        self.returns_text("text/plain")
    }

    /// Sets specific errors, besides those common to all routes.
    pub(crate) const fn errors(mut self, errors: &'static [ErrorCode]) -> Self {
        self.errors = errors;
        self
    }

    pub(crate) const fn says(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }
}

pub(crate) fn is_chain(parameter: &str) -> bool {
    matches!(parameter, "chain" | "chain_id")
}

/// Member spelling under a path.
pub(crate) fn case_of(path: &str) -> Case {
    let first = path.split('/').nth(1).unwrap_or("");
    if matches!(first, "v5" | "signals") { Case::Camel } else { Case::Snake }
}

/// Route access as one word: `anyone`, `any_key`, or the lowest tier.
pub(crate) const fn access_name(access: Access) -> &'static str {
    match access {
        Access::Anyone => "anyone",
        Access::AnyKey => "any_key",
        Access::AtLeast(tier) => tier.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_v5_and_signals_speak_camel_case() {
        for (path, case) in [
            ("/v5/superroot", Case::Camel),
            ("/v5", Case::Camel),
            ("/signals/arb", Case::Camel),
            ("/v55/superroot", Case::Snake),
            ("/api/v5/proof/blob/1/2", Case::Snake),
            ("/search-api/v5/gas", Case::Snake),
            ("/", Case::Snake),
            ("", Case::Snake),
        ] {
            assert_eq!(case_of(path), case, "{path}");
        }
    }
}
