//! Proof generation from a request: verified before sending, then written as JSON.

use std::sync::Arc;

use axum::body::Bytes;
use serde::Serialize;
use superroot_accumulate::Published;
use superroot_accumulate::prove::{Occurrence, ProveError, SuperRootChoice};
use superroot_chain::{FinalityEvidence, UnprovablePart, UnprovableRange};
use superroot_proof::bundle::{
    Bundle, Facts, HeldBase, Policy, ProofFault, ProofSubject, Verified,
};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash, Network, ProofLevel};
use superroot_wire::chain::Retraction;
use superroot_wire::finality::Finality;
use superroot_wire::{BesideEvent, Shape, batch_item, render_answer};

use super::is_still;
use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::input::BlockAsk;
use crate::response_cache::{CacheSlot, CachedResponse, Media, Rendered, ResponseCache, Validity};
use crate::seen::Conditional;
use crate::service::retraction::Contest;
use crate::service::{Api, Paces, WorkPace, evidence, retraction};

#[derive(Clone, Copy, Debug)]
pub(crate) enum ProofTarget {
    Block(BlockAsk),
    /// Transaction by hash, at one occurrence.
    Transaction(Hash, Occurrence),
    Event {
        block: BlockAsk,
        tx_index: u32,
        log_index: u32,
    },
    EventByHash {
        transaction: Hash,
        occurrence: Occurrence,
        log_index: u32,
    },
    /// Absence of an entry at a position.
    Absence {
        block: BlockAsk,
        tx_index: u32,
    },
}

impl ProofTarget {
    /// Whether the target is a hash, which may appear later.
    pub(crate) const fn is_by_hash(&self) -> bool {
        matches!(self, Self::Transaction(..) | Self::EventByHash { .. })
    }

    /// Usual proof time.
    pub(crate) const fn pace(self, paces: &Paces) -> &Arc<WorkPace> {
        match self {
            Self::Block(_) => &paces.blocks,
            _ => &paces.entries,
        }
    }

    pub(crate) const fn block(&self) -> Option<BlockAsk> {
        match self {
            Self::Block(block) | Self::Event { block, .. } | Self::Absence { block, .. } => {
                Some(*block)
            }
            Self::Transaction(..) | Self::EventByHash { .. } => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofQuestion {
    pub(crate) chain: ChainKey,
    pub(crate) target: ProofTarget,
    pub(crate) fixed: Option<SuperRootChoice>,
    /// Highest proof level.
    pub(crate) level: Option<ProofLevel>,
    /// Whether the proof includes the newest signed note.
    pub(crate) has_note: bool,
    /// Whether the answer names finality evidence even under a named SuperRoot.
    pub(crate) is_about_finality: bool,
}

/// Located subject, not verified yet: nothing is hashed or written.
pub(crate) struct LocatedSubject {
    bundle: Bundle,
    published: Arc<Published>,
    is_anchored: bool,
    contest: Option<Contest>,
    is_fixed: bool,
}

/// Verified proof, ready to be written.
pub(crate) struct Proof {
    pub(crate) bundle: Bundle,
    pub(crate) facts: Verified<Facts>,
    /// Verified block and entry, if the proof has a block.
    held: Option<Arc<HeldBase>>,
    /// SuperRoot of the proof, or newest one when it was made.
    pub(crate) published: Arc<Published>,
    /// Whether that SuperRoot contains the block.
    pub(crate) is_anchored: bool,
    /// Reorganisation of the block or an ancestor.
    contest: Option<Contest>,
    is_fixed: bool,
}

/// Service claims next to a proof, without a hash behind them.
pub(crate) struct ServiceClaims {
    /// `anchored`, or `pending` above the SuperRoot.
    pub(crate) anchor_status: &'static str,
    /// Whether finality evidence exists for the block.
    is_final: bool,
    /// Whether nodes have since dropped the block.
    is_retracted: bool,
    evidence: Option<FinalityEvidence>,
    pub(crate) finality: Option<Finality>,
    pub(crate) retraction: Option<Retraction>,
}

/// Service claims as answer members, reduced to the shape.
#[derive(Serialize)]
struct Extras {
    anchor_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    finality: Option<Finality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_finalized: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l6_finality_commitment: Option<Option<Hash>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retraction: Option<Retraction>,
}

impl ProofQuestion {
    /// Generates the proof and verifies it as a client would; 500 if verification fails.
    pub(crate) fn answer(&self, api: &Api) -> Result<Proof, ApiError> {
        self.check(api, self.find(api)?)
    }

    /// Locates the subject, which shows whether a proof exists.
    pub(crate) fn find(&self, api: &Api) -> Result<LocatedSubject, ApiError> {
        let refused = |error| api.refused(Some(self.chain), error);
        let which = match self.fixed {
            Some(fixed) => fixed,
            None if self.has_note => api.prover.noted().map_err(refused)?,
            None => SuperRootChoice::Latest,
        };
        self.find_under(api, api.prover.published(which).map_err(refused)?)
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
        if let Some(BlockAsk::Number(number)) = self.target.block() {
            api.still_stands(self.chain, number)?;
        }
        if self.fixed.is_none() && self.target.block() == Some(BlockAsk::Latest) {
            // the newest anchored block is not the newest of a chain that stands still
            api.still_moves(self.chain)?;
        }
        let refused = |error| self.refused(api, &published, error);
        // one SuperRoot for the whole answer, even if the next is published meanwhile
        let at = SuperRootChoice::Sequence(published.super_root.sequence);
        let few_levels = self.level.is_some_and(|level| level <= ProofLevel::Block);
        let (bundle, is_anchored) = match self.prove(api, &published, at) {
            Ok(bundle) => (bundle, true),
            Err(ProveError::NotAnchored { held: true, .. }) if few_levels => {
                (self.prove(api, &published, SuperRootChoice::Unanchored).map_err(refused)?, false)
            }
            Err(error) => return Err(refused(error)),
        };
        let block_hash = bundle.block.as_ref().map(|block| block.block_hash);
        let mut bundle = bundle.up_to(self.level.unwrap_or(ProofLevel::SuperRoot));
        if self.has_note {
            bundle = api.prover.with_note(bundle).map_err(refused)?;
        }
        let statement = bundle.statement;
        let contest = block_hash.map(|hash| api.contest(statement.chain, statement.number, &hash));
        let contest = contest.transpose()?.flatten();
        // a block that is not anchored may still be replaced, one that is taken back may stand again
        let never_changes =
            is_anchored && !self.is_about_finality && !self.has_note && contest.is_none();
        let is_fixed = self.fixed.is_some() && never_changes;
        Ok(LocatedSubject { bundle, published, is_anchored, contest, is_fixed })
    }

    /// Verifies a located subject as a client would: 500 if verification fails, 410 if the block was withdrawn.
    pub(crate) fn check(&self, api: &Api, found: LocatedSubject) -> Result<Proof, ApiError> {
        let LocatedSubject { bundle, published, is_anchored, contest, is_fixed } = found;
        let policy = Policy::strict(api.registry.proof_registry());
        let facts = api.prover.verify(&bundle, &policy, &published);
        let (facts, held) = facts.map_err(|error| match error.fault {
            // by a SuperRoot of before, or before the next one says so
            ProofFault::Withdrawn { chain, number } => ApiError::withdrawn(chain, number),
            _ => {
                tracing::error!(chain.id = %self.chain, %error, "a proof made here does not hold");
                ApiError::internal()
            }
        })?;
        let leads_elsewhere = facts.super_root_hash().is_some_and(|hash| hash != published.hash);
        if leads_elsewhere {
            tracing::error!(chain.id = %self.chain, "a proof made here leads to another SuperRoot");
            return Err(ApiError::internal());
        }
        Ok(Proof { bundle, facts, held, published, is_anchored, contest, is_fixed })
    }

    /// Batch item under this SuperRoot, with service claims. Recent text for the same question is reused.
    pub(super) fn item(
        &self,
        api: &Api,
        published: &Arc<Published>,
        cache: &Arc<ResponseCache>,
    ) -> Result<Bytes, ApiError> {
        let Self { chain, target, fixed, has_note, .. } = *self;
        // what is asked for as the newest, or with the newest note, is another one in a moment
        let is_same = target.block() != Some(BlockAsk::Latest) && !has_note;
        let address = format!("{} {} {chain} {target:?}", published.hash, fixed.is_some());
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

    /// API error for a prover error. Under a named SuperRoot nothing changes, so a retry does not help. A recorded log
    /// cannot tell whether unrecorded data exists or will come.
    fn refused(&self, api: &Api, published: &Published, error: ProveError) -> ApiError {
        let reference = published.reference(self.chain).map(|(_, reference)| *reference);
        if let ProveError::NotAnchored { chain, number, .. } = error
            && let Err(withdrawn) = api.still_stands(chain, number)
        {
            return withdrawn;
        }
        match error {
            ProveError::NotAnchored { chain, number, anchored, .. } if self.fixed.is_some() => {
                let what = match self.target.block() {
                    Some(BlockAsk::Latest) => "the newest block".to_owned(),
                    _ => format!("block {number}"),
                };
                let sequence = published.super_root.sequence;
                ApiError::not_under(chain, &what, sequence, anchored)
            }
            ProveError::NotAnchored {
                chain, number, anchored: Some(last), held: false, ..
            } if api.is_complete_recording() => {
                let scanned = reference.map(|reference| (reference.start, last));
                let why = format!("the recordings end at block {last}, before block {number}");
                ApiError::not_indexed(chain, scanned, &why)
            }
            ProveError::NotFound { chain, checked_to, .. } if self.is_unrecorded(api) => {
                let scanned = reference.map(|one| one.start).zip(checked_to);
                let why = self.left_out(api).unwrap_or_else(|| {
                    "no recording of the block was taken, which says nothing of whether the chain \
                     has it"
                        .to_owned()
                });
                ApiError::not_indexed(chain, scanned, &why)
            }
            ProveError::NotIndexed { chain, scanned, extent, why } => {
                // a hash does not say in which block it is
                let within = match (extent, self.target.block()) {
                    (Some(_), Some(BlockAsk::Number(number))) => Some((number, number)),
                    (Some(_), Some(BlockAsk::Latest) | None) => None,
                    (None, _) => scanned,
                };
                let block = scanned.filter(|(from, to)| from == to);
                if let Some(withheld) = block.and_then(|block| api.withheld(chain, block, "")) {
                    return withheld;
                }
                let row = api.registry.by_key(chain).map(|(_, row)| row);
                let ranges = row.map_or(&[][..], |row| row.ledger.unprovable());
                let reason =
                    within.and_then(|within| Some((within.0, never_held(ranges, within)?)));
                match (reason, extent) {
                    (Some((number, reason)), Some(_)) if reason.what == UnprovablePart::Body => {
                        let why = &reason.why;
                        let why = format!("the body of block {number} cannot be recomputed: {why}");
                        ApiError::not_provable(chain, &why)
                    }
                    // nothing that can be done brings what is missing
                    (Some((_, reason)), _) => {
                        let why = format!(
                            "{why}; of some of its blocks more can never be held, whatever is \
                             watched or repaired: {}",
                            reason.why
                        );
                        ApiError::not_indexed(chain, scanned, &why)
                    }
                    (None, None) if api.whole_to(chain).is_some() => {
                        ApiError::not_found(chain, &self.entry(), api.whole_to(chain))
                    }
                    (None, _) => {
                        let why = match self.target.is_by_hash() && api.lacks_hashes(chain) {
                            true => format!(
                                "{why}; of some blocks the receipts alone are held and the hashes of \
                                 transactions are not"
                            ),
                            false => why,
                        };
                        let hint = match (self.target.is_by_hash(), row) {
                            (true, Some(row)) => api.withheld_hint(row),
                            _ => String::new(),
                        };
                        let why = if hint.is_empty() { why } else { format!("{why}; {hint}") };
                        let error = ProveError::NotIndexed { chain, scanned, extent, why };
                        api.refused(Some(self.chain), error)
                    }
                }
            }
            other => api.refused(Some(self.chain), other),
        }
    }

    fn entry(&self) -> String {
        match self.target {
            ProofTarget::Transaction(hash, _)
            | ProofTarget::EventByHash { transaction: hash, .. } => {
                format!("transaction {hash}")
            }
            ProofTarget::Block(_) | ProofTarget::Event { .. } | ProofTarget::Absence { .. } => {
                "it".to_owned()
            }
        }
    }

    /// Whether the block is missing from a recorded log.
    fn is_unrecorded(&self, api: &Api) -> bool {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return false };
        let is_missing =
            || matches!(api.prover.block(self.chain, number), Err(ProveError::NotFound { .. }));
        api.prover.network() == Network::Recorded && is_missing()
    }

    /// Reason why the block's recording was left out, if any.
    fn left_out(&self, api: &Api) -> Option<String> {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return None };
        let refused = read::load_refused(api.prover.store(), self.chain, number).ok()??;
        let reason = refused.reason;
        Some(format!("the recording of block {number} was left out: {reason}"))
    }

    fn prove(
        &self,
        api: &Api,
        published: &Published,
        at: SuperRootChoice,
    ) -> Result<Bundle, ProveError> {
        let prover = &api.prover;
        let chain = self.chain;
        match self.target {
            ProofTarget::Block(block) => {
                prover.prove_block(chain, self.number(published, block)?, at)
            }
            ProofTarget::Transaction(hash, occurrence) => {
                prover.prove_transaction_at(chain, &hash, occurrence, at)
            }
            ProofTarget::Event { block, tx_index, log_index } => {
                let number = self.number(published, block)?;
                prover.prove_event(chain, number, tx_index, log_index, at)
            }
            ProofTarget::EventByHash { transaction, occurrence, log_index } => {
                prover.prove_event_at(chain, (&transaction, occurrence), log_index, at)
            }
            ProofTarget::Absence { block, tx_index } => {
                prover.prove_absence(chain, self.number(published, block)?, tx_index, at)
            }
        }
    }

    fn number(&self, published: &Published, block: BlockAsk) -> Result<BlockNumber, ProveError> {
        let number = match block {
            BlockAsk::Number(number) => return Ok(number),
            BlockAsk::Latest => published.reference(self.chain),
        };
        let none = || ProveError::NotAnchored {
            chain: self.chain,
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

impl Proof {
    /// Answer in this shape, with service claims marked as unproven.
    pub(crate) fn into_answer(
        self,
        api: &Api,
        shape: Shape,
        cache: &ResponseCache,
    ) -> Result<ApiAnswer, ApiError> {
        let chain = self.facts.statement.chain;
        let text = self.text(api, shape, cache)?;
        Ok(ApiAnswer::of_text(text).about(chain).under(self.published, self.is_fixed))
    }

    fn text(&self, api: &Api, shape: Shape, cache: &ResponseCache) -> Result<Vec<u8>, ApiError> {
        let proven = (&self.bundle, &*self.facts);
        let extras = self.extras(api, shape)?;
        let beside = || self.beside_event(api);
        let base = cache.base_text(proven, self.held.as_ref(), shape, beside)?;
        Ok(render_answer(proven.0, proven.1, shape, &base, (&extras, &extras.names())))
    }

    /// Whether the proof is unchanged until the next SuperRoot: anchored and not reorganised.
    pub(crate) const fn is_settled(&self) -> bool {
        self.is_anchored && self.contest.is_none()
    }

    pub(crate) fn block(&self) -> Option<(ChainKey, BlockNumber, Hash)> {
        let statement = self.facts.statement;
        Some((statement.chain, statement.number, self.facts.block_hash?))
    }

    /// Proof alone, as a `.srproof` file.
    pub(crate) fn into_file(self) -> ApiAnswer {
        let chain = self.facts.statement.chain;
        ApiAnswer::of_file(self.bundle.encode()).about(chain).under(self.published, self.is_fixed)
    }

    /// Unproven members.
    fn extras(&self, api: &Api, shape: Shape) -> Result<Extras, ApiError> {
        let ServiceClaims { anchor_status, is_final, is_retracted, evidence, finality, retraction } =
            self.beside(api)?;
        let commitment = || evidence::commitment(evidence.as_ref(), is_retracted);
        Ok(Extras {
            anchor_status,
            finality,
            is_finalized: (shape == Shape::LambdaBlock).then_some(is_final && !is_retracted),
            l6_finality_commitment: (shape == Shape::Blob).then(commitment),
            retraction,
        })
    }

    /// Service claims. Live members are omitted under a named SuperRoot, which makes the answer immutable.
    pub(crate) fn beside(&self, api: &Api) -> Result<ServiceClaims, ApiError> {
        let statement = self.facts.statement;
        let refused = |error| api.refused(Some(statement.chain), error);
        let row = api.prover.block(statement.chain, statement.number).map_err(refused)?;
        let is_retracted = self.contest.as_ref().is_some_and(|contest| contest.stands);
        let why = api.prover.evidence(statement.chain, &row).map_err(refused)?;
        let retraction = self.contest.as_ref();
        Ok(ServiceClaims {
            anchor_status: if self.is_anchored { "anchored" } else { "pending" },
            is_final: row.is_final(),
            is_retracted,
            finality: (!self.is_fixed).then(|| evidence::describe(why.as_ref(), is_retracted)),
            evidence: why,
            retraction: retraction.map(|one| retraction::body(statement.chain, &one.retraction)),
        })
    }

    /// Unproven event data; empty in a proof without event. Includes the transaction hash if the receipt is proven
    /// without it.
    pub(crate) fn beside_event(&self, api: &Api) -> Result<BesideEvent, ApiError> {
        let Facts { statement, transaction, receipt, block_hash, .. } = &*self.facts;
        let ProofSubject::Log { tx_index, log_index } = statement.subject else {
            return Ok(BesideEvent::default());
        };
        let block = (statement.number, *block_hash);
        let found = api.prover.event_in_block(statement.chain, block, tx_index, log_index);
        let found = found.map_err(|error| api.refused(Some(statement.chain), error))?;
        let is_unproven = transaction.is_none() && receipt.is_some();
        Ok(BesideEvent {
            log_index_in_block: found.log_index,
            transaction_hash: found.transaction_hash.filter(|_| is_unproven),
        })
    }
}

impl Extras {
    fn names(&self) -> Vec<&'static str> {
        let names = [
            Some("anchorStatus"),
            self.finality.as_ref().map(|_| "finality"),
            self.is_finalized.map(|_| "isFinalized"),
            self.l6_finality_commitment.map(|_| "l6FinalityCommitment"),
            self.retraction.as_ref().map(|_| "retraction"),
        ];
        names.into_iter().flatten().collect()
    }
}

/// First permanent gap in these blocks, if any.
fn never_held(
    ranges: &[UnprovableRange],
    (first, last): (BlockNumber, BlockNumber),
) -> Option<&UnprovableRange> {
    ranges
        .iter()
        .find(|range| range.from_number <= last.0 && range.to_number.is_none_or(|to| first.0 <= to))
}

#[cfg(test)]
mod tests {
    use superroot_chain::ChainRegistry;

    use super::*;

    /// Who asks for an entry that nobody can prove must not be sent for a watch list in vain.
    #[test]
    fn what_can_never_be_held_is_said_where_it_may_be_meant() {
        let rows = |name| ChainRegistry::builtin().find(name).unwrap().ledger.unprovable();
        let among =
            |name, first, last| never_held(rows(name), (BlockNumber(first), BlockNumber(last)));
        assert!(among("polygon", 90_000_000, 90_000_100).unwrap().why.contains("state-sync"));
        assert!(among("polygon", 80_084_799, 80_084_800).is_some(), "it begins with the last");
        assert_eq!(among("polygon", 5, 80_084_799), None);
        assert!(among("celo", 31_056_499, 40_000_000).is_some());
        assert_eq!(among("celo", 31_056_500, 40_000_000), None);
        assert_eq!(among("base", 0, u64::MAX), None);
    }
}
