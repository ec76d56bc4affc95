use alloy_primitives::U256;
use alloy_rlp::{Encodable, Header};
use superroot_types::{Address, Hash};

/// Longest list header, in bytes.
const HEADER_BYTES_MAX: usize = 9;

/// Encoded items of an RLP list. Nested lists are written in place: the header is inserted after the last item.
#[derive(Default)]
pub(super) struct Items(Vec<u8>);

impl Items {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes.saturating_add(HEADER_BYTES_MAX).saturating_add(1)))
    }

    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        bytes.encode(&mut self.0);
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        number.encode(&mut self.0);
        self
    }

    pub(super) fn raw(mut self, item: &[u8]) -> Self {
        self.0.extend_from_slice(item);
        self
    }

    /// True is 1, false the empty string.
    pub(super) fn flag(self, flag: bool) -> Self {
        self.number(flag.into())
    }

    /// Quantity without leading zeros; zero is the empty string.
    pub(super) fn word(self, word: U256) -> Self {
        let bytes: [u8; 32] = word.to_be_bytes();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        self.bytes(bytes.get(zeros..).unwrap_or_default())
    }

    /// Receiver; none is the empty string.
    pub(super) fn receiver(self, to: Option<&Address>) -> Self {
        self.bytes(to.map_or(&[][..], |to| &to.0))
    }

    /// List with one inner list per entry.
    pub(super) fn list<T>(self, entries: &[T], items: impl Fn(Self, &T) -> Self) -> Self {
        let start = self.0.len();
        let all = entries.iter().fold(self, |all, entry| {
            let start = all.0.len();
            items(all, entry).enclosed(start)
        });
        all.enclosed(start)
    }

    pub(super) fn hashes(mut self, hashes: &[Hash]) -> Self {
        const HASH_BYTES: usize = 33;
        let payload_length = hashes.len().saturating_mul(HASH_BYTES);
        Header { list: true, payload_length }.encode(&mut self.0);
        hashes.iter().fold(self, |items, hash| items.bytes(&hash.0))
    }

    /// Wraps everything from `start` on in one list.
    fn enclosed(mut self, start: usize) -> Self {
        let end = self.0.len();
        Header { list: true, payload_length: end.saturating_sub(start) }.encode(&mut self.0);
        self.move_to(start, end);
        self
    }

    /// Moves the bytes from `end` on to `start`.
    fn move_to(&mut self, start: usize, end: usize) {
        let written = self.0.len().saturating_sub(end);
        if let Some(whole) = self.0.get_mut(start..) {
            whole.rotate_right(written.min(whole.len()));
        }
    }

    /// Items without the enclosing list.
    pub(super) fn encoded(&self) -> &[u8] {
        &self.0
    }

    /// List, after the type byte of a typed envelope.
    pub(super) fn finish(mut self, tx_type: u8) -> Vec<u8> {
        let end = self.0.len();
        if tx_type != 0 {
            self.0.push(tx_type);
        }
        Header { list: true, payload_length: end }.encode(&mut self.0);
        self.move_to(0, end);
        self.0
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Bytes;

    use super::*;

    /// Lists in lists, with payloads on both sides of every length at which a header grows.
    #[test]
    fn lists_written_in_place_are_those_of_a_second_implementation() {
        for length in [0_usize, 1, 50, 51, 52, 53, 54, 55, 56, 57, 250, 256, 300, 65_530, 65_540] {
            for count in [0_usize, 1, 2, 17] {
                let entry =
                    |place: usize| vec![Bytes::from(vec![7; length]), vec![place as u8].into()];
                let entries: Vec<Vec<Bytes>> = (0..count).map(entry).collect();
                let items = |capacity| {
                    Items::with_capacity(capacity).list(&entries, |items, entry: &Vec<Bytes>| {
                        entry.iter().fold(items, |items, bytes| items.bytes(bytes))
                    })
                };
                let expected = alloy_rlp::encode(vec![entries.clone()]);
                assert_eq!(items(0).finish(0), expected, "{count} of {length}");
                let typed = items(1_000).finish(3);
                assert_eq!(typed.split_first(), Some((&3, expected.as_slice())));
            }
        }
    }

    #[test]
    fn hashes_are_a_list_of_strings() {
        for count in [0, 1, 2, 7, 8, 2_000] {
            let hashes = vec![Hash([9; 32]); count];
            let strings: Vec<Bytes> = hashes.iter().map(|hash| hash.0.into()).collect();
            let expected = alloy_rlp::encode(vec![strings]);
            assert_eq!(Items::default().hashes(&hashes).finish(0), expected, "{count}");
        }
    }
}
