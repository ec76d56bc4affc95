//! Bounded byte reader for untrusted input: every length is checked against the remaining bytes.

use alloc::vec::Vec;

use superroot_types::Hash;

/// Forward byte reader; every method returns `None` when too few bytes remain.
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'a> {
    rest: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Three-byte length.
    pub(crate) fn u24(&mut self) -> Option<usize> {
        let [a, b, c] = self.array()?;
        usize::try_from(u32::from_be_bytes([0, a, b, c])).ok()
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(crate) fn hash(&mut self) -> Option<Hash> {
        self.array().map(Hash)
    }

    /// Bytes after a four-byte length.
    pub(crate) fn long(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.bytes(length)
    }

    /// Byte strings after a four-byte count, each as [`ByteReader::long`]. Allocates no more than the input size.
    pub(crate) fn long_list(&mut self) -> Option<Vec<Vec<u8>>> {
        let mut list = Vec::new();
        for _ in 0..self.u32()? {
            list.push(self.long()?.to_vec());
        }
        Some(list)
    }
}

/// Writes a four-byte length and the bytes, for [`ByteReader::long`].
pub(crate) fn put_long(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(bytes);
}

/// Writes a four-byte count and each byte string, for [`ByteReader::long_list`].
pub(crate) fn put_long_list(out: &mut Vec<u8>, list: &[Vec<u8>]) {
    let lengths = list.iter().map(|bytes| bytes.len().saturating_add(4));
    out.reserve(lengths.fold(4, usize::saturating_add));
    out.extend_from_slice(&u32::try_from(list.len()).unwrap_or(u32::MAX).to_be_bytes());
    list.iter().for_each(|bytes| put_long(out, bytes));
}
