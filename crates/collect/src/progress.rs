//! Step results.

use superroot_source::SourceTip;
use superroot_store::layout::ChainState;
use superroot_types::BlockNumber;

/// Refused block, left out if recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBlock {
    pub number: BlockNumber,
    pub reason: String,
}

/// Step progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectProgress {
    Idle,
    Final {
        blocks: usize,
        /// Recorded blocks left out.
        refused: Vec<RefusedBlock>,
        /// Non-final blocks undone by a reorganisation.
        undone: usize,
    },
    Head {
        taken: usize,
        /// Blocks undone by a reorganisation.
        undone: usize,
    },
}

#[derive(Clone, Debug)]
pub struct CollectStep {
    pub progress: CollectProgress,
    /// Source's chain tip.
    pub tip: SourceTip,
    /// Chain state after the step.
    pub state: ChainState,
}

/// Search through the stored final blocks, from the newest downwards, for the first one that differs from the agreed
/// chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergenceSearch {
    /// Block where the difference was noticed.
    pub newest: BlockNumber,
    /// Lowest block known to differ.
    pub lowest: BlockNumber,
}

/// Failed tries for a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FalseStep {
    pub(crate) number: BlockNumber,
    pub(crate) tries: u32,
}
