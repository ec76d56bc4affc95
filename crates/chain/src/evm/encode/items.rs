//! The items of an RLP list.

use alloy_primitives::U256;
use alloy_rlp::{Encodable, Header};
use superroot_types::{Address, Hash};

/// The items of an RLP list, encoded one after the other.
#[derive(Default)]
pub(super) struct Items(Vec<u8>);

impl Items {
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        bytes.encode(&mut self.0);
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        number.encode(&mut self.0);
        self
    }

    /// An item that is RLP already.
    pub(super) fn raw(mut self, item: &[u8]) -> Self {
        self.0.extend_from_slice(item);
        self
    }

    /// True is 1, false the empty string.
    pub(super) fn flag(self, flag: bool) -> Self {
        self.number(flag.into())
    }

    /// A quantity without leading zeros; zero is the empty string.
    pub(super) fn word(self, word: U256) -> Self {
        let bytes: [u8; 32] = word.to_be_bytes();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        self.bytes(bytes.get(zeros..).unwrap_or_default())
    }

    /// A receiver; none is the empty string.
    pub(super) fn receiver(self, to: Option<&Address>) -> Self {
        self.bytes(to.map_or(&[][..], |to| &to.0))
    }

    pub(super) fn list<T>(mut self, entries: &[T], items: impl Fn(&T) -> Self) -> Self {
        let inner = entries.iter().fold(Self::default(), |mut inner, entry| {
            items(entry).append_as_list_to(&mut inner.0);
            inner
        });
        inner.append_as_list_to(&mut self.0);
        self
    }

    pub(super) fn hashes(self, hashes: &[Hash]) -> Self {
        let Self(inner) = hashes.iter().fold(Self::default(), |inner, hash| inner.bytes(&hash.0));
        self.nested(Self(inner))
    }

    pub(super) fn nested(mut self, inner: Self) -> Self {
        inner.append_as_list_to(&mut self.0);
        self
    }

    /// The items, without the list around them.
    pub(super) fn encoded(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn append_as_list_to(&self, out: &mut Vec<u8>) {
        Header { list: true, payload_length: self.0.len() }.encode(out);
        out.extend_from_slice(&self.0);
    }

    /// The list, after the type byte of a typed envelope.
    pub(super) fn finish(&self, tx_type: u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len().saturating_add(10));
        if tx_type != 0 {
            out.push(tx_type);
        }
        self.append_as_list_to(&mut out);
        out
    }
}
