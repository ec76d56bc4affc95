//! CBOR as the Internet Computer writes it: maps with texts as keys, strings of bytes, and its own mark in
//! front.

use ciborium::Value;

/// Deepest nesting.
const DEPTH_MAX: usize = 128;
/// Tag of what describes itself as CBOR.
const SELF_DESCRIBED: u64 = 55_799;

/// Reads one value, behind the mark or without it; `None` for anything else, or more.
#[must_use]
pub fn read_cbor(bytes: &[u8]) -> Option<Value> {
    let mut rest = bytes;
    let value: Value = ciborium::de::from_reader_with_recursion_limit(&mut rest, DEPTH_MAX).ok()?;
    if !rest.is_empty() {
        return None;
    }
    match value {
        Value::Tag(SELF_DESCRIBED, inner) => Some(*inner),
        other => Some(other),
    }
}

/// Writes one value behind the mark.
#[must_use]
pub fn write_cbor(value: Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let marked = Value::Tag(SELF_DESCRIBED, Box::new(value));
    // writing to memory does not fail
    let _ = ciborium::ser::into_writer(&marked, &mut bytes);
    bytes
}

/// Takes a member out of a map; `None` where it is no map, or has no such member or several.
pub fn take_member(map: &mut Value, name: &str) -> Option<Value> {
    let Value::Map(members) = map else { return None };
    let mut places = members.iter().enumerate().filter(|(_, (key, _))| key.as_text() == Some(name));
    let place = places.next().map(|(place, _)| place)?;
    if places.next().is_some() {
        return None;
    }
    Some(members.swap_remove(place).1)
}

/// Takes a string of bytes out of a map.
pub fn take_bytes(map: &mut Value, name: &str) -> Option<Vec<u8>> {
    take_member(map, name)?.into_bytes().ok()
}
