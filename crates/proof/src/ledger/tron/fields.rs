//! Protobuf as consensus bytes have it: what java-tron writes after it has read a message.

use crate::codec::Reader;

/// Groups that may lie in each other; the library that nodes use stops there, too.
const DEPTH_MAX: usize = 100;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Integers, flags and members of enumerations.
    Varint(u64),
    /// Bytes, text and messages.
    Bytes(&'a [u8]),
    /// Anything else: no field that is read has it.
    Other,
}

/// The fields of a message in the order of its bytes: number and value. An item of `None` ends it: the
/// bytes are no message, or a length or number is not in its shortest form.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    reader: Reader<'a>,
    is_over: bool,
}

impl<'a> Fields<'a> {
    /// The fields of these bytes.
    #[must_use]
    pub const fn of(bytes: &'a [u8]) -> Self {
        Self { reader: Reader::new(bytes), is_over: false }
    }

    fn field(&mut self) -> Option<(u32, Value<'a>)> {
        let (number, wire_type) = self.tag()?;
        Some((number, self.value(number, wire_type)?))
    }

    fn tag(&mut self) -> Option<(u32, u8)> {
        let tag = u32::try_from(self.varint()?).ok()?;
        let number = tag >> 3;
        (number > 0).then_some((number, u8::try_from(tag & 7).ok()?))
    }

    fn value(&mut self, number: u32, wire_type: u8) -> Option<Value<'a>> {
        match wire_type {
            0 => self.varint().map(Value::Varint),
            1 => self.reader.bytes(8).map(|_| Value::Other),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.reader.bytes(length).map(Value::Bytes)
            }
            3 => self.group(number).map(|()| Value::Other),
            5 => self.reader.bytes(4).map(|_| Value::Other),
            _ => None,
        }
    }

    /// Reads past a group: unknown fields may hold one.
    fn group(&mut self, number: u32) -> Option<()> {
        let mut open = alloc::vec![number];
        while !open.is_empty() {
            match self.tag()? {
                (number, 3) if open.len() < DEPTH_MAX => open.push(number),
                (number, 4) if open.last() == Some(&number) => drop(open.pop()),
                (_, 3 | 4) => return None,
                (number, wire_type) => drop(self.value(number, wire_type)?),
            }
        }
        Some(())
    }

    /// Seven bits a byte, lowest first; only the shortest form.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.reader.u8()?;
            let bits = u64::from(byte & 0x7f);
            let fits = shift < 63 || bits <= 1;
            value |= bits.checked_shl(shift).filter(|_| fits)?;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u32, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over || self.reader.is_empty() {
            return None;
        }
        let field = self.field();
        self.is_over = field.is_none();
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn read(bytes: &[u8]) -> Option<Vec<(u32, Value<'_>)>> {
        Fields::of(bytes).collect()
    }

    #[test]
    fn fields_are_read_in_order_whatever_their_numbers() {
        assert_eq!(read(&[]), Some(Vec::new()));
        let bytes = [0x18, 1, 0xd2, 0x3e, 2, 0xc8, 0x3e, 0x0d, 1, 2, 3, 4, 0x08, 0];
        let expected = [
            (3, Value::Varint(1)),
            (1002, Value::Bytes(&[0xc8, 0x3e])),
            (1, Value::Other),
            (1, Value::Varint(0)),
        ];
        assert_eq!(read(&bytes).unwrap(), expected);
        let minus_one = [&[0x50_u8][..], &[0xff; 9], &[1]].concat();
        assert_eq!(read(&minus_one).unwrap(), [(10, Value::Varint(u64::MAX))]);
    }

    #[test]
    fn groups_are_read_past() {
        let nested = [0x0b, 0x13, 0x18, 1, 0x14, 0x0c, 0x18, 7];
        assert_eq!(read(&nested).unwrap(), [(1, Value::Other), (3, Value::Varint(7))]);
        for bad in [&[0x0b][..], &[0x0b, 0x14], &[0x0c], &[0x0b, 0x0b, 0x0c]] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        assert_eq!(read(&[0x0b; 5_000]), None);
    }

    #[test]
    fn bytes_that_no_node_writes_are_refused() {
        let cases: [&[u8]; 9] = [
            &[0x80],                                                 // a cut tag
            &[0x08],                                                 // no value
            &[0x08, 0x80, 0x00],                                     // not the shortest form
            &[0x88, 0x00, 0x01],                                     // nor that tag
            &[0x0a, 2, 1],                                           // fewer bytes than said
            &[0x00, 0x01],                                           // field 0
            &[0x0e, 0x01],                                           // wire type 6
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2], // past 64 bits
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],                   // a huge length
        ];
        for case in cases {
            assert_eq!(read(case), None, "{case:?}");
        }
    }
}
