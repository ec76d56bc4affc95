//! Building the trie of an ordered list, and proofs out of its nodes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use alloy_rlp::{BufMut, Encodable, Header};
use superroot_types::Hash;

use super::verify::walk;
use super::{EMPTY_ROOT, MptError, index_key, nibbles};
use crate::hash::keccak256;

/// The hashed nodes of a trie whose keys are `rlp(0), rlp(1), ..`: all of them, or those that were
/// kept for some of its leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedTrie {
    root: Hash,
    nodes: BTreeMap<Hash, Vec<u8>>,
}

/// A leaf's key in nibbles, and its value.
type Entry<'a> = (Vec<u8>, &'a [u8]);

impl OrderedTrie {
    /// The whole trie over these leaves, in order.
    #[must_use]
    pub fn build<L: AsRef<[u8]>>(leaves: &[L]) -> Self {
        let mut entries: Vec<Entry<'_>> = (0_u64..)
            .zip(leaves)
            .map(|(index, leaf)| (nibbles(&index_key(index)), leaf.as_ref()))
            .collect();
        entries.sort_unstable();
        if entries.is_empty() {
            let node = [alloy_rlp::EMPTY_STRING_CODE].to_vec();
            return Self { root: EMPTY_ROOT, nodes: [(EMPTY_ROOT, node)].into() };
        }
        let mut nodes = Vec::with_capacity(entries.len());
        let encoded = encode(&entries, 0, &mut nodes);
        let root = keccak256(&encoded);
        nodes.push((root, encoded));
        Self { root, nodes: nodes.into_iter().collect() }
    }

    /// The trie of which these nodes were kept. Nodes that belong elsewhere are never used.
    #[must_use]
    pub fn from_nodes(root: Hash, nodes: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let nodes = nodes.into_iter().map(|node| (keccak256(&node), node)).collect();
        Self { root, nodes }
    }

    /// Root of the trie.
    #[must_use]
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// Every node held, RLP, in the order of their hashes.
    pub fn nodes(&self) -> impl Iterator<Item = &[u8]> {
        self.nodes.values().map(Vec::as_slice)
    }

    /// The nodes from the root down that show what is (or is not) at `index`.
    ///
    /// # Errors
    /// [`MptError::Missing`] when a node on the way was not kept.
    pub fn prove(&self, index: u64) -> Result<Vec<Vec<u8>>, MptError> {
        let mut path = Vec::new();
        self.walk(index, &mut path)?;
        Ok(path)
    }

    /// The leaf at `index`, or `None` where there is none.
    ///
    /// # Errors
    /// As [`OrderedTrie::prove`].
    pub fn leaf(&self, index: u64) -> Result<Option<&[u8]>, MptError> {
        self.walk(index, &mut Vec::new())
    }

    fn walk(&self, index: u64, path: &mut Vec<Vec<u8>>) -> Result<Option<&[u8]>, MptError> {
        walk(&self.root, &index_key(index), |hash| {
            let node = self.nodes.get(hash).ok_or(MptError::Missing(*hash))?;
            path.push(node.clone());
            Ok(node)
        })
    }
}

/// A node that is hashed, under its hash.
type Hashed = (Hash, Vec<u8>);

/// Longest reference to a child, RLP.
const REFERENCE_BYTES: usize = 33;

/// Encodes the subtree of `entries` (sorted, equal in their first `depth` nibbles) and keeps every
/// node below its top that is hashed.
fn encode(entries: &[Entry<'_>], depth: usize, nodes: &mut Vec<Hashed>) -> Vec<u8> {
    let tail = |key: &[u8]| key.get(depth..).unwrap_or_default().to_vec();
    if let [(key, value)] = entries {
        return leaf(&hex_prefix(&tail(key), true), value);
    }
    let shared = shared_nibbles(entries, depth);
    if shared > 0 {
        let path = entries.first().map(|(key, _)| tail(key)).unwrap_or_default();
        let path = hex_prefix(path.get(..shared).unwrap_or_default(), false);
        let branch = encode(entries, depth.saturating_add(shared), nodes);
        let mut payload = Vec::with_capacity(path.length().saturating_add(REFERENCE_BYTES));
        path.as_slice().encode(&mut payload);
        refer(branch, nodes, &mut payload);
        return list(&payload);
    }
    let at = |key: &[u8]| key.get(depth).copied();
    let value = entries.iter().find(|(key, _)| key.len() == depth).map(|(_, value)| *value);
    let value = value.unwrap_or_default();
    let mut payload = Vec::with_capacity(value.length().saturating_add(16 * REFERENCE_BYTES));
    for nibble in 0..16 {
        let start = entries.partition_point(|(key, _)| at(key) < Some(nibble));
        let end = entries.partition_point(|(key, _)| at(key) <= Some(nibble));
        match entries.get(start..end) {
            Some(below) if !below.is_empty() => {
                let child = encode(below, depth.saturating_add(1), nodes);
                refer(child, nodes, &mut payload);
            }
            _ => payload.put_u8(alloy_rlp::EMPTY_STRING_CODE),
        }
    }
    value.encode(&mut payload);
    list(&payload)
}

/// Nibbles beyond `depth` that all entries share; sorted, so the outermost two tell.
fn shared_nibbles(entries: &[Entry<'_>], depth: usize) -> usize {
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return 0 };
    let pairs = first.iter().skip(depth).zip(last.iter().skip(depth));
    pairs.take_while(|(one, other)| one == other).count()
}

/// Writes what a parent holds of this child: its hash, or itself when it is shorter.
fn refer(child: Vec<u8>, nodes: &mut Vec<Hashed>, payload: &mut Vec<u8>) {
    if child.len() < 32 {
        payload.put_slice(&child);
        return;
    }
    let hash = keccak256(&child);
    hash.0.as_slice().encode(payload);
    nodes.push((hash, child));
}

fn leaf(path: &[u8], value: &[u8]) -> Vec<u8> {
    let payload_length = path.length().saturating_add(value.length());
    let header = Header { list: true, payload_length };
    let mut out = Vec::with_capacity(header.length_with_payload());
    header.encode(&mut out);
    path.encode(&mut out);
    value.encode(&mut out);
    out
}

fn list(payload: &[u8]) -> Vec<u8> {
    let header = Header { list: true, payload_length: payload.len() };
    let mut out = Vec::with_capacity(header.length_with_payload());
    header.encode(&mut out);
    out.put_slice(payload);
    out
}

/// Hex-prefix encoding of a path.
fn hex_prefix(path: &[u8], leaf: bool) -> Vec<u8> {
    let flag = if leaf { 0x20 } else { 0x00 };
    let (first, rest) = match path.split_first() {
        Some((odd, rest)) if path.len() % 2 == 1 => (flag | 0x10 | odd, rest),
        _ => (flag, path),
    };
    let mut out = alloc::vec![first];
    out.extend(rest.chunks(2).map(|pair| match pair {
        [high, low] => (high << 4) | low,
        _ => 0,
    }));
    out
}
