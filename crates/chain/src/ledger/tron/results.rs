//! `Transaction.Result`, the transaction field `ret`: conversion to bytes, and to node JSON.

use serde_json::{Map, Value};
use superroot_proof::ledger::tron::{CONTRACT_RESULTS, TronFieldValue};

use super::unknown::{self, is_unknown, wrong};
use super::write::MessageWriter;
use crate::error::ChainError;

/// Names of `ret` by number.
const CODES: [&str; 2] = ["SUCESS", "FAILED"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Integer,
    Name(&'static [&'static str]),
    Text,
    Hex,
}

/// Known fields, ascending. Market orders (26) are not read: no transaction in a block has had one.
const FIELDS: [(u32, &str, FieldKind); 12] = [
    (1, "fee", FieldKind::Integer),
    (2, "ret", FieldKind::Name(&CODES)),
    (3, "contractRet", FieldKind::Name(&CONTRACT_RESULTS)),
    (14, "assetIssueID", FieldKind::Text),
    (15, "withdraw_amount", FieldKind::Integer),
    (16, "unfreeze_amount", FieldKind::Integer),
    (18, "exchange_received_amount", FieldKind::Integer),
    (19, "exchange_inject_another_amount", FieldKind::Integer),
    (20, "exchange_withdraw_another_amount", FieldKind::Integer),
    (21, "exchange_id", FieldKind::Integer),
    (22, "shielded_transaction_fee", FieldKind::Integer),
    (25, "orderId", FieldKind::Hex),
];

/// Bytes of a result in node JSON.
pub(super) fn write(shown: &Map<String, Value>) -> Result<Vec<u8>, ChainError> {
    let known = |name: &str| FIELDS.iter().any(|(_, field, _)| *field == name);
    if let Some(name) = shown.keys().find(|name| !known(name) && !is_unknown(name)) {
        return Err(wrong(name, "it were a field of a result that JSON shows whole"));
    }
    let mut out = MessageWriter::default();
    for (number, name, kind) in FIELDS {
        let Some(value) = shown.get(name) else { continue };
        let text = || value.as_str().ok_or_else(|| wrong(name, "it were text"));
        out = match kind {
            FieldKind::Integer => {
                let integer = value.as_i64().ok_or_else(|| wrong(name, "it were an integer"))?;
                out.number(number, integer)
            }
            FieldKind::Name(names) => {
                let place = names.iter().position(|one| Some(*one) == value.as_str());
                let place = place.and_then(|place| i64::try_from(place).ok());
                out.number(number, place.ok_or_else(|| wrong(name, "it were a name known here"))?)
            }
            FieldKind::Text => out.text(number, text()?.as_bytes()),
            FieldKind::Hex => {
                let bytes = const_hex::decode(text()?).map_err(|_| wrong(name, "it were hex"))?;
                out.text(number, &bytes)
            }
        };
    }
    Ok(unknown::write(out, shown)?.finish())
}

/// Node JSON of a result; `None` if JSON cannot show the bytes.
pub(super) fn show(result: &[u8]) -> Option<Map<String, Value>> {
    let mut shown = Map::new();
    for (number, field) in unknown::fields(result)? {
        let known = FIELDS.iter().find(|(known, ..)| *known == number);
        let value = match (known.map(|(_, name, kind)| (*name, *kind)), field) {
            (Some((name, FieldKind::Integer)), TronFieldValue::Varint(value)) => {
                Some((name, Value::from(i64::from_le_bytes(value.to_le_bytes()))))
            }
            (Some((name, FieldKind::Name(names))), TronFieldValue::Varint(value)) => {
                Some((name, Value::from(*names.get(usize::try_from(value).ok()?)?)))
            }
            (Some((name, FieldKind::Text)), TronFieldValue::Bytes(bytes)) => {
                Some((name, Value::from(core::str::from_utf8(bytes).ok()?)))
            }
            (Some((name, FieldKind::Hex)), TronFieldValue::Bytes(bytes)) => {
                Some((name, Value::from(const_hex::encode(bytes))))
            }
            _ => None,
        };
        match value {
            Some((name, value)) => drop(shown.insert(name.to_owned(), value)),
            None => unknown::show(&mut shown, number, field)?,
        }
    }
    Some(shown)
}
