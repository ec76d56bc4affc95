//! Trie node, read strictly: exactly one encoding is accepted.
//!
//! ```text
//! 01nnnnnn leaf                  n nibbles of key follow (with n at its largest, more of the count
//! 10nnnnnn branch                first), in pairs, an odd one before them in a byte of its own
//! 11nnnnnn branch and value      a branch has a bitmap of its children, 16 bits little-endian
//! 001nnnnn leaf, hashed          value: its length in compact form and itself, or its hash
//! 0001nnnn branch, hashed        children: length in compact form and bytes, 32 of them a hash
//! ```
//! Source: Polkadot Protocol Specification, appendix A.3.3; RFC 42 and `sp-trie` for values by hash.

use superroot_types::Hash;

use super::scale::read_bytes;
use crate::codec::ByteReader;

/// Node for the empty trie.
pub(super) const EMPTY: u8 = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrieChild<'a> {
    Hash(Hash),
    Inline(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrieValue<'a> {
    Inline(&'a [u8]),
    Hash(Hash),
}

/// Node; a leaf has no children.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolkadotNode<'a> {
    pub(super) path: Nibbles<'a>,
    pub(super) children: [Option<TrieChild<'a>>; 16],
    pub(super) value: Option<TrieValue<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Nibbles<'a> {
    bytes: &'a [u8],
    is_odd: bool,
}

impl Nibbles<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = u8> {
        nibbles_of(self.bytes).skip(usize::from(self.is_odd))
    }
}

/// Key nibbles, high half first.
pub(super) fn nibbles_of(key: &[u8]) -> impl Iterator<Item = u8> {
    key.iter().flat_map(|byte| [byte >> 4, byte & 0x0f])
}

/// Longest key part in a node, in nibbles: no key exceeds 256 bytes.
const PATH_NIBBLES_MAX: usize = 512;

/// Node kind from the first byte.
struct NodeKind {
    is_branch: bool,
    has_value: bool,
    is_hashed: bool,
    /// Largest nibble count in the first byte itself.
    count_mask: u8,
}

impl NodeKind {
    const fn of(first: u8) -> Option<Self> {
        let (is_branch, has_value, is_hashed, count_mask) = match first {
            0x40..=0x7f => (false, true, false, 0x3f),
            0x80..=0xbf => (true, false, false, 0x3f),
            0xc0.. => (true, true, false, 0x3f),
            0x20..=0x3f => (false, true, true, 0x1f),
            0x10..=0x1f => (true, true, true, 0x0f),
            ..0x10 => return None,
        };
        Some(Self { is_branch, has_value, is_hashed, count_mask })
    }
}

pub(super) fn decode(bytes: &[u8]) -> Result<PolkadotNode<'_>, &'static str> {
    let mut reader = ByteReader::new(bytes);
    let first = reader.u8().ok_or("no bytes")?;
    let kind = NodeKind::of(first).ok_or("an unknown kind of node")?;
    let count = nibble_count(&mut reader, first & kind.count_mask, kind.count_mask)?;
    let is_odd = count % 2 == 1;
    let path = reader.bytes(count.div_ceil(2)).ok_or("a path cut short")?;
    if is_odd && path.first().is_some_and(|byte| byte >> 4 != 0) {
        return Err("a padded path whose padding is not zero");
    }
    let bitmap = if kind.is_branch { reader.u16().ok_or("no bitmap")?.swap_bytes() } else { 0 };
    let value = match (kind.has_value, kind.is_hashed) {
        (false, _) => None,
        (true, false) => {
            Some(TrieValue::Inline(read_bytes(&mut reader).ok_or("a value cut short")?))
        }
        (true, true) => Some(TrieValue::Hash(reader.hash().ok_or("a value's hash cut short")?)),
    };
    let filled = bitmap.count_ones();
    if kind.is_branch && filled < if kind.has_value { 1 } else { 2 } {
        return Err("a branch that does not branch");
    }
    let mut children = [None; 16];
    for (place, position) in children.iter_mut().zip(0_u32..) {
        if bitmap.checked_shr(position).is_some_and(|bits| bits & 1 == 1) {
            *place = Some(child(&mut reader)?);
        }
    }
    if !reader.is_empty() {
        return Err("trailing bytes");
    }
    Ok(PolkadotNode { path: Nibbles { bytes: path, is_odd }, children, value })
}

/// Nibble count in the first byte and, if full, in the following bytes: each full byte has a successor.
fn nibble_count(reader: &mut ByteReader<'_>, first: u8, full: u8) -> Result<usize, &'static str> {
    let mut count = usize::from(first);
    let mut goes_on = first == full;
    while goes_on {
        let more = reader.u8().ok_or("a count of nibbles cut short")?;
        count = count.saturating_add(usize::from(more));
        if count > PATH_NIBBLES_MAX {
            return Err("a path longer than any key");
        }
        goes_on = more == u8::MAX;
    }
    Ok(count)
}

fn child<'a>(reader: &mut ByteReader<'a>) -> Result<TrieChild<'a>, &'static str> {
    let bytes = read_bytes(reader).ok_or("a child cut short")?;
    match bytes.len() {
        0 => Err("a child of no bytes"),
        32 => {
            let bytes: [u8; 32] = bytes.try_into().map_err(|_| "a child cut short")?;
            Ok(TrieChild::Hash(Hash(bytes)))
        }
        1..=31 => Ok(TrieChild::Inline(bytes)),
        _ => Err("a child longer than a hash"),
    }
}
