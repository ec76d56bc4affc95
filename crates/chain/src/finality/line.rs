//! Lines of blocks, agreed on by nodes, whose finality trusted signers have to show.

use superroot_proof::finality::ConsensusEvidence;
use superroot_types::{BlockNumber, Hash};

/// Block of an agreed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineBlock {
    pub number: BlockNumber,
    pub hash: Hash,
    pub header: Vec<u8>,
    /// Evidence that came with the block, unchecked.
    pub evidence: Option<ConsensusEvidence>,
}

/// Evidence about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEvidence {
    /// No trusted signers yet.
    NotDemanded,
    /// Shown up to this block.
    Shown(BlockNumber),
    Missing,
}
