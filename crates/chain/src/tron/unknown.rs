//! Fields that no node knows, as its JSON has them: senders put them into transactions, and they are
//! hashed.
//!
//! java-tron (`JsonFormat.printUnknownFields`) writes them under their number, as a list: integers first,
//! then bytes in hex. What it writes of 32 and 64 bits of fixed length is no JSON, and of groups not enough.

use const_hex::decode as unhex;
use serde_json::{Map, Value};
use superroot_proof::ledger::tron::{Fields, Value as Field};

use super::write::Message;
use crate::error::ChainError;

/// The members of an object that are named by the number of a field.
pub(super) fn is_unknown(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes the unknown fields of an object behind its known ones.
pub(super) fn write(mut out: Message, members: &Map<String, Value>) -> Result<Message, ChainError> {
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

/// Shows a field among the members of an object, as a node does; `None` where JSON cannot show it.
pub(super) fn show(members: &mut Map<String, Value>, number: u32, field: Field<'_>) -> Option<()> {
    let value = match field {
        Field::Varint(value) => Value::from(value),
        Field::Bytes(bytes) => Value::from(const_hex::encode(bytes)),
        Field::Other => return None,
    };
    let list = members.entry(number.to_string()).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut()?.push(value);
    Some(())
}

/// All fields of a message; `None` where it is none.
pub(super) fn fields(message: &[u8]) -> Option<Vec<(u32, Field<'_>)>> {
    Fields::of(message).collect()
}

pub(super) fn wrong(field: &str, expected: &'static str) -> ChainError {
    ChainError::Unshown { field: field.into(), expected }
}
