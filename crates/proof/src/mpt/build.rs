//! Trie construction for an ordered list, and proofs from its nodes.

use alloc::vec::Vec;
use core::fmt;

use alloy_rlp::{BufMut, Encodable, Header};
use superroot_types::Hash;

use super::verify::walk;
use super::{MptError, index_key};
use crate::hash::keccak256;

/// Hashed trie nodes with keys `rlp(0), rlp(1), ..`: all, or only the part stored for some leaves.
#[derive(Clone)]
pub struct OrderedTrie {
    root: Hash,
    /// Sorted by hash, each once.
    nodes: Vec<NodeSpan>,
    /// Concatenated RLP nodes: a block trie is a single allocation.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct NodeSpan {
    hash: Hash,
    start: usize,
    end: usize,
}

impl OrderedTrie {
    /// Whole trie over ordered leaves.
    #[must_use]
    pub fn build<L: AsRef<[u8]>>(leaves: &[L]) -> Self {
        let mut builder = TrieBuilder::with_room_for(leaves);
        let start = if leaves.is_empty() {
            builder.bytes.push(alloy_rlp::EMPTY_STRING_CODE);
            0
        } else {
            builder.node(&entries(leaves), 0)
        };
        let root = builder.keep(start);
        builder.finish(root)
    }

    /// Trie from stored nodes. Foreign nodes are never used.
    #[must_use]
    pub fn from_nodes<N: AsRef<[u8]>>(root: Hash, nodes: impl IntoIterator<Item = N>) -> Self {
        let mut builder = TrieBuilder::default();
        for node in nodes {
            let start = builder.bytes.len();
            builder.bytes.put_slice(node.as_ref());
            builder.keep(start);
        }
        builder.finish(root)
    }

    /// Trie root.
    #[must_use]
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// Stored RLP nodes, in hash order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.nodes.iter().map(|place| self.at(place))
    }

    pub(super) fn hashed_nodes(&self) -> impl Iterator<Item = (&Hash, &[u8])> {
        self.nodes.iter().map(|place| (&place.hash, self.at(place)))
    }

    pub(super) fn find(&self, hash: &Hash) -> Option<&[u8]> {
        let found = self.nodes.binary_search_by_key(hash, |place| place.hash).ok();
        Some(self.at(self.nodes.get(found?)?))
    }

    /// Nodes from the root down, proving presence or absence at `index`.
    ///
    /// # Errors
    /// [`MptError::Missing`] for a node not stored.
    pub fn prove(&self, index: u64) -> Result<Vec<Vec<u8>>, MptError> {
        let mut path = Vec::new();
        self.walk(index, &mut path)?;
        Ok(path.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// Leaf at `index`, or `None` if absent.
    ///
    /// # Errors
    /// As [`OrderedTrie::prove`].
    pub fn leaf(&self, index: u64) -> Result<Option<&[u8]>, MptError> {
        self.walk(index, &mut Vec::new())
    }

    fn walk<'a>(
        &'a self,
        index: u64,
        path: &mut Vec<&'a [u8]>,
    ) -> Result<Option<&'a [u8]>, MptError> {
        walk(&self.root, &index_key(index), |hash| {
            let node = self.find(hash).ok_or(MptError::Missing(*hash))?;
            path.push(node);
            Ok(node)
        })
    }

    fn at(&self, place: &NodeSpan) -> &[u8] {
        self.bytes.get(place.start..place.end).unwrap_or_default()
    }
}

/// Tries are equal with equal nodes, in any creation order.
impl PartialEq for OrderedTrie {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root && self.nodes().eq(other.nodes())
    }
}

impl Eq for OrderedTrie {}

impl fmt::Debug for OrderedTrie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OrderedTrie({}, {} nodes)", self.root, self.nodes.len())
    }
}

/// Most nibbles in a key: an index takes at most nine bytes.
const NIBBLES_MAX: usize = 18;

/// Longest child reference, RLP.
const REFERENCE_BYTES: usize = 33;

/// Most bytes in a leaf node besides its value.
const LEAF_EXTRA_BYTES: usize = 24;

/// Bytes in a full branch, with a few from the nodes above.
const BRANCH_BYTES: usize = 600;

struct TrieEntry<'a> {
    nibbles: [u8; NIBBLES_MAX],
    length: usize,
    value: &'a [u8],
}

impl<'a> TrieEntry<'a> {
    fn new(index: u64, value: &'a [u8]) -> Self {
        let key = index_key(index);
        let mut nibbles = [0; NIBBLES_MAX];
        for (place, nibble) in nibbles.iter_mut().zip(super::nibbles_of(&key)) {
            *place = nibble;
        }
        Self { nibbles, length: key.len().saturating_mul(2), value }
    }

    fn path(&self, depth: usize) -> &[u8] {
        self.nibbles.get(depth..self.length).unwrap_or_default()
    }

    fn nibble_at(&self, depth: usize) -> Option<u8> {
        self.path(depth).first().copied()
    }
}

/// Leaves in key order: `rlp(0)` is 80, after 01 to 7f.
fn entries<L: AsRef<[u8]>>(leaves: &[L]) -> Vec<TrieEntry<'_>> {
    let mut entries: Vec<TrieEntry<'_>> =
        (0..).zip(leaves).map(|(index, leaf)| TrieEntry::new(index, leaf.as_ref())).collect();
    let single_bytes = entries.len().min(0x80);
    if let Some(first) = entries.get_mut(..single_bytes) {
        first.rotate_left(usize::from(!first.is_empty()));
    }
    entries
}

/// Nodes in creation order, each after its children.
#[derive(Default)]
pub(super) struct TrieBuilder {
    nodes: Vec<NodeSpan>,
    bytes: Vec<u8>,
}

impl TrieBuilder {
    fn with_room_for<L: AsRef<[u8]>>(leaves: &[L]) -> Self {
        let branches = leaves.len().div_ceil(8).saturating_add(1);
        let extra = leaves.len().saturating_mul(LEAF_EXTRA_BYTES);
        let values = leaves.iter().map(|leaf| leaf.as_ref().len());
        let bytes = values.fold(extra, usize::saturating_add);
        let bytes = bytes.saturating_add(branches.saturating_mul(BRANCH_BYTES));
        let nodes = leaves.len().saturating_add(branches);
        Self { nodes: Vec::with_capacity(nodes), bytes: Vec::with_capacity(bytes) }
    }

    /// Writes the subtree over `entries` (in order, equal in their first `depth` nibbles), its top last; returns the
    /// top's start.
    fn node(&mut self, entries: &[TrieEntry<'_>], depth: usize) -> usize {
        if let [entry] = entries {
            return self.leaf(entry, depth);
        }
        let shared = shared_nibbles(entries, depth);
        if shared > 0 {
            let path = entries.first().and_then(|entry| entry.path(depth).get(..shared));
            let path = HexPrefix::new(path.unwrap_or_default(), false);
            let branch = self.node(entries, depth.saturating_add(shared));
            let mut payload = Vec::with_capacity(HEX_PREFIX_MAX.saturating_add(REFERENCE_BYTES));
            path.as_slice().encode(&mut payload);
            self.refer(branch, &mut payload);
            return self.list(&payload);
        }
        self.branch(entries, depth)
    }

    fn branch(&mut self, entries: &[TrieEntry<'_>], depth: usize) -> usize {
        let value = entries.iter().find(|entry| entry.length == depth).map(|entry| entry.value);
        let value = value.unwrap_or_default();
        let mut payload = Vec::with_capacity(value.length().saturating_add(16 * REFERENCE_BYTES));
        for nibble in 0..16 {
            let start = entries.partition_point(|entry| entry.nibble_at(depth) < Some(nibble));
            let end = entries.partition_point(|entry| entry.nibble_at(depth) <= Some(nibble));
            match entries.get(start..end) {
                Some(below) if !below.is_empty() => {
                    let child = self.node(below, depth.saturating_add(1));
                    self.refer(child, &mut payload);
                }
                _ => payload.put_u8(alloy_rlp::EMPTY_STRING_CODE),
            }
        }
        value.encode(&mut payload);
        self.list(&payload)
    }

    fn leaf(&mut self, entry: &TrieEntry<'_>, depth: usize) -> usize {
        let path = HexPrefix::new(entry.path(depth), true);
        let payload_length = path.as_slice().length().saturating_add(entry.value.length());
        let start = self.bytes.len();
        Header { list: true, payload_length }.encode(&mut self.bytes);
        path.as_slice().encode(&mut self.bytes);
        entry.value.encode(&mut self.bytes);
        start
    }

    fn list(&mut self, payload: &[u8]) -> usize {
        let start = self.bytes.len();
        Header { list: true, payload_length: payload.len() }.encode(&mut self.bytes);
        self.bytes.put_slice(payload);
        start
    }

    /// Writes the parent's reference to the last written node: its hash, or a shorter node itself, which is then not a
    /// separate node.
    fn refer(&mut self, start: usize, payload: &mut Vec<u8>) {
        let node = self.bytes.get(start..).unwrap_or_default();
        if node.len() < 32 {
            payload.put_slice(node);
            self.bytes.truncate(start);
            return;
        }
        let hash = self.keep(start);
        hash.0.as_slice().encode(payload);
    }

    fn keep(&mut self, start: usize) -> Hash {
        let hash = keccak256(self.bytes.get(start..).unwrap_or_default());
        self.nodes.push(NodeSpan { hash, start, end: self.bytes.len() });
        hash
    }

    /// Stores a node under its parent's reference hash.
    pub(super) fn keep_as(&mut self, hash: Hash, node: &[u8]) {
        let start = self.bytes.len();
        self.bytes.put_slice(node);
        self.nodes.push(NodeSpan { hash, start, end: self.bytes.len() });
    }

    pub(super) fn finish(self, root: Hash) -> OrderedTrie {
        let Self { mut nodes, bytes } = self;
        nodes.sort_unstable_by_key(|place| place.hash);
        nodes.dedup_by_key(|place| place.hash);
        OrderedTrie { root, nodes, bytes }
    }
}

/// Nibbles beyond `depth` shared by all entries; sorted, so the outermost two decide.
fn shared_nibbles(entries: &[TrieEntry<'_>], depth: usize) -> usize {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return 0 };
    let pairs = first.path(depth).iter().zip(last.path(depth));
    pairs.take_while(|(one, other)| one == other).count()
}

/// Most bytes in a path: a flag and the paired nibbles.
const HEX_PREFIX_MAX: usize = 1 + NIBBLES_MAX / 2;

struct HexPrefix {
    bytes: [u8; HEX_PREFIX_MAX],
    length: usize,
}

impl HexPrefix {
    fn new(path: &[u8], leaf: bool) -> Self {
        let flag = if leaf { 0x20 } else { 0x00 };
        let (first, rest) = match path.split_first() {
            Some((odd, rest)) if path.len() % 2 == 1 => (flag | 0x10 | odd, rest),
            _ => (flag, path),
        };
        let pairs = rest.chunks(2).map(|pair| match pair {
            [high, low] => (high << 4) | low,
            _ => 0,
        });
        let mut bytes = [0; HEX_PREFIX_MAX];
        for (place, byte) in bytes.iter_mut().zip(core::iter::once(first).chain(pairs)) {
            *place = byte;
        }
        Self { bytes, length: (rest.len() / 2).saturating_add(1) }
    }

    fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
