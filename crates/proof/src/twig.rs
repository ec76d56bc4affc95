//! Level 3: a twig, 2,048 consecutive block numbers on a chain in a perfect tree with height 11; and the sealed twig's
//! leaf in its Mini-MMR (level 4).
//!
//! ```text
//! twig root            at height 11
//!   ...
//! slot = number % 2048 holds H(00 ‖ family ‖ chain_id ‖ number ‖ block_hash), or zeros
//! ```

use alloc::vec::Vec;

use superroot_types::{BlockNumber, ChainKey, Hash, TWIG_HEIGHT, TwigIndex};

use crate::hash::keccak256_joined;
use crate::perfect::PerfectTree;

/// Block leaf: `H(00 ‖ family ‖ chain_id ‖ number ‖ block_hash)`.
#[must_use]
pub fn block_leaf(chain: ChainKey, number: BlockNumber, block_hash: &Hash) -> Hash {
    keccak256_joined(&[
        &[0x00, chain.family.byte()],
        &chain.id.0.to_be_bytes(),
        &number.0.to_be_bytes(),
        &block_hash.0,
    ])
}

/// Twig leaf in its Mini-MMR: `H(02 ‖ family ‖ chain_id ‖ twig_index ‖ twig_root)`.
#[must_use]
pub fn twig_leaf(chain: ChainKey, twig_index: TwigIndex, twig_root: &Hash) -> Hash {
    keccak256_joined(&[
        &[0x02, chain.family.byte()],
        &chain.id.0.to_be_bytes(),
        &twig_index.0.to_be_bytes(),
        &twig_root.0,
    ])
}

/// Twig tree over its blocks; blocks from another twig are dropped.
#[must_use]
pub fn build(
    chain: ChainKey,
    twig_index: TwigIndex,
    blocks: impl IntoIterator<Item = (BlockNumber, Hash)>,
) -> PerfectTree {
    let mut slots: Vec<Hash> = Vec::new();
    for (number, hash) in blocks {
        if number.twig_index() != twig_index {
            continue;
        }
        let slot = usize::from(number.twig_slot());
        if slots.len() <= slot {
            slots.resize(slot.saturating_add(1), Hash::ZERO);
        }
        if let Some(place) = slots.get_mut(slot) {
            *place = block_leaf(chain, number, &hash);
        }
    }
    PerfectTree::new(TWIG_HEIGHT, slots)
}
