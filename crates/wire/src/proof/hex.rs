//! Bytes and quantities as JSON.

use serde_json::Value;

pub(super) fn hex(bytes: impl AsRef<[u8]>) -> Value {
    Value::from(const_hex::encode_prefixed(bytes))
}

/// A quantity of JSON-RPC: hex without leading zeros.
pub(super) fn quantity(value: u64) -> Value {
    Value::from(format!("{value:#x}"))
}

/// A 256-bit quantity.
pub(super) fn wide_quantity(value: &[u8; 32]) -> Value {
    let digits = const_hex::encode(value);
    let significant = digits.trim_start_matches('0');
    Value::from(format!("0x{}", if significant.is_empty() { "0" } else { significant }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn quantities_have_no_leading_zeros() {
        let mut value = [0; 32];
        assert_eq!((wide_quantity(&value), quantity(0)), (json!("0x0"), json!("0x0")));
        value[30] = 1;
        assert_eq!((wide_quantity(&value), quantity(256)), (json!("0x100"), json!("0x100")));
    }
}
