//! Collects consensus evidence from endpoints besides the block nodes.
//!
//! ```text
//! source ──► evidence about a final block, steps of sets ──► checked by the set before ──► store
//! ```
//! A block becomes final by the agreement of nodes, with or without this. Evidence that names another block than the
//! nodes agreed on is reported and not stored.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_chain::ChainSpec;
use superroot_chain::finality::{SetPin, finality_params};
use superroot_collect::CollectError;
use superroot_proof::finality::{
    ConsensusEvidence, FinalityParams, FinalitySet, Verdict, check_evidence,
};
use superroot_source::finality::{FinalitySource, NewestFinal};
use superroot_store::layout::HaltRow;
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, Hash, Network, UnixSeconds};
use tokio::task::spawn_blocking;

use crate::stage::{Next, RunnerStage, StageName};

/// Steps asked for at once.
const STEPS_AT_ONCE: u64 = 16;
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Pause between milestones: fifteen blocks of Polygon or more.
const MILESTONE_PAUSE: Duration = Duration::from_secs(30);
pub(crate) const EVIDENCE: &str = "superroot_finality_evidence_total";
pub(crate) const CONTRADICTIONS: &str = "superroot_finality_contradictions_total";

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
            // a link of headers leads to the next milestone with evidence, also past a failed fetch
            FinalityParams::Milestone(_) => MILESTONE_PAUSE,
            _ => PAUSE_MAX,
        };
        Some(Self { row: row.clone(), params, source, store, trust, pause })
    }

    async fn collect(&self, now: UnixSeconds) -> anyhow::Result<()> {
        let first = NewestFinal { number: BlockNumber(0), hash: Hash::ZERO, timestamp: now };
        // the first final block may wait for evidence
        let held = self.newest_final().await?.or(self.trust.is_gated.then_some(first));
        let Some(held) = held else { return Ok(()) };
        let evidence = self.source.fetch_newest(held).await?;
        if let EvidenceOutcome::SetMissing(set) = self.put(evidence.clone(), now).await? {
            self.fetch_sets(set, now).await?;
            self.put(evidence, now).await?;
        } else if let Some(signer) = evidence.signer(&self.params) {
            // the signers, also of a block that is not final here yet; and the set behind, as soon as it is named
            self.fetch_sets(signer, now).await?;
            self.fetch_sets(signer.saturating_add(1), now).await?;
        }
        Ok(())
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
            let chain = row.key();
            let number = evidence.number;
            let held = read::load_signed_from(&*store, chain, number, number)?;
            if held.is_some() {
                return Ok(EvidenceOutcome::NotNew);
            }
            let block = read::load_block(&*store, chain, evidence.number)?;
            let block = block.filter(|block| block.is_final());
            // final blocks that wait for evidence come later
            if block.is_none() && !is_gated {
                return Ok(EvidenceOutcome::NotNew);
            }
            let nodes = block.map_or(evidence.hash, |block| block.hash);
            let signer = evidence.signer(&params).context("malformed evidence")?;
            let Some(set) = named_set(&*store, &row, &params, signer)? else {
                return Ok(EvidenceOutcome::SetMissing(signer));
            };
            match check_evidence(&params, &set, &evidence, while_trusted(&set, &params, now)) {
                Verdict::Shown(_) if nodes == evidence.hash => {}
                Verdict::Shown(_) => {
                    metrics::counter!(CONTRADICTIONS, "chain" => row.slug.clone()).increment(1);
                    tracing::error!(
                        chain.id = %chain, block.number = %evidence.number, nodes = %nodes,
                        consensus = %evidence.hash, "nodes agreed on another block than consensus"
                    );
                    if is_gated {
                        halt(&*store, &row, (number, nodes), &evidence, now)?;
                    }
                    return Ok(EvidenceOutcome::NotNew);
                }
                Verdict::NotEnough(why) => anyhow::bail!("evidence: {why}"),
                Verdict::Refusal(why) => anyhow::bail!("false evidence: {why}"),
            }
            let mut batch = WriteBatch::new();
            write::put_evidence(&mut batch, chain, &evidence);
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
            if first >= needed {
                return Ok(());
            }
            let count = needed.saturating_sub(first).min(STEPS_AT_ONCE);
            let steps = self.source.fetch_steps(first, count).await?;
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

/// Halts a chain whose nodes agreed on another block than its signers, and keeps the signers' evidence.
fn halt(
    store: &dyn Store,
    row: &ChainSpec,
    (number, nodes): (BlockNumber, Hash),
    evidence: &ConsensusEvidence,
    now: UnixSeconds,
) -> anyhow::Result<()> {
    let (chain, consensus) = (row.key(), evidence.hash);
    let error = CollectError::EvidenceContradicts { chain, number, nodes, consensus };
    let mut batch = WriteBatch::new();
    write::put_evidence(&mut batch, chain, evidence);
    write::put_halt(&mut batch, chain, &HaltRow { number, since: now, reason: error.to_string() });
    Ok(store.commit(batch)?)
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
