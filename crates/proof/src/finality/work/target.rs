//! Proof-of-work targets, compact and as numbers.

use ruint::aliases::U256;
use superroot_types::Hash;

/// Blocks with one target.
pub const RETARGET_BLOCKS: u64 = 2_016;
/// Target time for [`RETARGET_BLOCKS`], in seconds.
const TIMESPAN_SECONDS: u64 = 14 * 24 * 60 * 60;

/// Expands a compact target, an exponent of 256 and the three highest bytes; `None` if zero, negative, above 256 bits
/// or not canonical.
#[must_use]
pub fn target(bits: u32) -> Option<U256> {
    let [exponent, high, middle, low] = bits.to_be_bytes();
    // a highest byte of 80 or more would read as negative, and takes a byte of zero before it
    let is_canonical = (1..0x80).contains(&high) || (high == 0 && middle >= 0x80);
    if !is_canonical {
        return None;
    }
    let mut bytes = [0; 32];
    for (distance, byte) in [(1, high), (2, middle), (3, low)].into_iter().filter(|(_, b)| *b > 0) {
        let place = usize::from(exponent).checked_sub(distance)?;
        *bytes.get_mut(place)? = byte;
    }
    Some(U256::from_le_bytes(bytes))
}

/// A number's compact form, with only the three highest bytes.
#[must_use]
pub fn compact(target: U256) -> u32 {
    let bytes = target.to_be_bytes_trimmed_vec();
    let high = bytes.first().is_some_and(|byte| *byte >= 0x80);
    // one byte of zero before a highest one that would read as negative
    let mut digits = core::iter::repeat_n(0, usize::from(high)).chain(bytes.iter().copied());
    let mut next = || digits.next().unwrap_or(0);
    let first = next();
    let second = next();
    let third = next();
    let length = bytes.len().saturating_add(usize::from(high));
    let exponent = u8::try_from(length).unwrap_or(u8::MAX);
    u32::from_be_bytes([exponent, first, second, third])
}

/// Target of the next [`RETARGET_BLOCKS`], in compact form: adjusted by the seconds that the last ones took, limited to a
/// quarter and four times the target time, and never easier than `limit_bits`. `None` for bits that are no target.
#[must_use]
pub fn retargeted(bits: u32, taken_seconds: u64, limit_bits: u32) -> Option<u32> {
    let least = TIMESPAN_SECONDS / 4;
    let most = TIMESPAN_SECONDS.saturating_mul(4);
    let taken = U256::from(taken_seconds.clamp(least, most));
    let limit = target(limit_bits)?;
    // a target past 233 bits would not fit, and is past any limit of a chain that adjusts
    let scaled = target(bits)?.checked_mul(taken).map_or(limit, |product| {
        product.checked_div(U256::from(TIMESPAN_SECONDS)).unwrap_or(limit)
    });
    Some(compact(scaled.min(limit)))
}

/// Whether a block hash is not above a target.
#[must_use]
pub fn is_met(hash: &Hash, target: U256) -> bool {
    U256::from_le_bytes(hash.0) <= target
}

/// Expected hashes for a block of this target, as a power of two, rounded down.
pub(super) fn work_log2(target: U256) -> usize {
    256_usize.saturating_sub(target.bit_len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bitcoin::CompactTarget;
    use proptest::prelude::*;

    #[test]
    fn the_known_limits_read_as_they_are_known() {
        let limit = target(0x1d00_ffff).unwrap();
        assert_eq!(limit, U256::from(0xffff) << (8 * 26));
        assert_eq!(target(0x207f_ffff).unwrap(), U256::from(0x7f_ffff) << (8 * 29));
        assert_eq!(target(0x0300_0001), None, "01 is written shorter");
        assert_eq!(target(0x0101_0000), Some(U256::from(1)));
    }

    #[test]
    fn negative_overlong_and_overflowing_forms_are_none() {
        for bits in [0x1d80_ffff, 0x0480_0000, 0x2300_0001, 0x2200_0100, 0xff12_3456, 0x1e00_00ff] {
            assert_eq!(target(bits), None, "{bits:#010x}");
        }
    }

    proptest! {
        /// Beside the second implementation, which reads more than the canonical form.
        #[test]
        fn targets_agree_with_a_second_implementation(bits: u32) {
            if let Some(target) = target(bits) {
                let theirs = bitcoin::Target::from_compact(CompactTarget::from_consensus(bits));
                prop_assert_eq!(target.to_le_bytes::<32>(), theirs.to_le_bytes());
                prop_assert_eq!(theirs.to_compact_lossy().to_consensus(), bits);
            }
        }

        /// Beside the second implementation.
        #[test]
        fn compact_forms_agree_with_a_second_implementation(bytes: [u8; 32], shift in 0_usize..257) {
            let number = if shift == 256 { U256::ZERO } else { U256::from_le_bytes(bytes) >> shift };
            let theirs = bitcoin::Target::from_le_bytes(number.to_le_bytes());
            prop_assert_eq!(compact(number), theirs.to_compact_lossy().to_consensus());
        }

        #[test]
        fn every_canonical_form_is_read(bytes: [u8; 32], shift in 0_usize..256) {
            let theirs = bitcoin::Target::from_le_bytes((U256::from_le_bytes(bytes) >> shift).to_le_bytes());
            let bits = theirs.to_compact_lossy().to_consensus();
            let again = bitcoin::Target::from_compact(CompactTarget::from_consensus(bits));
            let ours = target(bits).map(|target| target.to_le_bytes::<32>());
            prop_assert_eq!(ours, (bits != 0).then_some(again.to_le_bytes()));
        }
    }
}
