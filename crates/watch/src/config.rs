//! Configuration of watches; `node` merges all crate configurations.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Settings of watches. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchConfig {
    /// Most watches on a single chain, over all accounts. 0 to 100,000.
    pub per_chain_max: u32,
    /// Least time between two changes to a chain's collected filter caused by watches, in milliseconds: each change
    /// stores the filter again. 0 to one hour.
    pub apply_ms: u64,
}

impl Default for WatchConfig {
    fn default() -> Self {
        Self { per_chain_max: 10_000, apply_ms: 5_000 }
    }
}

impl WatchConfig {
    /// Checks the ranges; the error is the first setting out of range.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("per_chain_max", self.per_chain_max.into(), 0..=100_000),
            ("apply_ms", self.apply_ms, 0..=3_600_000),
        ])
    }
}
