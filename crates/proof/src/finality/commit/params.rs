//! Constants.

use alloc::string::String;

/// Constants of a chain with commits: the client's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitParams {
    /// Chain id in headers and votes.
    pub chain_id: String,
    /// Blocks from one set to the next, at least 1: sets have heights that are multiples.
    pub set_blocks: u64,
    /// Trusting period from a set's header, in seconds, shorter than the time for unbonding.
    pub trusted_seconds: u64,
}

impl CommitParams {
    /// Set number at a height: that of the last set's header; `None` without sets.
    #[must_use]
    pub const fn set_of(&self, height: u64) -> Option<u64> {
        height.checked_div(self.set_blocks)
    }
}
