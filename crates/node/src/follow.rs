//! Stage for one chain: collects, reports the result and works on operator commands.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use superroot_api::{ChainStage, Claimed, LeftOut, Point, StatusBoard, StatusError};
use superroot_chain::ChainSpec;
use superroot_collect::{CollectError, CollectProgress, CollectStep, Collector, EvidenceGate};
use superroot_source::finality::{AnchorSource, FinalitySource};
use superroot_source::{BlockSource, Budget, ClaimedBlock, LiveNodes, NodesReport, SourceTip};
use superroot_store::{Store, StoreError, layout, read};
use superroot_types::{BlockNumber, Clock, ErrorKind, Network, SystemClock, UnixSeconds};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::admin::LoopCommand;
use crate::publish::{BehindOne, Searches};
use crate::stage::{Next, RunnerStage, StageName, backoff};

mod held;
mod nodes;
mod orders;
#[cfg(test)]
mod tests;
mod watches;

use held::{held_before, held_row, left_out_before, view_of};
pub(crate) use nodes::ChainNodes;
use orders::Working;
pub(crate) use watches::KeyWatches;
use watches::Watching;

/// Failures in a row after which others no longer wait for a chain with silent nodes.
const FAILURES_AWAITED: u32 = 3;
/// The same for a chain with answering nodes: time since the last good step.
const FAILING_AWAITED: Duration = Duration::from_secs(30);
/// Least time between two logged failures of a chain.
const LOG_AGAIN: Duration = Duration::from_secs(60);

pub(crate) struct PlannedChain {
    pub(crate) row: ChainSpec,
    pub(crate) source: Arc<dyn BlockSource>,
    pub(crate) collect: superroot_collect::CollectConfig,
    /// In-memory bytes, shared by all chains.
    pub(crate) budget: Budget,
    /// Evidence of finality, besides the nodes of blocks.
    pub(crate) finality: Option<EvidenceSource>,
    /// Evidence required for final blocks.
    pub(crate) gate: Option<Arc<dyn EvidenceGate>>,
}

/// Source of evidence of finality.
#[derive(Clone)]
pub(crate) enum EvidenceSource {
    /// The chain's own consensus.
    Consensus(Arc<dyn FinalitySource>),
    /// Contracts on Ethereum.
    Anchor(Arc<dyn AnchorSource>),
}

impl PlannedChain {
    pub(crate) fn collector(&self, store: Arc<dyn Store>) -> Collector {
        let source = self.source.clone();
        let row = self.row.clone();
        let collect = self.collect.clone();
        Collector::new(store, source, row, collect).within(&self.budget).gated(self.gate.clone())
    }
}

pub(crate) struct Follow {
    store: Arc<dyn Store>,
    chain: PlannedChain,
    collector: Collector,
    status: Arc<StatusBoard>,
    /// Dropped when the chain reaches the first known final block.
    behind: Option<BehindOne>,
    /// Newest final block at the first look.
    final_at_first: Option<BlockNumber>,
    /// Last good step, or the start of the first step.
    well_at: Instant,
    failures: u32,
    /// Reports searches back through final blocks.
    searches: Searches,
    orders: mpsc::Receiver<LoopCommand>,
    /// Command received during a wait.
    arrived: Option<LoopCommand>,
    working: Option<Working>,
    /// Whether the command had a turn since the last step.
    has_turned: bool,
    /// Next step; `None` before the first step and while halted.
    due: Option<Instant>,
    /// Whether an announced head makes the step due.
    listens: bool,
    has_begun: bool,
    /// Halting error, until an operator resumes the chain.
    stands_at: Option<String>,
    logged_at: Option<Instant>,
    watching: Watching,
}

pub(crate) struct ChainShared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) behind: BehindOne,
    pub(crate) searches: Searches,
    pub(crate) orders: mpsc::Receiver<LoopCommand>,
    pub(crate) watches: KeyWatches,
}

impl Follow {
    pub(crate) fn new(chain: PlannedChain, shared: ChainShared) -> Self {
        let ChainShared { store, status, behind, searches, orders, watches } = shared;
        let watching = Watching::new(watches, chain.collect.watch.clone());
        let collector = chain.collector(store.clone());
        searches.follow(chain.row.key(), collector.search());
        Self {
            store,
            collector,
            status,
            behind: Some(behind),
            final_at_first: None,
            well_at: Instant::now(),
            failures: 0,
            searches,
            orders,
            arrived: None,
            working: None,
            has_turned: false,
            due: None,
            listens: false,
            has_begun: false,
            stands_at: None,
            logged_at: None,
            watching,
            chain,
        }
    }

    pub(crate) fn nodes(&self) -> ChainNodes {
        let source = self.chain.source.clone();
        let status = self.status.clone();
        ChainNodes::new(self.chain.row.key(), source, status, self.searches.clone())
    }

    /// Collects and reports the result. Returns whether the step failed.
    async fn collect(&mut self, now: UnixSeconds) -> anyhow::Result<bool> {
        self.has_turned = false;
        let step = self.collector.step(now).await;
        self.nodes().report();
        match step {
            Ok(step) => self.advanced(&step).await.map(|()| false),
            Err(error) => self.failed(error).map(|()| true),
        }
    }

    /// Schedules the next step after a pause. A new head makes the step due earlier only with `listens`.
    fn due_after(&mut self, pause: Duration, listens: bool) {
        (self.due, self.listens) = (Some(Instant::now() + pause), listens);
    }

    fn stand(&mut self) {
        (self.due, self.listens, self.behind) = (None, false, None);
    }

    fn pause(&self) -> Option<Duration> {
        let turn = self.working.as_ref().map(Working::due);
        let next = self.due.into_iter().chain(turn).chain(self.watching_due()).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    async fn begin(&self) -> anyhow::Result<()> {
        let store = self.store.clone();
        let chain = self.chain.row.key();
        let before = tokio::task::spawn_blocking(move || {
            Ok::<_, anyhow::Error>((left_out_before(&*store, chain)?, held_before(&*store, chain)?))
        });
        let (left_out, [head, finalized]) =
            before.await.context("reading the store panicked")??;
        let name = self.chain.source.name().to_owned();
        let report = self.chain.source.nodes().map(LiveNodes::report);
        let needed = report.as_ref().map(|report| report.needed);
        let report = report.unwrap_or_default();
        let collect = &self.chain.collect;
        self.status.update(self.chain.row.key(), |view| {
            view.state = ChainStage::Starting;
            view.sources = vec![name];
            view.source_count = 1;
            view.began_at = Some(SystemClock.now());
            view.stalled_after_ms =
                (collect.stalled_after_ms > 0).then_some(collect.stalled_after_ms);
            view.finality_stalled_after_ms = Some(collect.finality_stalled_after_ms);
            view.watch = Some(view_of(&collect.watch));
            view.endpoints = report.endpoints;
            view.needed = needed;
            view.left_out = left_out;
            (view.head, view.finalized) = (head, finalized);
        });
        Ok(())
    }

    /// Last claim by the source, with time. Recordings make no current claims.
    fn claimed(&self) -> Option<Claimed> {
        let live = |_: &(SourceTip, UnixSeconds)| self.chain.source.network() != Network::Recorded;
        let (SourceTip { head, finalized, .. }, at) = self.collector.tip().filter(live)?;
        Some(Claimed { head: head.number, finalized: finalized.number, at })
    }

    async fn advanced(&mut self, step: &CollectStep) -> anyhow::Result<()> {
        (self.well_at, self.failures) = (Instant::now(), 0);
        self.show(step).await?;
        self.note_list();
        let target = *self.final_at_first.get_or_insert(step.tip.finalized.number);
        if matches!(step.progress, CollectProgress::Final { .. }) {
            // some chains have a new final block at each look: that is not being behind
            if step.state.indexed.is_some_and(|indexed| indexed.number >= target) {
                self.behind = None;
            }
            self.due_after(Duration::ZERO, false);
            return Ok(());
        }
        self.behind = None;
        self.due_after(Duration::from_millis(self.chain.collect.poll_interval_ms), true);
        Ok(())
    }

    fn failed(&mut self, error: CollectError) -> anyhow::Result<()> {
        self.failures = self.failures.saturating_add(1);
        let is_full = matches!(error, CollectError::Store(StoreError::Full { .. }));
        let of_store = matches!(error, CollectError::Store(_));
        if of_store && !is_full && error.kind() == ErrorKind::Unavailable {
            return Err(error).context("the store takes no more writes");
        }
        if matches!(error, CollectError::Cancelled) {
            self.stand(); // the process is ending: nothing failed
            return Ok(());
        }
        let (chain, name) = (self.chain.row.key(), &self.chain.row.name);
        let mut last_error = StatusError::new(&error, SystemClock.now());
        if let CollectError::Source { cause, .. } = &error {
            last_error = last_error.caused_by(cause);
        }
        let claimed = self.claimed();
        self.status.update(chain, |view| {
            view.last_error = Some(last_error);
            claimed.into_iter().for_each(|claimed| view.claim(claimed));
        });
        if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug) {
            tracing::error!(chain.id = %self.chain.row.id, "{name} halted: {error}");
            self.status.update(chain, |view| view.state = ChainStage::Halted);
            self.stands_at = Some(error.to_string());
            self.stand();
            return Ok(());
        }
        if is_news(self.logged_at, self.well_at, Instant::now()) {
            self.logged_at = Some(Instant::now());
            tracing::warn!(chain.id = %self.chain.row.id, "{name}: {error}");
        } else {
            tracing::debug!(chain.id = %self.chain.row.id, "{name}, again: {error}");
        }
        let is_over = match self.final_at_first {
            Some(_) => self.well_at.elapsed() >= FAILING_AWAITED,
            None => self.failures >= FAILURES_AWAITED,
        };
        if is_over {
            self.behind = None;
        }
        let longest = Duration::from_millis(self.chain.collect.retry_max_ms);
        self.due_after(backoff(self.failures, longest), false);
        Ok(())
    }

    /// Shows the stored state on the board after a step: recomputed blocks, not claims.
    async fn show(&self, step: &CollectStep) -> anyhow::Result<()> {
        let chain = self.chain.row.key();
        let id = |tip: layout::BlockTip| ClaimedBlock { number: tip.number, hash: tip.hash };
        let wanted = [step.state.head.map(id), step.tip.safe, step.state.indexed.map(id)];
        let store = self.store.clone();
        let held = tokio::task::spawn_blocking(move || {
            let held = wanted.map(|wanted| Some((wanted?, held_row(&*store, chain, wanted?)?)));
            let agreed = held[2].as_ref().and_then(|(_, row)| row.agreed);
            let evidence = agreed.map(|agreed| read::load_evidence(&*store, chain, agreed));
            (held, evidence.and_then(|read| read.ok().flatten()))
        });
        let (held, evidence) = held.await.context("reading held blocks panicked")?;
        let [head, safe, finalized] = held.each_ref().map(|held| {
            let (ClaimedBlock { number, hash }, row) = held.as_ref()?;
            Some(Point { number: *number, hash: *hash, timestamp: row.timestamp })
        });
        for (name, point) in
            [("superroot_node_head_number", &head), ("superroot_node_final_number", &finalized)]
        {
            let Some(point) = point else { continue };
            let slug = self.chain.row.slug.clone();
            metrics::gauge!(name, "chain" => slug).set(point.number.0 as f64);
        }
        let recorded = self.chain.source.network() == Network::Recorded;
        let now = SystemClock.now();
        let claimed = self.claimed();
        self.status.update(chain, |view| {
            view.state = match view.backfill {
                _ if recorded => ChainStage::Recorded,
                Some(_) => ChainStage::Backfilling,
                None => ChainStage::Following,
            };
            (view.head, view.safe, view.finalized) = (head, safe, finalized);
            claimed.into_iter().for_each(|claimed| view.claim(claimed));
            if let Some(evidence) = evidence {
                (view.sources, view.source_count) = (evidence.sources(), evidence.of());
                view.rule = evidence.rule().to_owned();
            }
            if let CollectProgress::Final { refused, .. } = &step.progress {
                view.finalized_at = Some(now);
                view.left_out.extend(refused.iter().map(|refused| LeftOut {
                    number: refused.number,
                    reason: refused.reason.clone(),
                }));
            }
            if step.progress != CollectProgress::Idle {
                view.advanced_at = Some(now);
            }
            view.last_error = None;
        });
        Ok(())
    }
}

/// Whether a failure is logged: once until a good step, and at most once in [`LOG_AGAIN`].
fn is_news(logged_at: Option<Instant>, well_at: Instant, now: Instant) -> bool {
    logged_at.is_none_or(|at| at <= well_at && now.duration_since(at) >= LOG_AGAIN)
}

fn report_of(source: &dyn BlockSource) -> NodesReport {
    source.nodes().map(LiveNodes::report).unwrap_or_default()
}

impl RunnerStage for Follow {
    fn name(&self) -> StageName {
        StageName::Chain
    }

    /// Runs a collector step or, between two steps, a turn for the current command.
    async fn step(&mut self, now: UnixSeconds) -> anyhow::Result<Next> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.begin().await?;
            self.due = Some(Instant::now());
        }
        if let Some(order) = self.arrived.take().or_else(|| self.orders.try_recv().ok()) {
            self.take(order).await;
        }
        self.take_list();
        let is_past = |due: Instant| due <= Instant::now();
        let is_due = self.due.is_some_and(is_past);
        let has_turn = self.working.as_ref().is_some_and(|working| is_past(working.due()));
        let fills = !has_turn && self.filling_due().is_some_and(is_past);
        let mut has_failed = false;
        if has_turn && !(is_due && self.has_turned) {
            self.has_turned = true;
            self.turn(now).await;
        } else if fills && !(is_due && self.has_turned) {
            self.has_turned = true;
            self.fill(now).await?;
        } else if is_due {
            has_failed = self.collect(now).await?;
        }
        Ok(Next { pause: self.pause(), has_failed })
    }

    async fn woken(&mut self) {
        let is_free = self.working.is_none();
        let nodes = self.chain.source.nodes().filter(|_| self.listens);
        let next_head = async {
            match nodes {
                Some(nodes) => nodes.next_head().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = next_head => self.due = Some(Instant::now()),
            Some(order) = self.orders.recv(), if is_free => self.arrived = Some(order),
            () = self.watching.changed() => {}
            else => std::future::pending().await,
        }
    }
}
