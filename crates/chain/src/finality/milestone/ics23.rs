//! ICS 23 existence proofs from nodes, read into tree node parts. Source: cosmos/ics23
//! `proto/cosmos/ics23/v1/proofs.proto`, `go/ops.go`.
//!
//! Hash operations are not read: a proof with different operations leads to a different root.

use superroot_proof::finality::milestone::{
    IAVL_DEPTH_MAX, IavlPath, IavlStep, STORES_DEPTH_MAX, StorePath, StoreStep,
};
use superroot_types::Hash;

/// Message field.
enum Field<'a> {
    Number,
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for place in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(place)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Field<'a>)> {
    let key = varint(bytes)?;
    let value = varint(bytes)?;
    let field = match key & 7 {
        0 => Field::Number,
        2 => {
            let (taken, rest) = bytes.split_at_checked(usize::try_from(value).ok()?)?;
            *bytes = rest;
            Field::Bytes(taken)
        }
        _ => return None,
    };
    Some((key >> 3, field))
}

/// All byte fields with this number; `None` for an unreadable message.
fn all(mut message: &[u8], number: u64) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    while !message.is_empty() {
        if let (got, Field::Bytes(bytes)) = field(&mut message)?
            && got == number
        {
            found.push(bytes);
        }
    }
    Some(found)
}

/// The byte field with this number; empty if omitted.
fn one(message: &[u8], number: u64) -> Option<&[u8]> {
    Some(all(message, number)?.last().copied().unwrap_or_default())
}

/// Leaf prefix, and each inner node's prefix and suffix.
struct ExistenceProof<'a> {
    leaf: &'a [u8],
    steps: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> ExistenceProof<'a> {
    fn read(commitment: &'a [u8], depth_max: usize) -> Option<Self> {
        let exist = one(commitment, 1)?;
        let leaf = one(one(exist, 3)?, 5)?;
        let path = all(exist, 4).filter(|path| path.len() <= depth_max)?;
        let step = |inner: &&'a [u8]| Some((one(inner, 2)?, one(inner, 3)?));
        Some(Self { leaf, steps: path.iter().map(step).collect::<Option<_>>()? })
    }
}

/// Non-negative number, as a zigzag varint.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    varint(bytes).filter(|value| value & 1 == 0).map(|value| value >> 1)
}

fn hash(bytes: &[u8]) -> Option<Hash> {
    bytes.try_into().ok().map(Hash)
}

/// Path in a store.
#[must_use]
pub fn iavl_path(commitment: &[u8]) -> Option<IavlPath> {
    let proof = ExistenceProof::read(commitment, IAVL_DEPTH_MAX)?;
    let mut leaf = proof.leaf;
    let [0, 1, version] = [number(&mut leaf)?, number(&mut leaf)?, number(&mut leaf)?] else {
        return None;
    };
    let steps = proof.steps.into_iter().map(|(mut prefix, suffix)| {
        let (height, size) = (number(&mut prefix)?, number(&mut prefix)?);
        let version = number(&mut prefix)?;
        let (is_sibling_left, sibling) = match (prefix, suffix) {
            ([32], [32, right @ ..]) => (false, hash(right)?),
            ([32, left @ .., 32], []) => (true, hash(left)?),
            _ => return None,
        };
        Some(IavlStep { is_sibling_left, height, size, version, sibling })
    });
    let steps = steps.collect::<Option<_>>().filter(|_| leaf.is_empty())?;
    Some(IavlPath { version, steps })
}

/// Path over the stores.
#[must_use]
pub fn store_path(commitment: &[u8]) -> Option<StorePath> {
    let proof = ExistenceProof::read(commitment, STORES_DEPTH_MAX)?;
    let steps = proof.steps.into_iter().map(|(prefix, suffix)| {
        let (is_sibling_left, sibling) = match (prefix, suffix) {
            ([1], right) => (false, hash(right)?),
            ([1, left @ ..], []) => (true, hash(left)?),
            _ => return None,
        };
        Some(StoreStep { is_sibling_left, sibling })
    });
    let steps = steps.collect::<Option<_>>().filter(|_| proof.leaf == [0])?;
    Some(StorePath { steps })
}
