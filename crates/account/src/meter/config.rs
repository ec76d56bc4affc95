//! Settings of metering.

use serde::{Deserialize, Serialize};

/// Settings of metering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeterConfig {
    /// Counts held in memory at one time (one is a key, route, chain, status class and hour).
    pub entries_max: usize,
    /// How many of them may be of address prefixes; further prefixes count as one.
    pub keyless_entries_max: usize,
    /// Address prefixes that have rows of their own in an hour; further ones count as one.
    pub prefixes_per_hour_max: u64,
    /// Days for which rows of hours are kept, and everything about address prefixes.
    pub hourly_days: u32,
}

impl Default for MeterConfig {
    fn default() -> Self {
        Self {
            entries_max: 262_144,
            keyless_entries_max: 65_536,
            prefixes_per_hour_max: 10_000,
            hourly_days: 90,
        }
    }
}
