//! Why a verified block counts as final, and the only gate that says so.
//!
//! ```text
//!  line of blocks ─┐
//!  Evidence ───────┼──► check(.., Trusted, now) ──► Final(FinalBlock, one a block)
//!                  │                                Refused(why)       it can never be
//!                  └                                NotEnoughYet(why)  ask again later
//! ```
//! A *line* is blocks by rising number, each the parent of the next. Evidence is about the last of
//! them, the block *agreed on*; the others are final because it descends from them. Three operators
//! agree on block 103, say: with it 100, 101 and 102 become final, and all four share one evidence.
//!
//! What must always hold: a [`FinalBlock`] is made by [`check`] and [`check_ancestors`] alone. Both are
//! pure: what is believed beforehand, and what time it is, are arguments.

mod evidence;
mod node_quorum;

use std::sync::Arc;

use superroot_types::{BlockNumber, ChainKey, Hash, UnixSeconds};

pub use self::evidence::{Evidence, EvidenceKind, FinalityRule, NodeQuorum, OneSource, Witness};
use crate::block::VerifiedBlock;

/// A block by its place, its hash, and the parent that its hash binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its chain.
    pub chain: ChainKey,
    /// Its number.
    pub number: BlockNumber,
    /// Its hash.
    pub hash: Hash,
    /// Hash of the block before it.
    pub parent_hash: Hash,
}

/// A block that is to become final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// As it was verified.
    Verified(Box<VerifiedBlock>),
    /// Held since it was verified. Whoever holds it compares it with what is held before it counts.
    Held(Link),
}

impl Candidate {
    /// Its place, hash and parent.
    #[must_use]
    pub const fn link(&self) -> Link {
        match self {
            Self::Verified(block) => Link {
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

/// A block that is final, with the evidence: the only thing that becomes a final row of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    candidate: Candidate,
    agreed: BlockNumber,
    evidence: Arc<Evidence>,
}

impl FinalBlock {
    /// Its place, hash and parent.
    #[must_use]
    pub const fn link(&self) -> Link {
        self.candidate.link()
    }

    /// The block, or that it is held.
    #[must_use]
    pub const fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// Number of the block that the evidence is about: this one, or one that descends from it.
    #[must_use]
    pub const fn agreed(&self) -> BlockNumber {
        self.agreed
    }

    /// Why it is final.
    #[must_use]
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }
}

/// What is believed before any evidence is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusted {
    /// That fewer than so many operators of nodes lie together.
    Operators {
        /// How many of them must agree.
        needed: u32,
        /// How many there are.
        of: u32,
    },
    /// A recording or a simulated chain: nobody else knows of its blocks.
    OneSource,
}

/// What evidence shows of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every block of the line is final.
    Final(Vec<FinalBlock>),
    /// The evidence does not show it, and never will.
    Refused(Refusal),
    /// The evidence does not show it yet: more of it may.
    NotEnoughYet(Lack),
}

/// Why evidence is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is of a kind that is not believed of this chain.
    #[error("evidence of kind {got}, expected {expected}")]
    OtherKind {
        /// Its kind, in words.
        got: &'static str,
        /// The kind that is believed.
        expected: &'static str,
    },
    /// The last block of the line is not the one that the evidence is about.
    #[error("the evidence is about block {agreed} with hash {expected}, the line ends with {got}")]
    OtherBlock {
        /// Number that is agreed on.
        agreed: BlockNumber,
        /// Hash of the line's last block.
        got: Hash,
        /// Hash that is agreed on.
        expected: Hash,
    },
    /// A block of the line is not the parent of the next.
    #[error("block {number} has hash {got}, the block above it names {expected} as its parent")]
    Unlinked {
        /// The block.
        number: BlockNumber,
        /// Its hash.
        got: Hash,
        /// Hash that is named.
        expected: Hash,
    },
}

/// What is still missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// Fewer operators agree than must.
    #[error("{got} of {of} operators agree, {expected} must")]
    TooFew {
        /// How many agree.
        got: usize,
        /// How many there are.
        of: u32,
        /// How many must.
        expected: u32,
    },
    /// It was given at a later time than it is now.
    #[error("the evidence is of {at}, which is later than now")]
    Early {
        /// When it was given.
        at: UnixSeconds,
    },
}

/// Whether this evidence shows that the blocks of the line are final, for somebody who believes
/// `trusted`. `line` is by rising number; an empty one is final.
#[must_use]
pub fn check(
    evidence: Evidence,
    line: Vec<Candidate>,
    trusted: &Trusted,
    now: UnixSeconds,
) -> Verdict {
    let Some(last) = line.last().map(Candidate::link) else { return Verdict::Final(Vec::new()) };
    let checked = match (&evidence, trusted) {
        (Evidence::NodeQuorum(quorum), Trusted::Operators { needed, of }) => {
            let line = line.iter().map(Candidate::link);
            node_quorum::check(quorum, line, (*needed, *of), now)
        }
        // it speaks for each of its blocks: numbers may be missing between them
        (Evidence::OneSource(_), Trusted::OneSource) => Ok(()),
        (Evidence::NodeQuorum(_), Trusted::OneSource) => {
            Err(Refusal::OtherKind { got: "agreement of nodes", expected: "one source" }.into())
        }
        (Evidence::OneSource(_), Trusted::Operators { .. }) => {
            Err(Refusal::OtherKind { got: "one source", expected: "agreement of nodes" }.into())
        }
    };
    checked.map_or_else(|verdict| verdict, |()| all_final(line, last.number, evidence.into()))
}

/// Whether the blocks of the line are final because a final block, held with that evidence, descends
/// from them: `child` names the last of the line as its parent.
#[must_use]
pub fn check_ancestors(
    child: &Link,
    agreed: BlockNumber,
    evidence: Arc<Evidence>,
    line: Vec<Candidate>,
) -> Verdict {
    match check_linked(line.iter().map(Candidate::link).chain([*child])) {
        Ok(()) => all_final(line, agreed, evidence),
        Err(verdict) => verdict,
    }
}

fn all_final(line: Vec<Candidate>, agreed: BlockNumber, evidence: Arc<Evidence>) -> Verdict {
    let block = |candidate| FinalBlock { candidate, agreed, evidence: Arc::clone(&evidence) };
    Verdict::Final(line.into_iter().map(block).collect())
}

/// Each block must be the parent of the next, of one chain and without a gap.
fn check_linked(line: impl DoubleEndedIterator<Item = Link>) -> Result<(), Verdict> {
    let mut above: Option<Link> = None;
    for link in line.rev() {
        if let Some(above) = above {
            let is_below = link.number.0.checked_add(1) == Some(above.number.0);
            if !is_below || link.chain != above.chain || link.hash != above.parent_hash {
                let (number, got, expected) = (link.number, link.hash, above.parent_hash);
                return Err(Refusal::Unlinked { number, got, expected }.into());
            }
        }
        above = Some(link);
    }
    Ok(())
}

impl From<Refusal> for Verdict {
    fn from(why: Refusal) -> Self {
        Self::Refused(why)
    }
}

impl From<Lack> for Verdict {
    fn from(why: Lack) -> Self {
        Self::NotEnoughYet(why)
    }
}

#[cfg(test)]
mod tests;
