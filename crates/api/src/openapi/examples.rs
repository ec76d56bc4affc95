//! Requests and answers of a demo, put into the document: for the page on which routes are tried out.

use serde_json::{Value, json};

use super::resolved;

/// By the id of each operation: `path`, `query` and `body` of a request, `status` and `media` of its answer, and
/// the `answer`. `make examples` takes them from a demo.
const EXAMPLES: &str = include_str!("examples.json");

const ABOUT: &str = "\n\nThe examples are requests to a demo and what it answered. Keys and secrets are crossed \
    out, and long lists show their first two rows.";

/// The document with an example of each operation that has one.
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

/// Gives hashes and ids of the demo to the parameters that were asked for with some.
pub(super) fn of_parameters(document: &mut Value) {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    let parameters = document.pointer_mut("/components/parameters").and_then(Value::as_object_mut);
    for parameter in parameters.into_iter().flat_map(|parameters| parameters.values_mut()) {
        let place = parameter["in"].as_str().unwrap_or_default();
        let name = parameter["name"].as_str().unwrap_or_default();
        let requests = examples.as_object().into_iter().flat_map(|examples| examples.values());
        let mut values = requests.filter_map(|request| request[place].get(name)?.as_str());
        // of the form of its own: others of its name may be asked for something else
        let own = parameter["example"].as_str().unwrap_or_default();
        if let Some(value) = values.find(|value| value.len() == own.len() && own.len() > 30) {
            parameter["example"] = value.into();
        }
    }
}

fn put(operation: &mut Value, example: &Value, components: &Value) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        *parameter = resolved(components, parameter).clone();
        let (Some(place), Some(name)) = (parameter["in"].as_str(), parameter["name"].as_str())
        else {
            continue;
        };
        // what the request left out is left out where it is tried
        match example[place].get(name) {
            Some(value) => parameter["example"] = value.clone(),
            None => _ = parameter.as_object_mut().and_then(|parameter| parameter.remove("example")),
        }
    }
    if let Some(body) = example.get("body") {
        operation["requestBody"]["content"]["application/json"]["example"] = body.clone();
    }
    let (status, media) = (example["status"].to_string(), example["media"].as_str());
    if let (Some(response), Some(media)) = (operation["responses"].get_mut(&status), media) {
        *response = resolved(components, response).clone();
        response["content"][media]["example"] = example["answer"].clone();
    }
}
