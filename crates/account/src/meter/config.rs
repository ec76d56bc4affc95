//! Settings of metering.

use serde::{Deserialize, Serialize};

/// Settings of metering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeterConfig {
    /// Counts held in memory at one time (one is a key, route, chain, status class and hour).
    pub entries_max: usize,
    /// Days for which rows of hours are kept.
    pub hourly_days: u32,
}

impl Default for MeterConfig {
    fn default() -> Self {
        Self { entries_max: 262_144, hourly_days: 90 }
    }
}
