//! Row encoding: big-endian integers, length prefixes, no trailing bytes.
//!
//! | written | bytes |
//! |---|---|
//! | `u8`, `u32`, `u64` | as they are, big-endian |
//! | hash | 32 bytes |
//! | flag | 00 or 01, nothing else is read |
//! | bytes, text | `length:u32 ‖ bytes` |
//! | option | flag, then the value if 01 |
//!
//! The encoding is canonical: decoding and encoding again gives the same bytes. A decoder returns `None` at the first
//! fault and never allocates more than the input length.

use superroot_types::Hash;

/// Row writer.
#[derive(Debug, Default)]
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// Empty row.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Writes one byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.0.push(value);
        self
    }

    /// Writes four bytes.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_be_bytes())
    }

    /// Writes eight bytes.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_be_bytes())
    }

    /// Writes 32 bytes.
    pub fn hash(&mut self, value: &Hash) -> &mut Self {
        self.raw(&value.0)
    }

    /// Writes 01 for true, 00 for false.
    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.u8(value.into())
    }

    /// Writes length-prefixed bytes; no row can store more than 4 GiB.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let length = u32::try_from(value.len()).expect("a row is bounded far below 4 GiB");
        self.u32(length).raw(value)
    }

    /// Writes a flag, then the value if present.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) -> &mut Self {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
        self
    }

    /// Writes bytes without a length, for fixed-length fields.
    pub fn raw(&mut self, value: &[u8]) -> &mut Self {
        self.0.extend_from_slice(value);
        self
    }

    /// Returns the row and leaves the encoder empty.
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Row reader.
#[derive(Debug)]
pub struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    /// Reader at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Reads one byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// Reads four bytes.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads eight bytes.
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Reads 32 bytes.
    pub fn hash(&mut self) -> Option<Hash> {
        self.array().map(Hash)
    }

    /// Reads 00 or 01.
    pub fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads length-prefixed bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Reads length-prefixed UTF-8 text.
    pub fn text(&mut self) -> Option<String> {
        std::str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    /// Reads a flag, then the value if present.
    pub fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Some(None) }
    }

    /// Whether all bytes were read.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `value` if no bytes remain.
    pub fn finish<T>(self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }

    /// Reads `N` bytes without a length.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Fields = (u8, u32, u64, [u8; 32], bool, Vec<u8>, String, Option<u64>);

    fn encode(fields: &Fields) -> Vec<u8> {
        let mut out = Encoder::new();
        out.u8(fields.0).u32(fields.1).u64(fields.2).hash(&Hash(fields.3)).flag(fields.4);
        out.bytes(&fields.5).bytes(fields.6.as_bytes());
        out.option(fields.7, |out, value| _ = out.u64(value)).finish()
    }

    fn decode(bytes: &[u8]) -> Option<Fields> {
        let mut row = Decoder::new(bytes);
        let fields = (
            row.u8()?,
            row.u32()?,
            row.u64()?,
            row.hash()?.0,
            row.flag()?,
            row.bytes()?.to_vec(),
            row.text()?,
            row.option(Decoder::u64)?,
        );
        row.finish(fields)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(fields: Fields) {
            prop_assert_eq!(decode(&encode(&fields)), Some(fields));
        }

        #[test]
        fn a_row_cut_short_or_too_long_is_refused(fields: Fields, at: prop::sample::Index) {
            let bytes = encode(&fields);
            prop_assert_eq!(decode(&bytes[..at.index(bytes.len())]), None);
            prop_assert_eq!(decode(&[bytes.as_slice(), &[0]].concat()), None);
        }

        /// Whatever is read at all has no second encoding.
        #[test]
        fn one_value_has_one_encoding(fields: Fields, at: prop::sample::Index, byte: u8) {
            let mut bytes = encode(&fields);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(read) = decode(&bytes) {
                prop_assert_eq!(encode(&read), bytes);
            }
        }
    }

    #[test]
    fn a_length_past_the_input_is_refused_before_it_is_believed() {
        assert_eq!(Decoder::new(&[0xff; 8]).bytes(), None);
    }

    #[test]
    fn text_that_is_not_utf8_is_refused() {
        assert_eq!(Decoder::new(&[0, 0, 0, 1, 0xff]).text(), None);
    }
}
