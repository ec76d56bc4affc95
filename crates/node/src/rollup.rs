//! Collects a rollup's evidence from Ethereum, and ancestors' hashes from the rollup's own states.
//!
//! ```text
//! evidence about Ethereum's block, stored ──► contract's proof in that state ──► checked ──► store
//! block of the rollup, every 32nd, fresh  ──► ancestors' hashes in that state ──► checked ──► store
//! ```
//! Nodes keep states for minutes: ancestors are fetched at once, the contract days later, from Ethereum's newest state.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_chain::ChainSpec;
use superroot_chain::finality::{HISTORY_STEP, finality_params, history_numbers};
use superroot_proof::finality::anchor::{
    AnchorBody, AnchorParams, EthereumPart, GameBlock, OUTPUT_ROOT,
};
use superroot_proof::finality::{
    ConsensusEvidence, FinalityKind, FinalityParams, LinkHeaders, Refusal, Verdict, check_evidence,
};
use superroot_proof::ledger::evm::{self, HistoryProof};
use superroot_proof::registry::HashRule;
use superroot_source::finality::{AnchorSource, ClaimedAnchor, NewestFinal};
use superroot_store::layout::BlockRow;
use superroot_store::{Store, WriteBatch, read, write};
use superroot_types::{BlockNumber, ChainKey, Network, UnixSeconds};
use tokio::task::spawn_blocking;

use crate::finality::{CONTRADICTIONS, EVIDENCE, named_set, while_trusted};
use crate::stage::{Next, RunnerStage, StageName};

const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Milliseconds for which ancestors are kept.
const KEPT_MS: u64 = 30 * 86_400 * 1_000;
/// Seconds for which nodes may still have a block's state.
const FRESH_SECONDS: u64 = 900;
/// Newest states with ancestors to ask for at once: nodes keep 128 states.
const STATES_AT_ONCE: u64 = 4;

/// Collector for a rollup.
pub(crate) struct AnchorCollector {
    rollup: Rollup,
    source: Arc<dyn AnchorSource>,
    /// Last tried block of Ethereum.
    tried: Option<BlockNumber>,
    pause: Duration,
}

/// A rollup in the store.
#[derive(Clone)]
struct Rollup {
    row: ChainSpec,
    anchor: AnchorParams,
    params: FinalityParams,
    store: Arc<dyn Store>,
}

/// Evidence about a block of Ethereum, and the block's header.
struct SignedEthereum {
    evidence: ConsensusEvidence,
    header: Vec<u8>,
    timestamp: UnixSeconds,
}

impl AnchorCollector {
    /// `None` for a chain without contracts on Ethereum.
    pub(crate) fn new(
        row: &ChainSpec,
        network: Network,
        source: Arc<dyn AnchorSource>,
        store: Arc<dyn Store>,
    ) -> Option<Self> {
        let params = finality_params(row, network)?;
        let FinalityParams::Anchor(anchor) = params.clone() else { return None };
        let states = Duration::from_millis(row.block_time_ms.saturating_mul(HISTORY_STEP) / 2);
        let pause = states.clamp(Duration::from_secs(1), PAUSE_MAX);
        let rollup = Rollup { row: row.clone(), anchor, params, store };
        Some(Self { rollup, source, tried: None, pause })
    }

    async fn collect(&mut self, now: UnixSeconds) -> anyhow::Result<()> {
        let history = self.collect_ancestors(now).await;
        let anchor = self.collect_anchor(now).await;
        history.and(anchor)
    }

    /// Stores missing ancestors' hashes for the newest states.
    async fn collect_ancestors(&self, now: UnixSeconds) -> anyhow::Result<()> {
        let rollup = self.rollup.clone();
        let wanted = spawn_blocking(move || rollup.states_without_ancestors(now)).await;
        let mut outcome = Ok(());
        // the newest first: a node may have forgotten the oldest
        for number in wanted.context("reading blocks panicked")?? {
            let proof = match self.source.fetch_history(number).await {
                Ok(Some(proof)) => proof,
                Ok(None) => continue,
                Err(error) => {
                    outcome = Err(error.into());
                    continue;
                }
            };
            let rollup = self.rollup.clone();
            let put = spawn_blocking(move || rollup.put_ancestors(number, &proof));
            outcome = put.await.context("storing ancestors panicked")?.and(outcome);
        }
        outcome
    }

    /// Stores evidence about the newest anchored block, once for each signed block of Ethereum.
    async fn collect_anchor(&mut self, now: UnixSeconds) -> anyhow::Result<()> {
        let (rollup, tried) = (self.rollup.clone(), self.tried);
        let signed = spawn_blocking(move || rollup.signed_ethereum(tried)).await;
        let Some(signed) = signed.context("reading Ethereum's evidence panicked")?? else {
            return Ok(());
        };
        let ConsensusEvidence { number, hash, .. } = signed.evidence;
        let at = NewestFinal { number, hash, timestamp: signed.timestamp };
        let claimed = self.source.fetch_contract(at).await?;
        // what the nodes answered would be the same again
        self.tried = Some(number);
        let Some(claimed) = claimed else { return Ok(()) };
        let rollup = self.rollup.clone();
        let put = spawn_blocking(move || rollup.put_anchor(signed, claimed, now));
        put.await.context("storing evidence panicked")?
    }
}

impl Rollup {
    fn key(&self) -> ChainKey {
        self.row.key()
    }

    fn states_without_ancestors(&self, now: UnixSeconds) -> anyhow::Result<Vec<BlockNumber>> {
        let state = read::load_chain_state(&*self.store, self.key())?;
        let Some(head) = state.and_then(|state| state.head) else { return Ok(Vec::new()) };
        let newest = head.number.0 / HISTORY_STEP;
        let mut wanted = Vec::new();
        for step in (newest.saturating_sub(STATES_AT_ONCE - 1)..=newest).rev() {
            let number = BlockNumber(step.saturating_mul(HISTORY_STEP));
            let Some(block) = self.block(number)? else { continue };
            let is_fresh = now.0.saturating_sub(block.timestamp.0) <= FRESH_SECONDS;
            if is_fresh
                && !history_numbers(number).is_empty()
                && !self.has_ancestors(number, &block)?
            {
                wanted.push(number);
            }
        }
        Ok(wanted)
    }

    /// Whether ancestors are held that are proven in this block's state: a replaced state's are not.
    fn has_ancestors(&self, number: BlockNumber, block: &BlockRow) -> anyhow::Result<bool> {
        let held = read::load_ancestors(&*self.store, self.key(), number)?;
        let first = held.and_then(|held| held.slot(held.words.first()?.0));
        let header = self.header(&block.header);
        Ok(first.zip(header).is_some_and(|(slot, header)| {
            slot.hash(self.anchor.history_blocks, number, &header.state_root).is_some()
        }))
    }

    fn block(&self, number: BlockNumber) -> anyhow::Result<Option<BlockRow>> {
        Ok(read::load_block(&*self.store, self.key(), number)?)
    }

    fn header(&self, bytes: &[u8]) -> Option<evm::Header> {
        let HashRule::Evm(layout) = self.anchor.rule else { return None };
        evm::Header::decode(layout, bytes).ok()
    }

    /// Stores ancestors' hashes after a check against the stored block's state.
    fn put_ancestors(&self, number: BlockNumber, proof: &HistoryProof) -> anyhow::Result<()> {
        let Some(block) = self.block(number)? else { return Ok(()) };
        let header = self.header(&block.header).context("the header is none of this rollup")?;
        for (ancestor, _) in &proof.words {
            let slot = proof.slot(*ancestor);
            let ring = self.anchor.history_blocks;
            let is_proven =
                slot.is_some_and(|slot| slot.hash(ring, number, &header.state_root).is_some());
            anyhow::ensure!(is_proven, "false proof of block {ancestor} in the state of {number}");
        }
        let mut batch = WriteBatch::new();
        write::put_ancestors(&mut batch, self.key(), number, proof);
        // no client takes evidence over so old a state: Ethereum's committees are trusted for 16 days
        let kept = KEPT_MS.checked_div(self.row.block_time_ms).unwrap_or(0) / HISTORY_STEP;
        if let Some(old) = number.0.checked_sub(kept.saturating_mul(HISTORY_STEP)) {
            write::delete_ancestors(&mut batch, self.key(), BlockNumber(old));
        }
        Ok(self.store.commit(batch)?)
    }

    /// Newest evidence about a block of Ethereum, if newer than the last tried, with the held header.
    fn signed_ethereum(
        &self,
        tried: Option<BlockNumber>,
    ) -> anyhow::Result<Option<SignedEthereum>> {
        let ethereum = self.anchor.ethereum;
        let newest = read::load_signed_to(&*self.store, ethereum, BlockNumber(u64::MAX - 1))?;
        let newest = newest.filter(|evidence| evidence.kind == FinalityKind::Beacon);
        let Some(evidence) = newest.filter(|newest| Some(newest.number) > tried) else {
            return Ok(None);
        };
        let block = read::load_block(&*self.store, ethereum, evidence.number)?;
        let block = block.filter(|block| block.hash == evidence.hash);
        Ok(block.map(|block| SignedEthereum {
            evidence,
            header: block.header,
            timestamp: block.timestamp,
        }))
    }

    /// Stores evidence about the contract's block, unless present.
    fn put_anchor(
        &self,
        signed: SignedEthereum,
        claimed: ClaimedAnchor,
        now: UnixSeconds,
    ) -> anyhow::Result<()> {
        let signer = {
            let params = FinalityParams::Beacon(self.anchor.beacon);
            signed.evidence.signer(&params).context("malformed evidence of Ethereum")?
        };
        let set = named_set(&*self.store, &self.row, &self.params, signer)?;
        let set = set.context("the committee of Ethereum's evidence is not held")?;
        let link: LinkHeaders = [signed.header].into_iter().collect();
        let ConsensusEvidence { number, hash, body, .. } = signed.evidence;
        let ethereum = EthereumPart { block: (number, hash), signed: body, link };
        let (mut other, mut failed) = (None, None);
        for number in self.candidates(&claimed.blocks)? {
            let Some(block) = self.block(number)?.filter(BlockRow::is_final) else { continue };
            if read::load_signed_from(&*self.store, self.key(), number, number)?.is_some() {
                return Ok(());
            }
            let proof = claimed.proof.clone();
            let body = AnchorBody { ethereum: ethereum.clone(), header: block.header, proof };
            let (hash, body) = (block.hash, body.encode());
            let evidence = ConsensusEvidence { kind: FinalityKind::Anchor, number, hash, body };
            let now = while_trusted(&set, &self.params, now);
            match check_evidence(&self.params, &set, &evidence, now) {
                Verdict::Shown(_) => {
                    let mut batch = WriteBatch::new();
                    write::put_evidence(&mut batch, self.key(), &evidence);
                    self.store.commit(batch)?;
                    metrics::counter!(EVIDENCE, "chain" => self.row.slug.clone()).increment(1);
                    return Ok(());
                }
                // the contract's own proof holds, and names another block
                Verdict::Refusal(
                    why @ (Refusal::Block { .. } | Refusal::Branch { part: OUTPUT_ROOT }),
                ) => other = Some(format!("block {number}: {why}")),
                Verdict::Refusal(why) => failed = Some(format!("block {number}: {why}")),
                Verdict::NotEnough(why) => failed = Some(format!("block {number}: {why}")),
            }
        }
        // a block that is not held is no fault: the contract may be further back than this log
        if let Some(why) = failed {
            anyhow::bail!("evidence about {why}");
        }
        let Some(why) = other else { return Ok(()) };
        metrics::counter!(CONTRADICTIONS, "chain" => self.row.slug.clone()).increment(1);
        tracing::error!(chain.id = %self.key(), "the contract on Ethereum holds another block: {why}");
        Ok(())
    }

    /// Stored blocks for a contract's claim.
    fn candidates(&self, blocks: &[GameBlock]) -> anyhow::Result<Vec<BlockNumber>> {
        let mut numbers = Vec::new();
        for block in blocks {
            match block {
                GameBlock::Number(number) => numbers.push(*number),
                GameBlock::Time(time) => numbers.extend(self.last_up_to(*time)?),
            }
        }
        Ok(numbers)
    }

    /// Last held final block up to a time.
    fn last_up_to(&self, time: UnixSeconds) -> anyhow::Result<Option<BlockNumber>> {
        let state = read::load_chain_state(&*self.store, self.key())?;
        let held = state.and_then(|state| Some((state.start, state.indexed?.number)));
        let Some((BlockNumber(mut low), BlockNumber(mut high))) = held else { return Ok(None) };
        let is_up_to = |number| -> anyhow::Result<bool> {
            let block = self.block(BlockNumber(number))?;
            Ok(block.is_some_and(|block| block.timestamp <= time))
        };
        // the block behind has to be held, with a later time
        if !is_up_to(low)? || is_up_to(high)? {
            return Ok(None);
        }
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            match is_up_to(middle)? {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        Ok(Some(BlockNumber(low)))
    }
}

impl RunnerStage for AnchorCollector {
    fn name(&self) -> StageName {
        StageName::Finality
    }

    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        let collected = self.collect(now).await;
        if let Err(error) = &collected {
            let chain = self.rollup.key();
            tracing::warn!(chain.id = %chain, "no evidence of finality: {error:#}");
        }
        Ok(Next { pause: Some(self.pause), has_failed: collected.is_err() })
    }
}
