//! Configuration of watches; `node` joins it with that of the other crates.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Settings of watches. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Watches on one chain, of all accounts together. 0 to 100,000.
    pub per_chain_max: u32,
    /// Least time between two changes of what is collected of a chain because of watches, in milliseconds: each
    /// stores the list anew. 0 to an hour.
    pub apply_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { per_chain_max: 10_000, apply_ms: 5_000 }
    }
}

impl Config {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The first setting out of its bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("per_chain_max", self.per_chain_max.into(), 0..=100_000),
            ("apply_ms", self.apply_ms, 0..=3_600_000),
        ])
    }
}
