//! BCS reader: little-endian integers, lengths in shortest ULEB128.

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::ledger::LedgerError;

/// Digest bytes with the length prefix.
pub(crate) const DIGEST_BYTES: usize = 33;

#[derive(Clone, Debug)]
pub(crate) struct BcsFields<'a>(ByteReader<'a>);

impl<'a> BcsFields<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(ByteReader::new(bytes))
    }

    /// Bytes that were not read.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.0.rest()
    }

    pub(crate) fn skip(&mut self, length: usize, field: &'static str) -> Result<(), LedgerError> {
        self.0.bytes(length).map(drop).ok_or(LedgerError::Field { field })
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, LedgerError> {
        self.0.u8().ok_or(LedgerError::Field { field })
    }

    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, LedgerError> {
        self.0.u64().map(u64::swap_bytes).ok_or(LedgerError::Field { field })
    }

    pub(crate) fn address(&mut self, field: &'static str) -> Result<Hash, LedgerError> {
        self.0.hash().ok_or(LedgerError::Field { field })
    }

    pub(crate) fn digest(&mut self, field: &'static str) -> Result<Hash, LedgerError> {
        match self.u8(field)? {
            32 => self.address(field),
            _ => Err(LedgerError::Field { field }),
        }
    }

    /// Boolean, option tag, or another two-valued byte.
    pub(crate) fn flag(&mut self, field: &'static str) -> Result<bool, LedgerError> {
        match self.u8(field)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(LedgerError::Field { field }),
        }
    }

    pub(crate) fn optional_digest(
        &mut self,
        field: &'static str,
    ) -> Result<Option<Hash>, LedgerError> {
        Ok(if self.flag(field)? { Some(self.digest(field)?) } else { None })
    }

    /// Shortest ULEB128 below 2^32: a length or a variant number.
    pub(crate) fn number(&mut self, field: &'static str) -> Result<u32, LedgerError> {
        self.uleb128().ok_or(LedgerError::Field { field })
    }

    fn uleb128(&mut self) -> Option<u32> {
        let mut value = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.0.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                // a last byte of zero adds nothing
                let is_shortest = byte != 0 || shift == 0;
                return u32::try_from(value).ok().filter(|_| is_shortest);
            }
        }
        None
    }

    /// Item count covered by the remaining bytes.
    pub(crate) fn count(
        &mut self,
        field: &'static str,
        item_bytes_min: usize,
    ) -> Result<usize, LedgerError> {
        let count = usize::try_from(self.number(field)?).ok();
        let fits = |count: &usize| {
            count.checked_mul(item_bytes_min).is_some_and(|bytes| bytes <= self.0.len())
        };
        count.filter(fits).ok_or(LedgerError::Field { field })
    }

    pub(crate) fn bytes(&mut self, field: &'static str) -> Result<&'a [u8], LedgerError> {
        let length = self.count(field, 1)?;
        self.0.bytes(length).ok_or(LedgerError::Field { field })
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn end(self, what: &'static str) -> Result<(), LedgerError> {
        if self.is_empty() { Ok(()) } else { Err(LedgerError::Trailing { what }) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    fn write(mut value: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    }

    proptest! {
        #[test]
        fn numbers_are_read_in_their_shortest_form_alone(value: u32, longer in 1_usize..4) {
            let mut bytes = write(value);
            prop_assert_eq!(BcsFields::new(&bytes).number("n"), Ok(value));
            if let Some(last) = bytes.last_mut() {
                *last |= 0x80;
            }
            bytes.extend(core::iter::repeat_n(0x80, longer - 1));
            bytes.push(0);
            prop_assert!(BcsFields::new(&bytes).number("n").is_err());
        }
    }

    #[test]
    fn what_is_too_large_or_cut_short_is_refused() {
        for bytes in [&[0xff, 0xff, 0xff, 0xff, 0x10][..], &[0x80], &[0xff; 6], &[]] {
            assert!(BcsFields::new(bytes).number("n").is_err(), "{bytes:?}");
        }
        assert!(BcsFields::new(&[3, 0, 0]).bytes("b").is_err());
        assert!(BcsFields::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0]).count("c", 1 << 20).is_err());
        assert!(BcsFields::new(&[2]).flag("f").is_err());
        assert!(BcsFields::new(&[31; 40]).digest("d").is_err());
    }
}
