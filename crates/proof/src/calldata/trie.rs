//! Trie nodes of one key, from the leaf up: each has one encoding, which is written and not read.

use alloc::vec::Vec;

use super::error::{CalldataError, bytes};
use super::{LEAF_BYTES_MIN, LEVELS_MAX};
use crate::codec::ByteReader;
use crate::hash::keccak256;
use crate::mpt::{self, TriePath, TrieStep};

/// Leaf value and the levels above it, lowest first.
pub(super) fn put(out: &mut Vec<u8>, key: &[u8], nodes: &[Vec<u8>]) -> Result<(), CalldataError> {
    let wrong = |what| CalldataError::Trie { what };
    let TriePath { leaf, leaf_nibbles, steps } = mpt::path_of(key, nodes).map_err(wrong)?;
    if leaf.len() < LEAF_BYTES_MIN {
        return Err(wrong("a leaf under 56 bytes"));
    }
    let length = u32::try_from(leaf.len()).ok().filter(|length| *length < 1 << 24);
    let length = length.ok_or(wrong("a leaf of 16 MiB or more"))?.to_be_bytes();
    out.extend_from_slice(length.get(1..).unwrap_or_default());
    out.extend_from_slice(leaf);
    out.push(u8::try_from(leaf_nibbles).unwrap_or(u8::MAX));
    out.push(u8::try_from(steps.len()).unwrap_or(u8::MAX));
    for step in steps.iter().rev() {
        match step {
            TrieStep::Branch { children, nibble } => {
                let own = usize::from(*nibble);
                let others = || children.iter().enumerate().filter(|(place, _)| *place != own);
                let mask = others().filter(|(_, child)| child.is_some()).fold(
                    0_u16,
                    |mask, (place, _)| {
                        let bit = u32::try_from(place).ok().and_then(|bit| 1_u16.checked_shl(bit));
                        mask | bit.unwrap_or(0)
                    },
                );
                out.extend_from_slice(&mask.to_be_bytes());
                others().filter_map(|(_, child)| *child).for_each(|child| {
                    out.extend_from_slice(&child.0);
                });
            }
            TrieStep::Extension { nibbles } => {
                out.extend_from_slice(&[0, 0, u8::try_from(nibbles.len()).unwrap_or(u8::MAX)]);
            }
        }
    }
    Ok(())
}

/// Nodes from the root down.
pub(super) fn read(reader: &mut ByteReader<'_>, key: &[u8]) -> Result<Vec<Vec<u8>>, CalldataError> {
    let length = reader.u24().ok_or(bytes("leaf"))?;
    let leaf = reader.bytes(length).filter(|leaf| leaf.len() >= LEAF_BYTES_MIN);
    let leaf = leaf.ok_or(bytes("leaf"))?;
    let nibbles: Vec<u8> = mpt::nibbles_of(key).collect();
    let own = usize::from(reader.u8().ok_or(bytes("path"))?);
    let levels = usize::from(reader.u8().ok_or(bytes("levels"))?);
    let mut rest = nibbles.len().checked_sub(own).ok_or(bytes("path"))?;
    if levels > LEVELS_MAX {
        return Err(bytes("levels"));
    }
    let mut nodes = Vec::new();
    nodes.push(mpt::leaf_node(nibbles.get(rest..).unwrap_or_default(), leaf));
    for _ in 0..levels {
        let below = nodes.last().map(|node| keccak256(node)).unwrap_or_default();
        let mask = reader.u16().ok_or(bytes("mask"))?;
        let node = if mask == 0 {
            let count = usize::from(reader.u8().ok_or(bytes("extension"))?);
            let begin = rest.checked_sub(count).filter(|_| count > 0).ok_or(bytes("extension"))?;
            let path = nibbles.get(begin..rest).unwrap_or_default();
            rest = begin;
            mpt::extension_node(path, &below)
        } else {
            rest = rest.checked_sub(1).ok_or(bytes("branch"))?;
            let own = usize::from(nibbles.get(rest).copied().unwrap_or_default());
            let mut children = [None; 16];
            for (place, child) in children.iter_mut().enumerate() {
                let is_set = u32::try_from(place).is_ok_and(|bit| mask >> bit & 1 == 1);
                *child = match (place == own, is_set) {
                    (true, true) => return Err(bytes("mask")),
                    (true, false) => Some(below),
                    (false, true) => Some(reader.hash().ok_or(bytes("sibling"))?),
                    (false, false) => None,
                };
            }
            mpt::branch_node(&children)
        };
        nodes.push(node);
    }
    if rest != 0 {
        return Err(bytes("path"));
    }
    nodes.reverse();
    Ok(nodes)
}
