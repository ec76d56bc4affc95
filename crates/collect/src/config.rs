//! How a chain is collected.

use superroot_store::layout::Watch;
use superroot_types::BlockNumber;

/// How a chain is collected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Most blocks that one step takes.
    pub blocks_per_step_max: usize,
    /// Most bytes of recomputed blocks that one step holds, by the size of the blocks before; a
    /// step takes one block at least.
    pub step_bytes_max: usize,
    /// Most blocks that are fetched at one time.
    pub fetches_max: usize,
    /// Most times that one block is asked for in a step before it counts as refused.
    pub attempts_max: u32,
    /// How long a final block waits for a body that no node of a live chain gives, in milliseconds,
    /// before it is taken without it. Once over, other blocks do not wait until a body comes.
    pub body_wait_ms: u64,
    /// Most blocks above the finalized one that are followed.
    pub head_blocks_max: u64,
    /// Most blocks that are gone back through for the first one that differs, when final blocks are
    /// contradicted.
    pub retraction_blocks_max: u64,
    /// Which entries are kept. On ledgers whose events have neither address nor topic a list passes
    /// nothing.
    pub watch: Watch,
    /// Where a chain of which nothing is held begins: with the twig of this number, or, without
    /// one, of the finalized block. Of recordings and simulated chains everything is taken.
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
            retraction_blocks_max: 256,
            watch: Watch::All,
            start: None,
        }
    }
}
