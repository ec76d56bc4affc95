//! CBOR of the Internet Computer: maps with text keys, byte strings, and a self-description tag in front.

use alloc::boxed::Box;
use alloc::vec::Vec;

use ciborium::Value;

/// Deepest nesting.
const DEPTH_MAX: usize = 128;
/// Tag of self-described CBOR.
const SELF_DESCRIBED: u64 = 55_799;

/// Reads one value, with or without the tag; `None` for other or extra bytes.
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

/// Writes one value after the tag.
#[must_use]
pub fn write_cbor(value: Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let marked = Value::Tag(SELF_DESCRIBED, Box::new(value));
    // writing to memory does not fail
    let _ = ciborium::ser::into_writer(&marked, &mut bytes);
    bytes
}

/// Removes a map member; `None` for a value other than a map, or for a missing or repeated member.
pub fn take_member(map: &mut Value, name: &str) -> Option<Value> {
    let Value::Map(members) = map else { return None };
    let mut places = members.iter().enumerate().filter(|(_, (key, _))| key.as_text() == Some(name));
    let place = places.next().map(|(place, _)| place)?;
    if places.next().is_some() {
        return None;
    }
    Some(members.swap_remove(place).1)
}

/// Removes a byte string from a map.
pub fn take_bytes(map: &mut Value, name: &str) -> Option<Vec<u8>> {
    take_member(map, name)?.into_bytes().ok()
}
