//! Proof generation from a request: verified before sending.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Bytes;
use superroot_accumulate::Published;
use superroot_accumulate::prove::{Occurrence, ProveError, UNANCHORED};
use superroot_proof::bundle::{Bundle, Policy, ProofFault};
use superroot_types::{BlockNumber, BlockRef, ChainKey, ProofLevel, SuperRootRef};
use superroot_wire::proof::{ProofQuery, ProofTarget};
use superroot_wire::{Shape, batch_item};

use super::consensus::FinalityDemand;
pub(crate) use super::verified::Proof;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::response_cache::{CacheSlot, CachedResponse, Media, Rendered, ResponseCache, Validity};
use crate::seen::Conditional;
use crate::service::retraction::Contest;
use crate::service::{
    Api, Paces, ProverQuestion, RequestedEntry, RequestedProof, Shared, WorkPace,
};

/// Proof request with its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofQuestion {
    pub(crate) query: ProofQuery,
    /// Occurrence of a transaction by hash.
    pub(crate) occurrence: Occurrence,
    pub(crate) fixed: Option<SuperRootRef>,
    /// Highest proof level.
    pub(crate) level: Option<ProofLevel>,
    /// Whether the proof includes the newest signed note.
    pub(crate) has_note: bool,
    /// Whether the answer names finality evidence even under a named SuperRoot.
    pub(crate) is_about_finality: bool,
    pub(crate) finality: FinalityDemand,
}

/// Located subject, not verified yet: nothing is hashed or written.
pub(crate) struct LocatedSubject {
    bundle: Bundle,
    published: Arc<Published>,
    is_anchored: bool,
    contest: Option<Contest>,
    is_fixed: bool,
}

impl ProofQuestion {
    /// Question without options.
    pub(crate) fn new(chain: ChainKey, target: ProofTarget) -> Self {
        Self {
            query: ProofQuery { chain, target },
            occurrence: Occurrence::default(),
            fixed: None,
            level: None,
            has_note: false,
            is_about_finality: false,
            finality: FinalityDemand::default(),
        }
    }

    /// Whether the target is a hash, which may appear later.
    pub(crate) const fn is_by_hash(&self) -> bool {
        self.query.target.tx_hash().is_some()
    }

    /// Usual proof time.
    pub(crate) const fn pace<'p>(&self, paces: &'p Paces) -> &'p Arc<WorkPace> {
        match self.query.target {
            _ if self.finality.evidence.is_some() => &paces.evidence,
            ProofTarget::Block(_) => &paces.blocks,
            _ => &paces.entries,
        }
    }

    /// Generates the proof and verifies it as a client would; 500 if verification fails.
    pub(crate) fn answer(&self, api: &Api) -> Result<Proof, ApiError> {
        self.check(api, self.find(api)?)
    }

    /// Locates the subject, which shows whether a proof exists.
    pub(crate) fn find(&self, api: &Api) -> Result<LocatedSubject, ApiError> {
        let refuse = |error| api.refuse_unproven(error);
        let which = match self.fixed {
            Some(fixed) => fixed,
            None if self.has_note => api.prover.noted().map_err(refuse)?,
            None => SuperRootRef::Latest,
        };
        self.find_under(api, api.prover.published(which).map_err(refuse)?)
    }

    fn requested<'a>(&self, published: &'a Published) -> RequestedProof<'a> {
        let target = self.query.target;
        let entry = match (target.block(), target.tx_hash()) {
            (_, Some(hash)) => RequestedEntry::Transaction(*hash),
            (Some(BlockRef::Number(number)), None) => RequestedEntry::Block(number),
            (Some(BlockRef::Latest) | None, None) => RequestedEntry::Newest,
        };
        RequestedProof { published, is_fixed: self.fixed.is_some(), entry }
    }

    /// Answers under a known SuperRoot: the request's, or the newest.
    pub(crate) fn answer_under(
        &self,
        api: &Api,
        published: Arc<Published>,
    ) -> Result<Proof, ApiError> {
        self.check(api, self.find_under(api, published)?)
    }

    fn find_under(&self, api: &Api, published: Arc<Published>) -> Result<LocatedSubject, ApiError> {
        if let Some(BlockRef::Number(number)) = self.query.target.block() {
            api.still_stands(self.query.chain, number)?;
        }
        if self.fixed.is_none() && self.query.target.block() == Some(BlockRef::Latest) {
            // the newest anchored block is not the newest of a chain that stands still
            api.still_moves(self.query.chain)?;
        }
        let question = ProverQuestion::Proof(self.requested(&published));
        let refuse = |error| api.refuse_question(question, error);
        // one SuperRoot for the whole answer, even if the next is published meanwhile
        let at = SuperRootRef::Sequence(published.super_root.sequence);
        let few_levels = self.level.is_some_and(|level| level <= ProofLevel::Block);
        let (bundle, is_anchored) = match self.prove(api, &published, Some(at)) {
            Ok(bundle) => (bundle, true),
            Err(ProveError::NotAnchored { held: true, .. }) if few_levels => {
                (self.prove(api, &published, UNANCHORED).map_err(refuse)?, false)
            }
            Err(error) => return Err(refuse(error)),
        };
        let block_hash = bundle.block.as_ref().map(|block| block.block_hash);
        let mut bundle = bundle.up_to(self.level.unwrap_or(ProofLevel::SuperRoot));
        if self.has_note {
            bundle = api.prover.with_note(bundle).map_err(refuse)?;
        }
        let statement = bundle.statement;
        let contest = block_hash.map(|hash| api.contest(statement.chain, statement.number, &hash));
        let contest = contest.transpose()?.flatten();
        // a block that is not anchored may still be replaced, one that is taken back may stand again
        let of_now = self.is_about_finality || self.has_note || self.finality.evidence.is_some();
        let never_changes = is_anchored && !of_now && contest.is_none();
        let is_fixed = self.fixed.is_some() && never_changes;
        Ok(LocatedSubject { bundle, published, is_anchored, contest, is_fixed })
    }

    /// Verifies a located subject as a client would: 500 if verification fails, 410 if the block was withdrawn.
    pub(crate) fn check(&self, api: &Api, found: LocatedSubject) -> Result<Proof, ApiError> {
        let LocatedSubject { bundle, published, is_anchored, contest, is_fixed } = found;
        let asked = self.query.chain;
        let policy = Policy::strict(api.registry.proof_registry());
        let facts = api.prover.verify(&bundle, &policy, &published);
        let (facts, held) = facts.map_err(|error| match error.fault {
            // by a SuperRoot of before, or before the next one says so
            ProofFault::Withdrawn { chain, number } => ApiError::withdrawn(chain, number),
            _ => {
                tracing::error!(chain.id = %asked, %error, "generated proof failed verification");
                ApiError::internal()
            }
        })?;
        let leads_elsewhere = facts.super_root_hash().is_some_and(|hash| hash != published.hash);
        if leads_elsewhere {
            tracing::error!(chain.id = %asked, "a proof made here leads to another SuperRoot");
            return Err(ApiError::internal());
        }
        let is_retracted = contest.as_ref().is_some_and(|contest| contest.stands);
        let (finality, checked) = self.finality.answer(api, &bundle, &facts, is_retracted)?;
        Ok(Proof {
            bundle,
            facts,
            held,
            published,
            is_anchored,
            contest,
            finality,
            checked,
            is_fixed,
        })
    }

    /// Batch item under this SuperRoot, with service claims. Recent text for the same question is reused.
    pub(super) fn item(
        &self,
        api: &Api,
        published: &Arc<Published>,
        cache: &Arc<ResponseCache>,
    ) -> Result<Bytes, ApiError> {
        let Self { query, occurrence, fixed, has_note, .. } = *self;
        // what is asked for as the newest, or with the newest note, is another one in a moment
        let of_now = has_note || self.finality != FinalityDemand::default();
        let is_same = query.target.block() != Some(BlockRef::Latest) && !of_now;
        let is_fixed = fixed.is_some();
        let address = format!("{} {is_fixed} {query:?} {occurrence:?}", published.hash);
        let is_valid = |cached: &CachedResponse| is_same && is_still(api, cached);
        if let Some(known) = cache.find(&address, None, is_valid) {
            return Ok(known.bytes.clone());
        }
        let proof = self.answer_under(api, Arc::clone(published))?;
        let bytes = Bytes::from(batch_item(&proof.text(api, Shape::V5, cache)?));
        let block = proof.block().filter(|_| is_same && proof.is_settled());
        if let Some((chain, number, hash)) = block {
            let validity = Validity::Block(chain, number, hash);
            let slot = CacheSlot { cache: Arc::clone(cache), address, validity };
            let media = Media::Json;
            let bytes = bytes.clone();
            let rendered = Rendered { bytes, media, tag: None, chain: Some(chain), is_fixed: true };
            slot.put(rendered, Arc::clone(published));
        }
        Ok(bytes)
    }

    fn prove(
        &self,
        api: &Api,
        published: &Published,
        at: Option<SuperRootRef>,
    ) -> Result<Bundle, ProveError> {
        let prover = &api.prover;
        let ProofQuery { chain, target } = self.query;
        let number = |block| self.number(published, block);
        match target {
            ProofTarget::Block(block) => prover.prove_block(chain, number(block)?, at),
            ProofTarget::Transaction { tx_hash } => {
                prover.prove_transaction_at(chain, &tx_hash, self.occurrence, at)
            }
            ProofTarget::Event { block, tx_index, log_index } => {
                prover.prove_event(chain, number(block)?, tx_index, log_index, at)
            }
            ProofTarget::EventByHash { tx_hash, log_index } => {
                prover.prove_event_at(chain, (&tx_hash, self.occurrence), log_index, at)
            }
            ProofTarget::Absence { block, tx_index } => {
                prover.prove_absence(chain, number(block)?, tx_index, at)
            }
        }
    }

    fn number(&self, published: &Published, block: BlockRef) -> Result<BlockNumber, ProveError> {
        let number = match block {
            BlockRef::Number(number) => return Ok(number),
            BlockRef::Latest => published.reference(self.query.chain),
        };
        let none = || ProveError::NotAnchored {
            chain: self.query.chain,
            number: BlockNumber(0),
            anchored: None,
            head: None,
            held: false,
            is_final: false,
        };
        number.map(|(_, reference)| reference.number).ok_or_else(none)
    }
}

impl LocatedSubject {
    /// Answer without a body, if the caller has it or sent HEAD.
    pub(crate) fn head(&self, seen: &Conditional, is_file: bool) -> Option<ApiAnswer> {
        let tag = self.is_fixed.then(|| seen.tag(&self.published, is_file));
        if seen.needs_body(tag.as_deref()) {
            return None;
        }
        let mut answer = ApiAnswer::head(is_file);
        answer.tag = tag;
        let chain = self.bundle.statement.chain;
        Some(answer.about(chain).under(self.published.clone(), self.is_fixed))
    }
}

/// Cached answer that still holds. A few rows are read for that, from memory: no thread is worth it.
pub(super) fn find_cached(service: &Shared, address: &str) -> Option<ApiAnswer> {
    let (api, latest) = (&service.api, service.api.prover.latest());
    let is_valid = |cached: &CachedResponse| is_still(api, cached);
    let known = service.cache.find(address, latest.as_deref(), is_valid)?;
    Some(ApiAnswer::cached(&known))
}

/// Whether a cached proof is still valid: its block is in the chain. The last check is reused until the next store
/// commit.
pub(super) fn is_still(api: &Api, cached: &CachedResponse) -> bool {
    let Validity::Block(chain, number, hash) = cached.validity else { return false };
    let commits = api.prover.store().commit_count();
    if cached.checked_at.load(Ordering::Relaxed) == commits {
        return true;
    }
    let stands = api.still_stands(chain, number).is_ok()
        && api.contest(chain, number, &hash).is_ok_and(|contest| contest.is_none());
    if stands {
        cached.checked_at.store(commits, Ordering::Relaxed);
    }
    stands
}
