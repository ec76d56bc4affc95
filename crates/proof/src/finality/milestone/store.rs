//! Path from a value to the root over all stores: the store's tree (IAVL), and the tree over store roots.
//!
//! ```text
//! leaf        00 02 ‖ version ‖ length ‖ key ‖ 20 ‖ sha256(value)         height 0, size 1
//! inner node  height ‖ size ‖ version ‖ 20 ‖ left ‖ 20 ‖ right             numbers as zigzag varints
//! store       00 ‖ length ‖ name ‖ 20 ‖ sha256(root)
//! inner node  01 ‖ left ‖ right
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use crate::codec::ByteReader;
use crate::hash::sha256_joined;
use crate::ledger::cosmos::{put_varint, read_varint};

/// Most inner nodes on a path in a store.
pub const IAVL_DEPTH_MAX: usize = 64;
/// Most inner nodes on a path over the stores.
pub const STORES_DEPTH_MAX: usize = 16;
/// Longest inner node prefix, with the first child's length byte.
const PREFIX_BYTES_MAX: usize = 12;
const HASH_BYTES: u8 = 32;

/// Inner node on a path in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IavlStep {
    /// Whether the sibling is the left child.
    pub is_sibling_left: bool,
    /// Height, above the child's.
    pub height: u64,
    /// Leaves below.
    pub size: u64,
    /// Tree version at the node's creation.
    pub version: u64,
    /// Second child.
    pub sibling: Hash,
}

/// Path from a leaf to a store's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IavlPath {
    /// Leaf version.
    pub version: u64,
    /// From the leaf upward.
    pub steps: Vec<IavlStep>,
}

/// Height, size and version; `None` past 63 bits.
fn prefix(numbers: [u64; 3]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for number in numbers {
        put_varint(&mut out, number.checked_mul(2)?);
    }
    Some(out)
}

/// `prefix ‖ length ‖ key ‖ 20 ‖ sha256(value)`, hashed; `None` for an empty or a long key, or an empty value.
fn leaf(prefix: &[u8], key: &[u8], value: &[u8]) -> Option<Hash> {
    let length = u8::try_from(key.len()).ok().filter(|length| (1..0x80).contains(length))?;
    let value = (!value.is_empty()).then(|| sha256_joined(&[value]))?;
    Some(sha256_joined(&[prefix, &[length], key, &[HASH_BYTES], &value.0]))
}

const fn ordered(is_sibling_left: bool, sibling: Hash, node: Hash) -> [Hash; 2] {
    if is_sibling_left { [sibling, node] } else { [node, sibling] }
}

fn put_side(out: &mut Vec<u8>, is_sibling_left: bool) {
    out.push(u8::from(is_sibling_left));
}

fn read_side(reader: &mut ByteReader<'_>) -> Option<bool> {
    reader.u8().filter(|side| *side <= 1).map(|side| side == 1)
}

fn read_count(reader: &mut ByteReader<'_>, max: usize) -> Option<usize> {
    reader.u8().map(usize::from).filter(|count| *count <= max)
}

impl IavlPath {
    /// Root over a key and its value; `None` outside the ICS 23 bounds, or without rising heights.
    #[must_use]
    pub fn root(&self, key: &[u8], value: &[u8]) -> Option<Hash> {
        let mut below = 0;
        let mut node = leaf(&prefix([below, 1, self.version])?, key, value)?;
        for step in &self.steps {
            let prefix = prefix([step.height, step.size, step.version])?;
            if step.height <= below || prefix.len() >= PREFIX_BYTES_MAX {
                return None;
            }
            below = step.height;
            let [left, right] = ordered(step.is_sibling_left, step.sibling, node);
            let length = [HASH_BYTES];
            node = sha256_joined(&[&prefix, &length, &left.0, &length, &right.0]);
        }
        (self.steps.len() <= IAVL_DEPTH_MAX).then_some(node)
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_varint(out, self.version);
        out.push(u8::try_from(self.steps.len()).unwrap_or(u8::MAX));
        for step in &self.steps {
            put_side(out, step.is_sibling_left);
            for number in [step.height, step.size, step.version] {
                put_varint(out, number);
            }
            out.extend_from_slice(&step.sibling.0);
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let version = read_varint(reader)?;
        let mut steps = Vec::new();
        for _ in 0..read_count(reader, IAVL_DEPTH_MAX)? {
            steps.push(IavlStep {
                is_sibling_left: read_side(reader)?,
                height: read_varint(reader)?,
                size: read_varint(reader)?,
                version: read_varint(reader)?,
                sibling: reader.hash()?,
            });
        }
        Some(Self { version, steps })
    }
}

/// Inner node on a path over the stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreStep {
    /// Whether the sibling is the left child.
    pub is_sibling_left: bool,
    /// Second child.
    pub sibling: Hash,
}

/// Path from a store to the root over all stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePath {
    /// From the store upward.
    pub steps: Vec<StoreStep>,
}

impl StorePath {
    /// Root over all stores, from a store's name and root; `None` for a longer path than [`STORES_DEPTH_MAX`].
    #[must_use]
    pub fn root(&self, name: &str, store: &[u8]) -> Option<Hash> {
        let mut node = leaf(&[0x00], name.as_bytes(), store)?;
        for StoreStep { is_sibling_left, sibling } in &self.steps {
            let [left, right] = ordered(*is_sibling_left, *sibling, node);
            node = sha256_joined(&[&[0x01], &left.0, &right.0]);
        }
        (self.steps.len() <= STORES_DEPTH_MAX).then_some(node)
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::try_from(self.steps.len()).unwrap_or(u8::MAX));
        for StoreStep { is_sibling_left, sibling } in &self.steps {
            put_side(out, *is_sibling_left);
            out.extend_from_slice(&sibling.0);
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Option<Self> {
        let mut steps = Vec::new();
        for _ in 0..read_count(reader, STORES_DEPTH_MAX)? {
            let is_sibling_left = read_side(reader)?;
            steps.push(StoreStep { is_sibling_left, sibling: reader.hash()? });
        }
        Some(Self { steps })
    }
}
