//! Walking a trie along one key, with each node checked against the hash that names it.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::node::{Child, Node, decode};
use super::{MptError, nibbles_of};
use crate::hash::keccak256;

/// Checks `nodes` (RLP, from the root down) against `root` and gives the value under `key`, or
/// `None` where they show that the trie has no such key.
///
/// # Errors
/// [`MptError`] when a node is missing, left over, not canonical, or not the one committed to.
/// An empty list is never a proof: the empty trie is shown by its one node, `80`.
pub fn verify<'a>(
    root: &Hash,
    key: &[u8],
    nodes: &'a [Vec<u8>],
) -> Result<Option<&'a [u8]>, MptError> {
    if nodes.is_empty() {
        return Err(MptError::Empty);
    }
    let mut left = nodes.iter().enumerate();
    let value = walk(root, key, |expected| {
        let (position, node) = left.next().ok_or(MptError::Short { nodes: nodes.len() })?;
        let got = keccak256(node);
        if got != *expected {
            return Err(MptError::Hash { position, got, expected: *expected });
        }
        Ok(node)
    })?;
    match left.len() {
        0 => Ok(value),
        unused => Err(MptError::Unused { unused }),
    }
}

/// Hash of the first node of a proof: the root it is a proof under, as long as nothing above it
/// says another.
///
/// # Errors
/// [`MptError::Empty`] when there is no node.
pub fn first_node_hash(nodes: &[Vec<u8>]) -> Result<Hash, MptError> {
    nodes.first().map(|node| keccak256(node)).ok_or(MptError::Empty)
}

/// Follows `key` down from `root`; `fetch` gives the node of a hash, and is trusted to have checked
/// it.
pub(super) fn walk<'a>(
    root: &Hash,
    key: &[u8],
    mut fetch: impl FnMut(&Hash) -> Result<&'a [u8], MptError>,
) -> Result<Option<&'a [u8]>, MptError> {
    let key: Vec<u8> = nibbles_of(key).collect();
    let mut rest = key.as_slice();
    let mut position = 0_usize;
    let mut bytes = fetch(root)?;
    loop {
        let wrong = |why| MptError::Node { position, why };
        let node = decode(bytes).map_err(wrong)?;
        let next = match node {
            Node::Empty if position == 0 => return Ok(None),
            Node::Empty => return Err(wrong("an empty node below the root")),
            Node::Leaf { path, value } => return Ok((path == rest).then_some(value)),
            Node::Extension { path, child } => match rest.strip_prefix(path.as_slice()) {
                Some(after) => {
                    rest = after;
                    child
                }
                None => return Ok(None),
            },
            Node::Branch { children, value } => match rest.split_first() {
                None => return Ok((!value.is_empty()).then_some(value)),
                Some((nibble, after)) => {
                    rest = after;
                    children.get(usize::from(*nibble)).copied().unwrap_or(Child::Empty)
                }
            },
        };
        match next {
            Child::Empty => return Ok(None),
            Child::Inline(inline) => bytes = inline,
            Child::Hash(hash) => {
                position = position.saturating_add(1);
                bytes = fetch(&hash)?;
                if bytes.len() < 32 {
                    let why = "a hashed node under 32 bytes that is not the root";
                    return Err(MptError::Node { position, why });
                }
            }
        }
    }
}
