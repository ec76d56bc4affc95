//! Calls of the `SuperRootAnchor` contract (`contracts/src/SuperRootAnchor.sol`).

use superroot_accumulate::EvmSignature;
use superroot_proof::superroot::SuperRoot;

/// `next()`: the least sequence for a publication.
const NEXT: [u8; 4] = [0x4c, 0x8f, 0xe5, 0x26];
/// `publish((uint64,uint64,bytes32),(bytes32,bytes32))`.
const PUBLISH: [u8; 4] = [0x1a, 0x77, 0xaa, 0x00];
/// A publication's gas limit; about 75,000 are used.
pub(super) const PUBLISH_GAS: u64 = 150_000;
pub(super) fn next() -> Vec<u8> {
    NEXT.to_vec()
}

/// Publication of a SuperRoot with the signature.
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
}
