//! Engine limits.

use serde::{Deserialize, Serialize};
use superroot_types::OutOfBounds;

/// Engine limits. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddedConfig {
    /// Read cache for blocks, in bytes: up to 1 TiB.
    pub cache_bytes: u64,
    /// Journal size before tables are flushed, in bytes: 64 MiB to 1 TiB.
    pub journal_bytes_max: u64,
    /// Free disk space below which commits are refused, in bytes: up to 1 TiB. The engine needs part for compaction; 0
    /// lets the engine hit the end of the disk.
    pub free_bytes_min: u64,
}

impl Default for EmbeddedConfig {
    fn default() -> Self {
        Self { cache_bytes: 256 << 20, journal_bytes_max: 128 << 20, free_bytes_min: 512 << 20 }
    }
}

impl EmbeddedConfig {
    /// Checks the bounds.
    ///
    /// # Errors
    /// The first setting out of bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("cache_bytes", self.cache_bytes, 0..=1 << 40),
            ("journal_bytes_max", self.journal_bytes_max, 64 << 20..=1 << 40),
            ("free_bytes_min", self.free_bytes_min, 0..=1 << 40),
        ])
    }
}
