//! The loop of one chain: step, tell how it went, wait.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use rand::RngExt;
use superroot_api::{
    ChainStage, Claimed, Differing, LEFT_OUT_MAX, LastError, LeftOut, Point, StatusBoard, WatchView,
};
use superroot_chain::{ChainRow, Evidence};
use superroot_collect::{CollectError, Collector, Progress, Search, Step};
use superroot_source::{BlockId, Budget, LiveNodes, NodesReport, Source, Tip};
use superroot_store::layout::Watch;
use superroot_store::{Store, layout, read};
use superroot_types::{BlockNumber, ChainKey, Clock, ErrorKind, Network, SystemClock, UnixSeconds};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::admin::Order;
use crate::publish::{BehindOne, Searches};
use crate::run::PlannedChain;

mod network;
mod orders;
mod told;

pub(crate) use network::Reachable;
use network::Tell;
use orders::{Waited, Working};
use told::Told;

/// First pause after a failure; each further one is twice as long.
const RETRY_MS: u64 = 250;
/// Time between looks at how the nodes fare, while a step goes on.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// After so many failures in a row others no longer wait for a chain whose nodes never answered.
const FAILURES_AWAITED: u32 = 3;
/// The same for one whose nodes did, in time since a step ended well.
const FAILING_AWAITED: Duration = Duration::from_secs(30);
/// A block that is waited for longer: how far its nodes are is asked meanwhile.
const LONG_WAIT_SECONDS: u64 = 5;
/// Time between such looks.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// One chain's loop.
pub(crate) struct Follow {
    store: Arc<dyn Store>,
    collector: Collector,
    /// How the collector collects.
    collect: superroot_collect::Config,
    /// Bytes in hand, of all chains together.
    budget: Budget,
    source: Arc<dyn Source>,
    row: ChainRow,
    status: Arc<StatusBoard>,
    /// Whether any chain's nodes can be reached.
    network: Arc<Reachable>,
    /// Gone when the chain has caught up with what was final when it was first looked at.
    behind: Option<BehindOne>,
    /// The newest block that was final then.
    final_at_first: Option<BlockNumber>,
    /// When a step ended well last, or the loop began.
    well_at: Instant,
    /// Where it is told that final blocks are gone back through.
    searches: Searches,
    /// What an operator wants of it.
    orders: mpsc::Receiver<Order>,
    shutdown: CancellationToken,
    /// The order that is worked on.
    working: Option<Working>,
    /// The error that this loop stands at, until an operator lets it go on.
    stands_at: Option<String>,
    told: Told,
}

/// What a loop has in common with the rest of the service.
pub(crate) struct Shared {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) status: Arc<StatusBoard>,
    pub(crate) network: Arc<Reachable>,
    pub(crate) behind: BehindOne,
    pub(crate) searches: Searches,
    pub(crate) orders: mpsc::Receiver<Order>,
    pub(crate) shutdown: CancellationToken,
}

/// What comes after a step.
enum Next {
    /// The next one, after a pause or when a new head is announced.
    After(Duration),
    /// The next one, after a pause whatever is announced.
    Retry(Duration),
    /// None: a person must act.
    Halt,
}

impl Follow {
    /// A loop that has not begun.
    pub(crate) fn new(chain: PlannedChain, shared: Shared) -> Self {
        let Shared { store, status, network, behind, searches, orders, shutdown } = shared;
        let collector = chain.collector(store.clone());
        let PlannedChain { row, source, collect, budget } = chain;
        network.join(row.key());
        searches.follow(row.key(), collector.search());
        let (behind, working, stands_at, told) = (Some(behind), None, None, Told::default());
        Self {
            store,
            collector,
            collect,
            budget,
            source,
            row,
            status,
            network,
            behind,
            final_at_first: None,
            well_at: Instant::now(),
            searches,
            orders,
            shutdown,
            working,
            stands_at,
            told,
        }
    }

    /// Runs until the service stops. A chain that halts stays halted and harms no other.
    ///
    /// # Errors
    /// When the store takes no more writes: nothing can go on then.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        self.begin().await?;
        let mut failures = 0_u32;
        loop {
            let Some(step) = self.step().await else { return Ok(()) };
            let next = match step {
                Ok(step) => {
                    failures = 0;
                    self.advanced(&step).await?
                }
                Err(error) => {
                    failures = failures.saturating_add(1);
                    self.failed(error, failures)?
                }
            };
            if matches!(next, Next::Halt) {
                self.behind = None;
            }
            if self.wait(next).await == Waited::Stopped {
                return Ok(());
            }
        }
    }

    async fn begin(&self) -> anyhow::Result<()> {
        let (store, chain) = (self.store.clone(), self.row.key());
        let before = tokio::task::spawn_blocking(move || {
            Ok::<_, anyhow::Error>((left_out_before(&*store, chain)?, held_before(&*store, chain)?))
        });
        let (left_out, [head, finalized]) =
            before.await.context("reading the store panicked")??;
        let name = self.source.name().to_owned();
        let report = self.source.nodes().map(LiveNodes::report);
        let needed = report.as_ref().map(|report| report.needed);
        let report = report.unwrap_or_default();
        let collect = self.collect.clone();
        self.status.update(self.row.key(), |view| {
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

    /// One step, telling meanwhile how the nodes fare; `None` when the service stops.
    async fn step(&mut self) -> Option<Result<Step, CollectError>> {
        let chain = self.row.key();
        let (source, status, shutdown) =
            (self.source.clone(), self.status.clone(), self.shutdown.clone());
        let (search, step) = (self.collector.search(), self.collector.step(SystemClock.now()));
        reporting(chain, (&*source, search), &status, &shutdown, step).await
    }

    /// Work that is told of as a step is.
    async fn reporting<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let told = (&*self.source, self.collector.search());
        reporting(self.row.key(), told, &self.status, &self.shutdown, work).await
    }

    /// What the source said last, and when; recordings say nothing of now.
    fn claimed(&self) -> Option<Claimed> {
        let live = |_: &(Tip, UnixSeconds)| self.source.network() != Network::Recorded;
        let (Tip { head, finalized, .. }, at) = self.collector.tip().filter(live)?;
        Some(Claimed { head: head.number, finalized: finalized.number, at })
    }

    async fn advanced(&mut self, step: &Step) -> anyhow::Result<Next> {
        self.told.went_well();
        self.well_at = Instant::now();
        self.network.reached(self.row.key());
        self.show(step).await?;
        let target = *self.final_at_first.get_or_insert(step.tip.finalized.number);
        if matches!(step.progress, Progress::Final { .. }) {
            // some chains have a new final block at each look: that is not being behind
            if step.state.indexed.is_some_and(|indexed| indexed.number >= target) {
                self.behind = None;
            }
            return Ok(Next::Retry(Duration::ZERO));
        }
        self.behind = None;
        Ok(Next::After(Duration::from_millis(self.collect.poll_interval_ms)))
    }

    fn failed(&mut self, error: CollectError, failures: u32) -> anyhow::Result<Next> {
        if matches!(error, CollectError::Store(_)) && error.kind() == ErrorKind::Unavailable {
            return Err(error).context("the store takes no more writes");
        }
        if matches!(error, CollectError::Cancelled) {
            return Ok(Next::Halt); // the process is ending: nothing failed
        }
        let (chain, name) = (self.row.key(), &self.row.name);
        let last_error = LastError::new(&error, SystemClock.now());
        let claimed = self.claimed();
        self.status.update(chain, |view| {
            view.last_error = Some(last_error);
            claimed.into_iter().for_each(|claimed| view.claim(claimed));
        });
        let tell = match &error {
            CollectError::Source { .. } => {
                self.network.failed(chain, &report_of(&*self.source).endpoints)
            }
            _ => Tell::Own,
        };
        let is_known = tell != Tell::Own || self.told.is_known(&error, Instant::now());
        if matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Bug) {
            tracing::error!(chain.id = %self.row.id, "{name} halted: {error}");
            self.status.update(chain, |view| view.state = ChainStage::Halted);
            self.stands_at = Some(error.to_string());
            return Ok(Next::Halt);
        }
        if let Tell::NoNetwork(text) = &tell {
            tracing::warn!("{text}");
        }
        if is_known {
            tracing::debug!(chain.id = %self.row.id, "{name}, again: {error}");
        } else {
            tracing::warn!(chain.id = %self.row.id, "{name}: {error}");
        }
        let is_over = match self.final_at_first {
            Some(_) => self.well_at.elapsed() >= FAILING_AWAITED,
            None => failures >= FAILURES_AWAITED,
        };
        if is_over {
            self.behind = None;
        }
        Ok(Next::Retry(backoff(failures, Duration::from_millis(self.collect.retry_max_ms))))
    }

    /// Puts on the board what is held after the step: blocks that recomputed, not what was claimed.
    async fn show(&self, step: &Step) -> anyhow::Result<()> {
        let chain = self.row.key();
        let id = |tip: layout::Tip| BlockId { number: tip.number, hash: tip.hash };
        let wanted = [step.state.head.map(id), step.tip.safe, step.state.indexed.map(id)];
        let store = self.store.clone();
        let held = tokio::task::spawn_blocking(move || {
            wanted.map(|wanted| Some((wanted?, held_row(&*store, chain, wanted?)?)))
        });
        let held = held.await.context("reading held blocks panicked")?;
        let [head, safe, finalized] = held.each_ref().map(|held| {
            let (BlockId { number, hash }, row) = held.as_ref()?;
            Some(Point { number: *number, hash: *hash, timestamp: row.timestamp })
        });
        for (name, point) in
            [("superroot_node_head_number", &head), ("superroot_node_final_number", &finalized)]
        {
            let Some(point) = point else { continue };
            let slug = self.row.slug.clone();
            metrics::gauge!(name, "chain" => slug).set(point.number.0 as f64);
        }
        let [_, _, newest_final] = held;
        let evidence = newest_final.and_then(|(_, row)| row.evidence);
        let recorded = self.source.network() == Network::Recorded;
        let (now, claimed) = (SystemClock.now(), self.claimed());
        self.status.update(chain, |view| {
            view.state = match view.backfill {
                _ if recorded => ChainStage::Recorded,
                Some(_) => ChainStage::Backfilling,
                None => ChainStage::Following,
            };
            (view.head, view.safe, view.finalized) = (head, safe, finalized);
            claimed.into_iter().for_each(|claimed| view.claim(claimed));
            if let Some(Evidence::NodeQuorum { sources, of, rule }) = evidence {
                (view.sources, view.source_count, view.rule) = (sources, of, rule);
            }
            if let Progress::Final { refused, .. } = &step.progress {
                view.finalized_at = Some(now);
                view.left_out.extend(refused.iter().map(|refused| LeftOut {
                    number: refused.number,
                    reason: refused.reason.clone(),
                }));
            }
            if step.progress != Progress::Idle {
                view.advanced_at = Some(now);
            }
            view.last_error = None;
        });
        Ok(())
    }
}

/// How the nodes of a source fare; nothing where there are none.
fn report_of(source: &dyn Source) -> NodesReport {
    source.nodes().map(LiveNodes::report).unwrap_or_default()
}

/// Does it, telling meanwhile how the nodes fare; `None` when the service stops.
async fn reporting<T>(
    chain: ChainKey,
    (source, search): (&dyn Source, watch::Receiver<Option<Search>>),
    status: &StatusBoard,
    shutdown: &CancellationToken,
    work: impl Future<Output = T>,
) -> Option<T> {
    let report = || {
        let NodesReport { endpoints, heard, waiting, .. } = report_of(source);
        status.update(chain, |view| {
            (view.endpoints, view.waiting) = (endpoints, waiting);
            view.heard = heard.or(view.heard); // who fails takes back nothing of it
            view.search =
                search.borrow().map(|Search { newest, lowest }| Differing { newest, lowest });
        });
    };
    let mut work = std::pin::pin!(work);
    let (mut look, mut looked_at) = (None, Instant::now());
    let mut ticks = tokio::time::interval(REPORT_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            done = &mut work => {
                report();
                return Some(done);
            }
            _ = ticks.tick() => {
                report();
                let waits = report_of(source).waiting.is_some_and(|one| one.seconds >= LONG_WAIT_SECONDS);
                if waits && look.is_none() && looked_at.elapsed() >= LOOK_INTERVAL {
                    look = Some(Box::pin(source.fetch_tip()));
                }
            }
            tip = async { look.as_mut().expect("there is one").await }, if look.is_some() => {
                (look, looked_at) = (None, Instant::now());
                if let Ok(Tip { head, finalized, .. }) = tip {
                    let (head, finalized) = (head.number, finalized.number);
                    let claimed = Claimed { head, finalized, at: SystemClock.now() };
                    status.update(chain, |view| view.claim(claimed));
                }
            }
            () = shutdown.cancelled() => return None,
        }
    }
}

/// What is kept of its blocks, for people.
fn view_of(watch: &Watch) -> WatchView {
    match watch {
        Watch::All => WatchView::All,
        Watch::Some { addresses, topics } => WatchView::Some {
            address_count: addresses.len() as u64,
            topic_count: topics.len() as u64,
        },
    }
}

/// Doubling pauses with jitter, so that many chains do not ask at one time.
pub(crate) fn backoff(failures: u32, longest: Duration) -> Duration {
    let exponent = failures.saturating_sub(1).min(20);
    let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    let pause = RETRY_MS.saturating_mul(1 << exponent).min(longest);
    Duration::from_millis(rand::rng().random_range(pause / 2..=pause))
}

/// Head and newest final block as they were held before this start.
fn held_before(store: &dyn Store, chain: ChainKey) -> anyhow::Result<[Option<Point>; 2]> {
    let Some(state) = read::load_chain_state(store, chain)? else { return Ok([None; 2]) };
    let point = |tip: Option<layout::Tip>| {
        let layout::Tip { number, hash } = tip?;
        let row = held_row(store, chain, BlockId { number, hash })?;
        Some(Point { number, hash, timestamp: row.timestamp })
    };
    Ok([point(state.head), point(state.indexed)])
}

/// The newest blocks that were left out before this start, oldest first. One that has been taken
/// since is not among them.
fn left_out_before(store: &dyn Store, chain: ChainKey) -> anyhow::Result<Vec<LeftOut>> {
    let mut left_out = Vec::new();
    for (number, row) in read::load_newest_refused(store, chain, LEFT_OUT_MAX)? {
        if read::load_block(store, chain, number)?.is_none() {
            left_out.push(LeftOut { number, reason: row.reason });
        }
    }
    left_out.reverse();
    Ok(left_out)
}

/// A block that is held under that number and hash.
fn held_row(store: &dyn Store, chain: ChainKey, id: BlockId) -> Option<layout::BlockRow> {
    let row = read::load_block(store, chain, id.number).ok().flatten();
    row.filter(|row| row.hash == id.hash)
}

#[cfg(test)]
mod tests {
    use superroot_store::{Batch, MemoryStore, write};
    use superroot_types::{BlockNumber, ChainId, Family};

    use super::*;

    /// What was left out is known after a restart: the newest, in the order in which it is shown.
    #[test]
    fn what_was_left_out_is_read_back() {
        let (store, mut batch) = (MemoryStore::new(), Batch::new());
        let chain = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
        for number in 0..40 {
            let row =
                layout::RefusedRow { reason: format!("why {number}"), source: "x".to_owned() };
            write::put_refused(&mut batch, chain(1), BlockNumber(number), &row);
        }
        store.commit(batch).unwrap();
        let read = left_out_before(&store, chain(1)).unwrap();
        let newest = (40 - LEFT_OUT_MAX as u64..40).map(BlockNumber).collect::<Vec<_>>();
        assert_eq!(read.iter().map(|one| one.number).collect::<Vec<_>>(), newest);
        assert_eq!(read[0].reason, format!("why {}", newest[0]));
        assert_eq!(left_out_before(&store, chain(2)).unwrap(), []);
    }

    #[test]
    fn pauses_double_and_end_at_the_longest() {
        let longest = Duration::from_secs(30);
        for failures in 1..60 {
            let full = (RETRY_MS << (failures - 1).min(20)).min(30_000);
            let pause = backoff(failures, longest).as_millis() as u64;
            assert!((full / 2..=full).contains(&pause), "{failures}: {pause} of {full}");
        }
        assert!(backoff(u32::MAX, Duration::ZERO).is_zero());
    }
}
