//! Configuration of prices and launches; `node` adds the settings of the other crates.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use superroot_dex::quote::PricingRules;
use superroot_types::OutOfBounds;

/// Settings for prices and launches. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarketConfig {
    /// Least depth within about one percent of a price, in US dollars, over all its pools: below, there is no price. 0
    /// to 1,000,000,000.
    pub depth_usd_min: u64,
    /// Seconds without an event until a pool is stale. 1 to 30 days.
    pub stale_after_seconds: u64,
    /// Largest distance of a pool's price from the median, in percent; pools beyond are left out. 1 to 100.
    pub outlier_percent_max: u64,
    /// Largest distance between price and window mean, in percent of the mean; beyond, there is no price. 1 to 1,000.
    pub drift_percent_max: u64,
    /// Least seconds covered by the pools' events, at most the window; below, there is no price yet. 0 to 3,600.
    pub covered_seconds_min: u64,
    /// The mean's default window, in seconds. 60 to 3,600.
    pub window_seconds: u64,
    /// Least value of a new pool for a launch, in US dollars. 0 to 1,000,000,000.
    pub launch_usd_min: u64,
    /// Bridge fee between two chains, in hundredths of a percent. 0 to 10,000.
    pub bridge_fee_bps: u64,
    /// Bridge duration, in seconds. 1 to a day.
    pub bridge_seconds: u64,
    /// A swap's gas. 21,000 to 10,000,000.
    pub swap_gas: u64,
    /// File with additional factories, in the form of `crates/dex/src/factories.toml`; empty for none.
    pub factories: PathBuf,
    /// File with additional tokens, in the form of `crates/dex/src/tokens.toml`; empty for none. Its entries take
    /// precedence.
    pub tokens: PathBuf,
}

/// Longest window of a mean, in seconds.
pub const WINDOW_SECONDS_MAX: u64 = 3_600;

impl Default for MarketConfig {
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

impl MarketConfig {
    /// Checks the bounds; the error names the first setting out of bounds.
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

    /// Rules for pools to count.
    #[must_use]
    pub const fn rules(&self) -> PricingRules {
        PricingRules {
            depth_usd_min: self.depth_usd_min,
            stale_after_seconds: self.stale_after_seconds,
            outlier_percent_max: self.outlier_percent_max,
            drift_percent_max: self.drift_percent_max,
            covered_seconds_min: self.covered_seconds_min,
        }
    }
}
