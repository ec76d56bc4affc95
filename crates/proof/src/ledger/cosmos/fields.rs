//! Protobuf subset used in headers, written and read. Reading accepts only the written form: fields in order, none
//! empty, numbers in shortest form.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

const VARINT: u8 = 0;
const BYTES: u8 = 2;

/// Seven bits a byte, lowest first; every byte except the last has its highest bit set.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Number in its shortest form.
pub(crate) fn read_varint(reader: &mut ByteReader<'_>) -> Option<u64> {
    let mut value = 0_u64;
    for place in 0..10_u32 {
        let byte = reader.u8()?;
        let bits = u64::from(byte & 0x7f);
        let shifted = bits.checked_shl(place.checked_mul(7)?)?;
        if shifted >> place.checked_mul(7)? != bits {
            return None;
        }
        value |= shifted;
        if byte & 0x80 == 0 {
            return (byte > 0 || place == 0).then_some(value);
        }
    }
    None
}

/// Writes a number; omits 0.
pub(super) fn put_number(out: &mut Vec<u8>, number: u8, value: u64) {
    if value > 0 {
        out.push(number << 3 | VARINT);
        put_varint(out, value);
    }
}

/// Writes bytes; omits empty bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_message(out, number, bytes);
    }
}

/// Writes bytes even if empty.
pub(super) fn put_message(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | BYTES);
    put_varint(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}

/// Fields of a message, in order.
pub(crate) struct ProtobufFields<'a>(ByteReader<'a>);

impl<'a> ProtobufFields<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(ByteReader::new(bytes))
    }

    /// Whether the next field has this key; consumes a matching key.
    fn is_next(&mut self, key: u8) -> bool {
        let mut ahead = self.0.clone();
        let is_it = ahead.u8() == Some(key);
        if is_it {
            self.0 = ahead;
        }
        is_it
    }

    fn varint(&mut self) -> Option<u64> {
        read_varint(&mut self.0)
    }

    /// Number; 0 if omitted.
    pub(crate) fn number(&mut self, number: u8, field: &'static str) -> Result<u64, LedgerError> {
        if !self.is_next(number << 3 | VARINT) {
            return Ok(0);
        }
        let value = self.varint().filter(|value| *value > 0);
        value.ok_or(LedgerError::Field { field })
    }

    /// Bytes, present even if empty.
    pub(super) fn message(
        &mut self,
        number: u8,
        field: &'static str,
    ) -> Result<&'a [u8], LedgerError> {
        let wrong = LedgerError::Field { field };
        if !self.is_next(number << 3 | BYTES) {
            return Err(wrong);
        }
        let length = self.varint().and_then(|length| usize::try_from(length).ok());
        length.and_then(|length| self.0.bytes(length)).ok_or(wrong)
    }

    /// Bytes; empty if omitted.
    pub(crate) fn bytes(
        &mut self,
        number: u8,
        field: &'static str,
    ) -> Result<&'a [u8], LedgerError> {
        let mut ahead = self.0.clone();
        if ahead.u8() != Some(number << 3 | BYTES) {
            return Ok(&[]);
        }
        let bytes = self.message(number, field)?;
        if bytes.is_empty() { Err(LedgerError::Field { field }) } else { Ok(bytes) }
    }

    pub(crate) fn hash(&mut self, number: u8, field: &'static str) -> Result<Hash, LedgerError> {
        let bytes = self.bytes(number, field)?;
        bytes.try_into().map(Hash).map_err(|_| LedgerError::Field { field })
    }

    pub(crate) const fn end(&self, what: &'static str) -> Result<(), LedgerError> {
        if self.0.is_empty() { Ok(()) } else { Err(LedgerError::Trailing { what }) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_they_are_written(value: u64) {
            let mut out = Vec::new();
            put_number(&mut out, 3, value);
            let mut fields = ProtobufFields::new(&out);
            prop_assert_eq!(fields.number(3, "it"), Ok(value));
            prop_assert_eq!(fields.end("it"), Ok(()));
        }

        /// Whatever is read as a number has one form.
        #[test]
        fn no_number_has_two_forms(bytes in proptest::collection::vec(any::<u8>(), 1..12)) {
            let mut fields = ProtobufFields::new(&bytes);
            if let Some(value) = fields.varint() {
                let mut out = Vec::new();
                put_varint(&mut out, value);
                prop_assert!(bytes.starts_with(&out));
                prop_assert_eq!(out.len() + fields.0.len(), bytes.len());
            }
        }
    }
}
