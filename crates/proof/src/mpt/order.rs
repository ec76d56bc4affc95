//! A whole trie as a list of its nodes, each parent before its children: every hash is read in a parent, and none has to be
//! computed.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::build::{Builder, OrderedTrie};
use super::node::{Child, Node, decode};

/// Indices whose keys are one byte: `rlp(0)` is 80 and comes behind 01 to 7f.
const ONE_BYTE_KEYS: usize = 0x80;

impl OrderedTrie {
    /// Every node, a parent before its children, these in the order of their nibbles. `None` where a node was not kept,
    /// or one stands below two parents.
    #[must_use]
    pub fn nodes_in_order(&self) -> Option<Vec<&[u8]>> {
        let (mut nodes, mut due) =
            (Vec::with_capacity(self.nodes().len()), alloc::vec![self.root()]);
        while let Some(hash) = due.pop() {
            let node = self.find(&hash).filter(|_| nodes.len() < self.nodes().len())?;
            nodes.push(node);
            push_children(node, &mut due)?;
        }
        (nodes.len() == self.nodes().len()).then_some(nodes)
    }

    /// The trie of nodes that [`OrderedTrie::nodes_in_order`] gave. Their hashes are those that their parents hold;
    /// [`OrderedTrie::is_sound`] computes them. `None` for nodes that are no such list.
    #[must_use]
    pub fn from_nodes_in_order<N: AsRef<[u8]>>(
        root: Hash,
        nodes: impl IntoIterator<Item = N>,
    ) -> Option<Self> {
        let (mut builder, mut due) = (Builder::default(), alloc::vec![root]);
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

    /// Whether every node has the hash under which it is found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.hashed_nodes().all(|(hash, node)| crate::hash::keccak256(node) == *hash)
    }

    /// Every leaf, by index. `None` where a node was not kept, or one stands below two parents.
    #[must_use]
    pub fn leaves(&self) -> Option<Vec<&[u8]>> {
        let (mut leaves, mut due) = (Vec::new(), alloc::vec![Child::Hash(self.root())]);
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
                Node::Empty => {}
                Node::Leaf { value, .. } => leaves.push(value),
                Node::Extension { child, .. } => due.push(child),
                Node::Branch { children, value } => {
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

/// Puts the hashes of a node's children on the stack, the first on top.
fn push_children(node: &[u8], due: &mut Vec<Hash>) -> Option<()> {
    let hash = |child: &Child<'_>| match child {
        Child::Hash(hash) => Some(*hash),
        Child::Empty | Child::Inline(_) => None,
    };
    match decode(node).ok()? {
        Node::Empty | Node::Leaf { .. } => {}
        Node::Extension { child, .. } => due.extend(hash(&child)),
        Node::Branch { children, .. } => due.extend(children.iter().rev().filter_map(hash)),
    }
    Some(())
}
