//! The 2,048-bit logs bloom. Source: Ethereum yellow paper 4.3.1.

use alloc::vec::Vec;
use core::fmt;

use super::Log;
use crate::hash::keccak256;

/// Addresses and topics of one receipt that are remembered, so that none of them is hashed twice.
const REMEMBERED_MAX: usize = 32;

/// Logs bloom of a receipt or a header.
#[derive(Clone, PartialEq, Eq)]
pub struct Bloom(pub [u8; 256]);

impl Bloom {
    /// No bit set.
    pub const ZERO: Self = Self([0; 256]);

    /// The three bit positions of an address or topic, 0 = lowest bit of the last byte.
    #[must_use]
    pub fn bits(input: &[u8]) -> [u16; 3] {
        let [a, b, c, d, e, f, ..] = keccak256(input).0;
        [[a, b], [c, d], [e, f]].map(|pair| u16::from_be_bytes(pair) & 0x07ff)
    }

    /// Sets the bits of an address or topic.
    pub fn insert(&mut self, input: &[u8]) {
        for bit in Self::bits(input) {
            let (byte, mask) = place(bit);
            if let Some(byte) = self.0.get_mut(byte) {
                *byte |= mask;
            }
        }
    }

    /// Sets the bits of a log: its address and its topics.
    pub fn insert_log(&mut self, log: &Log) {
        self.insert(log.address.as_ref());
        for topic in &log.topics {
            self.insert(topic.as_ref());
        }
    }

    /// The bloom of a receipt with these logs. What they repeat is hashed once: the contract, the
    /// kind of event, the parties.
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

    /// Sets every bit that `other` has.
    pub fn accrue(&mut self, other: &Self) {
        for (byte, more) in self.0.iter_mut().zip(other.0) {
            *byte |= more;
        }
    }

    /// Whether that bit is set.
    #[must_use]
    pub fn has_bit(&self, bit: u16) -> bool {
        let (byte, mask) = place(bit);
        self.0.get(byte).is_some_and(|byte| byte & mask != 0)
    }

    /// Whether an address or topic may be in it: false is certain, true is not.
    #[must_use]
    pub fn contains(&self, input: &[u8]) -> bool {
        Self::bits(input).into_iter().all(|bit| self.has_bit(bit))
    }

    /// Whether every bit of `other` is set here too.
    #[must_use]
    pub fn contains_all(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(byte, needed)| byte & needed == needed)
    }
}

/// Byte and mask of a bit, counted from the end; always inside 256 bytes for 11 bits.
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

    /// Worked example of the field: the bits of one address, against a second implementation.
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
