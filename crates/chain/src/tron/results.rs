//! `Transaction.Result`, which stands in a transaction as `ret`: to bytes, and to what nodes show of it.

use serde_json::{Map, Value};
use superroot_proof::ledger::tron::{CONTRACT_RESULTS, Value as Field};

use super::unknown::{self, is_unknown, wrong};
use super::write::Message;
use crate::error::ChainError;

/// Names of `ret` by number.
const CODES: [&str; 2] = ["SUCESS", "FAILED"];

/// How a field is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Name(&'static [&'static str]),
    Text,
    Hex,
}

/// The fields that are read, by rising number. Of market orders (26) nothing is: no transaction in a
/// block has had one.
const FIELDS: [(u32, &str, Kind); 12] = [
    (1, "fee", Kind::Integer),
    (2, "ret", Kind::Name(&CODES)),
    (3, "contractRet", Kind::Name(&CONTRACT_RESULTS)),
    (14, "assetIssueID", Kind::Text),
    (15, "withdraw_amount", Kind::Integer),
    (16, "unfreeze_amount", Kind::Integer),
    (18, "exchange_received_amount", Kind::Integer),
    (19, "exchange_inject_another_amount", Kind::Integer),
    (20, "exchange_withdraw_another_amount", Kind::Integer),
    (21, "exchange_id", Kind::Integer),
    (22, "shielded_transaction_fee", Kind::Integer),
    (25, "orderId", Kind::Hex),
];

/// The bytes of a result that a node shows so.
pub(super) fn write(shown: &Map<String, Value>) -> Result<Vec<u8>, ChainError> {
    let known = |name: &str| FIELDS.iter().any(|(_, field, _)| *field == name);
    if let Some(name) = shown.keys().find(|name| !known(name) && !is_unknown(name)) {
        return Err(wrong(name, "it were a field of a result that JSON shows whole"));
    }
    let mut out = Message::default();
    for (number, name, kind) in FIELDS {
        let Some(value) = shown.get(name) else { continue };
        let text = || value.as_str().ok_or_else(|| wrong(name, "it were text"));
        out = match kind {
            Kind::Integer => {
                let integer = value.as_i64().ok_or_else(|| wrong(name, "it were an integer"))?;
                out.number(number, integer)
            }
            Kind::Name(names) => {
                let place = names.iter().position(|one| Some(*one) == value.as_str());
                let place = place.and_then(|place| i64::try_from(place).ok());
                out.number(number, place.ok_or_else(|| wrong(name, "it were a name known here"))?)
            }
            Kind::Text => out.text(number, text()?.as_bytes()),
            Kind::Hex => {
                let bytes = const_hex::decode(text()?).map_err(|_| wrong(name, "it were hex"))?;
                out.text(number, &bytes)
            }
        };
    }
    Ok(unknown::write(out, shown)?.finish())
}

/// What a node shows of a result; `None` where JSON cannot show it.
pub(super) fn show(result: &[u8]) -> Option<Map<String, Value>> {
    let mut shown = Map::new();
    for (number, field) in unknown::fields(result)? {
        let known = FIELDS.iter().find(|(known, ..)| *known == number);
        let value = match (known.map(|(_, name, kind)| (*name, *kind)), field) {
            (Some((name, Kind::Integer)), Field::Varint(value)) => {
                Some((name, Value::from(i64::from_le_bytes(value.to_le_bytes()))))
            }
            (Some((name, Kind::Name(names))), Field::Varint(value)) => {
                Some((name, Value::from(*names.get(usize::try_from(value).ok()?)?)))
            }
            (Some((name, Kind::Text)), Field::Bytes(bytes)) => {
                Some((name, Value::from(core::str::from_utf8(bytes).ok()?)))
            }
            (Some((name, Kind::Hex)), Field::Bytes(bytes)) => {
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
