//! The documents that are served. They stand beside this file, made of the route table and of the types of bodies;
//! tests hold them against these, and `make documents` writes them anew. So the service has no code for it.

#[cfg(test)]
mod asyncapi;
#[cfg(test)]
mod billing;
#[cfg(test)]
mod describe;
pub(crate) mod examples;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod shorten;

use serde_json::Value;

const OPENAPI: &str = include_str!("openapi.json");
const ASYNCAPI: &str = include_str!("asyncapi.json");

/// The OpenAPI document.
///
/// # Panics
/// Never: a test reads it.
pub(crate) fn openapi() -> Value {
    serde_json::from_str(OPENAPI).expect("the file is JSON")
}

/// The AsyncAPI document of what is pushed.
///
/// # Panics
/// As [`openapi`].
pub(crate) fn asyncapi() -> Value {
    serde_json::from_str(ASYNCAPI).expect("the file is JSON")
}

/// What a reference to a component stands for; anything else stands for itself.
pub(crate) fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let named = value["$ref"].as_str().and_then(|named| named.strip_prefix('#'));
    named.and_then(|named| document.pointer(named)).unwrap_or(value)
}

/// Holds a file against the document that it is to have; with `SUPERROOT_WRITE_DOCUMENTS` writes it.
#[cfg(test)]
fn written(file: &str, document: &Value) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/openapi").join(file);
    let text = format!("{document:#}\n");
    if std::env::var_os("SUPERROOT_WRITE_DOCUMENTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let differs = std::fs::read_to_string(&path).unwrap() != text;
    assert!(!differs, "{file} is not what the code says: make documents writes it anew");
}
