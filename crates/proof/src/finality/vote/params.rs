//! Constants.

use crate::ledger::evm::Layout;
use crate::registry::HashRule;

/// Constants of a chain with votes: the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteParams {
    /// Rule of all headers.
    pub rule: HashRule,
    /// Blocks per epoch, at least 1.
    pub epoch_blocks: u64,
    /// Trusting period, in seconds.
    pub trusted_seconds: u64,
}

impl VoteParams {
    /// BNB Smart Chain since Maxwell (2025-06). Validators may leave after seven days, and the period is as long.
    pub const BNB: Self = Self {
        rule: HashRule::Evm(Layout::Ethereum),
        epoch_blocks: 1_000,
        trusted_seconds: 7 * 86_400,
    };
    /// Simulated chain: short epochs.
    pub const SIMULATED: Self = Self { epoch_blocks: 32, ..Self::BNB };
}
