//! Protobuf as written by java-tron: fields by ascending number, without empty fields.

#[derive(Clone, Debug, Default)]
pub(super) struct MessageWriter(Vec<u8>);

impl MessageWriter {
    /// Writes an integer unless 0. Negative integers take ten bytes.
    pub(super) fn number(self, field: u32, value: i64) -> Self {
        if value == 0 { self } else { self.varint(field, u64::from_le_bytes(value.to_le_bytes())) }
    }

    /// Writes bytes, text or a message unless empty.
    pub(super) fn text(self, field: u32, bytes: &[u8]) -> Self {
        if bytes.is_empty() { self } else { self.bytes(field, bytes) }
    }

    /// Writes an integer, even 0.
    pub(super) fn varint(mut self, field: u32, value: u64) -> Self {
        self.tag(field, 0);
        self.put(value);
        self
    }

    /// Writes bytes, even empty: a list item.
    pub(super) fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, 2);
        self.put(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, wire_type: u8) {
        self.put(u64::from(field) << 3 | u64::from(wire_type));
    }

    fn put(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(0x80 | u8::try_from(value & 0x7f).unwrap_or_default());
            value >>= 7;
        }
        self.0.push(u8::try_from(value).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use superroot_proof::ledger::tron::{TronFieldValue, TronFields};

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let message =
            MessageWriter::default().number(1, 0).number(10, -1).text(2, &[]).bytes(2, &[]);
        let message = message.bytes(1002, &[7; 300]).varint(3, 0).number(4, i64::MAX).finish();
        let read: Option<Vec<_>> = TronFields::of(&message).collect();
        let expected = [
            (10, TronFieldValue::Varint(u64::MAX)),
            (2, TronFieldValue::Bytes(&[])),
            (1002, TronFieldValue::Bytes(&[7; 300])),
            (3, TronFieldValue::Varint(0)),
            (4, TronFieldValue::Varint(u64::MAX >> 1)),
        ];
        assert_eq!(read.unwrap(), expected);
    }
}
