//! Webhook configuration; `node` adds the settings of the other crates.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Webhook settings. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookConfig {
    /// Allows addresses of private networks and of this machine, and plain `http`. For trials only: clients could reach
    /// every host that this machine reaches.
    pub allow_private: bool,
    /// Answer timeout, in milliseconds. 100 to 60,000.
    pub timeout_ms: u64,
    /// First pause after a failure, in milliseconds; each further pause is twice as long. 1 to a day.
    pub retry_first_ms: u64,
    /// Longest pause, in milliseconds. 1 to a day.
    pub retry_max_ms: u64,
    /// Seconds until an undelivered event is given up. 1 to three days.
    pub give_up_seconds: u64,
}

impl Default for WebhookConfig {
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

impl WebhookConfig {
    /// Checks the bounds.
    ///
    /// # Errors
    /// The first setting out of bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("timeout_ms", self.timeout_ms, 100..=60_000),
            ("retry_first_ms", self.retry_first_ms, 1..=86_400_000),
            ("retry_max_ms", self.retry_max_ms, 1..=86_400_000),
            ("give_up_seconds", self.give_up_seconds, 1..=259_200),
        ])
    }
}
