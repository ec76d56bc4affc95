//! Demo requests and answers in the document, for the try-out page.

use serde_json::{Value, json};

use super::resolved;

/// By operation id: `path`, `query` and `body` for a request, `status` and `media` of its answer, and the `answer`;
/// under `more`, `query` and `body` for further requests, with members missing in the first. `make examples` generates
/// them from a demo.
pub(super) const EXAMPLES: &str = include_str!("examples.json");

const ABOUT: &str = "\n\nThe examples are requests to a demo and what it answered. Keys and secrets are crossed \
    out, and long lists show their first two rows.";

/// Adds an example to each operation that has one.
pub(crate) fn put_into(mut document: Value) -> Value {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    if let Some(Value::String(about)) = document.pointer_mut("/info/description") {
        about.push_str(ABOUT);
    }
    let components = json!({ "components": document["components"] });
    let paths = document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    let methods = paths.filter_map(Value::as_object_mut);
    for operation in methods.flat_map(|methods| methods.values_mut()) {
        let example = operation["operationId"].as_str().and_then(|id| examples.get(id));
        if let Some(example) = example {
            put(operation, example, &components);
        }
    }
    document
}

fn put(operation: &mut Value, example: &Value, components: &Value) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        *parameter = resolved(components, parameter).clone();
        let (Some(place), Some(name)) = (parameter["in"].as_str(), parameter["name"].as_str())
        else {
            continue;
        };
        if let Some(value) = example[place].get(name) {
            parameter["example"] = value.clone();
            continue;
        }
        // what the request left out is left out where it is tried, and told in words
        let other = parameter.as_object_mut().and_then(|parameter| parameter.remove("example"));
        if let (Some(other), Value::String(about)) = (other, &mut parameter["description"]) {
            let other = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            *about += &format!(". For example: `{other}`");
        }
    }
    if let Some(body) = example.get("body") {
        operation["requestBody"]["content"]["application/json"]["example"] = body.clone();
    }
    let status = example["status"].to_string();
    let media = example["media"].as_str();
    if let (Some(response), Some(media)) = (operation["responses"].get_mut(&status), media) {
        *response = resolved(components, response).clone();
        response["content"][media]["example"] = example["answer"].clone();
    }
}
