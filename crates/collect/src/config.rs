//! Settings of this crate: how one chain is collected.

use serde::{Deserialize, Serialize};
use superroot_store::layout::Watch;
use superroot_types::{BlockNumber, OutOfBounds, SAFE_INTEGER_MAX};

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;

/// How a chain is collected. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Most blocks that one step takes: 1 to 65,536.
    pub blocks_per_step_max: usize,
    /// Most bytes of recomputed blocks that one step holds, by the size of the blocks before; a
    /// step takes one block at least. 1 to 4 GiB.
    pub step_bytes_max: usize,
    /// Most blocks that are fetched at one time: 1 to 1,024.
    pub fetches_max: usize,
    /// Most times that one block is asked for in a step before it counts as refused: 1 to 1,000.
    pub attempts_max: u32,
    /// How long a final block waits for a body that no node of a live chain gives, in milliseconds,
    /// before it is taken without it: 0 to a day. Once over, other blocks do not wait until a body
    /// comes.
    pub body_wait_ms: u64,
    /// Most blocks above the finalized one that are followed: 0 to 1,048,576.
    pub head_blocks_max: u64,
    /// Time between steps where there is nothing new, in milliseconds: 1 to a day.
    pub poll_interval_ms: u64,
    /// Longest pause after a failure, in milliseconds: 1 to a day.
    pub retry_max_ms: u64,
    /// A chain that took no block for so long counts as stalled, in milliseconds; 0: by its block
    /// time.
    pub stalled_after_ms: u64,
    /// A chain whose head moves counts as stalled when nothing became final for so long, in
    /// milliseconds: 1 to 2^53 - 1.
    pub finality_stalled_after_ms: u64,
    /// How long rows of the change feed are kept, in seconds: 1 to 2^53 - 1. What is derived from it
    /// and was not taken along for longer is built anew.
    pub feed_kept_seconds: u64,
    /// Which entries are kept. On ledgers whose events have neither address nor topic a list passes
    /// nothing.
    #[serde(skip)]
    pub watch: Watch,
    /// Where a chain of which nothing is held begins: with the twig of this number, or, without
    /// one, of the finalized block. Of recordings and simulated chains everything is taken.
    #[serde(skip)]
    pub start: Option<BlockNumber>,
}

impl Default for Config {
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
            watch: Watch::All,
            start: None,
        }
    }
}

impl Config {
    /// Refuses what cannot be: what one step holds or asks for has an end, whatever is configured.
    ///
    /// # Errors
    /// The first setting out of its bounds.
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
