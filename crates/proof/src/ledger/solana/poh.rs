//! Proof-of-history hash chain.

use sha2::block_api::compress256;
use superroot_types::{BlockNumber, ChainId, ChainKey, Family, Hash};

use crate::hash::sha256_joined;

/// Most entries in a block.
pub const ENTRIES_MAX: u32 = 32_768;

/// Most hashes in a slot under rule 0201: 64 ticks at 62,500. Earlier slots had fewer, 800,000 at first.
pub const SLOT_HASHES_MAX: u32 = 4_000_000;

/// Main network epochs with their slot hash count from then on: 64 ticks at 12,500, 17,500, 27,500, 47,500, 57,500,
/// 62,500. Sources: solana-labs/solana#33600, #33601 to #33605.
const SLOT_HASHES: [(u64, u32); 6] = [
    (0, 800_000),
    (587, 1_120_000),
    (591, 1_760_000),
    (592, 3_040_000),
    (595, 3_680_000),
    (597, SLOT_HASHES_MAX),
];
const EPOCH_SLOTS: u64 = 432_000;
const MAINNET: ChainKey = ChainKey { family: Family::Solana, id: ChainId(200) };

/// Fewest hashes in the block's slot by height: a height is never above its slot. `None` on chains without known
/// figures.
pub(super) fn slot_hashes_min(chain: ChainKey, height: BlockNumber) -> Option<u32> {
    let begun = |(epoch, _): &&(u64, u32)| epoch.saturating_mul(EPOCH_SLOTS) <= height.0;
    let newest = SLOT_HASHES.iter().take_while(begun).last();
    newest.filter(|_| chain == MAINNET).map(|(_, hashes)| *hashes)
}

/// Initial SHA-256 state (FIPS 180-4, 5.3.3).
const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Hash after `count` plain hashes: each is the SHA-256 over the previous.
#[must_use]
pub fn plain(start: &Hash, count: u32) -> Hash {
    // 32 bytes and their padding always fill one block: compressed as it is, without a buffer
    let mut block = [0; 64];
    let padding = start.0.into_iter().chain([0x80]);
    block.iter_mut().zip(padding).for_each(|(place, byte)| *place = byte);
    let [.., high, _] = &mut block;
    *high = 1; // 256 bits
    for _ in 0..count {
        let mut state = INITIAL;
        compress256(&mut state, core::slice::from_ref(&block));
        for (place, word) in block.chunks_exact_mut(4).zip(state) {
            place.copy_from_slice(&word.to_be_bytes());
        }
    }
    let mut last = Hash::ZERO;
    last.0.iter_mut().zip(block).for_each(|(place, byte)| *place = byte);
    last
}

/// Hash recording a mixin.
#[must_use]
pub fn record(before: &Hash, mixin: &Hash) -> Hash {
    sha256_joined(&[&before.0, &mixin.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_at_least_the_hashes_of_the_epoch_of_its_height() {
        let least = |height| slot_hashes_min(MAINNET, BlockNumber(height));
        assert_eq!(least(0), Some(800_000));
        assert_eq!(least(253_583_999), Some(800_000));
        assert_eq!(least(253_584_000), Some(1_120_000));
        assert_eq!(least(257_903_999), Some(3_680_000));
        assert_eq!(least(257_904_000), Some(4_000_000));
        assert_eq!(least(u64::MAX), Some(SLOT_HASHES_MAX));
        let other = ChainKey { id: ChainId(201), ..MAINNET };
        assert_eq!(slot_hashes_min(other, BlockNumber(257_904_000)), None);
    }

    #[test]
    fn plain_hashes_are_sha_256_of_each_other() {
        let mut hash = Hash([7; 32]);
        for count in 0..50 {
            assert_eq!(plain(&Hash([7; 32]), count), hash, "{count}");
            hash = sha256_joined(&[&hash.0]);
        }
    }
}
