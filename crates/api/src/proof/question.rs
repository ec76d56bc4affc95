//! From a request to a proof that was checked before it leaves, and its JSON form.

use std::sync::Arc;

use axum::body::Bytes;
use serde::Serialize;
use superroot_accumulate::Published;
use superroot_accumulate::prove::{Occurrence, ProveError, Which};
use superroot_chain::{Evidence, Unprovable, UnprovablePart};
use superroot_proof::bundle::{Bundle, Facts, Fault, HeldBase, Policy, Subject, Verified};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, Hash, Network, ProofLevel};
use superroot_wire::chain::Retraction;
use superroot_wire::finality::Finality;
use superroot_wire::{BesideEvent, Shape, batch_item, render_answer};

use super::is_still;
use crate::ApiError;
use crate::answer::Answer;
use crate::input::BlockAsk;
use crate::response_cache::{CacheSlot, CachedResponse, Media, Rendered, ResponseCache, Validity};
use crate::seen::Seen;
use crate::service::retraction::Contest;
use crate::service::{Api, Pace, Paces, evidence, retraction};

/// What a proof is asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A block.
    Block(BlockAsk),
    /// A transaction by its hash, at one of its places.
    Transaction(Hash, Occurrence),
    /// An event by its place.
    Event { block: BlockAsk, tx_index: u32, log_index: u32 },
    /// An event by the hash of its transaction.
    EventByHash { transaction: Hash, occurrence: Occurrence, log_index: u32 },
    /// That nothing stands at a position.
    Absence { block: BlockAsk, tx_index: u32 },
}

impl Target {
    /// Whether it is named by a hash, which may be one of what comes yet.
    pub(crate) const fn is_by_hash(&self) -> bool {
        matches!(self, Self::Transaction(..) | Self::EventByHash { .. })
    }

    /// How long such proofs take.
    pub(crate) const fn pace(self, paces: &Paces) -> &Arc<Pace> {
        match self {
            Self::Block(_) => &paces.blocks,
            _ => &paces.entries,
        }
    }

    /// The block that the request names.
    pub(crate) const fn block(&self) -> Option<BlockAsk> {
        match self {
            Self::Block(block) | Self::Event { block, .. } | Self::Absence { block, .. } => {
                Some(*block)
            }
            Self::Transaction(..) | Self::EventByHash { .. } => None,
        }
    }
}

/// A whole question for a proof.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    /// The chain.
    pub(crate) chain: ChainKey,
    /// What about it.
    pub(crate) target: Target,
    /// The SuperRoot named by the request.
    pub(crate) fixed: Option<Which>,
    /// Highest level wanted.
    pub(crate) level: Option<ProofLevel>,
    /// Whether the newest signed note is to stand in it.
    pub(crate) has_note: bool,
    /// Whether the answer is to name the evidence of finality even under a named SuperRoot.
    pub(crate) is_about_finality: bool,
}

/// What a question is about, found and not checked yet: nothing of it was hashed or written.
pub(crate) struct Found {
    bundle: Bundle,
    published: Arc<Published>,
    is_anchored: bool,
    contest: Option<Contest>,
    is_fixed: bool,
}

/// A proof that holds, ready to be written.
pub(crate) struct Proof {
    pub(crate) bundle: Bundle,
    pub(crate) facts: Verified<Facts>,
    /// Block and entry as they held, where the proof has a block.
    held: Option<Arc<HeldBase>>,
    /// SuperRoot it ends in, or under which it was made.
    pub(crate) published: Arc<Published>,
    /// Whether the block stands in that SuperRoot.
    pub(crate) is_anchored: bool,
    /// What was taken back that the block is, or stands on.
    contest: Option<Contest>,
    is_fixed: bool,
}

/// What the service says beside a proof; no hash shows it.
pub(crate) struct Beside {
    /// `anchored`, or `pending` above the SuperRoot.
    pub(crate) anchor_status: &'static str,
    /// Whether there is evidence that the block is final.
    is_final: bool,
    /// Whether nodes took it back since.
    is_retracted: bool,
    /// That evidence.
    evidence: Option<Evidence>,
    pub(crate) finality: Option<Finality>,
    pub(crate) retraction: Option<Retraction>,
}

/// The same as members of an answer; what its shape does not have is left out.
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

impl Question {
    /// Makes the proof, and checks it as a client would.
    ///
    /// # Errors
    /// What the prover says; 500 when the proof made does not hold.
    pub(crate) fn answer(&self, api: &Api) -> Result<Proof, ApiError> {
        self.check(api, self.find(api)?)
    }

    /// Finds what the question is about, which tells whether there is a proof.
    ///
    /// # Errors
    /// What the prover says.
    pub(crate) fn find(&self, api: &Api) -> Result<Found, ApiError> {
        let refused = |error| api.refused(Some(self.chain), error);
        let which = match self.fixed {
            Some(fixed) => fixed,
            None if self.has_note => api.prover.noted().map_err(refused)?,
            None => Which::Latest,
        };
        self.find_under(api, api.prover.published(which).map_err(refused)?)
    }

    /// The same under a SuperRoot that was looked up already: the one of the request, or the newest
    /// where it names none.
    ///
    /// # Errors
    /// As [`Question::answer`].
    pub(crate) fn answer_under(
        &self,
        api: &Api,
        published: Arc<Published>,
    ) -> Result<Proof, ApiError> {
        self.check(api, self.find_under(api, published)?)
    }

    fn find_under(&self, api: &Api, published: Arc<Published>) -> Result<Found, ApiError> {
        if let Some(BlockAsk::Number(number)) = self.target.block() {
            api.still_stands(self.chain, number)?;
        }
        if self.fixed.is_none() && self.target.block() == Some(BlockAsk::Latest) {
            // the newest anchored block is not the newest of a chain that stands still
            api.still_moves(self.chain)?;
        }
        let refused = |error| self.refused(api, &published, error);
        // one SuperRoot for the whole answer, even if the next is published meanwhile
        let at = Which::Sequence(published.super_root.sequence);
        let few_levels = self.level.is_some_and(|level| level <= ProofLevel::Block);
        let (bundle, is_anchored) = match self.prove(api, &published, at) {
            Ok(bundle) => (bundle, true),
            Err(ProveError::NotAnchored { held: true, .. }) if few_levels => {
                (self.prove(api, &published, Which::Unanchored).map_err(refused)?, false)
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
        Ok(Found { bundle, published, is_anchored, contest, is_fixed })
    }

    /// Checks what was found as a client would.
    ///
    /// # Errors
    /// 500 when the proof made does not hold; 410 where its block is withdrawn.
    pub(crate) fn check(&self, api: &Api, found: Found) -> Result<Proof, ApiError> {
        let Found { bundle, published, is_anchored, contest, is_fixed } = found;
        let policy = Policy::strict(api.registry.proof_registry());
        let facts = api.prover.verify(&bundle, &policy, &published);
        let (facts, held) = facts.map_err(|error| match error.fault {
            // by a SuperRoot of before, or before the next one says so
            Fault::Withdrawn { chain, number } => ApiError::withdrawn(chain, number),
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

    /// The proof as an item of a batch under that SuperRoot, with what is not proven beside it. What was written of the
    /// same question a moment ago is the same.
    ///
    /// # Errors
    /// As [`Question::answer`].
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
            let (media, bytes) = (Media::Json, bytes.clone());
            let rendered = Rendered { bytes, media, tag: None, chain: Some(chain), is_fixed: true };
            slot.put(rendered, Arc::clone(published));
        }
        Ok(bytes)
    }

    /// What the prover's error means for this question. Under a SuperRoot that the request names
    /// nothing ever changes, so asking again does not help. A recorded log has no word on what was
    /// not recorded: neither that it does not exist, nor that it will come.
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

    /// The entry that a request by hash is about.
    fn entry(&self) -> String {
        match self.target {
            Target::Transaction(hash, _) | Target::EventByHash { transaction: hash, .. } => {
                format!("transaction {hash}")
            }
            Target::Block(_) | Target::Event { .. } | Target::Absence { .. } => "it".to_owned(),
        }
    }

    /// Whether the block asked for is one that a recorded log does not hold.
    fn is_unrecorded(&self, api: &Api) -> bool {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return false };
        let is_missing =
            || matches!(api.prover.block(self.chain, number), Err(ProveError::NotFound { .. }));
        api.prover.network() == Network::Recorded && is_missing()
    }

    /// Why the recording of the block asked for was left out, where there is one.
    fn left_out(&self, api: &Api) -> Option<String> {
        let Some(BlockAsk::Number(number)) = self.target.block() else { return None };
        let refused = read::load_refused(api.prover.store(), self.chain, number).ok()??;
        let reason = refused.reason;
        Some(format!("the recording of block {number} was left out: {reason}"))
    }

    fn prove(&self, api: &Api, published: &Published, at: Which) -> Result<Bundle, ProveError> {
        let (prover, chain) = (&api.prover, self.chain);
        match self.target {
            Target::Block(block) => prover.prove_block(chain, self.number(published, block)?, at),
            Target::Transaction(hash, occurrence) => {
                prover.prove_transaction_at(chain, &hash, occurrence, at)
            }
            Target::Event { block, tx_index, log_index } => {
                let number = self.number(published, block)?;
                prover.prove_event(chain, number, tx_index, log_index, at)
            }
            Target::EventByHash { transaction, occurrence, log_index } => {
                prover.prove_event_at(chain, (&transaction, occurrence), log_index, at)
            }
            Target::Absence { block, tx_index } => {
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

impl Found {
    /// The answer without its body, where the caller has that or asked for the head alone.
    pub(crate) fn head(&self, seen: &Seen, is_file: bool) -> Option<Answer> {
        let tag = self.is_fixed.then(|| seen.tag(&self.published, is_file));
        if seen.needs_body(tag.as_deref()) {
            return None;
        }
        let mut answer = Answer::head(is_file);
        answer.tag = tag;
        let chain = self.bundle.statement.chain;
        Some(answer.about(chain).under(self.published.clone(), self.is_fixed))
    }
}

impl Proof {
    /// The answer in that shape, with what is not proven beside it, and named as that.
    ///
    /// # Errors
    /// The store's, as [`Api::refused`].
    pub(crate) fn into_answer(
        self,
        api: &Api,
        shape: Shape,
        cache: &ResponseCache,
    ) -> Result<Answer, ApiError> {
        let (chain, text) = (self.facts.statement.chain, self.text(api, shape, cache)?);
        Ok(Answer::of_text(text).about(chain).under(self.published, self.is_fixed))
    }

    /// Its text.
    fn text(&self, api: &Api, shape: Shape, cache: &ResponseCache) -> Result<Vec<u8>, ApiError> {
        let (proven, extras) = ((&self.bundle, &*self.facts), self.extras(api, shape)?);
        let beside = || self.beside_event(api);
        let base = cache.base_text(proven, self.held.as_ref(), shape, beside)?;
        Ok(render_answer(proven.0, proven.1, shape, &base, (&extras, &extras.names())))
    }

    /// Whether it is the same until the next SuperRoot: it stands in this one, and nobody took it back.
    pub(crate) const fn is_settled(&self) -> bool {
        self.is_anchored && self.contest.is_none()
    }

    /// The block that it proves.
    pub(crate) fn block(&self) -> Option<(ChainKey, BlockNumber, Hash)> {
        let statement = self.facts.statement;
        Some((statement.chain, statement.number, self.facts.block_hash?))
    }

    /// The proof alone, as a `.srproof` file.
    pub(crate) fn into_file(self) -> Answer {
        let chain = self.facts.statement.chain;
        Answer::of_file(self.bundle.encode()).about(chain).under(self.published, self.is_fixed)
    }

    /// Members that no hash shows.
    fn extras(&self, api: &Api, shape: Shape) -> Result<Extras, ApiError> {
        let Beside { anchor_status, is_final, is_retracted, evidence, finality, retraction } =
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

    /// What the service says beside the proof. Live members are left out where the SuperRoot was
    /// named: such an answer never changes.
    pub(crate) fn beside(&self, api: &Api) -> Result<Beside, ApiError> {
        let statement = self.facts.statement;
        let refused = |error| api.refused(Some(statement.chain), error);
        let row = api.prover.block(statement.chain, statement.number).map_err(refused)?;
        let is_retracted = self.contest.as_ref().is_some_and(|contest| contest.stands);
        let why = api.prover.evidence(statement.chain, &row).map_err(refused)?;
        let retraction = self.contest.as_ref();
        Ok(Beside {
            anchor_status: if self.is_anchored { "anchored" } else { "pending" },
            is_final: row.is_final(),
            is_retracted,
            finality: (!self.is_fixed).then(|| evidence::describe(why.as_ref(), is_retracted)),
            evidence: why,
            retraction: retraction.map(|one| retraction::body(statement.chain, &one.retraction)),
        })
    }

    /// What is known of the event besides the proof; nothing in a proof of no event. The hash of the transaction is that
    /// of one whose receipt is proven without it.
    pub(crate) fn beside_event(&self, api: &Api) -> Result<BesideEvent, ApiError> {
        let Facts { statement, transaction, receipt, block_hash, .. } = &*self.facts;
        let Subject::Log { tx_index, log_index } = statement.subject else {
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
    /// Names of those that are there.
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

/// What can never be held of some of these blocks, where there is such a part.
fn never_held(
    ranges: &[Unprovable],
    (first, last): (BlockNumber, BlockNumber),
) -> Option<&Unprovable> {
    ranges
        .iter()
        .find(|range| range.from_number <= last.0 && range.to_number.is_none_or(|to| first.0 <= to))
}

#[cfg(test)]
mod tests {
    use superroot_chain::Registry;

    use super::*;

    /// Who asks for an entry that nobody can prove must not be sent for a watch list in vain.
    #[test]
    fn what_can_never_be_held_is_said_where_it_may_be_meant() {
        let rows = |name| Registry::builtin().find(name).unwrap().ledger.unprovable();
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
