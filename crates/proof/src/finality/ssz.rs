//! Merkle trees of SSZ, as far as light clients need them: `hash_tree_root` of containers of 32-byte leaves, and branches
//! by generalised index. Source: ethereum/consensus-specs `ssz/simple-serialize.md`, `ssz/merkle-proofs.md`.

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::hash::sha256_joined;

pub(super) fn node(left: &Hash, right: &Hash) -> Hash {
    sha256_joined(&[&left.0, &right.0])
}

/// Leaf of a `uint64`.
pub(super) fn number(value: u64) -> Hash {
    let mut leaf = [0; 32];
    for (place, byte) in leaf.iter_mut().zip(value.to_le_bytes()) {
        *place = byte;
    }
    Hash(leaf)
}

/// Root over leaves, filled up with zero leaves to a power of two; zero without a leaf.
pub(super) fn root_of(mut row: Vec<Hash>) -> Hash {
    let mut zero = Hash::ZERO;
    while row.len() > 1 {
        row = row
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => node(left, right),
                [alone] => node(alone, &zero),
                _ => zero,
            })
            .collect();
        zero = node(&zero, &zero);
    }
    row.first().copied().unwrap_or(Hash::ZERO)
}

/// Number of siblings of a leaf with this generalised index.
pub(super) const fn depth(index: u64) -> u32 {
    match index.checked_ilog2() {
        Some(depth) => depth,
        None => 0,
    }
}

/// Whether a branch leads from a leaf with this generalised index to a root; the siblings are as many as the index says.
pub(super) fn is_under(root: &Hash, leaf: Hash, index: u64, branch: &[Hash]) -> bool {
    let is_whole = u32::try_from(branch.len()) == Ok(depth(index));
    let mut at = index;
    let mut hash = leaf;
    for sibling in branch {
        hash = if at & 1 == 1 { node(sibling, &hash) } else { node(&hash, sibling) };
        at >>= 1;
    }
    is_whole && hash == *root
}
