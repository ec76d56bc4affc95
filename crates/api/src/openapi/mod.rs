//! Served documents. Their files, in `interface/`, are generated from the route table and body types; tests compare
//! them, and `make interface` rewrites them. The service itself has no generator code.

#[cfg(test)]
mod asyncapi;
#[cfg(test)]
mod billing;
#[cfg(test)]
mod demo_values;
#[cfg(test)]
mod describe;
pub(crate) mod examples;
#[cfg(test)]
mod path_parameters;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod shorten;

#[cfg(test)]
pub(crate) use describe::shown_path;
use serde_json::Value;

const OPENAPI: &str = include_str!("../../../../interface/openapi.json");
const ASYNCAPI: &str = include_str!("../../../../interface/asyncapi.json");

/// OpenAPI document.
///
/// # Panics
/// Never: a test reads it.
pub(crate) fn openapi() -> Value {
    serde_json::from_str(OPENAPI).expect("the file is JSON")
}

/// AsyncAPI document for pushed events.
///
/// # Panics
/// As [`openapi`].
pub(crate) fn asyncapi() -> Value {
    serde_json::from_str(ASYNCAPI).expect("the file is JSON")
}

/// Resolves a component reference; other values are returned unchanged.
pub(crate) fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let named = value["$ref"].as_str().and_then(|named| named.strip_prefix('#'));
    named.and_then(|named| document.pointer(named)).unwrap_or(value)
}

/// Compares a file of `interface/` with its expected document; with `SUPERROOT_WRITE_INTERFACE` writes it.
#[cfg(test)]
fn written(file: &str, document: &Value) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interface").join(file);
    let text = format!("{document:#}\n");
    if std::env::var_os("SUPERROOT_WRITE_INTERFACE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let differs = std::fs::read_to_string(&path).unwrap() != text;
    assert!(!differs, "interface/{file} differs from what the code generates: run make interface");
}
