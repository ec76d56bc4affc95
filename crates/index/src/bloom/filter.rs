//! Stored part of a twig's filter: the descriptor of a binary fuse filter, then its fingerprints.

use xorf::{BinaryFuse8, BinaryFuse8Ref, DmaSerializable as _, Filter as _, FilterRef as _};

/// `seed:u64 ‖ segment_length:u32 ‖ mask:u32 ‖ segments' length:u32`, little-endian.
const DESCRIPTOR: usize = BinaryFuse8::DESCRIPTOR_LEN;

/// Encodes a filter over these distinct hashes; the error is the message of [`xorf`].
pub(super) fn encode(names: &[u64]) -> Result<Vec<u8>, &'static str> {
    let filter = BinaryFuse8::try_from(names)?;
    let mut bytes = vec![0; DESCRIPTOR];
    filter.dma_copy_descriptor_to(&mut bytes);
    bytes.extend_from_slice(filter.dma_fingerprints());
    Ok(bytes)
}

/// Whether a stored filter contains the hash, with possible false positives; `None` for malformed bytes.
pub(super) fn contains(bytes: &[u8], name: u64) -> Option<bool> {
    let (descriptor, fingerprints) = bytes.split_at_checked(DESCRIPTOR)?;
    let number = |at: usize| {
        let bytes = descriptor.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let segment = number(8)?;
    let mask = number(12)?;
    let segments = number(16)?;
    // a look goes to three segments that follow each other, the first of them any of `segments`
    let is_sound = segment.is_power_of_two()
        && mask == segment - 1
        && segments.is_multiple_of(segment)
        && segments.checked_add(2 * segment) == Some(fingerprints.len());
    is_sound.then(|| BinaryFuse8Ref::from_dma(descriptor, fingerprints).contains(&name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_found_and_few_others(names in proptest::collection::btree_set(any::<u64>(), 0..5_000)) {
            let names = Vec::from_iter(names);
            let bytes = encode(&names).unwrap();
            prop_assert!(names.iter().all(|name| contains(&bytes, *name) == Some(true)));
            let others = (0..10_000).filter(|other| contains(&bytes, other * 0x9e37_79b9) == Some(true));
            prop_assert!(others.count() < 200);
        }

        #[test]
        fn any_bytes_are_looked_into_without_a_panic(
            names in proptest::collection::btree_set(any::<u64>(), 0..50),
            spoilt in proptest::collection::vec((0_usize..200, any::<u8>()), 0..4),
            cut in 0_usize..300,
        ) {
            let mut bytes = encode(&Vec::from_iter(names)).unwrap();
            for (at, byte) in spoilt {
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
            }
            bytes.truncate(cut.max(DESCRIPTOR));
            let _ = contains(&bytes, 7);
            prop_assert_eq!(contains(&bytes[..DESCRIPTOR - 1], 7), None);
        }
    }
}
