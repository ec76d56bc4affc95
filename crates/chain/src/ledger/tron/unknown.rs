//! Fields unknown to nodes, as in node JSON: senders put such fields into transactions, and the fields are hashed.
//!
//! java-tron (`JsonFormat.printUnknownFields`) writes a list under the field number: integers first, then bytes in hex.
//! The output for fixed 32 and 64 bits is not JSON, and groups are incomplete.

use const_hex::decode as unhex;
use serde_json::{Map, Value};
use superroot_proof::ledger::tron::{TronFieldValue, TronFields};

use super::write::MessageWriter;
use crate::error::ChainError;

/// Whether an object member is named by a field number.
pub(super) fn is_unknown(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes the unknown fields of an object after the known fields.
pub(super) fn write(
    mut out: MessageWriter,
    members: &Map<String, Value>,
) -> Result<MessageWriter, ChainError> {
    let mut fields = Vec::new();
    for (name, value) in members.iter().filter(|(name, _)| is_unknown(name)) {
        let number = name.parse().ok().filter(|number| (1..1 << 29).contains(number));
        let number: u32 = number.ok_or_else(|| wrong(name, "it were a field's number"))?;
        fields.push((number, name, value));
    }
    fields.sort_by_key(|(number, ..)| *number);
    for (number, name, value) in fields {
        let list = value.as_array().ok_or_else(|| wrong(name, "it were a list"))?;
        for item in list {
            let bytes = item.as_str().map(unhex);
            out = match (item.as_u64(), bytes) {
                (Some(integer), _) => out.varint(number, integer),
                (None, Some(Ok(bytes))) => out.bytes(number, &bytes),
                _ => return Err(wrong(name, "JSON showed its bytes: integers or hex")),
            };
        }
    }
    Ok(out)
}

/// Adds a field to an object, as nodes do; `None` if JSON cannot show the field.
pub(super) fn show(
    members: &mut Map<String, Value>,
    number: u32,
    field: TronFieldValue<'_>,
) -> Option<()> {
    let value = match field {
        TronFieldValue::Varint(value) => Value::from(value),
        TronFieldValue::Bytes(bytes) => Value::from(const_hex::encode(bytes)),
        TronFieldValue::Other => return None,
    };
    let list = members.entry(number.to_string()).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut()?.push(value);
    Some(())
}

/// All fields of a message; `None` for invalid bytes.
pub(super) fn fields(message: &[u8]) -> Option<Vec<(u32, TronFieldValue<'_>)>> {
    TronFields::of(message).collect()
}

pub(super) fn wrong(field: &str, expected: &'static str) -> ChainError {
    ChainError::Unshown { field: field.into(), expected }
}
