//! What is asked of a market before it has a price.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// `[market]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Least that stands behind a price within about one hundredth of it, in US dollars, over all its pools: below
    /// it there is no price. 0 to 1e9.
    pub depth_usd_min: u64,
    /// A pool without an event for longer says nothing any more, in seconds. 1 to 2592000.
    pub stale_after_seconds: u64,
    /// Pools whose price is further from the middle are left out, in hundredths of it. 1 to 100.
    pub outlier_percent_max: u64,
    /// Where price and mean over the window are further apart there is no price, in hundredths of the mean. 1 to 1000.
    pub drift_percent_max: u64,
    /// Window of the mean where a request names none, in seconds. 60 to 3600.
    pub window_seconds: u64,
    /// Least value of a new pool, in US dollars, for it to be a launch. 0 to 1e9.
    pub launch_usd_min: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            depth_usd_min: 50,
            stale_after_seconds: 86_400,
            outlier_percent_max: 5,
            drift_percent_max: 20,
            window_seconds: 1_800,
            launch_usd_min: 1_000,
        }
    }
}
