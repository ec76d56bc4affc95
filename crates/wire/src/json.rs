//! Strict JSON parser: an object with a duplicate member name is refused, because readers disagree on the first or last
//! value.

use core::cell::Cell;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use superroot_types::json_text;

use crate::WireError;

/// Maximum body size: JSON for the largest proof repeats the leaf a few times.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// Maximum number of values in a body: each takes many times more bytes in memory than in JSON.
const VALUES_MAX: usize = 1 << 18;

/// Parses a body.
///
/// # Errors
/// As [`parse_json_within`], with at most 2^18 values.
pub fn parse_json(body: &[u8]) -> Result<Value, WireError> {
    parse_json_within(body, VALUES_MAX)
}

/// Parses a body with at most `values_max` values.
///
/// # Errors
/// [`WireError::TooLarge`] beyond [`BODY_BYTES_MAX`]; [`WireError::Json`] if the body is not JSON in UTF-8, nests
/// deeper than 128 levels, has more values, or repeats a member name.
pub fn parse_json_within(body: &[u8], values_max: usize) -> Result<Value, WireError> {
    if body.len() > BODY_BYTES_MAX {
        let what = "the body";
        let got = body.len();
        let max = BODY_BYTES_MAX;
        return Err(WireError::TooLarge { what, got, max });
    }
    let body = json_text(body).map_err(|error| WireError::Json { why: error.to_string() })?;
    let values_left = Cell::new(Some(values_max));
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let parsed = Strict { values_left: &values_left, values_max }.deserialize(&mut deserializer);
    let parsed = parsed.and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|error| {
        // the place that the parser names is that of an object which it began before
        let is_over = values_left.get().is_none();
        let why =
            if is_over { format!("more than {values_max} values") } else { error.to_string() };
        WireError::Json { why }
    })
}

/// Reader for one value, with the remaining value budget; `None` once exceeded.
#[derive(Clone, Copy)]
struct Strict<'a> {
    values_left: &'a Cell<Option<usize>>,
    values_max: usize,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.values_left.get().and_then(|left| left.checked_sub(1));
        self.values_left.set(left);
        if left.is_none() {
            return Err(D::Error::custom(format_args!("more than {} values", self.values_max)));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            let value = access.next_value_seed(self)?;
            if members.insert(name.clone(), value).is_some() {
                return Err(A::Error::custom(format_args!("member {name:?} is named twice")));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn plain_json_reads_as_everywhere() {
        let text = r#"{"a": [1, -2, 1.5, true, null, "x\u00e9"], "b": {"c": {}, "d": []}}"#;
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse_json(text.as_bytes()), Ok(expected));
    }

    /// Notepad and PowerShell write files so.
    #[test]
    fn a_byte_order_mark_is_passed_over_and_utf_16_is_named() {
        assert_eq!(parse_json("\u{feff}{\"a\": 1}".as_bytes()), Ok(json!({ "a": 1 })));
        let utf_16: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let error = parse_json(&utf_16).unwrap_err().to_string();
        assert!(error.ends_with("it is UTF-16, expected UTF-8: save it as UTF-8"), "{error}");
        assert!(parse_json("\u{feff}\u{feff}{}".as_bytes()).is_err());
    }

    #[test]
    fn a_member_named_twice_is_refused() {
        for text in [r#"{"a": 1, "a": 1}"#, r#"[{"b": {"a": 1, "\u0061": 2}}]"#] {
            let error = parse_json(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(r#"member "a" is named twice"#), "{error}");
        }
        assert_eq!(parse_json(br#"[{"a": 1}, {"a": 2}]"#), Ok(json!([{ "a": 1 }, { "a": 2 }])));
    }

    /// Two bytes of JSON become dozens in memory: the number of values is bounded as well.
    #[test]
    fn a_body_of_countless_values_is_refused() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert!(parse_json(list(VALUES_MAX - 1).as_bytes()).is_ok());
        for body in [list(VALUES_MAX), format!(r#"{{"a":{},"b":{}}}"#, list(200_000), list(70_000))]
        {
            let error = parse_json(body.as_bytes()).unwrap_err().to_string();
            assert!(error.ends_with("more than 262144 values"), "{error}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(100_000);
        for text in ["", "{", "{} x", "nul", "\u{7f}", deep.as_str()] {
            assert!(matches!(parse_json(text.as_bytes()), Err(WireError::Json { .. })));
        }
        assert!(matches!(parse_json(&[0xff, 0xfe]), Err(WireError::Json { .. })));
        let large = vec![b' '; BODY_BYTES_MAX + 1];
        assert!(matches!(parse_json(&large), Err(WireError::TooLarge { .. })));
    }
}
