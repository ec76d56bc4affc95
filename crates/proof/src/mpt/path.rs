//! Path of one key through a trie: its steps, and the only encoding of each node on it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use alloy_rlp::{EMPTY_STRING_CODE, Encodable, Header};
use superroot_types::Hash;

use super::nibbles_of;
use super::node::{Child, TrieNode, decode};

/// Leaf under a key, and the nodes above it.
#[derive(Debug)]
pub(crate) struct TriePath<'a> {
    pub(crate) leaf: &'a [u8],
    /// Nibbles of the key in the leaf itself.
    pub(crate) leaf_nibbles: usize,
    /// From the root down.
    pub(crate) steps: Vec<TrieStep>,
}

#[derive(Debug)]
pub(crate) enum TrieStep {
    Branch {
        children: Box<[Option<Hash>; 16]>,
        /// The key's own child.
        nibble: u8,
    },
    Extension {
        nibbles: Vec<u8>,
    },
}

/// Path of a key whose nodes are all hashed into their parents; else what there is.
pub(crate) fn path_of<'a>(key: &[u8], nodes: &'a [Vec<u8>]) -> Result<TriePath<'a>, &'static str> {
    let key: Vec<u8> = nibbles_of(key).collect();
    let mut rest = key.as_slice();
    let mut steps = Vec::new();
    let mut nodes = nodes.iter();
    while let Some(bytes) = nodes.next() {
        match decode(bytes)? {
            TrieNode::Empty => return Err("no leaf"),
            TrieNode::Leaf { path, value } => {
                if path != rest || nodes.next().is_some() {
                    return Err("another leaf");
                }
                return Ok(TriePath { leaf: value, leaf_nibbles: path.len(), steps });
            }
            TrieNode::Extension { path, child } => {
                hash_of(child)?;
                rest = rest.strip_prefix(path.as_slice()).ok_or("another leaf")?;
                steps.push(TrieStep::Extension { nibbles: path });
            }
            TrieNode::Branch { children, value } => {
                let (nibble, after) = rest.split_first().ok_or("a value in a branch")?;
                if !value.is_empty() {
                    return Err("a value in a branch");
                }
                rest = after;
                let mut hashes = Box::new([None; 16]);
                for (hash, child) in hashes.iter_mut().zip(children) {
                    *hash = if child == Child::Empty { None } else { Some(hash_of(child)?) };
                }
                if hashes.get(usize::from(*nibble)).is_none_or(Option::is_none) {
                    return Err("no leaf");
                }
                steps.push(TrieStep::Branch { children: hashes, nibble: *nibble });
            }
        }
    }
    Err("no leaf")
}

fn hash_of(child: Child<'_>) -> Result<Hash, &'static str> {
    match child {
        Child::Hash(hash) => Ok(hash),
        Child::Empty => Err("no leaf"),
        Child::Inline(_) => Err("a node inside its parent"),
    }
}

/// Leaf with the last nibbles of a key.
pub(crate) fn leaf_node(nibbles: &[u8], value: &[u8]) -> Vec<u8> {
    let mut payload = Vec::new();
    hex_prefix(nibbles, true).as_slice().encode(&mut payload);
    value.encode(&mut payload);
    list(payload)
}

/// Extension by these nibbles.
pub(crate) fn extension_node(nibbles: &[u8], child: &Hash) -> Vec<u8> {
    let mut payload = Vec::new();
    hex_prefix(nibbles, false).as_slice().encode(&mut payload);
    child.0.as_slice().encode(&mut payload);
    list(payload)
}

/// Branch without a value.
pub(crate) fn branch_node(children: &[Option<Hash>; 16]) -> Vec<u8> {
    let mut payload = Vec::new();
    for child in children {
        match child {
            Some(hash) => hash.0.as_slice().encode(&mut payload),
            None => payload.push(EMPTY_STRING_CODE),
        }
    }
    payload.push(EMPTY_STRING_CODE);
    list(payload)
}

fn list(payload: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    Header { list: true, payload_length: payload.len() }.encode(&mut out);
    out.extend_from_slice(&payload);
    out
}

fn hex_prefix(nibbles: &[u8], is_leaf: bool) -> Vec<u8> {
    let flag = if is_leaf { 0x20 } else { 0 };
    let (first, rest) = match nibbles.split_first() {
        Some((odd, rest)) if nibbles.len() % 2 == 1 => (flag | 0x10 | odd, rest),
        _ => (flag, nibbles),
    };
    let pairs = rest.chunks(2).map(|pair| match pair {
        [high, low] => high << 4 | low,
        _ => 0,
    });
    core::iter::once(first).chain(pairs).collect()
}
