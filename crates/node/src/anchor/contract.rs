//! Calls of the `SuperRootAnchor` contract (`contracts/src/SuperRootAnchor.sol`).

use superroot_accumulate::EvmSignature;
use superroot_proof::superroot::SuperRoot;

/// `next()`: the least sequence that may be published.
const NEXT: [u8; 4] = [0x4c, 0x8f, 0xe5, 0x26];
/// `publish((uint64,uint64,bytes32),(bytes32,bytes32))`.
const PUBLISH: [u8; 4] = [0x1a, 0x77, 0xaa, 0x00];
/// Gas limit of a publication, which takes about 75,000.
pub(super) const PUBLISH_GAS: u64 = 150_000;
/// Gas of reading.
pub(super) const READ_GAS: u64 = 100_000;

pub(super) fn next() -> Vec<u8> {
    NEXT.to_vec()
}

/// Sequence in an answer of `next()`; `None` for anything else.
pub(super) fn parse_next(returned: &[u8]) -> Option<u64> {
    let (zeros, number) = returned.split_at_checked(24)?;
    let number = u64::from_be_bytes(number.try_into().ok()?);
    zeros.iter().all(|byte| *byte == 0).then_some(number)
}

/// Publication of a SuperRoot with its signature.
pub(super) fn publish(super_root: &SuperRoot, signature: &EvmSignature) -> Vec<u8> {
    let wide = |number: u64| [[0; 24].as_slice(), &number.to_be_bytes()].concat();
    let sequence = wide(super_root.sequence.0);
    let timestamp = wide(super_root.timestamp.0);
    let words = [&sequence[..], &timestamp, super_root.tree_root.as_ref()];
    let signature = [signature.r.as_ref(), signature.vs.as_ref()];
    [&PUBLISH[..], &words.concat(), &signature.concat()].concat()
}

#[cfg(test)]
mod tests {
    use superroot_proof::hash::keccak256;

    use super::*;

    #[test]
    fn selectors_are_those_of_the_contract() {
        let selector = |signature: &str| keccak256(signature.as_bytes()).0[..4].to_vec();
        assert_eq!(NEXT.to_vec(), selector("next()"));
        let publish = "publish((uint64,uint64,bytes32),(bytes32,bytes32))";
        assert_eq!(PUBLISH.to_vec(), selector(publish));
    }

    #[test]
    fn what_is_no_number_is_no_answer() {
        let word = |number: u64| [[0; 24].as_slice(), &number.to_be_bytes()].concat();
        assert_eq!(parse_next(&word(7)), Some(7));
        assert_eq!(parse_next(&[1; 32]), None);
        for length in [0, 8, 31, 33, 64] {
            assert_eq!(parse_next(&vec![0; length]), None, "{length} bytes");
        }
    }
}
