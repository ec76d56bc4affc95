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
        let mut nodes = BTreeMap::new();
        if entries.is_empty() {
            nodes.insert(EMPTY_ROOT, [alloy_rlp::EMPTY_STRING_CODE].to_vec());
            return Self { root: EMPTY_ROOT, nodes };
        }
        let encoded = encode(&entries, 0, &mut nodes);
        let root = keccak256(&encoded);
        nodes.insert(root, encoded);
        Self { root, nodes }
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

/// Encodes the subtree of `entries` (sorted, equal in their first `depth` nibbles) and keeps every
/// node below its top that is hashed.
fn encode(entries: &[Entry<'_>], depth: usize, nodes: &mut BTreeMap<Hash, Vec<u8>>) -> Vec<u8> {
    let tail = |key: &[u8]| key.get(depth..).unwrap_or_default().to_vec();
    if let [(key, value)] = entries {
        return list(&[&string(&hex_prefix(&tail(key), true)), &string(value)]);
    }
    let shared = shared_nibbles(entries, depth);
    if shared > 0 {
        let path = entries.first().map(|(key, _)| tail(key)).unwrap_or_default();
        let path = path.get(..shared).unwrap_or_default();
        let branch = encode(entries, depth.saturating_add(shared), nodes);
        return list(&[&string(&hex_prefix(path, false)), &reference(branch, nodes)]);
    }
    let at = |key: &[u8]| key.get(depth).copied();
    let mut items: Vec<Vec<u8>> = Vec::with_capacity(17);
    for nibble in 0..16 {
        let start = entries.partition_point(|(key, _)| at(key) < Some(nibble));
        let end = entries.partition_point(|(key, _)| at(key) <= Some(nibble));
        items.push(match entries.get(start..end) {
            Some(below) if !below.is_empty() => {
                reference(encode(below, depth.saturating_add(1), nodes), nodes)
            }
            _ => string(&[]),
        });
    }
    let value = entries.iter().find(|(key, _)| key.len() == depth).map(|(_, value)| *value);
    items.push(string(value.unwrap_or_default()));
    list(&items.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Nibbles beyond `depth` that all entries share; sorted, so the outermost two tell.
fn shared_nibbles(entries: &[Entry<'_>], depth: usize) -> usize {
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return 0 };
    let pairs = first.iter().skip(depth).zip(last.iter().skip(depth));
    pairs.take_while(|(one, other)| one == other).count()
}

/// What a parent holds of this child: its hash, or itself when it is shorter.
fn reference(child: Vec<u8>, nodes: &mut BTreeMap<Hash, Vec<u8>>) -> Vec<u8> {
    if child.len() < 32 {
        return child;
    }
    let hash = keccak256(&child);
    nodes.insert(hash, child);
    string(&hash.0)
}

fn string(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().saturating_add(4));
    bytes.encode(&mut out);
    out
}

fn list(items: &[&[u8]]) -> Vec<u8> {
    let payload_length = items.iter().map(|item| item.len()).sum();
    let mut out = Vec::with_capacity(usize::saturating_add(payload_length, 4));
    Header { list: true, payload_length }.encode(&mut out);
    for item in items {
        out.put_slice(item);
    }
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
