//! Configuration of prices and launches; `node` joins it with that of the other crates.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use superroot_dex::quote::Rules;
use superroot_types::OutOfBounds;

/// Settings of prices and launches. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Least that stands behind a price within about one hundredth of it, in US dollars, over all its pools: below
    /// it there is no price. 0 to 1,000,000,000.
    pub depth_usd_min: u64,
    /// A pool without an event for longer says nothing any more, in seconds. 1 to 30 days.
    pub stale_after_seconds: u64,
    /// A pool whose price is further from the middle is left out, in hundredths of it. 1 to 100.
    pub outlier_percent_max: u64,
    /// Where price and mean over the window are further apart, there is no price, in hundredths of the mean. 1 to 1,000.
    pub drift_percent_max: u64,
    /// Where the events of its pools cover fewer seconds, or than the window has, there is no price yet. 0 to 3,600.
    pub covered_seconds_min: u64,
    /// Window of the mean where a request names none, in seconds. 60 to 3,600.
    pub window_seconds: u64,
    /// Least value of a new pool for it to be a launch, in US dollars. 0 to 1,000,000,000.
    pub launch_usd_min: u64,
    /// What a bridge between two chains takes, in hundredths of a percent. 0 to 10,000.
    pub bridge_fee_bps: u64,
    /// How long a bridge takes, in seconds. 1 to a day.
    pub bridge_seconds: u64,
    /// Gas of a swap. 21,000 to 10,000,000.
    pub swap_gas: u64,
    /// File of more factories, in the form of `crates/dex/src/factories.toml`; empty for none.
    pub factories: PathBuf,
    /// File of more tokens, in the form of `crates/token/src/tokens.toml`; empty for none. What it says of a token
    /// holds.
    pub tokens: PathBuf,
}

/// Longest window of a mean, in seconds.
pub const WINDOW_SECONDS_MAX: u64 = 3_600;

impl Default for Config {
    fn default() -> Self {
        Self {
            depth_usd_min: 50,
            stale_after_seconds: 86_400,
            outlier_percent_max: 5,
            drift_percent_max: 20,
            covered_seconds_min: 300,
            window_seconds: 1_800,
            launch_usd_min: 1_000,
            bridge_fee_bps: 6,
            bridge_seconds: 60,
            swap_gas: 180_000,
            factories: PathBuf::new(),
            tokens: PathBuf::new(),
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
            ("depth_usd_min", self.depth_usd_min, 0..=1_000_000_000),
            ("stale_after_seconds", self.stale_after_seconds, 1..=2_592_000),
            ("outlier_percent_max", self.outlier_percent_max, 1..=100),
            ("drift_percent_max", self.drift_percent_max, 1..=1_000),
            ("covered_seconds_min", self.covered_seconds_min, 0..=WINDOW_SECONDS_MAX),
            ("window_seconds", self.window_seconds, 60..=WINDOW_SECONDS_MAX),
            ("launch_usd_min", self.launch_usd_min, 0..=1_000_000_000),
            ("bridge_fee_bps", self.bridge_fee_bps, 0..=10_000),
            ("bridge_seconds", self.bridge_seconds, 1..=86_400),
            ("swap_gas", self.swap_gas, 21_000..=10_000_000),
        ])
    }

    /// When pools are believed.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        Rules {
            depth_usd_min: self.depth_usd_min,
            stale_after_seconds: self.stale_after_seconds,
            outlier_percent_max: self.outlier_percent_max,
            drift_percent_max: self.drift_percent_max,
            covered_seconds_min: self.covered_seconds_min,
        }
    }
}
