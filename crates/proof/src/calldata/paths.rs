//! Paths of a perfect tree, alone and in joined pairs.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::error::{CalldataError, bytes};
use crate::codec::ByteReader;
use crate::hash::node;
use crate::perfect::{root_of_path, zeros};
use crate::superroot::{REGISTRY_SLOT, SUPER_ROOT_HEIGHT};

/// `mask ‖ sibling*`: a set bit omits the height's empty root.
pub(super) fn put_masked(out: &mut Vec<u8>, siblings: &[(usize, Hash)]) {
    let mut mask = 0_u16;
    let mut written = Vec::new();
    for (bit, (height, sibling)) in (0_u32..).zip(siblings) {
        if Some(sibling) == zeros(*height).last() {
            mask |= 1_u16.checked_shl(bit).unwrap_or(0);
        } else {
            written.extend_from_slice(&sibling.0);
        }
    }
    out.extend_from_slice(&mask.to_be_bytes());
    out.extend_from_slice(&written);
}

/// Siblings by height; a written sibling is never the empty root, and the mask has no further bit.
pub(super) fn read_masked(
    reader: &mut ByteReader<'_>,
    heights: &[usize],
    part: &'static str,
) -> Result<Vec<Hash>, CalldataError> {
    let mask = reader.u16().ok_or(bytes(part))?;
    let count = u32::try_from(heights.len()).unwrap_or(u32::MAX);
    if mask.checked_shr(count).unwrap_or(0) != 0 {
        return Err(bytes(part));
    }
    let sibling = |(bit, height): (u32, &usize)| {
        let zero = zeros(*height).last().copied().unwrap_or_default();
        if mask.checked_shr(bit).unwrap_or(0) & 1 == 1 {
            return Ok(zero);
        }
        reader.hash().filter(|sibling| *sibling != zero).ok_or(bytes(part))
    };
    (0..).zip(heights).map(sibling).collect()
}

/// Position of a sibling in a pair of paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairSibling {
    Slot,
    Registry,
    /// Above the node where both paths meet.
    Both,
}

/// Heights with separate siblings on the paths of a slot and slot 55, slot first, up to the join.
fn pair(slot: u64) -> Vec<(usize, PairSibling)> {
    let mut places = Vec::new();
    for height in 0..SUPER_ROOT_HEIGHT {
        let at = |slot: u64| u32::try_from(height).ok().and_then(|bit| slot.checked_shr(bit));
        let (slot, registry) = (at(slot).unwrap_or(0), at(REGISTRY_SLOT).unwrap_or(0));
        if slot == registry {
            places.push((height, PairSibling::Both));
        } else if slot ^ 1 != registry {
            places.push((height, PairSibling::Slot));
            places.push((height, PairSibling::Registry));
        }
    }
    places
}

/// Both paths to the root of a SuperRoot's tree. Refuses two roots.
pub(super) fn put_pair(
    out: &mut Vec<u8>,
    slot: (u64, &[Hash; SUPER_ROOT_HEIGHT]),
    registry: &[Hash; SUPER_ROOT_HEIGHT],
) {
    let siblings = pair(slot.0).into_iter().filter_map(|(height, of)| {
        let path = match of {
            PairSibling::Slot | PairSibling::Both => slot.1,
            PairSibling::Registry => registry,
        };
        path.get(height).map(|sibling| (height, *sibling))
    });
    put_masked(out, &siblings.collect::<Vec<_>>());
}

/// Both paths, and their tree root.
pub(super) struct PairedPaths {
    pub(super) of_slot: [Hash; SUPER_ROOT_HEIGHT],
    pub(super) of_registry: [Hash; SUPER_ROOT_HEIGHT],
    pub(super) tree_root: Hash,
}

pub(super) fn read_pair(
    reader: &mut ByteReader<'_>,
    (slot, value): (u64, &Hash),
    registry: &Hash,
) -> Result<PairedPaths, CalldataError> {
    let places = pair(slot);
    let heights: Vec<usize> = places.iter().map(|(height, _)| *height).collect();
    let siblings = read_masked(reader, &heights, "paths")?;
    let mut given = places.into_iter().zip(siblings);
    let mut of_slot = [Hash::ZERO; SUPER_ROOT_HEIGHT];
    let mut of_registry = [Hash::ZERO; SUPER_ROOT_HEIGHT];
    let (mut one, mut other, mut has_met) = (*value, *registry, false);
    let both = of_slot.iter_mut().zip(&mut of_registry);
    for ((height, (to_slot, to_registry)), bit) in (0..).zip(both).zip(0_u32..) {
        let side = |slot: u64| slot.checked_shr(bit).unwrap_or(0) & 1 == 1;
        let join = |own: &Hash, sibling: &Hash, is_right: bool| match is_right {
            true => node(sibling, own),
            false => node(own, sibling),
        };
        let next = |given: &mut dyn Iterator<Item = ((usize, PairSibling), Hash)>| {
            given.next().filter(|((at, _), _)| *at == height).map(|(_, sibling)| sibling)
        };
        let is_pair =
            slot.checked_shr(bit).unwrap_or(0) ^ 1 == REGISTRY_SLOT.checked_shr(bit).unwrap_or(0);
        if !has_met && is_pair {
            (*to_slot, *to_registry) = (other, one);
            one = join(&one, &other, side(slot));
            has_met = true;
            continue;
        }
        let first = next(&mut given).ok_or(bytes("paths"))?;
        if has_met {
            (*to_slot, *to_registry) = (first, first);
            one = join(&one, &first, side(slot));
            continue;
        }
        let second = next(&mut given).ok_or(bytes("paths"))?;
        (*to_slot, *to_registry) = (first, second);
        one = join(&one, &first, side(slot));
        other = join(&other, &second, side(REGISTRY_SLOT));
    }
    debug_assert_eq!(one, root_of_path(value, slot, &of_slot));
    Ok(PairedPaths { of_slot, of_registry, tree_root: one })
}
