//! Calls of `SubscriptionRegistry` for usage checkpoints (`contracts/src/SubscriptionRegistry.sol`).

use superroot_account::usage::UsageCheckpoint;

/// `nextCheckpoint()`.
const NEXT: [u8; 4] = [0xeb, 0x68, 0x07, 0x44];
/// `writeCheckpoint(uint64,uint64,uint64,bytes32)`.
const WRITE: [u8; 4] = [0xa3, 0x1e, 0x9a, 0x35];
/// A checkpoint's gas limit; about 54,000 are used.
pub(super) const WRITE_GAS: u64 = 150_000;

pub(super) fn next() -> Vec<u8> {
    NEXT.to_vec()
}

pub(super) fn write(checkpoint: &UsageCheckpoint) -> Vec<u8> {
    let wide = |number: u64| [[0; 24].as_slice(), &number.to_be_bytes()].concat();
    let [sequence, start, end] =
        [checkpoint.sequence, checkpoint.day.start().0, checkpoint.day.end().0].map(wide);
    [&WRITE[..], &sequence, &start, &end, checkpoint.usage.root().as_ref()].concat()
}

#[cfg(test)]
mod tests {
    use superroot_proof::hash::keccak256;

    use super::*;

    #[test]
    fn selectors_are_those_of_the_contract() {
        let selector = |signature: &str| keccak256(signature.as_bytes()).0[..4].to_vec();
        assert_eq!(NEXT.to_vec(), selector("nextCheckpoint()"));
        let write = "writeCheckpoint(uint64,uint64,uint64,bytes32)";
        assert_eq!(WRITE.to_vec(), selector(write));
    }
}
