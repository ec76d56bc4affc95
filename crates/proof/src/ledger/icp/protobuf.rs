//! Ledger protobuf, canonical only: fields in rising order, each once, integers in shortest form, zeros omitted.

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProtobufValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Fields 1 to `N` in a message named `what`; no higher number is allowed.
pub(super) fn fields<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<[Option<ProtobufValue<'a>>; N], LedgerError> {
    read(bytes).ok_or(LedgerError::Field { field: what })
}

fn read<const N: usize>(bytes: &[u8]) -> Option<[Option<ProtobufValue<'_>>; N]> {
    let mut fields = [None; N];
    let mut reader = ByteReader::new(bytes);
    let mut before = 0;
    while !reader.is_empty() {
        let tag = varint(&mut reader)?;
        let number = tag >> 3;
        if number <= before {
            return None;
        }
        before = number;
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        let value = match tag & 7 {
            0 => ProtobufValue::Number(varint(&mut reader).filter(|value| *value > 0)?),
            2 => {
                let length = usize::try_from(varint(&mut reader)?).ok()?;
                ProtobufValue::Bytes(reader.bytes(length)?)
            }
            _ => return None,
        };
        *fields.get_mut(place)? = Some(value);
    }
    Some(fields)
}

/// Shortest varint: seven bits a byte, lowest first.
fn varint(reader: &mut ByteReader<'_>) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = reader.u8()?;
        let bits = u64::from(byte & 0x7f);
        let placed = bits.checked_shl(shift)?;
        if placed.checked_shr(shift)? != bits || (byte == 0 && shift > 0) {
            return None;
        }
        value |= placed;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

pub(super) fn message<'a>(
    field: &'static str,
    value: Option<ProtobufValue<'a>>,
) -> Result<Option<&'a [u8]>, LedgerError> {
    match value {
        None => Ok(None),
        Some(ProtobufValue::Bytes(bytes)) => Ok(Some(bytes)),
        Some(ProtobufValue::Number(_)) => Err(LedgerError::Field { field }),
    }
}

/// Integer in a single-field message.
pub(super) fn wrapped_number(field: &'static str, bytes: &[u8]) -> Result<u64, LedgerError> {
    match fields::<1>(field, bytes)? {
        [None] => Ok(0),
        [Some(ProtobufValue::Number(number))] => Ok(number),
        [Some(ProtobufValue::Bytes(_))] => Err(LedgerError::Field { field }),
    }
}

pub(super) fn wrapped_bytes<'a>(
    field: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8], LedgerError> {
    let [inner] = fields::<1>(field, bytes)?;
    let inner = message(field, inner)?;
    // empty bytes are left out
    if inner.is_some_and(<[u8]>::is_empty) {
        return Err(LedgerError::Field { field });
    }
    Ok(inner.unwrap_or_default())
}
