//! Configuration of webhooks; `node` joins it with that of the other crates.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Settings of webhooks. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whether addresses of private networks and of this machine may be sent to, and plain `http` may be
    /// used. For trials: clients could reach whatever this machine reaches.
    pub allow_private: bool,
    /// Time that an address has to answer, in milliseconds. 100 to 60,000.
    pub timeout_ms: u64,
    /// First pause after a failure, in milliseconds; each further one is twice as long. 1 to a day.
    pub retry_first_ms: u64,
    /// Longest pause, in milliseconds. 1 to a day.
    pub retry_max_ms: u64,
    /// Seconds after which an event that could not be delivered is given up. 1 to three days.
    pub give_up_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            allow_private: false,
            timeout_ms: 10_000,
            retry_first_ms: 5_000,
            retry_max_ms: 3_600_000,
            give_up_seconds: 86_400,
        }
    }
}

impl Config {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The first setting out of its bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("timeout_ms", self.timeout_ms, 100..=60_000),
            ("retry_first_ms", self.retry_first_ms, 1..=86_400_000),
            ("retry_max_ms", self.retry_max_ms, 1..=86_400_000),
            ("give_up_seconds", self.give_up_seconds, 1..=259_200),
        ])
    }
}
