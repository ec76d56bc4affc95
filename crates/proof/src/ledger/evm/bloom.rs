//! Logs bloom, 2,048 bits. Source: Ethereum yellow paper 4.3.1.

use alloc::vec::Vec;
use core::fmt;

use super::log::Log;
use crate::hash::keccak256;

/// Most remembered addresses and topics in a receipt, hashed only once.
const REMEMBERED_MAX: usize = 32;

/// Receipt or header logs bloom.
#[derive(Clone, PartialEq, Eq)]
pub struct Bloom(pub [u8; 256]);

impl Bloom {
    /// No bit set.
    pub const ZERO: Self = Self([0; 256]);

    /// Three bit positions for an address or topic, 0 = lowest bit in the last byte.
    #[must_use]
    pub fn bits(input: &[u8]) -> [u16; 3] {
        let [a, b, c, d, e, f, ..] = keccak256(input).0;
        [[a, b], [c, d], [e, f]].map(|pair| u16::from_be_bytes(pair) & 0x07ff)
    }

    /// Sets the bits for an address or topic.
    pub fn insert(&mut self, input: &[u8]) {
        self.set(Self::bits(input));
    }

    fn set(&mut self, bits: [u16; 3]) {
        for bit in bits {
            let (byte, mask) = place(bit);
            if let Some(byte) = self.0.get_mut(byte) {
                *byte |= mask;
            }
        }
    }

    /// Like [`Self::insert`], without hashing remembered inputs again.
    pub fn insert_remembered(&mut self, input: &[u8], remembered: &mut RememberedBits) {
        self.set(remembered.bits(input));
    }

    /// Sets the bits for a log's address and topics.
    pub fn insert_log(&mut self, log: &Log) {
        self.insert(log.address.as_ref());
        for topic in &log.topics {
            self.insert(topic.as_ref());
        }
    }

    /// Bloom over a receipt's logs. Repeated inputs (contract, event kind, parties) are hashed once.
    #[must_use]
    pub fn of_logs(logs: &[Log]) -> Self {
        let mut bloom = Self::ZERO;
        let mut remembered: Vec<&[u8]> = Vec::new();
        for log in logs {
            let topics = log.topics.iter().map(AsRef::as_ref);
            for input in core::iter::once(log.address.as_ref()).chain(topics) {
                if remembered.contains(&input) {
                    continue;
                }
                bloom.insert(input);
                if remembered.len() < REMEMBERED_MAX {
                    remembered.push(input);
                }
            }
        }
        bloom
    }

    /// Sets every bit in `other`.
    pub fn accrue(&mut self, other: &Self) {
        for (byte, more) in self.0.iter_mut().zip(other.0) {
            *byte |= more;
        }
    }

    /// Whether a bit is set.
    #[must_use]
    pub fn has_bit(&self, bit: u16) -> bool {
        let (byte, mask) = place(bit);
        self.0.get(byte).is_some_and(|byte| byte & mask != 0)
    }

    /// Whether an address or topic may be present: false is certain, true is not.
    #[must_use]
    pub fn contains(&self, input: &[u8]) -> bool {
        Self::bits(input).into_iter().all(|bit| self.has_bit(bit))
    }

    /// Whether every bit in `other` is set.
    #[must_use]
    pub fn contains_all(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(byte, needed)| byte & needed == needed)
    }
}

/// Most remembered inputs; a power of two.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 9;

/// Bits for recently hashed addresses and topics: a block's receipts repeat contracts, event kinds and parties. On a
/// slot collision the later input wins: colliding inputs only cost their hashing.
#[derive(Clone)]
pub struct RememberedBits(Vec<Slot>);

#[derive(Clone, Copy)]
struct Slot {
    input: [u8; 32],
    length: usize,
    bits: [u16; 3],
}

impl RememberedBits {
    /// Empty cache.
    #[must_use]
    pub fn new() -> Self {
        let nothing = Slot { input: [0; 32], length: usize::MAX, bits: [0; 3] };
        Self(alloc::vec![nothing; SLOTS])
    }

    fn bits(&mut self, input: &[u8]) -> [u16; 3] {
        let Some(slot) = self.0.get_mut(slot_of(input)) else { return Bloom::bits(input) };
        if slot.length == input.len() && slot.input.get(..slot.length) == Some(input) {
            return slot.bits;
        }
        let bits = Bloom::bits(input);
        if let Some(place) = slot.input.get_mut(..input.len()) {
            place.copy_from_slice(input);
            (slot.length, slot.bits) = (input.len(), bits);
        }
        bits
    }
}

impl Default for RememberedBits {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RememberedBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = self.0.iter().filter(|slot| slot.length != usize::MAX).count();
        write!(f, "RememberedBits({held} inputs)")
    }
}

/// Slot by the last bytes, mixed: padded addresses and small numbers differ there.
fn slot_of(input: &[u8]) -> usize {
    let last = input.last_chunk().copied().map_or(0, u64::from_le_bytes);
    let mixed = last.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS);
    usize::try_from(mixed).unwrap_or(0)
}

/// Byte and mask for a bit, counted from the end; always inside 256 bytes for 11 bits.
fn place(bit: u16) -> (usize, u8) {
    (255_usize.saturating_sub(usize::from(bit >> 3)), 1 << (bit & 7))
}

impl fmt::Debug for Bloom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set: u32 = self.0.iter().map(|byte| byte.count_ones()).sum();
        write!(f, "Bloom({set} bits)")
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use superroot_types::{Address, Hash};

    use super::*;

    /// The field's worked example: the bits of one address, against a second implementation.
    #[test]
    fn bits_agree_with_a_second_implementation() {
        for seed in 0_u8..64 {
            let input = [seed; 20];
            let mut ours = Bloom::ZERO;
            ours.insert(&input);
            let mut theirs = alloy_primitives::Bloom::ZERO;
            theirs.accrue(alloy_primitives::BloomInput::Raw(&input));
            assert_eq!(ours.0, theirs.0.0);
            assert!(ours.contains(&input));
            assert!(!Bloom::ZERO.contains(&input));
        }
    }

    /// With repeats among what is remembered, and past it.
    #[test]
    fn a_bloom_of_logs_is_that_of_each_log() {
        for kinds in [1_u8, 3, 40, 200] {
            let log = |index: u8| Log {
                address: Address([index % kinds; 20]),
                topics: vec![Hash([index / 2 % kinds; 32]), Hash([index % kinds; 32])],
                data: Vec::new(),
            };
            let logs: Vec<Log> = (0..=255).map(log).collect();
            for count in [0, 1, 2, 31, 33, 256] {
                let mut one_by_one = Bloom::ZERO;
                logs[..count].iter().for_each(|log| one_by_one.insert_log(log));
                assert_eq!(Bloom::of_logs(&logs[..count]), one_by_one, "{kinds} kinds, {count}");
            }
        }
    }

    /// Inputs of every length, more than there is room for, with repeats, and pairs that share a slot.
    #[test]
    fn remembered_bits_are_those_of_hashing() {
        let mut remembered = RememberedBits::new();
        let inputs: Vec<Vec<u8>> = (0_u16..3_000)
            .map(|index| {
                let kind = index.wrapping_mul(7_919) % 1_100;
                let length = [0, 7, 8, 20, 32, 33][usize::from(kind % 6)];
                let mut input = vec![0; length];
                input.iter_mut().rev().zip(kind.to_le_bytes()).for_each(|(to, byte)| *to = byte);
                input
            })
            .collect();
        for input in inputs.iter().chain(&inputs) {
            for _ in 0..2 {
                assert_eq!(remembered.bits(input), Bloom::bits(input), "{input:?}");
            }
        }
        let [short, padded] = [vec![1; 20], [vec![0; 12], vec![1; 20]].concat()];
        assert_eq!(slot_of(&short), slot_of(&padded), "they are to share a slot");
        for input in [&short, &padded, &short] {
            assert_eq!(remembered.bits(input), Bloom::bits(input));
        }
    }

    #[test]
    fn what_was_accrued_is_contained() {
        let (mut one, mut other) = (Bloom::ZERO, Bloom::ZERO);
        one.insert(b"one");
        other.insert(b"other");
        let both = {
            let mut both = one.clone();
            both.accrue(&other);
            both
        };
        assert!(both.contains_all(&one) && both.contains_all(&other));
        assert!(!one.contains_all(&both));
    }
}
