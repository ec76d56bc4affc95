//! Verification of proofs made here, as a client verifies them.

use std::sync::{Arc, OnceLock};

use superroot_proof::bundle::{
    BlockFacts, Bundle, Facts, Policy, ProofError, ProofLevels, Statement, StatementFacts,
    SuperRootProof, TwigProof, Verified, verify_block, verify_place, verify_statement,
    verify_super_root, verify_twig,
};
use superroot_types::Hash;

use super::caches::BaseKey;
use super::prover::Prover;
use super::verified::{VerifiedBase, VerifiedTop, VerifiedTwig};
use crate::record::Published;

/// ProofLevels 1 and 2, kept or for this proof alone.
enum CheckedBlock {
    Kept(Arc<VerifiedBase>),
    Fresh(Box<Verified<BlockFacts>>),
}

impl CheckedBlock {
    fn facts(&self) -> &Verified<BlockFacts> {
        match self {
            Self::Kept(kept) => &kept.facts,
            Self::Fresh(facts) => facts,
        }
    }

    fn kept(self) -> Option<Arc<VerifiedBase>> {
        if let Self::Kept(kept) = self { Some(kept) } else { None }
    }
}

impl Prover {
    /// Verifies a proof under this SuperRoot like a client. Shared levels are hashed once: the block and its entry for
    /// all SuperRoots, the block's path to its twig root (permanent once sealed), and the path from a chain's slot to
    /// this SuperRoot for all proofs. Returns the verified levels 1 and 2 if the proof has a block and was requested
    /// before; repeated calls return the same value while it is kept.
    ///
    /// # Errors
    /// As [`superroot_proof::bundle::verify()`].
    pub fn verify(
        &self,
        bundle: &Bundle,
        policy: &Policy<'_>,
        published: &Published,
    ) -> Result<(Verified<Facts>, Option<Arc<VerifiedBase>>), ProofError> {
        let claim = verify_statement(bundle, policy)?;
        let block = self.verified_block(&claim, bundle)?;
        let twig = bundle.twig().map(|twig| self.verified_twig(block.facts(), bundle, twig));
        let twig = twig.transpose()?;
        let place = twig.as_ref().zip(bundle.place());
        let place = place.map(|(twig, place)| verify_place(&twig.facts, place)).transpose()?;
        let tops = self.tops.get(&published.hash);
        let kept = tops.as_ref().and_then(|top| top.verified(bundle));
        let fresh = OnceLock::new();
        let kept = kept.unwrap_or(&fresh);
        let mut top = None;
        if let Some((place, proof)) = place.as_ref().zip(bundle.super_root()) {
            let known = kept.get().filter(|top| top.is_of(proof));
            top = Some(match known {
                Some(known) => &known.facts,
                None => {
                    let facts = verify_super_root(&claim, place, proof)?;
                    let proof = SuperRootProof { note: None, ..proof.clone() };
                    &kept.get_or_init(|| VerifiedTop { proof, facts }).facts
                }
            });
        }
        let levels = ProofLevels {
            statement: &claim,
            block: block.facts(),
            twig: twig.as_ref().map(|twig| &twig.facts),
            place: place.as_ref(),
            super_root: top,
            note: bundle.note(),
        };
        Ok((levels.join()?, block.kept()))
    }

    fn verified_block(
        &self,
        claim: &Verified<StatementFacts>,
        bundle: &Bundle,
    ) -> Result<CheckedBlock, ProofError> {
        let Statement { chain, subject, .. } = bundle.statement;
        let key = bundle.block.as_ref().map(|block| (chain, block.block_hash, subject));
        let before = key.and_then(|key| self.bases.get(&key));
        if let Some(kept) = before.as_ref().filter(|kept| kept.is_of(bundle, claim.rule())) {
            return Ok(CheckedBlock::Kept(Arc::clone(kept)));
        }
        let facts = verify_block(claim, bundle)?;
        // who asks first does not pay for those that may never ask
        let is_wanted = |key: &BaseKey| before.is_some() || self.was_asked(*key);
        let Some(key) = key.filter(is_wanted) else {
            return Ok(CheckedBlock::Fresh(Box::new(facts)));
        };
        let kept = Arc::new(VerifiedBase::new(bundle, claim.rule(), facts));
        self.bases.insert(key, Arc::clone(&kept));
        Ok(CheckedBlock::Kept(kept))
    }

    fn verified_twig(
        &self,
        block: &Verified<BlockFacts>,
        bundle: &Bundle,
        twig: &TwigProof,
    ) -> Result<Arc<VerifiedTwig>, ProofError> {
        let key = (bundle.statement.chain, bundle.statement.number);
        let block_hash = bundle.block.as_ref().map_or(Hash::ZERO, |block| block.block_hash);
        if let Some(kept) = self.ways.get(&key).filter(|kept| kept.is_of(block_hash, twig)) {
            return Ok(kept);
        }
        let facts = verify_twig(block, twig)?;
        let kept = Arc::new(VerifiedTwig::new(block_hash, twig, facts));
        self.ways.insert(key, Arc::clone(&kept));
        Ok(kept)
    }

    /// Whether a proof for this key is known to be requested before; records this request.
    fn was_asked(&self, key: BaseKey) -> bool {
        if !self.keeps_bases {
            return false;
        }
        let was_asked = self.asked.get(&key).is_some();
        if !was_asked {
            self.asked.insert(key, ());
        }
        was_asked
    }
}
