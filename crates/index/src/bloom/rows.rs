//! Keys and rows of blooms. Integers are big-endian; `twig` is `chain ‖ twig_index:u64`.
//!
//! | table | key | value |
//! |---|---|---|
//! | `Bloom` | `03 ‖ twig` | [`BloomTwigRow`] |
//! | `Bloom` | `01 ‖ chain ‖ bit:u16 ‖ twig_index:u64` | a slice, 256 bytes; none where no block has the bit |
//! | `Bloom` | `04 ‖ twig ‖ part:u32` | a part of the filter: descriptor and fingerprints of `xorf::BinaryFuse8` |
//!
//! Slices of one bit are adjacent, so that a query over many twigs reads one row range per bit. A filter is split by
//! the names' hashes, so that a lookup of one name reads a few kilobytes.

use superroot_proof::ledger::evm::Bloom;
use superroot_store::codec::{Decoder, Encoder};
use superroot_store::layout::chain_key;
use superroot_store::{StoreError, Table};
use superroot_types::ChainKey;

// 0 and 2 stay free: folders have filters of another form there, which are built anew
const OF_TWIG: u8 = 3;
const OF_SLICE: u8 = 1;
const OF_FILTER: u8 = 4;

/// Bytes with one bit a block of a twig: bit `slot % 8`, lowest first, of byte `slot / 8`.
pub(super) const SLOT_BYTES: usize = 256;
pub(super) const BLOOM_BITS: u16 = 2048;

/// Approximate names in a filter part.
const PART_NAMES: u64 = 2048;

/// Bit set of blocks in a twig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slots(pub(super) [u8; SLOT_BYTES]);

impl Slots {
    pub(super) const NONE: Self = Self([0; SLOT_BYTES]);

    pub(super) fn insert(&mut self, slot: usize) {
        if let Some(byte) = self.0.get_mut(slot / 8) {
            *byte |= 1 << (slot % 8);
        }
    }

    pub(super) fn keep(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(byte, other)| *byte &= other);
    }

    /// Keeps the slots from `first` to `last`.
    pub(super) fn keep_range(&mut self, first: usize, last: usize) {
        for (at, byte) in self.0.iter_mut().enumerate() {
            let low = at * 8;
            let high = at * 8 + 7;
            if first <= low && high <= last {
                continue;
            }
            for bit in (0..8).filter(|bit| !(first..=last).contains(&(low + bit))) {
                *byte &= !(1 << bit);
            }
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|byte| u64::from(byte.count_ones())).sum()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let bytes = self.0.iter().enumerate().filter(|(_, byte)| **byte != 0);
        bytes.flat_map(|(at, byte)| {
            (0..8).filter(move |bit| byte & (1 << bit) != 0).map(move |bit| at * 8 + bit)
        })
    }
}

/// A twig's build result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BloomTwigRow {
    pub(super) held: Slots,
    /// Total bits set in their blooms.
    pub(super) bits: u64,
    /// Names in the filter; `None` without a filter, if some of the twig's events are not indexed.
    pub(super) names: Option<u64>,
}

impl BloomTwigRow {
    /// `held:256 ‖ bits:u64 ‖ names`, an option of `u64`.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Encoder::new();
        out.raw(&self.held.0).u64(self.bits);
        out.option(self.names, |out, names| _ = out.u64(names)).finish()
    }

    pub(super) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, StoreError> {
        let mut row = Decoder::new(bytes);
        let read = (|| {
            let held = Slots(row.array()?);
            let bits = row.u64()?;
            let names = row.option(Decoder::u64)?;
            row.finish(Self { held, bits, names })
        })();
        read.ok_or_else(|| StoreError::corrupt(Table::Bloom, key, "not a twig of blooms"))
    }
}

fn key(kind: u8, chain: ChainKey, twig_index: u64) -> Vec<u8> {
    [&[kind][..], &chain_key(chain), &twig_index.to_be_bytes()].concat()
}

pub(super) fn twig_key(chain: ChainKey, twig_index: u64) -> Vec<u8> {
    key(OF_TWIG, chain, twig_index)
}

pub(super) fn part_key(chain: ChainKey, twig_index: u64, part: u32) -> Vec<u8> {
    [&key(OF_FILTER, chain, twig_index)[..], &part.to_be_bytes()].concat()
}

/// Part for a name's hash in a filter with `names` names. Ascending hashes give ascending parts.
pub(super) fn part_of(names: u64, name: u64) -> u32 {
    let parts = u128::from(names.div_ceil(PART_NAMES));
    u32::try_from((parts * u128::from(name)) >> 64).unwrap_or(u32::MAX)
}

pub(super) fn slice_key(chain: ChainKey, bit: u16, twig_index: u64) -> Vec<u8> {
    [&[OF_SLICE][..], &chain_key(chain), &bit.to_be_bytes(), &twig_index.to_be_bytes()].concat()
}

/// Twig index at the end of a twig or slice key.
pub(super) fn twig_index_of(key: &[u8]) -> Result<u64, StoreError> {
    let corrupt = || StoreError::corrupt(Table::Bloom, key, "not a key of blooms");
    key.last_chunk().map(|index| u64::from_be_bytes(*index)).ok_or_else(corrupt)
}

pub(super) fn bits_of(bloom: &Bloom) -> impl Iterator<Item = u16> {
    let bytes = bloom.0.iter().rev().enumerate().filter(|(_, byte)| **byte != 0);
    bytes.flat_map(|(at, byte)| {
        let first = u16::try_from(at * 8).unwrap_or(u16::MAX);
        (0..8).filter(move |bit| byte & (1 << bit) != 0).map(move |bit| first.saturating_add(bit))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_counted_as_blooms_count_them(items: Vec<[u8; 20]>) {
            let mut bloom = Bloom::ZERO;
            let mut expected = std::collections::BTreeSet::new();
            for item in &items {
                bloom.insert(item);
                expected.extend(Bloom::bits(item));
            }
            prop_assert_eq!(bits_of(&bloom).collect::<Vec<_>>(), Vec::from_iter(expected));
        }

        #[test]
        fn slots_are_a_set(slots in proptest::collection::btree_set(0_usize..2048, 0..50),
            first in 0_usize..2048, last in 0_usize..2048) {
            let mut set = Slots::NONE;
            slots.iter().for_each(|slot| set.insert(*slot));
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), slots.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(set.count(), slots.len() as u64);
            set.keep_range(first, last);
            let within = slots.iter().copied().filter(|slot| (first..=last).contains(slot));
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), within.collect::<Vec<_>>());
        }
    }
}
