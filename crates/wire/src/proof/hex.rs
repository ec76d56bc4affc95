//! Bytes and quantities as JSON.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Maximum bytes written as text without allocation: a bloom is the longest value in most answers.
const SHORT_BYTES: usize = 256;

/// Borrowed bytes, in lower-case hex with prefix `0x`.
pub(super) struct HexOf<'a>(pub(super) &'a [u8]);

impl Serialize for HexOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = [0; 2 + 2 * SHORT_BYTES];
        let Some(room) = buffer.get_mut(..2 + 2 * self.0.len()) else {
            return serializer.serialize_str(&const_hex::encode_prefixed(self.0));
        };
        room[..2].copy_from_slice(b"0x");
        // the room is as long as the digits, and they are ASCII
        let digits = const_hex::encode_to_slice(self.0, &mut room[2..]).ok();
        let text = digits.and_then(|()| core::str::from_utf8(room).ok());
        serializer.serialize_str(text.unwrap_or_default())
    }
}

/// JSON-RPC quantity: hex without leading zeros.
#[derive(Clone, Copy)]
pub(super) struct HexQuantity(pub(super) u64);

impl Serialize for HexQuantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

/// 256-bit quantity from big-endian bytes.
pub(super) struct WideQuantity<'a>(pub(super) &'a [u8; 32]);

impl Serialize for WideQuantity<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = const_hex::encode(self.0);
        let significant = digits.trim_start_matches('0');
        let significant = if significant.is_empty() { "0" } else { significant };
        serializer.collect_str(&format_args!("0x{significant}"))
    }
}

pub(super) fn hex(bytes: impl AsRef<[u8]>) -> Value {
    Value::from(const_hex::encode_prefixed(bytes))
}

pub(super) fn quantity(value: u64) -> Value {
    json!(HexQuantity(value))
}

pub(super) fn wide_quantity(value: &[u8; 32]) -> Value {
    json!(WideQuantity(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_no_leading_zeros() {
        let mut value = [0; 32];
        assert_eq!((wide_quantity(&value), quantity(0)), (json!("0x0"), json!("0x0")));
        value[30] = 1;
        assert_eq!((wide_quantity(&value), quantity(256)), (json!("0x100"), json!("0x100")));
    }

    #[test]
    fn bytes_of_any_length_are_hex() {
        for length in [0, 1, SHORT_BYTES, SHORT_BYTES + 1] {
            let bytes = vec![0xa5; length];
            assert_eq!(json!(HexOf(&bytes)), hex(&bytes), "{length}");
        }
    }
}
