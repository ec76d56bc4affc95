//! A row of the route table. Router, gate, meter and OpenAPI document are all made of the rows, so none
//! can have a route that another lacks.
//!
//! ```text
//! Route::open(5, "/v5/proof/{chain}/{block}", Group::G1)      what it is counted under, path, grid
//!     .serves(Operation::get("proveBlock", "..", block)       method, id, handler
//!         .query(&[LEVEL]).returns::<BlockProof>())           what it reads and answers
//! ```

#![cfg_attr(not(test), allow(dead_code, reason = "the documents are made of it, in tests"))]

#[cfg(test)]
use std::borrow::Cow;

use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, patch, post};
use superroot_account::meter::Route as Number;
use superroot_account::{Access, Grid, MeteredRoute, Tier};
use superroot_wire::Case;
#[cfg(test)]
pub(crate) use utoipa::ToSchema as Described;
#[cfg(test)]
use utoipa::openapi::{RefOr, Schema};

use crate::error::codes::{Code, NOT_BUILT};
use crate::service::Shared;

pub(crate) mod parameters;

pub(crate) use parameters::Parameter;

/// Media type of server-sent events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Status of a request whose connection becomes another.
const UPGRADED: u16 = 101;

/// The grids of the specification, and what stands outside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
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

impl Group {
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

/// A route: a path, and what it does by method.
pub(crate) struct Route {
    /// What it is counted under, its path in axum's form (`/finality/{chain_id}`), its grid, what it
    /// asks of who comes, what an answer weighs.
    ///
    /// The number is stored with what was counted, so one that was used never comes to stand for
    /// another path: a route that goes leaves its number behind.
    pub(crate) metered: MeteredRoute,
    pub(crate) group: Group,
    pub(crate) operations: Vec<Operation>,
    /// Whether it opens a stream: what is sent on that is weighed as it goes out.
    pub(crate) is_stream: bool,
    /// Whether it answers with files that never change, which have a limit of their own.
    pub(crate) has_files: bool,
}

impl Route {
    const fn new(number: u16, path: &'static str, group: Group, access: Access) -> Self {
        let (number, grid) = (Number(number), group.grid());
        let metered = MeteredRoute { number, path, grid, access, weight: 0, requests: 1 };
        Self { metered, group, operations: Vec::new(), is_stream: false, has_files: false }
    }

    /// Asks nothing of who comes.
    pub(crate) const fn open(number: u16, path: &'static str, group: Group) -> Self {
        Self::new(number, path, group, Access::Anyone)
    }

    /// Asks for a key of any tier.
    pub(crate) const fn keyed(number: u16, path: &'static str, group: Group) -> Self {
        Self::new(number, path, group, Access::AnyKey)
    }

    /// Asks for a tier that is paid for.
    pub(crate) const fn paid(number: u16, path: &'static str, group: Group) -> Self {
        Self::new(number, path, group, Access::AtLeast(Tier::Builder))
    }

    /// A method of gRPC, which asks for the tier that has it.
    pub(crate) const fn protocol(number: u16, path: &'static str, group: Group) -> Self {
        Self::new(number, path, group, Access::AtLeast(Tier::Protocol))
    }

    /// Billing tokens that one successful answer weighs.
    pub(crate) const fn weighs(mut self, weight: u32) -> Self {
        self.metered.weight = weight;
        self
    }

    /// Answers with files that never change.
    pub(crate) const fn has_files(mut self) -> Self {
        self.has_files = true;
        self
    }

    /// Requests that one of this route counts as under the limit of whoever asks.
    pub(crate) const fn counts_as(mut self, requests: u32) -> Self {
        self.metered.requests = requests;
        self
    }

    /// With an operation of another method.
    pub(crate) fn serves(mut self, operation: Operation) -> Self {
        self.is_stream |= operation.opens_stream();
        self.operations.push(operation);
        self
    }

    /// A method of gRPC that opens a stream, or none.
    pub(crate) const fn streams(mut self, is_stream: bool) -> Self {
        self.is_stream = is_stream;
        self
    }

    /// The path as documents show it: only the router has a form for a parameter that holds slashes.
    pub(crate) fn shown_path(&self) -> String {
        self.metered.path.replace("{*", "{")
    }

    /// Names of the parameters in the path, in order.
    pub(crate) fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        let segments = self.metered.path.split('/');
        let names = segments.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        names.map(|name| name.trim_start_matches('*'))
    }
}

/// What a good answer holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Returns {
    /// JSON of that schema, and the anchor.
    Json(SchemaOf),
    /// Text of that media type.
    Text(&'static str),
    /// Bytes that are neither text nor JSON.
    Bytes,
    /// Nothing yet: the route is specified and not built.
    NotBuilt,
}

/// The schema of a type of `wire`, and of all that it holds. Tests alone, which make the documents, have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaOf {
    #[cfg(test)]
    pub(crate) name: fn() -> Cow<'static, str>,
    #[cfg(test)]
    pub(crate) all: fn() -> Vec<(String, RefOr<Schema>)>,
}

/// A type that the documents describe.
#[cfg(not(test))]
pub(crate) trait Described {}

#[cfg(not(test))]
impl<T> Described for T {}

#[cfg(not(test))]
impl SchemaOf {
    pub(crate) const fn new<T: Described>() -> Self {
        Self {}
    }
}

#[cfg(test)]
impl SchemaOf {
    pub(crate) fn new<T: Described>() -> Self {
        let all = || {
            let mut all = vec![(T::name().into_owned(), T::schema())];
            T::schemas(&mut all);
            all
        };
        Self { name: T::name, all }
    }
}

/// What a route does for one method.
pub(crate) struct Operation {
    /// In capitals.
    pub(crate) method: &'static str,
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) query: &'static [Parameter],
    /// The request's body, and whether it must be there.
    pub(crate) body: Option<(SchemaOf, bool)>,
    pub(crate) returns: Returns,
    /// Media type of another form of its answer, for those who ask for it.
    pub(crate) also: Option<&'static str>,
    /// Status of a good answer.
    pub(crate) success: u16,
    /// Errors that are particular to it.
    pub(crate) errors: &'static [Code],
    pub(crate) handler: MethodRouter<Shared>,
}

impl Operation {
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
            returns: Returns::NotBuilt,
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

    /// With these names in its query.
    pub(crate) const fn query(mut self, query: &'static [Parameter]) -> Self {
        self.query = query;
        self
    }

    /// With a body of that type.
    pub(crate) fn reads<T: Described>(mut self) -> Self {
        self.body = Some((SchemaOf::new::<T>(), true));
        self
    }

    /// With a body of that type, or none.
    pub(crate) fn may_read<T: Described>(mut self) -> Self {
        self.body = Some((SchemaOf::new::<T>(), false));
        self
    }

    /// Answers with JSON of that type.
    pub(crate) fn returns<T: Described>(mut self) -> Self {
        self.returns = Returns::Json(SchemaOf::new::<T>());
        self
    }

    /// Answers with text of that media type.
    pub(crate) const fn returns_text(mut self, media_type: &'static str) -> Self {
        self.returns = Returns::Text(media_type);
        self
    }

    /// Answers with bytes that are neither text nor JSON.
    pub(crate) const fn returns_bytes(mut self) -> Self {
        self.returns = Returns::Bytes;
        self
    }

    /// Answers with server-sent events where no other form is asked for.
    pub(crate) const fn or_events(mut self) -> Self {
        self.also = Some(EVENT_STREAM);
        self
    }

    /// Answers with a file as well, to those who accept that.
    pub(crate) const fn or_file(mut self) -> Self {
        self.also = Some("application/octet-stream");
        self
    }

    /// Answers 201: something was made.
    pub(crate) const fn creates(mut self) -> Self {
        self.success = 201;
        self
    }

    /// Whether a good answer is a stream of events, in any of its forms.
    fn opens_stream(&self) -> bool {
        let is_of_events = matches!(self.returns, Returns::Text(EVENT_STREAM));
        is_of_events || self.also == Some(EVENT_STREAM) || self.success == UPGRADED
    }

    /// Answers 101: the connection goes on as a WebSocket, with texts both ways.
    pub(crate) const fn upgrades(mut self) -> Self {
        self.success = UPGRADED;
        self.returns_text("text/plain")
    }

    /// May answer with these errors, besides those of every route.
    pub(crate) const fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    pub(crate) const fn says(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }
}

/// Errors of a route that is specified and not built.
pub(crate) const UNBUILT: &[Code] = &[NOT_BUILT];

/// Whether a parameter of a path names a chain.
pub(crate) fn is_chain(parameter: &str) -> bool {
    matches!(parameter, "chain" | "chain_id")
}

/// How names are spelled under that path.
pub(crate) fn case_of(path: &str) -> Case {
    let first = path.split('/').nth(1).unwrap_or("");
    if matches!(first, "v5" | "signals") { Case::Camel } else { Case::Snake }
}

/// What a route asks, in one word: `anyone`, `any_key`, or the lowest tier.
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
