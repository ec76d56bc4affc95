use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Settings of metering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeterConfig {
    /// Most counts in memory (a count is a key, route, chain, status class and hour): 1 to 2^24.
    pub entries_max: usize,
    /// Days for which hourly rows are stored: 0 to 3,660.
    pub hourly_days: u32,
}

impl Default for MeterConfig {
    fn default() -> Self {
        Self { entries_max: 262_144, hourly_days: 90 }
    }
}

impl MeterConfig {
    pub(crate) fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("meter.entries_max", self.entries_max as u64, 1..=1 << 24),
            ("meter.hourly_days", self.hourly_days.into(), 0..=3_660),
        ])
    }
}
