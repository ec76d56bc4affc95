//! The OpenAPI 3.1 document, made of the route table.

use superroot_wire::Problem;
use superroot_wire::problem::PROBLEM_MEDIA_TYPE;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Ref,
    RefOr, Required, Response, ResponseBuilder, Schema,
};

use superroot_account::Access;

use crate::error::codes::CODES;
use crate::route::{Endpoint, Grid, Returns, wire_name};
use crate::routes::access_name;
use crate::schemas;

const ABOUT: &str = "Proofs that a block, transaction or event stands in the SuperRoot, one \
    32-byte anchor over all chains, checkable without trusting this service.\n\n\
    Every JSON answer carries v5_anchor (v5Anchor under /v5 and /signals). Errors are \
    application/problem+json with a stable code. Every limited answer carries X-RateLimit-Limit, \
    X-RateLimit-Remaining, X-RateLimit-Reset (the second at which all is left again), RateLimit (t: \
    seconds until more is left) and RateLimit-Policy, but where the limit is off, and \
    X-Billing-Weight, 0 for HEAD; every answer X-Request-Id.\n\n\
    A key is presented in X-API-Key, X-Service-Key or Authorization: Bearer, on any route. Without \
    one the limit is that of the address; with one, all keys of an account share its tier's. A key \
    that is none, or none any more, is 401 everywhere and counts against the address. Each route \
    says in x-access what it asks: anyone, any_key, or the lowest tier.";

/// Errors that any route may answer. What is too large is refused even where it is not read.
const COMMON: [&str; 11] = [
    "invalid_parameter",
    "two_keys",
    "invalid_api_key",
    "out_of_scope",
    "body_too_large",
    "uri_too_long",
    "headers_too_large",
    "rate_limited",
    "internal",
    "timeout",
    "accounts_unavailable",
];

/// Bodies that may be left out.
const OPTIONAL_BODIES: [&str; 1] = ["SubAccountRequest"];

/// Names of the three ways to present a key.
const SECURITY: [&str; 3] = ["ApiKey", "ServiceKey", "Bearer"];

/// The document of a table.
pub(crate) fn describe(table: &[Endpoint]) -> OpenApi {
    let mut components = ComponentsBuilder::new().schema_from::<Problem>();
    for (name, schema) in schemas::all() {
        components = components.schema(name, schema);
    }
    for (name, scheme) in security_schemes() {
        components = components.security_scheme(name, scheme);
    }
    let mut paths = PathsBuilder::new();
    for endpoint in table {
        let method = match endpoint.method {
            "POST" => HttpMethod::Post,
            "PATCH" => HttpMethod::Patch,
            "DELETE" => HttpMethod::Delete,
            _ => HttpMethod::Get,
        };
        paths = paths.path(endpoint.path, PathItem::new(method, operation(endpoint)));
    }
    let tags = Grid::ALL.into_iter().map(|grid| {
        utoipa::openapi::tag::TagBuilder::new()
            .name(grid.name())
            .description(Some(grid.description()))
            .build()
    });
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0").build();
    let info = InfoBuilder::new()
        .title("SuperRoot")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(license));
    OpenApiBuilder::new()
        .info(info.build())
        .paths(paths.build())
        .components(Some(components.build()))
        .tags(Some(tags))
        .build()
}

fn operation(endpoint: &Endpoint) -> utoipa::openapi::path::Operation {
    let mut operation = OperationBuilder::new()
        .operation_id(Some(endpoint.id))
        .tag(endpoint.grid.name())
        .summary(Some(endpoint.summary));
    if !endpoint.description.is_empty() {
        operation = operation.description(Some(endpoint.description));
    }
    for name in endpoint.path_parameters() {
        operation = operation.parameter(parameter(name, ParameterIn::Path));
    }
    for name in endpoint.query {
        operation = operation.parameter(parameter(name, ParameterIn::Query));
    }
    if let Some(schema) = endpoint.body {
        let content = json_of(schema).build();
        let may_lack = OPTIONAL_BODIES.contains(&schema);
        let needed = if may_lack { Required::False } else { Required::True };
        let body = RequestBodyBuilder::new().content("application/json", content);
        operation = operation.request_body(Some(body.required(Some(needed)).build()));
    }
    let is_limited = !endpoint.path.starts_with("/health/");
    if let Some(response) = good(endpoint.returns) {
        let status = endpoint.success.to_string();
        operation = operation.response(status, with_headers(response, is_limited, None));
    }
    for (status, response) in problems(endpoint) {
        let response = with_headers(response, is_limited, Some(&status));
        operation = operation.response(status, response);
    }
    let route = endpoint.metered();
    if route.access == Access::Anyone {
        operation = operation.security(SecurityRequirement::default());
    }
    for name in SECURITY {
        operation = operation.security(SecurityRequirement::new(name, [] as [String; 0]));
    }
    let access = access_name(route.access);
    let extensions =
        Extensions::builder().add("x-access", access).add("x-billing-weight", route.weight).build();
    operation.extensions(Some(extensions)).build()
}

fn security_schemes() -> [(&'static str, SecurityScheme); 3] {
    let header = |name: &str| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
    let [plain, service, bearer] = SECURITY;
    [
        (plain, header("X-API-Key")),
        (service, header("X-Service-Key")),
        (bearer, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer))),
    ]
}

/// The headers of an answer, by its status where it is a problem.
fn with_headers(mut response: Response, is_limited: bool, problem: Option<&str>) -> Response {
    let mut named = vec!["X-Request-Id"];
    if is_limited {
        named.extend(["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]);
        named.extend(["RateLimit", "RateLimit-Policy", "X-Billing-Weight"]);
    }
    match problem {
        Some("401") => named.push("WWW-Authenticate"),
        Some("409" | "429" | "500" | "503") => named.push("Retry-After"),
        _ => {}
    }
    for name in named {
        let is_number =
            name.starts_with("X-RateLimit") || matches!(name, "X-Billing-Weight" | "Retry-After");
        let kind = if is_number { Type::Integer } else { Type::String };
        let schema = Schema::from(ObjectBuilder::new().schema_type(kind));
        response.headers.insert(name.to_owned(), RefOr::T(Header::new(schema)));
    }
    response
}

fn good(returns: Returns) -> Option<Response> {
    let (media_type, content) = match returns {
        Returns::Json(schema) => ("application/json", json_of(schema)),
        Returns::Text(media_type @ "application/json") => {
            let object = ObjectBuilder::new().schema_type(Type::Object);
            (media_type, ContentBuilder::new().schema(Some(Schema::from(object))))
        }
        Returns::Text(media_type) => {
            let text = ObjectBuilder::new().schema_type(Type::String);
            (media_type, ContentBuilder::new().schema(Some(Schema::from(text))))
        }
        Returns::NotBuilt => return None,
    };
    let response = ResponseBuilder::new().description("The answer");
    Some(response.content(media_type, content.build()).build())
}

/// Problems by status: the route's own and those of every route.
fn problems(endpoint: &Endpoint) -> Vec<(String, Response)> {
    let body = ["unsupported_media_type"];
    let gate: &[&str] = match endpoint.metered().access {
        Access::Anyone => &[],
        Access::AnyKey => &["api_key_required"],
        Access::AtLeast(_) if endpoint.metered().grid.is_some() => {
            &["api_key_required", "tier_required", "grid_not_agreed"]
        }
        Access::AtLeast(_) => &["api_key_required", "tier_required"],
    };
    let is_limited = |code: &&str| {
        let sizes = ["body_too_large", "uri_too_long", "headers_too_large"];
        let of_the_gate = ["two_keys", "invalid_api_key", "out_of_scope"];
        let of_accounts = ["rate_limited", "accounts_unavailable"];
        let is_of_the_gate = [&sizes[..], &of_the_gate, &of_accounts].concat().contains(code);
        !(is_of_the_gate && endpoint.path.starts_with("/health/"))
    };
    let codes: Vec<&str> = COMMON
        .into_iter()
        .filter(is_limited)
        .chain(gate.iter().copied())
        .chain(endpoint.body.iter().flat_map(|_| body))
        .chain(endpoint.errors.iter().copied())
        .collect();
    let mut statuses: Vec<u16> = CODES.iter().map(|code| code.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let responses = statuses.into_iter().filter_map(|status| {
        let rows = CODES.iter().filter(|code| code.status == status && codes.contains(&code.name));
        let named: Vec<&str> = rows.map(|code| code.name).collect();
        if named.is_empty() {
            return None;
        }
        let problem = RefOr::Ref(Ref::from_schema_name("Problem"));
        let content = ContentBuilder::new().schema(Some(problem)).build();
        let response = ResponseBuilder::new().description(named.join(", "));
        Some((status.to_string(), response.content(PROBLEM_MEDIA_TYPE, content).build()))
    });
    responses.collect()
}

fn json_of(schema: &str) -> ContentBuilder {
    ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name(schema))))
}

fn parameter(name: &'static str, place: ParameterIn) -> utoipa::openapi::path::Parameter {
    let (kind, about) = meaning(name);
    let is_required = place == ParameterIn::Path || matches!(name, "from" | "wallet_address");
    let required = if is_required { Required::True } else { Required::False };
    let schema = Schema::from(ObjectBuilder::new().schema_type(kind));
    ParameterBuilder::new()
        .name(wire_name(name))
        .parameter_in(place)
        .required(required)
        .description(Some(about))
        .schema(Some(schema))
        .build()
}

/// What a parameter holds, the same wherever it occurs.
fn meaning(name: &str) -> (SchemaType, &'static str) {
    let (kind, about) = match name {
        "chain" | "chain_id" => {
            (Type::String, "Chain id, name or CAIP-2 name, such as 1, ethereum or eip155:1")
        }
        "block" | "block_number" => {
            (Type::String, "Block number, or latest for the newest anchored block")
        }
        "tx_hash" | "hash" | "tx" => (
            Type::String,
            "Transaction hash: 0x and 64 hex digits; of Bitcoin also 64 digits as explorers show it",
        ),
        "superroot_hash" | "root" => (Type::String, "SuperRoot hash: 0x and 64 hex digits"),
        "tx_index" => (Type::Integer, "Position of the transaction in the block"),
        "log_index" => (Type::Integer, "Position of the log in the receipt"),
        "sequence" => (Type::Integer, "Sequence of a SuperRoot"),
        "level" => (Type::Integer, "Highest level wanted, 1 to 5; 1 and 2 need no SuperRoot"),
        "from" => (Type::Integer, "Sequence of the earlier SuperRoot"),
        "to" => (Type::Integer, "Sequence of the later SuperRoot; the newest if left out"),
        "cursor" => (Type::Integer, "next_cursor of the page before; the first page if left out"),
        "limit" => (Type::Integer, "Ranges of a page, 1 to 1000; 100 if left out"),
        "strength" => (Type::String, "history (if left out) or full"),
        "from_time" => (Type::Integer, "Unix seconds; a day before until if left out"),
        "until_time" => (Type::Integer, "Unix seconds; now if left out"),
        "history_cursor" => (Type::String, "next_cursor of the page before"),
        "account_cursor" => (Type::String, "next_cursor of the page before"),
        "page_limit" => (Type::Integer, "Rows of a page, 1 to 1000; 100 if left out"),
        "before" => (Type::String, "Only months before this one, such as 2026-02"),
        "month" => (Type::String, "A month in UTC such as 2026-02; the running one if left out"),
        "invoice" => (
            Type::String,
            "A month such as 2026-02 or a number such as SR-LIVE-000042; .csv or .html behind it \
             for those forms",
        ),
        "account_id" => (Type::String, "Id of a sub-account"),
        "id" => (Type::String, "Id of a key, a watch or a webhook"),
        "wallet_address" => (Type::String, "The wallet: 0x and 40 hex digits"),
        "wallet_chain_id" => (
            Type::String,
            "The chain the message is to name, one of those configured; the first of them if left \
             out",
        ),
        "order_id" => (Type::String, "Id of an order"),
        "token" => (Type::String, "Address or symbol of a token"),
        "proof_hash" => (Type::String, "Hash of a proof, as a signal names it"),
        _ => (Type::String, "See the description of the route"),
    };
    (kind.into(), about)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn document() -> Value {
        serde_json::to_value(describe(&crate::routes::table())).unwrap()
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
    fn every_reference_leads_to_a_schema_and_every_schema_is_used() {
        let document = document();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let known: BTreeSet<_> =
            schemas.keys().map(|name| format!("#/components/schemas/{name}")).collect();
        assert_eq!(found, known);
    }

    #[test]
    fn every_route_of_the_table_is_an_operation() {
        let document = document();
        for endpoint in crate::routes::table() {
            let item = &document["paths"][endpoint.path];
            let operation = &item[endpoint.method.to_lowercase()];
            assert_eq!(operation["operationId"], endpoint.id, "{}", endpoint.path);
        }
    }

    #[test]
    fn operations_have_ids_of_their_own_and_parameters_a_meaning() {
        let table = crate::routes::table();
        let ids: BTreeSet<_> = table.iter().map(|endpoint| endpoint.id).collect();
        assert_eq!(ids.len(), table.len());
        for endpoint in &table {
            for name in endpoint.path_parameters().chain(endpoint.query.iter().copied()) {
                assert!(!meaning(name).1.starts_with("See"), "{name} of {}", endpoint.path);
            }
            for code in endpoint.errors {
                assert!(CODES.iter().any(|row| row.name == *code), "{code} is no code");
            }
        }
    }

    #[test]
    fn the_document_is_as_reviewed() {
        insta::assert_snapshot!(serde_json::to_string_pretty(&document()).unwrap());
    }
}
