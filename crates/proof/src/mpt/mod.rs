//! Merkle-Patricia trie over an EVM block's transactions or receipts (level 1). Source: Ethereum yellow paper, appendix
//! D; leaf `i` has key `rlp(i)`.
//!
//! ```text
//!        root                     a node is RLP; a parent holds the Keccak-256 of a child of
//!      /   |   \                  32 bytes or more, and a shorter child itself, inline
//!   leaf branch extension
//! ```
//!
//! ```
//! use superroot_proof::mpt::{OrderedTrie, index_key, verify};
//! let trie = OrderedTrie::build(&[b"first".to_vec(), b"second".to_vec()]);
//! let nodes = trie.prove(1).unwrap();
//! assert_eq!(verify(&trie.root(), &index_key(1), &nodes), Ok(Some(&b"second"[..])));
//! let nodes = trie.prove(2).unwrap(); // shows that there is no third
//! assert_eq!(verify(&trie.root(), &index_key(2), &nodes), Ok(None));
//! ```

mod build;
mod node;
mod order;
mod path;
mod verify;

pub use build::OrderedTrie;
pub(crate) use path::{TriePath, TrieStep, branch_node, extension_node, leaf_node, path_of};
pub use verify::{first_node_hash, verify};

use alloc::vec::Vec;

use superroot_types::Hash;

/// Empty trie root: Keccak-256 over the RLP empty string.
pub const EMPTY_ROOT: Hash = Hash([
    0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6, 0xff, 0x83, 0x45, 0xe6, 0x92, 0xc0, 0xf8, 0x6e,
    0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c, 0xad, 0xc0, 0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21,
]);

/// Why a trie proof is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MptError {
    /// No nodes.
    #[error("the trie proof is empty")]
    Empty,
    /// Non-canonical trie node.
    #[error("trie node {position} is not canonical: {why}")]
    Node {
        /// Position in the proof, from the root.
        position: usize,
        /// Reason.
        why: &'static str,
    },
    /// Node hash differs from the parent's (or root's) reference.
    #[error("trie node {position} hashes to {got}, its parent holds {expected}")]
    Hash {
        /// Position in the proof, from the root.
        position: usize,
        /// Sent node's hash.
        got: Hash,
        /// Committed hash.
        expected: Hash,
    },
    /// Path continues past the proof's end.
    #[error("the trie proof ends after {nodes} nodes, before its key")]
    Short {
        /// Sent node count.
        nodes: usize,
    },
    /// Nodes remain after the key was reached.
    #[error("the trie proof has {unused} nodes too many")]
    Unused {
        /// Number of superfluous nodes.
        unused: usize,
    },
    /// A node needed for the proof is not stored (during proof generation).
    #[error("trie node {0} is not held")]
    Missing(Hash),
}

/// Transaction or receipt key: `rlp(index)`.
#[must_use]
pub fn index_key(index: u64) -> Vec<u8> {
    alloy_rlp::encode(index)
}

pub(crate) fn nibbles_of(key: &[u8]) -> impl Iterator<Item = u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 0x0f])
}
