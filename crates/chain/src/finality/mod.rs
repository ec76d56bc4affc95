//! Finality of verified blocks: evidence, and the only gate to final blocks.
//!
//! ```text
//!  line of blocks ─┐
//!  Evidence ───────┼──► check(.., Trusted, now) ──► Final(FinalBlock, one a block)
//!                  │                                Refused(why)       it can never be
//!                  └                                NotEnoughYet(why)  ask again later
//! ```
//! A *line* is a list of blocks by ascending number, each the parent of the next. Evidence is about the last block, the
//! block *agreed on*; all ancestors in the line are final too. For example, three operators agree on block 103: blocks
//! 100, 101 and 102 become final as well, and all four share one evidence.
//!
//! Invariants: only [`check`] and [`check_ancestors`] make a [`FinalBlock`]. Both functions are pure: trust and time
//! are arguments.

mod evidence;
mod history;
mod line;
pub mod milestone;
mod node_quorum;
mod params;
mod pin;

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

pub use self::evidence::{
    AgreeingNode, EvidenceKind, FinalityEvidence, FinalityRule, NodeQuorum, OneSource,
};
pub use self::history::{HISTORY_FAR_STEP, HISTORY_STEP, history_numbers};
pub use self::line::{LineBlock, LineEvidence};
pub use self::params::{
    NOT_CHECKABLE, builtin_set, evidence_lag_seconds, evidence_role, finality_params, gates,
    signing_row, simulated_registry,
};
pub use self::pin::{NotAPin, SetPin};
use crate::block::VerifiedBlock;

/// Block number, hash, and parent hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLink {
    pub chain: ChainKey,
    pub number: BlockNumber,
    pub hash: Hash,
    /// Parent hash, bound by the block hash.
    pub parent_hash: Hash,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    Verified(Box<VerifiedBlock>),
    /// Stored since verification. The caller must compare with the stored block first.
    Held(BlockLink),
}

impl Candidate {
    #[must_use]
    pub const fn link(&self) -> BlockLink {
        match self {
            Self::Verified(block) => BlockLink {
                chain: block.chain,
                number: block.number,
                hash: block.hash,
                parent_hash: block.parent_hash,
            },
            Self::Held(link) => *link,
        }
    }
}

impl From<VerifiedBlock> for Candidate {
    fn from(block: VerifiedBlock) -> Self {
        Self::Verified(Box::new(block))
    }
}

/// Final block with evidence: the only source of a final row in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    candidate: Candidate,
    agreed: BlockNumber,
    evidence: Arc<FinalityEvidence>,
}

impl FinalBlock {
    #[must_use]
    pub const fn link(&self) -> BlockLink {
        self.candidate.link()
    }

    /// Block, or a reference to the stored block.
    #[must_use]
    pub const fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The agreed block's number: this block or a descendant.
    #[must_use]
    pub const fn agreed(&self) -> BlockNumber {
        self.agreed
    }

    #[must_use]
    pub fn evidence(&self) -> &FinalityEvidence {
        &self.evidence
    }
}

/// Trust assumed before any evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityAnchor {
    /// Assumption: fewer operators than required are dishonest together.
    Operators { needed: u32, of: u32 },
    /// Recording or simulated chain: no other source of blocks.
    OneSource,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceVerdict {
    Final(Vec<FinalBlock>),
    /// Evidence is invalid for the line, permanently.
    Refused(EvidenceRefusal),
    /// Evidence is insufficient for now; more may follow.
    NotEnoughYet(MissingEvidence),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvidenceRefusal {
    /// Evidence kind is not trusted for this chain.
    #[error("evidence of kind {got}, expected {expected}")]
    OtherKind {
        /// The evidence's kind, in words.
        got: &'static str,
        /// Trusted kind.
        expected: &'static str,
    },
    /// Last block of the line differs from the agreed block.
    #[error("the evidence is about block {agreed} with hash {expected}, the line ends with {got}")]
    OtherBlock { agreed: BlockNumber, got: Hash, expected: Hash },
    /// Block is not the parent of the next block in the line.
    #[error("block {number} has hash {got}, the block above it names {expected} as its parent")]
    Unlinked {
        number: BlockNumber,
        got: Hash,
        /// Parent hash in the next block.
        expected: Hash,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MissingEvidence {
    /// Too few operators agree.
    #[error("{got} of {of} operators agree, {expected} must")]
    TooFew { got: usize, of: u32, expected: u32 },
    /// Evidence time is in the future.
    #[error("the evidence is of {at}, which is later than now")]
    Early { at: UnixSeconds },
}

/// Checks whether the evidence shows a final line under the assumption `trusted`. `line` is by ascending number; an
/// empty line is final.
#[must_use]
pub fn check(
    evidence: FinalityEvidence,
    line: Vec<Candidate>,
    trusted: &FinalityAnchor,
    now: UnixSeconds,
) -> EvidenceVerdict {
    let Some(last) = line.last().map(Candidate::link) else {
        return EvidenceVerdict::Final(Vec::new());
    };
    let checked = match (&evidence, trusted) {
        (FinalityEvidence::NodeQuorum(quorum), FinalityAnchor::Operators { needed, of }) => {
            let line = line.iter().map(Candidate::link);
            node_quorum::check(quorum, line, (*needed, *of), now)
        }
        // it speaks for each of its blocks: numbers may be missing between them
        (FinalityEvidence::OneSource(_), FinalityAnchor::OneSource) => Ok(()),
        (FinalityEvidence::NodeQuorum(_), FinalityAnchor::OneSource) => {
            Err(EvidenceRefusal::OtherKind { got: "agreement of nodes", expected: "one source" }
                .into())
        }
        (FinalityEvidence::OneSource(_), FinalityAnchor::Operators { .. }) => {
            Err(EvidenceRefusal::OtherKind { got: "one source", expected: "agreement of nodes" }
                .into())
        }
    };
    checked.map_or_else(|verdict| verdict, |()| all_final(line, last.number, evidence.into()))
}

/// Checks finality through a stored final descendant with this evidence: `child` names the last block of the line as
/// parent.
#[must_use]
pub fn check_ancestors(
    child: &BlockLink,
    agreed: BlockNumber,
    evidence: Arc<FinalityEvidence>,
    line: Vec<Candidate>,
) -> EvidenceVerdict {
    match check_linked(line.iter().map(Candidate::link).chain([*child])) {
        Ok(()) => all_final(line, agreed, evidence),
        Err(verdict) => verdict,
    }
}

fn all_final(
    line: Vec<Candidate>,
    agreed: BlockNumber,
    evidence: Arc<FinalityEvidence>,
) -> EvidenceVerdict {
    let block = |candidate| FinalBlock { candidate, agreed, evidence: Arc::clone(&evidence) };
    EvidenceVerdict::Final(line.into_iter().map(block).collect())
}

/// Checks that each block is the parent of the next, on one chain and without a gap.
fn check_linked(line: impl DoubleEndedIterator<Item = BlockLink>) -> Result<(), EvidenceVerdict> {
    let mut above: Option<BlockLink> = None;
    for link in line.rev() {
        if let Some(above) = above {
            let is_below = link.number.0.checked_add(1) == Some(above.number.0);
            if !is_below || link.chain != above.chain || link.hash != above.parent_hash {
                let number = link.number;
                let got = link.hash;
                let expected = above.parent_hash;
                return Err(EvidenceRefusal::Unlinked { number, got, expected }.into());
            }
        }
        above = Some(link);
    }
    Ok(())
}

impl From<EvidenceRefusal> for EvidenceVerdict {
    fn from(why: EvidenceRefusal) -> Self {
        Self::Refused(why)
    }
}

impl From<MissingEvidence> for EvidenceVerdict {
    fn from(why: MissingEvidence) -> Self {
        Self::NotEnoughYet(why)
    }
}

#[cfg(test)]
mod tests;
