//! Settings of this crate.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// How SuperRoots are published. Unknown keys are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Least time between two SuperRoots, in milliseconds: 1 to a day.
    pub beat_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { beat_ms: 12_000 }
    }
}

impl Config {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The first setting out of its bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([("beat_ms", self.beat_ms, 1..=86_400_000)])
    }
}
