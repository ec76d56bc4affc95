//! Trie walk along a key; each node is checked against its hash.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::node::{EMPTY, TrieChild, TrieValue, decode, nibbles_of};
use crate::hash::blake2b_256;
use crate::mpt::MptError;

/// Longest value inside its node under state version 1.
pub(super) const INLINE_VALUE_MAX: usize = 32;

/// Checks `nodes` (from the root down; a value stored by hash is last) against `root` and returns the value under
/// `key`, or `None` for a proven absence.
///
/// # Errors
/// [`MptError`] for a missing, superfluous, non-canonical or uncommitted node. An empty list is never a proof: the
/// empty trie has a single node, `00`.
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
        let got = blake2b_256(node);
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
pub(super) fn first_node_hash(nodes: &[Vec<u8>]) -> Result<Hash, MptError> {
    nodes.first().map(|node| blake2b_256(node)).ok_or(MptError::Empty)
}

/// Follows `key` down from `root`; `fetch` returns checked bytes for a hash.
pub(super) fn walk<'a>(
    root: &Hash,
    key: &[u8],
    mut fetch: impl FnMut(&Hash) -> Result<&'a [u8], MptError>,
) -> Result<Option<&'a [u8]>, MptError> {
    let mut rest = nibbles_of(key);
    let mut position = 0_usize;
    let mut bytes = fetch(root)?;
    if bytes == [EMPTY] {
        return Ok(None);
    }
    loop {
        let node = decode(bytes).map_err(|why| MptError::Node { position, why })?;
        if node.path.iter().any(|nibble| rest.next() != Some(nibble)) {
            return Ok(None);
        }
        let Some(nibble) = rest.next() else {
            return match node.value {
                None => Ok(None),
                Some(TrieValue::Inline(value)) => Ok(Some(value)),
                Some(TrieValue::Hash(hash)) => {
                    position = position.saturating_add(1);
                    let value = fetch(&hash)?;
                    if value.len() <= INLINE_VALUE_MAX {
                        let why = "a value by its hash that is not longer than that";
                        return Err(MptError::Node { position, why });
                    }
                    Ok(Some(value))
                }
            };
        };
        match node.children.get(usize::from(nibble)).copied().flatten() {
            None => return Ok(None),
            Some(TrieChild::Inline(inline)) => bytes = inline,
            Some(TrieChild::Hash(hash)) => {
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
