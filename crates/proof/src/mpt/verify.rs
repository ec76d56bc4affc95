//! Trie walk along a key; each node is checked against its hash.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::node::{Child, TrieNode, decode};
use super::{MptError, nibbles_of};
use crate::hash::keccak256;

/// Checks `nodes` (RLP, from the root down) against `root` and returns the value under `key`, or `None` for a proven
/// absence.
///
/// # Errors
/// [`MptError`] for a missing, superfluous, non-canonical or uncommitted node. An empty list is never a proof: the
/// empty trie has a single node, `80`.
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

/// First node's hash: the proof's root, unless a higher level names another.
///
/// # Errors
/// [`MptError::Empty`] without nodes.
pub fn first_node_hash(nodes: &[Vec<u8>]) -> Result<Hash, MptError> {
    nodes.first().map(|node| keccak256(node)).ok_or(MptError::Empty)
}

/// Follows `key` down from `root`; `fetch` returns a checked node for a hash.
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
            TrieNode::Empty if position == 0 => return Ok(None),
            TrieNode::Empty => return Err(wrong("an empty node below the root")),
            TrieNode::Leaf { path, value } => return Ok((path == rest).then_some(value)),
            TrieNode::Extension { path, child } => match rest.strip_prefix(path.as_slice()) {
                Some(after) => {
                    rest = after;
                    child
                }
                None => return Ok(None),
            },
            TrieNode::Branch { children, value } => match rest.split_first() {
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
