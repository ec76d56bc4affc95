//! Consensus protobuf, as written by java-tron after reading a message.

use crate::codec::ByteReader;

/// Deepest group nesting, equal to the node library's limit.
const DEPTH_MAX: usize = 100;

/// Field value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TronFieldValue<'a> {
    /// Integer, flag or enumeration member.
    Varint(u64),
    /// Bytes, text or message.
    Bytes(&'a [u8]),
    /// Any unread kind.
    Other,
}

/// Message fields in byte order: number and value. A `None` item ends the list: not a message, or a length or number
/// not in shortest form.
#[derive(Clone, Debug)]
pub struct TronFields<'a> {
    reader: ByteReader<'a>,
    is_over: bool,
}

impl<'a> TronFields<'a> {
    /// Fields in the bytes.
    #[must_use]
    pub const fn of(bytes: &'a [u8]) -> Self {
        Self { reader: ByteReader::new(bytes), is_over: false }
    }

    fn field(&mut self) -> Option<(u32, TronFieldValue<'a>)> {
        let (number, wire_type) = self.tag()?;
        Some((number, self.value(number, wire_type)?))
    }

    fn tag(&mut self) -> Option<(u32, u8)> {
        let tag = u32::try_from(self.varint()?).ok()?;
        let number = tag >> 3;
        (number > 0).then_some((number, u8::try_from(tag & 7).ok()?))
    }

    fn value(&mut self, number: u32, wire_type: u8) -> Option<TronFieldValue<'a>> {
        match wire_type {
            0 => self.varint().map(TronFieldValue::Varint),
            1 => self.reader.bytes(8).map(|_| TronFieldValue::Other),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.reader.bytes(length).map(TronFieldValue::Bytes)
            }
            3 => self.group(number).map(|()| TronFieldValue::Other),
            5 => self.reader.bytes(4).map(|_| TronFieldValue::Other),
            _ => None,
        }
    }

    /// Skips a group, possible in unknown fields.
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

    /// Shortest varint: seven bits a byte, lowest first.
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

impl<'a> Iterator for TronFields<'a> {
    type Item = Option<(u32, TronFieldValue<'a>)>;

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

    fn read(bytes: &[u8]) -> Option<Vec<(u32, TronFieldValue<'_>)>> {
        TronFields::of(bytes).collect()
    }

    #[test]
    fn fields_are_read_in_order_whatever_their_numbers() {
        assert_eq!(read(&[]), Some(Vec::new()));
        let bytes = [0x18, 1, 0xd2, 0x3e, 2, 0xc8, 0x3e, 0x0d, 1, 2, 3, 4, 0x08, 0];
        let expected = [
            (3, TronFieldValue::Varint(1)),
            (1002, TronFieldValue::Bytes(&[0xc8, 0x3e])),
            (1, TronFieldValue::Other),
            (1, TronFieldValue::Varint(0)),
        ];
        assert_eq!(read(&bytes).unwrap(), expected);
        let minus_one = [&[0x50_u8][..], &[0xff; 9], &[1]].concat();
        assert_eq!(read(&minus_one).unwrap(), [(10, TronFieldValue::Varint(u64::MAX))]);
    }

    #[test]
    fn groups_are_read_past() {
        let nested = [0x0b, 0x13, 0x18, 1, 0x14, 0x0c, 0x18, 7];
        assert_eq!(
            read(&nested).unwrap(),
            [(1, TronFieldValue::Other), (3, TronFieldValue::Varint(7))]
        );
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
