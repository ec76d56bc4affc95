//! Constants.

use superroot_types::ChainId;

use crate::finality::commit::CommitParams;

/// Heimdall's store with milestones.
pub const MILESTONE_STORE: &str = "milestone";
/// Key for the milestone count, eight big-endian bytes.
pub const MILESTONE_COUNT_KEY: [u8; 1] = [0x83];
const MILESTONE_PREFIX: u8 = 0x81;

/// Constants for a chain with milestones: the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MilestoneParams {
    /// Heimdall's constants.
    pub heimdall: CommitParams,
    /// Chain id in milestones.
    pub bor_chain: ChainId,
}

/// Milestone key in the store.
#[must_use]
pub fn milestone_key(number: u64) -> [u8; 9] {
    let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
    [MILESTONE_PREFIX, a, b, c, d, e, f, g, h]
}
