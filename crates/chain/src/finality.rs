//! Why a verified block counts as final, and the block that carries it.

use core::fmt;

use crate::block::VerifiedBlock;

/// Kinds of evidence, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvidenceKind {
    /// The chain's own consensus, checked here.
    Consensus,
    /// A root or hash that another chain holds, checked here.
    L1Anchored,
    /// Several independent nodes said the same: nothing is checked but their agreement.
    NodeQuorum,
}

impl EvidenceKind {
    /// Every kind, strongest first.
    pub const ALL: [Self; 3] = [Self::Consensus, Self::L1Anchored, Self::NodeQuorum];

    /// The word used in JSON and configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::L1Anchored => "l1_anchored",
            Self::NodeQuorum => "node_quorum",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When a chain's nodes count a block as final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityRule {
    /// When they name it with the tag `finalized`.
    Tag,
    /// When they show it at all.
    Latest,
    /// When so many blocks follow it.
    Confirmations(u64),
}

/// Why a block counts as final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Nodes agreed on its hash.
    NodeQuorum {
        /// Names of the nodes that agreed.
        sources: Vec<String>,
        /// How many nodes were asked.
        of: u32,
        /// When a node calls a block final, in words: `finalized tag`, `as recorded`.
        rule: String,
    },
}

impl Evidence {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> EvidenceKind {
        match self {
            Self::NodeQuorum { .. } => EvidenceKind::NodeQuorum,
        }
    }
}

/// A verified block with the evidence that it is final: what the accumulator takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalBlock {
    block: VerifiedBlock,
    evidence: Evidence,
}

impl FinalBlock {
    /// A block that is final by this evidence. Whoever calls this has weighed the evidence.
    #[must_use]
    pub const fn new(block: VerifiedBlock, evidence: Evidence) -> Self {
        Self { block, evidence }
    }

    /// The block.
    #[must_use]
    pub const fn block(&self) -> &VerifiedBlock {
        &self.block
    }

    /// Why it is final.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// The block without its evidence.
    #[must_use]
    pub fn into_block(self) -> VerifiedBlock {
        self.block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_ordered_by_strength_and_named() {
        assert!(EvidenceKind::ALL.is_sorted());
        for kind in EvidenceKind::ALL {
            assert_eq!(EvidenceKind::from_name(kind.name()), Some(kind));
            assert_eq!(kind.to_string(), kind.name());
        }
        assert_eq!(EvidenceKind::from_name("Consensus"), None);
    }

    #[test]
    fn agreement_of_nodes_is_a_node_quorum() {
        let sources = vec!["a".into(), "b".into()];
        let evidence = Evidence::NodeQuorum { sources, of: 3, rule: "finalized tag".into() };
        assert_eq!(evidence.kind(), EvidenceKind::NodeQuorum);
    }
}
