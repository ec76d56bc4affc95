//! Settings: how one chain is collected.

use serde::{Deserialize, Serialize};
use superroot_store::layout::WatchFilter;
use superroot_types::{BlockNumber, OutOfBounds, SAFE_INTEGER_MAX};

const DAY_MS: u64 = 86_400_000;

/// Collection settings for a chain. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectConfig {
    /// Most blocks per step: 1 to 65,536.
    pub blocks_per_step_max: usize,
    /// Most recomputed block bytes per step, estimated from earlier blocks: 1 to 4 GiB. A step takes at least one
    /// block.
    pub step_bytes_max: usize,
    /// Most concurrent block fetches: 1 to 1,024.
    pub fetches_max: usize,
    /// Most requests for one block in a step before refusal: 1 to 1,000.
    pub attempts_max: u32,
    /// Wait for a final block's body that no live node supplies, in milliseconds, before taking the block without a
    /// body: 0 to one day. Afterwards, other blocks do not wait until a body arrives.
    pub body_wait_ms: u64,
    /// Most blocks followed above the finalized one: 0 to 1,048,576.
    pub head_blocks_max: u64,
    /// Interval between steps without new blocks, in milliseconds: 1 to one day.
    pub poll_interval_ms: u64,
    /// Longest pause after a failure, in milliseconds: 1 to one day.
    pub retry_max_ms: u64,
    /// Time without a new block until a chain counts as stalled, in milliseconds; 0: by its block time.
    pub stalled_after_ms: u64,
    /// Time without a new final block until a chain with a moving head counts as stalled, in milliseconds: 1 to 2^53 -
    /// 1.
    pub finality_stalled_after_ms: u64,
    /// Retention for change feed rows, in seconds: 1 to 2^53 - 1. Derived data not updated for longer is rebuilt.
    pub feed_kept_seconds: u64,
    /// Kept entries. A list matches nothing on ledgers whose events have neither address nor topic.
    #[serde(skip)]
    pub watch: WatchFilter,
    /// Start for an empty chain: the twig with this number, or by default with the finalized block. Recordings and
    /// simulated chains are taken in full.
    #[serde(skip)]
    pub start: Option<BlockNumber>,
}

impl Default for CollectConfig {
    fn default() -> Self {
        Self {
            blocks_per_step_max: 256,
            step_bytes_max: 64 << 20,
            fetches_max: 16,
            attempts_max: 4,
            body_wait_ms: 60_000,
            head_blocks_max: 16_384,
            poll_interval_ms: 1_000,
            retry_max_ms: 5_000,
            stalled_after_ms: 0,
            finality_stalled_after_ms: 21_600_000,
            feed_kept_seconds: 259_200,
            watch: WatchFilter::All,
            start: None,
        }
    }
}

impl CollectConfig {
    /// Checks the bounds, so that every step's memory and requests are limited.
    ///
    /// # Errors
    /// The first setting out of bounds.
    pub fn validate(&self) -> Result<(), OutOfBounds> {
        OutOfBounds::check([
            ("blocks_per_step_max", self.blocks_per_step_max as u64, 1..=1 << 16),
            ("step_bytes_max", self.step_bytes_max as u64, 1..=4 << 30),
            ("fetches_max", self.fetches_max as u64, 1..=1 << 10),
            ("attempts_max", self.attempts_max.into(), 1..=1_000),
            ("body_wait_ms", self.body_wait_ms, 0..=DAY_MS),
            ("head_blocks_max", self.head_blocks_max, 0..=1 << 20),
            ("poll_interval_ms", self.poll_interval_ms, 1..=DAY_MS),
            ("retry_max_ms", self.retry_max_ms, 1..=DAY_MS),
            ("stalled_after_ms", self.stalled_after_ms, 0..=SAFE_INTEGER_MAX),
            ("finality_stalled_after_ms", self.finality_stalled_after_ms, 1..=SAFE_INTEGER_MAX),
            ("feed_kept_seconds", self.feed_kept_seconds, 1..=366 * 86_400),
        ])
    }
}
