//! Demo values, put into the OpenAPI document as examples.

use serde_json::{Map, Value};

use super::{examples, resolved};

/// Adds demo values as examples to parameters and request bodies.
pub(super) fn put_values(document: &mut Value) {
    let examples: Value = serde_json::from_str(examples::EXAMPLES).unwrap_or_default();
    let whole = document.clone();
    let paths = whole["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    let operations = paths.filter_map(Value::as_object).flat_map(|methods| methods.values());
    for operation in operations {
        let Some(example) = operation["operationId"].as_str().and_then(|id| examples.get(id))
        else {
            continue;
        };
        for named in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(&whole, named);
            let place = text(&parameter["in"]);
            let name = text(&parameter["name"]);
            let asked = [&example[place], &example["more"][place]];
            if let Some(value) = asked.iter().find_map(|asked| asked.get(name)) {
                put_value(document, named, value, |_, _| false);
            }
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        for body in [&example["body"], &example["more"]["body"]] {
            put_value(document, schema, body, shows_more);
        }
    }
}

/// Puts the value on the named component, unless its present one is as good.
fn put_value(
    document: &mut Value,
    named: &Value,
    value: &Value,
    is_better: impl Fn(&Value, &Value) -> bool,
) {
    let named = text(&named["$ref"]).trim_start_matches('#');
    let component = document.pointer_mut(named).and_then(Value::as_object_mut);
    let Some(component) = component.filter(|_| !named.is_empty() && !value.is_null()) else {
        return;
    };
    if component.get("example").is_none_or(|kept| is_better(value, kept)) {
        component.insert("example".to_owned(), value.clone());
    }
}

/// Whether a body has more members than another.
fn shows_more(body: &Value, other: &Value) -> bool {
    let count = |body: &Value| body.as_object().map(Map::len);
    count(body) > count(other)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
