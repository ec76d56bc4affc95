//! Trie construction; stores every hashed node once, or only some nodes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use superroot_types::Hash;

use super::node::{EMPTY, nibbles_of};
use super::scale::compact;
use super::verify::{INLINE_VALUE_MAX, walk};
use crate::hash::blake2b_256;
use crate::mpt::MptError;

/// Value storage in nodes: the runtime's `state_version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVersion {
    /// Every value in its node.
    V0,
    /// Values over 32 bytes by their hash.
    V1,
}

/// Hashed trie nodes, and values stored by hash: all, or only the part stored for some keys.
#[derive(Clone, PartialEq, Eq)]
pub struct Trie {
    root: Hash,
    nodes: BTreeMap<Hash, Vec<u8>>,
}

impl Trie {
    /// Whole trie over keys and values, in any order; the first wins for a duplicate key.
    #[must_use]
    pub fn build<K: AsRef<[u8]>, V: AsRef<[u8]>>(
        version: StateVersion,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let pairs: Vec<(Vec<u8>, V)> = entries
            .into_iter()
            .map(|(key, value)| (nibbles_of(key.as_ref()).collect(), value))
            .collect();
        let entries = pairs.iter().map(|(key, value)| (key.as_slice(), value.as_ref()));
        let mut entries: Vec<Entry<'_>> = entries.collect();
        entries.sort_by_key(|(key, _)| *key);
        entries.dedup_by_key(|(key, _)| *key);
        let mut builder = PolkadotTrieBuilder { version, nodes: BTreeMap::new() };
        let root = if entries.is_empty() { alloc::vec![EMPTY] } else { builder.node(&entries, 0) };
        let root = builder.keep(root);
        Self { root, nodes: builder.nodes }
    }

    /// Block extrinsics trie with length-prefixed extrinsics; keys are compact positions.
    #[must_use]
    pub fn of_extrinsics<L: AsRef<[u8]>>(version: StateVersion, leaves: &[L]) -> Self {
        Self::build(version, (0..).map(compact).zip(leaves))
    }

    /// Trie from stored nodes and values. Foreign nodes are never used.
    #[must_use]
    pub fn from_nodes<N: AsRef<[u8]>>(root: Hash, nodes: impl IntoIterator<Item = N>) -> Self {
        let nodes = nodes.into_iter().map(|node| node.as_ref().to_vec());
        Self { root, nodes: nodes.map(|node| (blake2b_256(&node), node)).collect() }
    }

    /// Trie root.
    #[must_use]
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// Stored nodes and values, in hash order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.nodes.values().map(Vec::as_slice)
    }

    /// Nodes from the root down, proving presence or absence under a key, for [`verify`](super::verify()).
    ///
    /// # Errors
    /// [`MptError::Missing`] for a node not stored, [`MptError::Node`] for a non-canonical node.
    pub fn prove(&self, key: &[u8]) -> Result<Vec<Vec<u8>>, MptError> {
        let mut path = Vec::new();
        self.walk(key, &mut path)?;
        Ok(path.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Value under a key, or `None` if absent.
    ///
    /// # Errors
    /// As [`Trie::prove`].
    pub fn get(&self, key: &[u8]) -> Result<Option<&[u8]>, MptError> {
        self.walk(key, &mut Vec::new())
    }

    fn walk<'a>(
        &'a self,
        key: &[u8],
        path: &mut Vec<&'a [u8]>,
    ) -> Result<Option<&'a [u8]>, MptError> {
        walk(&self.root, key, |hash| {
            let node = self.nodes.get(hash).ok_or(MptError::Missing(*hash))?;
            path.push(node);
            Ok(node)
        })
    }
}

impl fmt::Debug for Trie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trie({}, {} nodes)", self.root, self.nodes.len())
    }
}

type Entry<'a> = (&'a [u8], &'a [u8]);

struct PolkadotTrieBuilder {
    version: StateVersion,
    nodes: BTreeMap<Hash, Vec<u8>>,
}

impl PolkadotTrieBuilder {
    /// Node over `entries`: at least 1, in order, equal in their first `depth` nibbles.
    fn node(&mut self, entries: &[Entry<'_>], depth: usize) -> Vec<u8> {
        let (first, last) = match entries {
            [] => return Vec::new(),
            [only] => (only, only),
            [first, .., last] => (first, last),
        };
        let path = first.0.get(depth..).unwrap_or_default();
        let other = last.0.get(depth..).unwrap_or_default();
        let shared = path.iter().zip(other).take_while(|(one, other)| one == other).count();
        let path = path.get(..shared).unwrap_or_default();
        let depth = depth.saturating_add(shared);
        // the shortest key stands first
        let (value, below) = match entries.split_first() {
            Some(((key, value), below)) if key.len() == depth => (Some(*value), below),
            _ => (None, entries),
        };
        let is_hashed = self.version == StateVersion::V1
            && value.is_some_and(|value| value.len() > INLINE_VALUE_MAX);
        let mut out = first_bytes(!below.is_empty(), value.is_some(), is_hashed, path);
        let at = out.len();
        if !below.is_empty() {
            out.extend([0, 0]);
        }
        match value {
            Some(value) if is_hashed => out.extend(self.keep(value.to_vec()).0),
            Some(value) => put_bytes(&mut out, value),
            None => {}
        }
        let mut bitmap = 0_u16;
        let nibble = |entry: &Entry<'_>| entry.0.get(depth).copied().unwrap_or_default();
        for group in below.chunk_by(|one, next| nibble(one) == nibble(next)) {
            bitmap |= group.first().map_or(0, |entry| 1_u16.wrapping_shl(nibble(entry).into()));
            let child = self.node(group, depth.saturating_add(1));
            if child.len() < 32 {
                put_bytes(&mut out, &child);
            } else {
                let hash = self.keep(child);
                put_bytes(&mut out, &hash.0);
            }
        }
        let bitmap = bitmap.to_le_bytes();
        out.iter_mut()
            .skip(at)
            .zip(bitmap.iter().take(if below.is_empty() { 0 } else { 2 }))
            .for_each(|(place, byte)| *place = *byte);
        out
    }

    fn keep(&mut self, node: Vec<u8>) -> Hash {
        let hash = blake2b_256(&node);
        self.nodes.insert(hash, node);
        hash
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(compact(u64::try_from(bytes.len()).unwrap_or(u64::MAX)));
    out.extend_from_slice(bytes);
}

fn first_bytes(is_branch: bool, has_value: bool, is_hashed: bool, path: &[u8]) -> Vec<u8> {
    let (kind, full) = match (is_branch, has_value, is_hashed) {
        (false, _, false) => (0x40, 0x3f_usize),
        (true, false, _) => (0x80, 0x3f),
        (true, true, false) => (0xc0, 0x3f),
        (false, _, true) => (0x20, 0x1f),
        (true, true, true) => (0x10, 0x0f),
    };
    let byte = |count: usize| u8::try_from(count).unwrap_or(u8::MAX);
    let mut out = alloc::vec![kind | byte(path.len().min(full))];
    let mut left = path.len().checked_sub(full);
    while let Some(more) = left {
        out.push(byte(more));
        left = more.checked_sub(usize::from(u8::MAX));
    }
    let (odd, pairs) = path.split_at_checked(path.len() % 2).unwrap_or_default();
    out.extend_from_slice(odd);
    out.extend(pairs.chunks(2).map(|pair| match pair {
        [high, low] => high.wrapping_shl(4) | low,
        _ => 0,
    }));
    out
}
