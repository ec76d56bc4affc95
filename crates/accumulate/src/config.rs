use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Settings for publishing SuperRoots. Unknown keys are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublishConfig {
    /// Shortest time between two SuperRoots, in milliseconds: 1 to a day.
    pub beat_ms: u64,
}

impl Default for PublishConfig {
    fn default() -> Self {
        Self { beat_ms: 12_000 }
    }
}

impl PublishConfig {
    /// Checks the bounds; the error names the first setting out of bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([("beat_ms", self.beat_ms, 1..=86_400_000)])
    }
}
