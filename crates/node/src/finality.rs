//! Collects consensus evidence from endpoints besides the block nodes.
//!
//! ```text
//! source ──► evidence about a final block, steps of sets ──► checked by the set before ──► store
//! ```
//! A block becomes final by the agreement of nodes, with or without this. Evidence that names another block than the
//! nodes agreed on is reported and not stored.

mod contradiction;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_chain::ChainSpec;
use superroot_chain::finality::{SetPin, finality_params};
use superroot_proof::finality::{
    ConflictStatements, ConsensusEvidence, FinalityConflict, FinalityParams, FinalitySet, Refusal,
    Verdict, check_evidence,
};
use superroot_source::finality::{FinalitySource, FinalitySourceError, NewestFinal};
use superroot_store::layout::BlockRow;
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, Network, UnixSeconds};
use tokio::task::spawn_blocking;

pub(crate) use self::contradiction::CONTRADICTIONS;
use self::contradiction::{contradicted, halt_by_conflict};
use crate::stage::{Next, RunnerStage, StageName};

/// Steps asked for at once.
const STEPS_AT_ONCE: u64 = 16;
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Most time for an endpoint's evidence or steps.
const SOURCE_TIME_MAX: Duration = Duration::from_secs(120);
/// Pause for chains without links: each block needs evidence of its own.
const PAUSE_OF_EACH: Duration = Duration::from_secs(5);
/// Blocks without evidence at once, for chains without links.
const BLOCKS_AT_ONCE: u64 = 64;
/// Most blocks below the newest that get evidence later, for chains without links.
const BEHIND_MAX: u64 = 4_096;
/// Pause between milestones: fifteen blocks of Polygon or more.
const MILESTONE_PAUSE: Duration = Duration::from_secs(30);
pub(crate) const EVIDENCE: &str = "superroot_finality_evidence_total";

/// Collector of one chain.
pub(crate) struct FinalityCollector {
    row: ChainSpec,
    params: FinalityParams,
    source: Arc<dyn FinalitySource>,
    store: Arc<dyn Store>,
    trust: SetTrust,
    pause: Duration,
}

/// Trust in signers, and its use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetTrust {
    /// First trusted set, from the configuration.
    pub(crate) pin: Option<SetPin>,
    /// Whether final blocks wait for evidence.
    pub(crate) is_gated: bool,
}

/// Outcome for evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EvidenceOutcome {
    Stored,
    /// Stored before, or about a missing block.
    NotNew,
    /// Signed by an unknown set.
    SetMissing(u64),
    /// Signed by a different set with the number of a known one.
    OtherSet(u64),
}

impl FinalityCollector {
    /// `None` for a chain without a known evidence kind.
    pub(crate) fn new(
        row: &ChainSpec,
        network: Network,
        source: Arc<dyn FinalitySource>,
        store: Arc<dyn Store>,
        trust: SetTrust,
    ) -> Option<Self> {
        let params = finality_params(row, network)?;
        let pause = match &params {
            // several times an epoch
            FinalityParams::Beacon(params) => {
                let epoch = params.epoch_slots.saturating_mul(params.slot_seconds);
                Duration::from_secs(epoch / 4).clamp(Duration::from_secs(1), PAUSE_MAX)
            }
            FinalityParams::LedgerInfo(_) => PAUSE_OF_EACH,
            // a link of headers leads to the next milestone with evidence, also past a failed fetch
            FinalityParams::Milestone(_) => MILESTONE_PAUSE,
            _ => PAUSE_MAX,
        };
        Some(Self { row: row.clone(), params, source, store, trust, pause })
    }

    async fn collect(&self, now: UnixSeconds) -> anyhow::Result<()> {
        let mut held = self.newest_final().await?;
        if self.trust.is_gated {
            // blocks to come wait for evidence, also the first one
            let first = NewestFinal { number: BlockNumber(0), hash: Hash::ZERO, timestamp: now };
            let newest = held.get_or_insert(first);
            if matches!(self.params, FinalityParams::Milestone(_)) {
                newest.number = BlockNumber(u64::MAX);
            }
        }
        let Some(held) = held else { return Ok(()) };
        let mut known = None;
        for block in self.wanted(held).await? {
            known = self.collect_about(block, now).await?.or(known);
        }
        if let Some(signer) = known {
            // the signers, also of a block that is not final here yet; and the set behind, as soon as it is named
            self.fetch_sets(signer, now).await?;
            self.fetch_sets(signer.saturating_add(1), now).await?;
        }
        Ok(())
    }

    /// Collects evidence about a block. Returns the signers' number, if the set was known before.
    async fn collect_about(
        &self,
        block: NewestFinal,
        now: UnixSeconds,
    ) -> anyhow::Result<Option<u64>> {
        let evidence = in_time(self.source.fetch_newest(block)).await?;
        match self.put(evidence.clone(), now).await? {
            EvidenceOutcome::SetMissing(set) => {
                self.fetch_sets(set, now).await?;
                self.put(evidence, now).await?;
                Ok(None)
            }
            EvidenceOutcome::OtherSet(set) => {
                self.compare_steps(set, now).await?;
                anyhow::bail!("false evidence: {}", Refusal::Signature)
            }
            EvidenceOutcome::Stored | EvidenceOutcome::NotNew => Ok(evidence.signer(&self.params)),
        }
    }

    /// Fetches the step to a known set again: two steps to two sets exclude each other.
    async fn compare_steps(&self, set: u64, now: UnixSeconds) -> anyhow::Result<()> {
        let Some(before) = set.checked_sub(1) else { return Ok(()) };
        let steps = in_time(self.source.fetch_steps(before, 1)).await?;
        let Some((_, other)) = steps.into_iter().find(|(number, _)| *number == before) else {
            return Ok(());
        };
        let (store, row, params) = (self.store.clone(), self.row.clone(), self.params.clone());
        let compare = spawn_blocking(move || {
            let held = read::load_set_step(&*store, row.key(), before)?;
            let signers = named_set(&*store, &row, &params, before)?;
            let (Some(held), Some(signers)) = (held, signers) else { return Ok(()) };
            let set = signers.encode();
            let statements = ConflictStatements::Sets([held, other]);
            let conflict = FinalityConflict { set, statements };
            halt_by_conflict(&*store, (&row, &params), &conflict, now)
        });
        compare.await.context("comparing steps panicked")?
    }

    /// Blocks to ask evidence about, rising: the newest; for a chain without links those after the last with evidence.
    async fn wanted(&self, newest: NewestFinal) -> anyhow::Result<Vec<NewestFinal>> {
        if !matches!(self.params, FinalityParams::LedgerInfo(_)) {
            return Ok(vec![newest]);
        }
        let (store, chain) = (self.store.clone(), self.row.key());
        let found = spawn_blocking(move || {
            let signed = read::load_signed_to(&*store, chain, newest.number)?;
            let range = unsigned_range(signed.map(|last| last.number), newest.number);
            let limit = usize::try_from(BLOCKS_AT_ONCE).unwrap_or(usize::MAX);
            let blocks = read::load_blocks(&*store, chain, range, limit)?;
            let blocks = blocks.into_iter().filter(|(_, block)| block.is_final());
            let one = |(number, block): (BlockNumber, BlockRow)| NewestFinal {
                number,
                hash: block.hash,
                timestamp: block.timestamp,
            };
            anyhow::Ok(blocks.map(one).collect())
        });
        found.await.context("reading blocks without evidence panicked")?
    }

    async fn newest_final(&self) -> anyhow::Result<Option<NewestFinal>> {
        let (store, chain) = (self.store.clone(), self.row.key());
        let found = spawn_blocking(move || {
            let state = read::load_chain_state(&*store, chain)?;
            let Some(tip) = state.and_then(|state| state.indexed) else { return Ok(None) };
            let block = read::load_block(&*store, chain, tip.number)?;
            anyhow::Ok(block.map(|block| NewestFinal {
                number: tip.number,
                hash: block.hash,
                timestamp: block.timestamp,
            }))
        });
        found.await.context("reading the newest final block panicked")?
    }

    /// Stores checked evidence about a stored final block.
    async fn put(
        &self,
        evidence: ConsensusEvidence,
        now: UnixSeconds,
    ) -> anyhow::Result<EvidenceOutcome> {
        let (store, row, params) = (self.store.clone(), self.row.clone(), self.params.clone());
        let is_gated = self.trust.is_gated;
        let put = spawn_blocking(move || {
            let signer = evidence.signer(&params).context("malformed evidence")?;
            let number = evidence.number;
            let held = read::load_signed_from(&*store, row.key(), number, number)?;
            let block = read::load_block(&*store, row.key(), number)?;
            let block = block.filter(|block| block.is_final());
            // final blocks that wait for evidence come later
            let is_early = block.is_none() && !is_gated;
            let is_held = held.as_ref().is_some_and(|held| held.hash == evidence.hash);
            if is_held || (held.is_none() && is_early) {
                return Ok(EvidenceOutcome::NotNew);
            }
            let Some(set) = named_set(&*store, &row, &params, signer)? else {
                return Ok(EvidenceOutcome::SetMissing(signer));
            };
            if let Some(held) = held {
                let statements = ConflictStatements::Blocks([held, evidence]);
                let conflict = FinalityConflict { set: set.encode(), statements };
                halt_by_conflict(&*store, (&row, &params), &conflict, now)?;
                return Ok(EvidenceOutcome::NotNew);
            }
            match check_evidence(&params, &set, &evidence, while_trusted(&set, &params, now)) {
                Verdict::Shown(_) => {}
                Verdict::NotEnough(why) => anyhow::bail!("evidence: {why}"),
                Verdict::Refusal(Refusal::Signature) => {
                    return Ok(EvidenceOutcome::OtherSet(signer));
                }
                Verdict::Refusal(why) => anyhow::bail!("false evidence: {why}"),
            }
            if let Some(block) = block.filter(|block| block.hash != evidence.hash) {
                // the number is the source's own word
                let place = params.place_at(number, block.timestamp);
                anyhow::ensure!(
                    evidence.place(&params) == Some(place),
                    "evidence about another block than number {number}"
                );
                contradicted(&*store, &row, (&evidence, block.hash), is_gated.then_some(now))?;
                return Ok(EvidenceOutcome::NotNew);
            }
            let mut batch = WriteBatch::new();
            write::put_evidence(&mut batch, row.key(), &evidence);
            store.commit(batch)?;
            metrics::counter!(EVIDENCE, "chain" => row.slug.clone()).increment(1);
            Ok(EvidenceOutcome::Stored)
        });
        put.await.context("storing evidence panicked")?
    }

    /// Fetches steps until set `needed` is named: after the last stored step, else from the step to the pinned set, else
    /// only the step to set `needed`.
    async fn fetch_sets(&self, needed: u64, now: UnixSeconds) -> anyhow::Result<()> {
        loop {
            let (store, chain) = (self.store.clone(), self.row.key());
            let range = spawn_blocking(move || read::load_set_range(&*store, chain));
            let range = range.await.context("reading sets panicked")??;
            let pinned = self.trust.pin.map(|pin| pin.number.min(needed));
            let begin = pinned.unwrap_or(needed).saturating_sub(1);
            let first = range.map_or(begin, |(_, last)| last.saturating_add(1));
            // sets before the pinned one show nothing here
            if first >= needed || self.trust.pin.is_some_and(|pin| needed < pin.number) {
                return Ok(());
            }
            let count = needed.saturating_sub(first).min(STEPS_AT_ONCE);
            let steps = in_time(self.source.fetch_steps(first, count)).await?;
            if steps.is_empty() {
                return Ok(());
            }
            self.put_steps(steps, now).await?;
        }
    }

    /// Stores checked steps; the very first step is unchecked, apart from the pinned id.
    async fn put_steps(&self, steps: Vec<(u64, Vec<u8>)>, now: UnixSeconds) -> anyhow::Result<()> {
        let (store, row, params) = (self.store.clone(), self.row.clone(), self.params.clone());
        let pin = self.trust.pin;
        let put = spawn_blocking(move || {
            let mut batch = WriteBatch::new();
            let mut known = None;
            for (number, step) in steps {
                if known.is_none() {
                    known = named_set(&*store, &row, &params, number)?;
                }
                let next = match &known {
                    // clients judge how old their own set is: a service goes on after any pause
                    Some(set) => {
                        match set.advance(&params, &step, while_trusted(set, &params, now)) {
                            Verdict::Shown(next) => next,
                            Verdict::NotEnough(why) => anyhow::bail!("step {number}: {why}"),
                            Verdict::Refusal(why) => anyhow::bail!("false step {number}: {why}"),
                        }
                    }
                    None => FinalitySet::named_by(&params, &step)
                        .with_context(|| format!("step {number} names no set"))?,
                };
                if let Some(pin) =
                    pin.filter(|pin| pin.number == next.number() && pin.id != next.id())
                {
                    anyhow::bail!(
                        "set {} has the id {}, pinned is {}",
                        pin.number,
                        next.id(),
                        pin.id
                    );
                }
                write::put_set_step(&mut batch, row.key(), number, step);
                known = Some(next);
            }
            Ok(store.commit(batch)?)
        });
        put.await.context("storing steps panicked")?
    }
}

/// Answer of a source that does not take for ever.
async fn in_time<T>(
    asked: impl Future<Output = Result<T, FinalitySourceError>>,
) -> anyhow::Result<T> {
    let answer = tokio::time::timeout(SOURCE_TIME_MAX, asked).await;
    Ok(answer.context("the endpoint takes too long")??)
}

/// Blocks without evidence up to the newest, by the last one with evidence.
fn unsigned_range(signed: Option<BlockNumber>, newest: BlockNumber) -> Range<BlockNumber> {
    let after = signed.map_or(newest.0, |last| last.0.saturating_add(1));
    let first = after.max(newest.0.saturating_sub(BEHIND_MAX));
    let end = newest.0.saturating_add(1).min(first.saturating_add(BLOCKS_AT_ONCE));
    BlockNumber(first)..BlockNumber(end)
}

/// The time now, or the last one at which a set is trusted.
pub(crate) fn while_trusted(
    set: &FinalitySet,
    params: &FinalityParams,
    now: UnixSeconds,
) -> UnixSeconds {
    set.trusted_until(params).map_or(now, |until| now.min(until))
}

/// Set named by the stored step before.
pub(crate) fn named_set(
    store: &dyn Store,
    row: &ChainSpec,
    params: &FinalityParams,
    number: u64,
) -> anyhow::Result<Option<FinalitySet>> {
    let Some(before) = number.checked_sub(1) else { return Ok(None) };
    let signing = params.signing_chain().unwrap_or(row.key());
    let step = read::load_set_step(store, signing, before)?;
    Ok(step.and_then(|step| FinalitySet::named_by(params, &step)))
}

impl RunnerStage for FinalityCollector {
    fn name(&self) -> StageName {
        StageName::Finality
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        let collected = self.collect(now).await;
        if let Err(error) = &collected {
            let chain = self.row.key();
            tracing::warn!(chain.id = %chain, "no evidence of finality: {error:#}");
        }
        Ok(Next { pause: Some(self.pause), has_failed: collected.is_err() })
    }
}

#[cfg(test)]
mod tests;
