//! Proofs of blocks, joined with entries, and their verification.

use std::sync::{Arc, OnceLock};

use superroot_proof::bundle::{
    BlockLevel, Bundle, EntryProof, Facts, HeldBase, HeldProof, Policy, ProofError, ProofSubject,
    Statement, Verified, verify_again,
};
use superroot_store::layout::BlockRow;
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey};

use super::caches::BaseKey;
use super::error::ProveError;
use super::prover::{Prover, SuperRootChoice};
use crate::record::Published;

impl Prover {
    /// Proof of a block, levels 2 to 5.
    pub fn prove_block(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: SuperRootChoice,
    ) -> Result<Bundle, ProveError> {
        let row = self.placed(chain, number, at)?;
        self.bundle(chain, number, &row, ProofSubject::Block, None, at)
    }

    /// Verifies a proof under this SuperRoot like a client. Shared parts are hashed once: the block and its entry for
    /// all SuperRoots, the block's path to its twig root (permanent once sealed), and the path from a chain's slot to
    /// this SuperRoot for all proofs. Returns the verified levels 1 and 2 if the proof has a block and was requested
    /// before; repeated calls return the same value while cached.
    ///
    /// # Errors
    /// As [`verify_again`].
    pub fn verify(
        &self,
        bundle: &Bundle,
        policy: &Policy<'_>,
        published: &Published,
    ) -> Result<(Verified<Facts>, Option<Arc<HeldBase>>), ProofError> {
        let top = self.tops.get(&published.hash);
        let place = top.as_ref().and_then(|top| top.held(bundle));
        let Statement { chain, number, subject } = bundle.statement;
        let way = bundle.twig().and_then(|_| self.ways.get(&(chain, number)));
        let key = bundle.block.as_ref().map(|block| (chain, block.block_hash, subject));
        let base = key.and_then(|key| self.bases.get(&key));
        let top = place.and_then(OnceLock::get);
        // who asks first does not pay for those that may never ask
        let is_base_wanted = base.is_some() || key.is_some_and(|key| self.was_asked(key));
        let held = HeldProof { base: base.as_deref(), twig: way.as_deref(), top, is_base_wanted };
        let (facts, holds) = verify_again(bundle, policy, held)?;
        if let (Some(place), Some(held)) = (place, holds.top) {
            place.get_or_init(|| held);
        }
        if let Some(way) = holds.twig {
            self.ways.insert((chain, number), Arc::new(way));
        }
        let Some((key, new)) = key.zip(holds.base) else { return Ok((facts, base)) };
        let new = Arc::new(new);
        self.bases.insert(key, Arc::clone(&new));
        Ok((facts, Some(new)))
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

    /// Block anchored in this SuperRoot; without a SuperRoot, any stored block.
    pub(super) fn placed(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        at: SuperRootChoice,
    ) -> Result<BlockRow, ProveError> {
        if at == SuperRootChoice::Unanchored {
            return self.block(chain, number);
        }
        self.check_stands(chain, number)?;
        let published = self.published(at)?;
        let reference = published.reference(chain).map(|(_, reference)| *reference);
        let anchored = reference.map(|reference| reference.number);
        if let Some(start) = reference.map(|one| one.start).filter(|start| number < *start) {
            return Err(ProveError::BeforeStart { chain, number, start });
        }
        if anchored.is_some_and(|anchored| number <= anchored) {
            return self.block(chain, number);
        }
        let held = read::load_block(&*self.store, chain, number)?;
        let state = self.chain_state(chain)?;
        let checked_to = state.as_ref().and_then(|state| state.checked_to);
        if held.is_none() && checked_to.is_some_and(|checked_to| number <= checked_to) {
            return Err(ProveError::NotFound {
                chain,
                what: format!("block {number}"),
                checked_to,
            });
        }
        let head = state.and_then(|state| state.head).map(|head| head.number);
        let is_final = held.as_ref().is_some_and(BlockRow::is_final);
        let held = held.is_some();
        Err(ProveError::NotAnchored { chain, number, anchored, head, held, is_final })
    }

    /// Joins an entry, a block and its position.
    pub(super) fn bundle(
        &self,
        chain: ChainKey,
        number: BlockNumber,
        row: &BlockRow,
        subject: ProofSubject,
        entry: Option<EntryProof>,
        at: SuperRootChoice,
    ) -> Result<Bundle, ProveError> {
        let twig = match at {
            SuperRootChoice::Unanchored => None,
            at => Some(self.twig(chain, number, &*self.published(at)?)?),
        };
        let block = BlockLevel { header: row.header.clone(), block_hash: row.hash, twig };
        let statement = Statement { chain, number, subject };
        Ok(Bundle { origin: self.origin().to_owned(), statement, entry, block: Some(block) })
    }
}
