//! SCALE compact integers, shortest form only.

use alloc::vec::Vec;

use crate::codec::ByteReader;

/// Compact form: six bits in a byte, 14 in two, 30 in four, or a byte count and the bytes; the first byte's two lowest
/// bits select the form.
#[must_use]
pub fn compact(value: u64) -> Vec<u8> {
    let [a, b, c, d, ..] = (value.wrapping_shl(2)).to_le_bytes();
    match value {
        0..=0x3f => alloc::vec![a],
        0x40..=0x3fff => alloc::vec![a | 1, b],
        0x4000..=0x3fff_ffff => alloc::vec![a | 2, b, c, d],
        _ => {
            let bytes = value.to_le_bytes();
            let zeros = usize::try_from(value.leading_zeros() / 8).unwrap_or(0);
            let length = bytes.len().saturating_sub(zeros);
            let count = u8::try_from(length.saturating_sub(4)).unwrap_or(0);
            let mut out = alloc::vec![count.wrapping_shl(2) | 3];
            out.extend(bytes.into_iter().take(length));
            out
        }
    }
}

/// Reads a number below 2^64; `None` for truncated bytes, a longer number or a longer form.
pub(crate) fn read_compact(reader: &mut ByteReader<'_>) -> Option<u64> {
    let first = reader.u8()?;
    let little_endian = |bytes: &[u8]| {
        bytes.iter().rev().fold(0_u64, |value, byte| value.wrapping_shl(8) | u64::from(*byte))
    };
    let (value, least) = match first & 3 {
        0 => (u64::from(first >> 2), 0),
        1 => (little_endian(&[first, reader.u8()?]) >> 2, 0x40),
        2 => {
            let rest = little_endian(reader.bytes(3)?);
            ((rest.wrapping_shl(8) | u64::from(first)) >> 2, 0x4000)
        }
        _ => {
            let length = usize::from(first >> 2).saturating_add(4);
            let bytes = reader.bytes(length).filter(|bytes| bytes.len() <= 8)?;
            bytes.last().filter(|last| **last != 0)?;
            (little_endian(bytes), 0x4000_0000)
        }
    };
    (value >= least).then_some(value)
}

/// Bytes after a compact length.
pub(crate) fn read_bytes<'a>(reader: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(read_compact(reader)?).ok()?;
    reader.bytes(length)
}

#[cfg(test)]
mod tests {
    use parity_scale_codec::{Compact, Decode, Encode};
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Option<u64> {
        let mut reader = ByteReader::new(bytes);
        read_compact(&mut reader).filter(|_| reader.is_empty())
    }

    proptest! {
        /// Beside the second implementation.
        #[test]
        fn numbers_are_written_as_a_second_implementation_writes_them(value: u64, shift in 0_u32..64) {
            let value = value >> shift;
            prop_assert_eq!(compact(value), Compact(value).encode());
            prop_assert_eq!(read(&compact(value)), Some(value));
        }

        #[test]
        fn bytes_are_read_as_a_second_implementation_reads_them(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            let mut rest = bytes.as_slice();
            let theirs = Compact::<u64>::decode(&mut rest).ok().filter(|_| rest.is_empty());
            prop_assert_eq!(read(&bytes), theirs.map(|number| number.0));
        }
    }

    #[test]
    fn edges_of_each_form_are_read_and_longer_forms_are_not() {
        for edge in [0, 0x3f, 0x40, 0x3fff, 0x4000, 0x3fff_ffff, 0x4000_0000, u64::MAX] {
            assert_eq!(compact(edge), Compact(edge).encode(), "{edge}");
            assert_eq!(read(&compact(edge)), Some(edge));
        }
        for long in
            [&[0x01, 0][..], &[0xfd, 0], &[2, 0, 0, 0], &[3, 0, 0, 0, 0], &[3, 255, 255, 255, 0x3f]]
        {
            assert_eq!(read(long), None, "{long:?}");
        }
    }
}
