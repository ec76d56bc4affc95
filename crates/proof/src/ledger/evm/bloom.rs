//! The 2,048-bit logs bloom. Source: Ethereum yellow paper 4.3.1.

use core::fmt;

use super::Log;
use crate::hash::keccak256;

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
