//! OpenAPI 3.1 document, generated from the route table and body types.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use superroot_account::{Access, SIGNAL_EVENT_WEIGHT};
use superroot_wire::problem::PROBLEM_MEDIA_TYPE;
use superroot_wire::{Case, Problem, anchor};

use crate::error::codes::*;
use crate::route::{
    ApiRoute, BodySchema, EVENT_STREAM, Returns, RouteGroup, RouteOperation, RouteParameter,
    access_name, case_of,
};

use super::billing;
use super::demo_values::put_values;
use super::path_parameters::find_parameter;
use super::schemas::{self, Schemas};
use super::shorten::shorten;

const ABOUT: &str = "Proofs that a block, transaction or event stands in the SuperRoot, one \
    32-byte anchor over all chains, checkable without trusting this service.\n\n\
    Every JSON answer carries v5_anchor (v5Anchor under /v5 and /signals). Errors are \
    application/problem+json with a stable code. Every limited answer carries X-Billing-Weight (0 for HEAD) \
    and, unless the limit is off or the answer is public and immutable, X-RateLimit-Limit, -Remaining, \
    -Reset, RateLimit (t: seconds until more is left) and RateLimit-Policy. Every answer carries \
    X-Request-Id; a GET whose If-None-Match still holds is a 304.\n\n\
    A key is presented in X-API-Key, X-Service-Key or Authorization: Bearer, on any route. Without one the \
    limit is the address's; all keys of an account share its tier's. An invalid key is 401 everywhere and \
    counts against the address. x-access says what a route asks: anyone, any_key, or the lowest tier.\n\n\
    The schema XSnake is X in snake_case, BatchX is X with indexes of a batch's nodes. Objects of ledgers \
    other than the EVM's: docs/ledgers.md.";

/// Errors in any route.
const COMMON: [ErrorCode; 3] = [INVALID_PARAMETER, INTERNAL, TIMEOUT];
/// Gate errors, in every route but `/health/*`; `api_key_required` only if the route needs a key. Oversized bodies are
/// refused even if unread.
const OF_THE_GATE: [ErrorCode; 11] = [
    TWO_KEYS,
    API_KEY_REQUIRED,
    INVALID_API_KEY,
    OUT_OF_SCOPE,
    NOT_ACCEPTABLE,
    BODY_TOO_LARGE,
    URI_TOO_LONG,
    UNSUPPORTED_MEDIA_TYPE,
    RATE_LIMITED,
    HEADERS_TOO_LARGE,
    ACCOUNTS_UNAVAILABLE,
];
/// Placeholder for every unlisted status.
const ANY: u16 = 0;
/// Headers in every limited answer.
const OF_LIMITS: [&str; 6] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "RateLimit",
    "RateLimit-Policy",
    "X-Billing-Weight",
];

/// Tags of routes: name and description.
const TAGS: [(RouteGroup, &str, &str); 7] = [
    (RouteGroup::G1, "G1", "Proofs: blocks, SuperRoots, consistency"),
    (RouteGroup::G2, "G2", "Finality, with its evidence"),
    (RouteGroup::G3, "G3", "Transactions, events, and where they may be"),
    (RouteGroup::G4, "G4", "Prices"),
    (RouteGroup::G5, "G5", "Signals"),
    (RouteGroup::Account, "accounts", "Accounts, keys, usage"),
    (RouteGroup::Service, "service", "Chains, status, health, documents"),
];

fn tag_of(group: RouteGroup) -> &'static str {
    let tag = TAGS.into_iter().find(|(tagged, ..)| *tagged == group);
    tag.expect("every group has a tag").1
}

/// Path for documents: only the router has a form for a parameter with slashes.
pub(crate) fn shown_path(route: &ApiRoute) -> String {
    route.metered.path.replace("{*", "{")
}

pub(super) fn describe(table: &[ApiRoute]) -> Value {
    let mut parts = SharedParts { schemas: collect_schemas(table), ..SharedParts::default() };
    let mut paths = Map::new();
    for route in table {
        let operations = route
            .operations
            .iter()
            .map(|operation| (operation.method.to_lowercase(), parts.operation(route, operation)));
        paths.insert(shown_path(route), Value::Object(operations.collect()));
    }
    let tags = TAGS.map(|(_, name, about)| json!({ "name": name, "description": about }));
    let SharedParts { schemas, responses, parameters } = parts;
    let responses: Map<_, _> = responses.into_values().collect();
    let parameters: Map<_, _> = parameters.into_values().collect();
    #[rustfmt::skip]
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "SuperRoot",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "This service" }],
        "tags": tags,
        "security": keys(),
        "paths": paths,
        "components": {
            "schemas": schemas.into_components(),
            "responses": responses,
            "parameters": parameters,
            "securitySchemes": {
                "ApiKey": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                "ServiceKey": { "type": "apiKey", "in": "header", "name": "X-Service-Key" },
                "Bearer": { "type": "http", "scheme": "bearer" },
            },
        },
    });
    shorten(&mut document["components"]["schemas"]);
    schemas::keep_used(&mut document);
    open_objects(&mut document);
    put_values(&mut document);
    document
}

/// The anchor's schemas, of problems, and of all bodies in the table.
fn collect_schemas(table: &[ApiRoute]) -> Schemas {
    let mut schemas = Schemas::default();
    schemas.add(BodySchema::new::<Problem>(), Case::Snake, false);
    for case in [Case::Snake, Case::Camel] {
        schemas.add(BodySchema::new::<anchor::WithAnchor>(), case, true);
    }
    for route in table {
        let case = case_of(route.metered.path);
        for operation in &route.operations {
            if let Some((body, _)) = operation.body {
                schemas.add(body, case, false);
            }
            if let Returns::Json(answer) = operation.returns {
                schemas.add(answer, case, true);
            }
        }
    }
    schemas
}

/// Sets `additionalProperties` for objects without named members: client generators would take them for empty ones.
fn open_objects(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(open_objects),
        Value::Object(members) => {
            members.values_mut().for_each(open_objects);
            let says_more =
                ["properties", "additionalProperties", "allOf", "anyOf", "oneOf", "$ref"];
            let is_open = members.get("type").is_some_and(|kind| kind == "object")
                && !says_more.iter().any(|key| members.contains_key(*key));
            if is_open {
                members.insert("additionalProperties".into(), true.into());
            }
            if members.get("additionalProperties").is_some_and(Value::is_object) {
                members.entry("type").or_insert_with(|| "object".into());
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct SharedParts {
    schemas: Schemas,
    /// Problems by content, each with a name.
    responses: BTreeMap<String, (String, Value)>,
    /// Parameters by content, each with a name.
    parameters: BTreeMap<String, (String, Value)>,
}

impl SharedParts {
    fn operation(&mut self, route: &ApiRoute, operation: &RouteOperation) -> Value {
        let case = case_of(route.metered.path);
        let is_limited = !route.metered.path.starts_with("/health");
        let in_path = route.path_parameters().filter_map(find_parameter);
        let in_path = in_path.map(|one| parameter(&one.required(), "path"));
        let in_query = operation.query.iter().map(|one| parameter(one, "query"));
        let parameters = in_path.chain(in_query).map(|one| self.parameter(one, operation.id));
        let parameters: Vec<_> = parameters.collect();
        let mut described = json!({
            "operationId": operation.id,
            "tags": [tag_of(route.group)],
            "summary": operation.summary,
            "responses": self.responses(route, operation, case, is_limited),
            "x-access": access_name(route.metered.access),
        });
        if route.metered.weight > 0 {
            described["x-billing-weight"] = route.metered.weight.into();
            described["x-billing-rule"] = billing::OF_ANSWERS.into();
        } else if billing::delivers_signals(operation.method, route.metered.path) {
            described["x-billing-weight"] = SIGNAL_EVENT_WEIGHT.into();
            described["x-billing-rule"] = billing::OF_EVENTS.into();
        }
        if route.metered.access == Access::Anyone {
            // any of the three works: one is named, so that the document stays small
            described["security"] = json!([{}, { "ApiKey": [] }]);
        }
        if !operation.description.is_empty() {
            described["description"] = operation.description.into();
        }
        if !parameters.is_empty() {
            described["parameters"] = parameters.into();
        }
        if let Some((body, is_required)) = operation.body {
            let schema = self.schemas.reference(body, case);
            let content = json!({ "application/json": { "schema": schema } });
            described["requestBody"] = json!({ "required": is_required, "content": content });
        }
        described
    }

    /// Reference to a parameter. Of several with one name the first keeps it; the others append the operation that used
    /// them first, so names are stable when routes are added.
    fn parameter(&mut self, described: Value, operation: &str) -> Value {
        let name = described["name"].as_str().unwrap_or_default();
        let is_taken = self.parameters.values().any(|(taken, _)| taken == name);
        let named = if is_taken { format!("{name}_{operation}") } else { name.to_owned() };
        let entry = self.parameters.entry(described.to_string());
        let (name, _) = entry.or_insert((named, described));
        json!({ "$ref": format!("#/components/parameters/{name}") })
    }

    fn responses(
        &mut self,
        route: &ApiRoute,
        operation: &RouteOperation,
        case: Case,
        is_limited: bool,
    ) -> Map<String, Value> {
        let mut responses = Map::new();
        if let Some(content) = self.contents(operation, case) {
            let good = json!({ "description": "OK", "content": content });
            responses.insert(operation.success.to_string(), good);
        }
        let codes = codes_of(route, operation);
        let of_the_gate: &[ErrorCode] = if is_limited { &OF_THE_GATE } else { &[] };
        let of_any = [&COMMON, of_the_gate].concat();
        let mut statuses: Vec<u16> = codes.iter().map(|code| code.status).collect();
        statuses.sort_unstable();
        statuses.dedup();
        for status in statuses {
            let may_be = |code: &&ErrorCode| codes.contains(code) || of_any.contains(code);
            let named = CODES.iter().filter(|code| code.status == status).filter(may_be);
            let named = named.map(|code| code.name).collect::<Vec<_>>().join(", ");
            let reference = self.problem(status, &named, (is_limited, operation.id));
            responses.insert(status.to_string(), reference);
        }
        // what any route may answer stands in one entry for all
        let named =
            of_any.iter().map(|code| format!("{} {}", code.status, code.name)).collect::<Vec<_>>();
        let common = self.problem(ANY, &named.join(", "), (is_limited, operation.id));
        responses.insert("default".into(), common);
        responses
    }

    fn problem(
        &mut self,
        status: u16,
        codes: &str,
        (is_limited, operation): (bool, &str),
    ) -> Value {
        let name = if status == ANY { "Other".to_owned() } else { format!("E{status}") };
        let is_taken = self.responses.values().any(|(taken, _)| *taken == name);
        let name = if is_taken { format!("{name}_{operation}") } else { name };
        let (name, _) =
            self.responses.entry(format!("{codes} {is_limited}")).or_insert_with(|| {
                let schema = self.schemas.reference(BodySchema::new::<Problem>(), Case::Snake);
                let mut response = json!({
                    "description": codes,
                    "content": { PROBLEM_MEDIA_TYPE: { "schema": schema } },
                });
                let headers = headers_of(is_limited, status);
                if !headers.is_empty() {
                    response["headers"] = headers.into();
                }
                (name, response)
            });
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    fn contents(&self, operation: &RouteOperation, case: Case) -> Option<Value> {
        let mut content = self.content(operation.returns, case)?;
        if let Some(media_type) = operation.also {
            content[media_type] = match media_type {
                EVENT_STREAM => json!({ "schema": event() }),
                _ => json!({ "schema": bytes() }),
            };
        }
        Some(content)
    }

    fn content(&self, returns: Returns, case: Case) -> Option<Value> {
        let (media_type, schema) = match returns {
            Returns::Json(answer) => {
                let anchored =
                    self.schemas.reference(BodySchema::new::<anchor::WithAnchor>(), case);
                let answer = self.schemas.reference(answer, case);
                ("application/json", json!({ "allOf": [answer, anchored] }))
            }
            Returns::Text("application/json") => ("application/json", json!({ "type": "object" })),
            Returns::Bytes => ("application/octet-stream", bytes()),
            Returns::Text(EVENT_STREAM) => (EVENT_STREAM, event()),
            Returns::Text(media_type) => (media_type, json!({ "type": "string" })),
            Returns::Nothing => return None,
        };
        Some(json!({ media_type: { "schema": schema } }))
    }
}

/// Event schema for a stream: in this media type `schema` describes one event (OpenAPI 3.1). `/asyncapi.json` has the
/// contents.
fn event() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "object", "properties": { "event": text, "data": text, "id": text } })
}

fn bytes() -> Value {
    json!({ "type": "string", "format": "binary" })
}

fn codes_of(route: &ApiRoute, operation: &RouteOperation) -> Vec<ErrorCode> {
    let access: &[ErrorCode] = match (route.metered.access, route.metered.grid) {
        (Access::Anyone | Access::AnyKey, _) => &[],
        (Access::AtLeast(_), Some(_)) => &[TIER_REQUIRED, GRID_NOT_AGREED],
        (Access::AtLeast(_), None) => &[TIER_REQUIRED],
    };
    let of_money: &[ErrorCode] = if route.metered.weight > 0 { &[PAYMENT_DUE] } else { &[] };
    let all = [access, of_money, operation.errors].concat();
    all.into_iter().filter(|code| !COMMON.contains(code) && !OF_THE_GATE.contains(code)).collect()
}

fn keys() -> [Value; 3] {
    [json!({ "ApiKey": [] }), json!({ "ServiceKey": [] }), json!({ "Bearer": [] })]
}

/// Headers for a problem, by status. The headers of every limited answer, described once in the document, are listed at
/// the general error.
fn headers_of(is_limited: bool, status: u16) -> Map<String, Value> {
    let mut names = Vec::new();
    if status == ANY {
        names.extend(["X-Request-Id", "WWW-Authenticate"]);
    }
    if matches!(status, ANY | 429) {
        names.extend(OF_LIMITS.into_iter().filter(|_| is_limited));
    }
    if matches!(status, ANY | 409 | 429 | 503) {
        names.push("Retry-After");
    }
    names.into_iter().map(|name| (name.to_owned(), header(name))).collect()
}

/// Header; shorter inline than as a reference.
fn header(name: &str) -> Value {
    let is_number =
        name.starts_with("X-RateLimit") || matches!(name, "X-Billing-Weight" | "Retry-After");
    json!({ "schema": { "type": if is_number { "integer" } else { "string" } } })
}

fn parameter(parameter: &RouteParameter, place: &str) -> Value {
    let RouteParameter { name, about, pattern, is_required } = *parameter;
    let schema = match pattern {
        "" => json!({ "type": "integer", "minimum": 0 }),
        pattern => json!({ "type": "string", "pattern": pattern }),
    };
    let mut described = json!({
        "name": name,
        "in": place,
        "description": about,
        "schema": schema,
    });
    if is_required {
        described["required"] = true.into();
    }
    described
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::{resolved, written};
    use super::*;

    fn document() -> Value {
        describe(&crate::routes::table())
    }

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    found.insert(target.clone());
                }
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_to_a_part_and_every_part_is_used() {
        let document = document();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        let mut known = BTreeSet::new();
        for kind in ["schemas", "responses", "parameters"] {
            let parts = document["components"][kind].as_object().unwrap();
            known.extend(parts.keys().map(|name| format!("#/components/{kind}/{name}")));
        }
        assert_eq!(found, known);
    }

    #[test]
    fn operations_have_ids_of_their_own_and_errors_that_are_known() {
        let table = crate::routes::table();
        let mut ids = BTreeSet::new();
        for route in &table {
            for name in route.path_parameters() {
                assert!(find_parameter(name).is_some(), "{name} of {}", route.metered.path);
            }
            for operation in &route.operations {
                assert!(ids.insert(operation.id), "{}", operation.id);
                assert!(operation.errors.iter().all(|code| CODES.contains(code)));
            }
        }
    }

    /// Some makers of clients name a type of parameters after each operation: `watch` has a `WatchRequest`.
    #[test]
    fn no_schema_has_the_name_of_the_parameters_of_an_operation() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for route in crate::routes::table() {
            for operation in route.operations {
                let (first, rest) = operation.id.split_at(1);
                let name = format!("{}{rest}Request", first.to_uppercase());
                let reads = operation.body.map(|(body, _)| (body.name)());
                let is_its_own = reads.is_some_and(|reads| reads == name);
                assert!(is_its_own || !schemas.contains_key(&name), "{name}");
            }
        }
    }

    /// A choice between a reference and `null`, or between equal types, makes some makers of clients name a type that is
    /// not there, or none at all.
    #[test]
    fn alternatives_are_of_types_that_have_names() {
        fn check(schema: &Value, path: &str) {
            let alternatives = schema["anyOf"].as_array().into_iter().flatten();
            for (at, one) in alternatives.enumerate() {
                assert!(one["type"] != "null" && one.get("anyOf").is_none(), "{path}: {schema}");
                assert!(
                    !schema["anyOf"].as_array().unwrap()[..at].contains(one),
                    "{path}: {schema}"
                );
            }
            match schema {
                Value::Object(members) => {
                    members.iter().for_each(|(name, part)| check(part, &format!("{path}.{name}")));
                }
                Value::Array(parts) => parts.iter().for_each(|part| check(part, path)),
                _ => {}
            }
        }
        check(&document()["components"]["schemas"], "");
    }

    #[test]
    fn every_operation_says_more_than_its_summary() {
        for route in crate::routes::table() {
            for operation in route.operations {
                let (summary, description) = (operation.summary, operation.description);
                assert!(description.len() > 20 && description != summary, "{}", operation.id);
            }
        }
    }

    /// Where one is missing, a request to the demo has to be written that has it, and `make examples` to be run.
    #[test]
    fn every_parameter_and_every_body_of_a_request_has_an_example() {
        let document = document();
        for (name, parameter) in document["components"]["parameters"].as_object().unwrap() {
            assert!(parameter.get("example").is_some(), "{name}");
        }
        for item in document["paths"].as_object().unwrap().values() {
            for operation in item.as_object().unwrap().values() {
                let Some(body) = operation.get("requestBody") else { continue };
                let schema = resolved(&document, &body["content"]["application/json"]["schema"]);
                assert!(schema.get("example").is_some(), "{}", operation["operationId"]);
            }
        }
    }

    #[test]
    fn the_document_is_small_enough_to_be_fetched_by_anyone() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let members_of = |schema: &Value| schema["properties"].as_object().map_or(0, Map::len);
        let members: usize = schemas.values().map(members_of).sum();
        let bytes = document.to_string().len();
        // a member has its room, and no more
        assert!(bytes < 184 * members && bytes < 326_000, "{bytes} bytes for {members} members");
    }

    /// A member of any type is one that no generated client can check.
    #[test]
    fn every_member_of_every_body_has_a_type() {
        fn check(schema: &Value, path: &str) {
            let says = ["type", "$ref", "oneOf", "anyOf", "allOf", "enum"];
            // makers of clients take an object of which nothing is said for an empty one
            let is_said = ["properties", "additionalProperties", "allOf", "anyOf", "$ref"];
            let is_said = is_said.iter().any(|name| schema.get(name).is_some());
            assert!(schema["type"] != "object" || is_said, "{path}: {schema}");
            assert!(says.iter().any(|name| schema.get(name).is_some()), "{path}: {schema}");
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                check(member, &format!("{path}.{name}"));
            }
            for name in ["oneOf", "anyOf", "allOf"] {
                schema[name].as_array().into_iter().flatten().for_each(|one| check(one, path));
            }
            if let Some(item) = schema.get("items") {
                check(item, &format!("{path}[]"));
            }
        }
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        assert!(schemas.len() > 100, "{} schemas", schemas.len());
        schemas.iter().for_each(|(name, schema)| check(schema, name));
    }

    #[test]
    fn the_file_that_is_served_is_made_of_the_code() {
        written("openapi.json", &document());
    }
}
