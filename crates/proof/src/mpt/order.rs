//! Whole trie as a node list, each parent before its children: every hash is read from a parent instead of computed.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::build::{OrderedTrie, TrieBuilder};
use super::node::{Child, TrieNode, decode};

/// Indices with one-byte keys: `rlp(0)` is 80, after 01 to 7f.
const ONE_BYTE_KEYS: usize = 0x80;

impl OrderedTrie {
    /// Every node, a parent before its children in nibble order. `None` for a node not stored, or with two parents.
    #[must_use]
    pub fn nodes_in_order(&self) -> Option<Vec<&[u8]>> {
        let mut nodes = Vec::with_capacity(self.nodes().len());
        let mut due = alloc::vec![self.root()];
        while let Some(hash) = due.pop() {
            let node = self.find(&hash).filter(|_| nodes.len() < self.nodes().len())?;
            nodes.push(node);
            push_children(node, &mut due)?;
        }
        (nodes.len() == self.nodes().len()).then_some(nodes)
    }

    /// Trie from [`OrderedTrie::nodes_in_order`]. Hashes come from the parents; [`OrderedTrie::is_sound`] computes
    /// them. `None` for an invalid list.
    #[must_use]
    pub fn from_nodes_in_order<N: AsRef<[u8]>>(
        root: Hash,
        nodes: impl IntoIterator<Item = N>,
    ) -> Option<Self> {
        let mut builder = TrieBuilder::default();
        let mut due = alloc::vec![root];
        let mut count = 0_usize;
        for node in nodes {
            let node = node.as_ref();
            builder.keep_as(due.pop()?, node);
            push_children(node, &mut due)?;
            count = count.saturating_add(1);
        }
        let trie = builder.finish(root);
        (due.is_empty() && trie.nodes().len() == count).then_some(trie)
    }

    /// Whether every node matches its lookup hash.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.hashed_nodes().all(|(hash, node)| crate::hash::keccak256(node) == *hash)
    }

    /// Every leaf, by index. `None` for a node not stored, or with two parents.
    #[must_use]
    pub fn leaves(&self) -> Option<Vec<&[u8]>> {
        let mut leaves = Vec::new();
        let mut due = alloc::vec![Child::Hash(self.root())];
        let mut left = self.nodes().len();
        while let Some(child) = due.pop() {
            let bytes = match child {
                Child::Empty => continue,
                Child::Inline(bytes) => bytes,
                Child::Hash(hash) => {
                    left = left.checked_sub(1)?;
                    self.find(&hash)?
                }
            };
            match decode(bytes).ok()? {
                TrieNode::Empty => {}
                TrieNode::Leaf { value, .. } => leaves.push(value),
                TrieNode::Extension { child, .. } => due.push(child),
                TrieNode::Branch { children, value } => {
                    leaves.extend(Some(value).filter(|value| !value.is_empty()));
                    due.extend(children.into_iter().rev());
                }
            }
        }
        let first = leaves.len().min(ONE_BYTE_KEYS);
        if let Some(first) = leaves.get_mut(..first) {
            first.rotate_right(usize::from(!first.is_empty()));
        }
        Some(leaves)
    }
}

/// Pushes a node's child hashes, the first on top.
fn push_children(node: &[u8], due: &mut Vec<Hash>) -> Option<()> {
    let hash = |child: &Child<'_>| match child {
        Child::Hash(hash) => Some(*hash),
        Child::Empty | Child::Inline(_) => None,
    };
    match decode(node).ok()? {
        TrieNode::Empty | TrieNode::Leaf { .. } => {}
        TrieNode::Extension { child, .. } => due.extend(hash(&child)),
        TrieNode::Branch { children, .. } => due.extend(children.iter().rev().filter_map(hash)),
    }
    Some(())
}
