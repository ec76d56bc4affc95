//! Node API of Ethereum and compatible chains.

pub(crate) mod capture;
mod form;
pub(crate) mod nodes;
pub(crate) mod replay;

pub(crate) fn quantity(number: u64) -> String {
    format!("{number:#x}")
}

/// Parses a JSON-RPC quantity: `0x` and 1 to 16 hex digits.
pub(crate) fn parse_quantity(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x")?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u64::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_written() {
        for number in [0, 1, 15, 16, 23_588_347, u64::MAX] {
            assert_eq!(parse_quantity(&quantity(number)), Some(number));
        }
        assert_eq!(quantity(0), "0x0");
    }

    #[test]
    fn other_texts_are_no_quantities() {
        for text in ["", "0x", "12", "0x-1", "0x+1", "0xg", "0x1ffffffffffffffff", " 0x1"] {
            assert_eq!(parse_quantity(text), None, "{text}");
        }
    }
}
