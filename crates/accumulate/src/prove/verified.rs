//! Verified levels kept for the next proof of the same thing, beside the bytes that were verified.

use superroot_proof::bundle::{
    BlockFacts, Bundle, SuperRootFacts, SuperRootProof, TwigFacts, TwigProof, Verified,
};
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, ProofLevel, TWIG_HEIGHT};

/// ProofLevels 1 and 2 of a proof: a block and an entry, the same under every SuperRoot.
#[derive(Debug)]
pub struct VerifiedBase {
    rule: HashRule,
    /// Proof up to level 2.
    proof: Bundle,
    byte_count: usize,
    pub(super) facts: Verified<BlockFacts>,
}

impl VerifiedBase {
    pub(super) fn new(bundle: &Bundle, rule: HashRule, facts: Verified<BlockFacts>) -> Self {
        let proof = bundle.clone().up_to(ProofLevel::Block);
        // each once as bytes, once as leaves and once as read
        let byte_count = proof.encode().len().saturating_mul(3);
        Self { rule, proof, byte_count, facts }
    }

    /// Whether a bundle has the same levels 1 and 2, read by the same rule.
    pub(super) fn is_of(&self, bundle: &Bundle, rule: HashRule) -> bool {
        let block = self.proof.block.as_ref().map(|block| (&block.header, block.block_hash));
        let other = bundle.block.as_ref().map(|block| (&block.header, block.block_hash));
        (self.rule, self.proof.statement) == (rule, bundle.statement)
            && self.proof.entry == bundle.entry
            && block == other
    }

    /// Proven transaction hash.
    #[must_use]
    pub fn transaction_hash(&self) -> Option<Hash> {
        self.facts.transaction_hash()
    }

    /// Approximate size in bytes.
    #[must_use]
    pub const fn byte_count(&self) -> usize {
        self.byte_count
    }
}

/// Level 3 of a proof: path from a block to its twig root, final once the twig is sealed.
#[derive(Debug)]
pub(super) struct VerifiedTwig {
    block_hash: Hash,
    siblings: [Hash; TWIG_HEIGHT],
    root: Hash,
    pub(super) facts: Verified<TwigFacts>,
}

impl VerifiedTwig {
    pub(super) fn new(block_hash: Hash, proof: &TwigProof, facts: Verified<TwigFacts>) -> Self {
        Self { block_hash, siblings: proof.siblings, root: proof.root, facts }
    }

    pub(super) fn is_of(&self, block_hash: Hash, proof: &TwigProof) -> bool {
        (self.block_hash, &self.siblings, self.root) == (block_hash, &proof.siblings, proof.root)
    }
}

/// Level 5 of a proof: path from a slot to a SuperRoot, shared by proofs for many blocks.
#[derive(Debug)]
pub(super) struct VerifiedTop {
    pub(super) proof: SuperRootProof,
    pub(super) facts: Verified<SuperRootFacts>,
}

impl VerifiedTop {
    pub(super) fn is_of(&self, proof: &SuperRootProof) -> bool {
        let SuperRootProof { preimage, siblings, registry, note: _ } = &self.proof;
        (preimage, siblings, registry) == (&proof.preimage, &proof.siblings, &proof.registry)
    }
}
