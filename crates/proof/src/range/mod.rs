//! Append-only leaf range: the tree in RFC 9162 section 2.1.1, also the MMR with peaks bagged from the right. Keccak
//! for Mini-MMRs, SHA-256 for history.
//!
//! ```text
//! height 2          6
//!                /     \              complete subtrees never change; they are named by
//! height 1      2       5       9     (height, index): here (1, 2) has hash 9. What is
//!              / \     / \     / \    incomplete is folded when it is asked for.
//! height 0    0   1   3   4   7   8   10
//! leaf index  0   1   2   3   4   5    6
//! ```

mod append;
mod consistency;
mod inclusion;
mod peaks;

pub use append::{Grown, append, root};
pub use consistency::{prove_consistency, verify_consistency};
pub use inclusion::{Bags, path_length, prove_inclusion, root_of_path, verify_inclusion};
pub use peaks::Peaks;

use superroot_types::{Hash, LeafCount, LeafIndex};

/// Range hash: parent and empty root.
pub trait RangeHash {
    /// Parent over two children.
    fn node(left: &Hash, right: &Hash) -> Hash;
    /// Root without leaves.
    fn empty() -> Hash;
}

/// Twig leaf ranges: `H(01 ‖ left ‖ right)`, empty is [`Hash::ZERO`].
#[derive(Clone, Copy, Debug)]
pub struct KeccakRange;

impl RangeHash for KeccakRange {
    fn node(left: &Hash, right: &Hash) -> Hash {
        crate::hash::node(left, right)
    }

    fn empty() -> Hash {
        Hash::ZERO
    }
}

/// History log: RFC 6962 with SHA-256, empty is `SHA-256("")`.
#[derive(Clone, Copy, Debug)]
pub struct Sha256Range;

impl RangeHash for Sha256Range {
    fn node(left: &Hash, right: &Hash) -> Hash {
        crate::hash::sha256_joined(&[&crate::hash::node_input(left, right)])
    }

    fn empty() -> Hash {
        crate::hash::sha256_joined(&[])
    }
}

/// Why a range path is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// Leaf index at or past the leaf count.
    #[error("leaf index {index} is past a range of {count} leaves")]
    LeafIndex {
        /// Claimed index.
        index: LeafIndex,
        /// Leaf count.
        count: LeafCount,
    },
    /// Path length differs from index and count.
    #[error("a path of {got} hashes, index and count give {expected}")]
    PathLength {
        /// Sent hashes.
        got: usize,
        /// Needed hashes.
        expected: usize,
    },
    /// Path leads to another root.
    #[error("the path leads to {got}, the root is {expected}")]
    Root {
        /// Root computed.
        got: Hash,
        /// Root committed to.
        expected: Hash,
    },
    /// Older range is longer.
    #[error("a range of {from} leaves does not grow into one of {to}")]
    Shrunk {
        /// Earlier leaf count.
        from: LeafCount,
        /// Later leaf count.
        to: LeafCount,
    },
}

/// Largest power of two below `count`; `count` is at least 2.
pub(crate) const fn split(count: u64) -> u64 {
    let below = count.saturating_sub(1);
    match 63_u32.checked_sub(below.leading_zeros()) {
        Some(bit) => 1 << bit,
        None => 0,
    }
}

#[cfg(test)]
mod tests;
