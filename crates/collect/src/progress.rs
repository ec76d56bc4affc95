//! What a step did.

use superroot_source::Tip;
use superroot_store::layout::ChainState;
use superroot_types::BlockNumber;

/// A block that was refused and, in a recording, left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The block.
    pub number: BlockNumber,
    /// Why.
    pub reason: String,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There was nothing to take.
    Idle,
    /// Final blocks were taken.
    Final {
        /// How many.
        blocks: usize,
        /// Blocks of a recording that were left out.
        refused: Vec<Refusal>,
        /// Blocks undone: they had not been final, and were reorganised away.
        undone: usize,
    },
    /// The head was followed.
    Head {
        /// Blocks taken.
        taken: usize,
        /// Blocks undone: they were reorganised away.
        undone: usize,
    },
}

/// A step's outcome.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it did.
    pub progress: Progress,
    /// What the source said of its chain.
    pub tip: Tip,
    /// How far the chain has come, after the step.
    pub state: ChainState,
}

/// A search among the final blocks held, from the newest downwards, for the first that differs from
/// what nodes agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The block by which it was noticed.
    pub newest: BlockNumber,
    /// The lowest that is known to differ so far.
    pub lowest: BlockNumber,
}
