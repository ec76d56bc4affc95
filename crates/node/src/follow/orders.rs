//! What an operator orders while the chain is followed: its work takes turns with the steps, so that
//! the chain has one writer and its head is not left behind.

use std::time::Duration;

use superroot_api::{Backfill, ChainStage, Repair};
use superroot_collect::Collector;
use superroot_source::Source;
use superroot_types::{BlockNumber, Clock, SystemClock, UnixSeconds};
use tokio::time::{Instant, sleep_until};

use super::{Follow, Next};
use crate::admin::job::{self, Job, Turn};
use crate::admin::{Act, Event, Order};

/// Blocks that a turn takes at most, so that the next step does not wait long.
const TURN_BLOCKS_MAX: usize = 64;

/// An order that is worked on.
pub(super) struct Working {
    job: Job,
    order: Order,
    /// After a failure, its next turn comes then.
    not_before: Instant,
    began_at: UnixSeconds,
}

/// How the wait for the next step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// It is time for the next step.
    Step,
    /// The service stops.
    Stopped,
}

impl Follow {
    /// Waits for the next step, and works on orders meanwhile: one turn between two steps even where
    /// there is no pause.
    pub(super) async fn wait(&mut self, next: Next) -> Waited {
        let (pause, listens) = match next {
            Next::After(pause) => (Some(pause), true),
            Next::Retry(pause) => (Some(pause), false),
            Next::Halt => (None, false),
        };
        let deadline = pause.map(|pause| Instant::now() + pause);
        let is_time = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Ok(order) = self.orders.try_recv()
            && self.take(order).await
        {
            return Waited::Step;
        }
        let mut has_turned = false;
        loop {
            if !(has_turned && is_time()) && self.is_due() {
                if !self.turn().await {
                    return Waited::Stopped;
                }
                has_turned = true;
                continue;
            }
            if has_turned && is_time() {
                return Waited::Step;
            }
            let again = self.working.as_ref().map(|working| working.not_before);
            let order = tokio::select! {
                () = until(deadline) => return Waited::Step,
                () = until(again) => None,
                () = next_head(&*self.source), if listens => return Waited::Step,
                Some(order) = self.orders.recv(), if self.working.is_none() => Some(order),
                () = self.shutdown.cancelled() => return Waited::Stopped,
            };
            if let Some(order) = order
                && self.take(order).await
            {
                return Waited::Step;
            }
        }
    }

    fn is_due(&self) -> bool {
        self.working.as_ref().is_some_and(|working| working.not_before <= Instant::now())
    }

    /// Takes an order; true where the chain goes on at once because of it.
    async fn take(&mut self, order: Order) -> bool {
        if order.act == Act::Resume {
            let done = self.resume().await;
            let is_resumed = done.is_ok();
            let _ = order.done.send(done);
            return is_resumed;
        }
        let mut collect = self.collect.clone();
        collect.blocks_per_step_max = collect.blocks_per_step_max.min(TURN_BLOCKS_MAX);
        let (store, source) = (self.store.clone(), self.source.clone());
        let collector =
            Collector::new(store, source, self.row.clone(), collect).within(&self.budget);
        let job = Job::new(
            collector,
            &self.row,
            order.act,
            Duration::from_millis(self.collect.retry_max_ms),
        );
        let (not_before, began_at) = (Instant::now(), SystemClock.now());
        self.working = job.map(|job| Working { job, order, not_before, began_at });
        if let Some(working) = &self.working {
            self.show_repair(working, (0, working.job.repair_count(&*self.store)));
        }
        false
    }

    /// Lets the chain go on, whether what it stands at is kept in the store or in this loop alone. Gives
    /// what to tell of it.
    async fn resume(&mut self) -> Result<Vec<Event>, String> {
        let (store, row) = (self.store.clone(), self.row.clone());
        let cleared = tokio::task::spawn_blocking(move || job::resume(&*store, &row)).await;
        let cleared = cleared.map_err(|error| error.to_string())?;
        let mut events = cleared.map_err(|error| format!("cannot clear the halt: {error}"))?;
        let Some(why) = self.stands_at.take() else { return Ok(events) };
        if let Some(last) = events.last_mut()
            && matches!(last, Event::NotHalted { .. })
        {
            *last = Event::Restarted { chain: self.row.name.clone(), why };
        }
        // nothing that a failed step left in hand is gone on with
        let (store, source) = (self.store.clone(), self.source.clone());
        let collector = Collector::new(store, source, self.row.clone(), self.collect.clone());
        self.collector = collector.within(&self.budget);
        self.searches.follow(self.row.key(), self.collector.search());
        self.status.update(self.row.key(), |view| {
            (view.state, view.last_error) = (ChainStage::Starting, None);
            view.began_at = Some(SystemClock.now());
        });
        Ok(events)
    }

    /// One turn of the work; false when the service stops. A turn is never cut off by who asked for
    /// it: what it commits would else meet the next step.
    async fn turn(&mut self) -> bool {
        let Some(mut working) = self.working.take() else { return true };
        let store = self.store.clone();
        let turn = {
            let turn = working.job.turn(&*store, SystemClock.now());
            self.reporting(turn).await
        };
        let Some(turn) = turn else { return false };
        let tell = |working: &Working, events: Vec<Event>| {
            for event in events {
                // who reads too slowly misses some of them, and still learns the end
                let _ = working.order.events.try_send(event);
            }
        };
        match turn {
            Turn::Goes(events) => {
                self.show_backfill(&working, &events);
                if let Some(Event::Progress { done, total, .. }) = events.last() {
                    self.show_repair(&working, (*done, *total));
                }
                tell(&working, events);
            }
            Turn::Waits(event, pause) => {
                tell(&working, vec![event]);
                working.not_before = Instant::now() + pause;
            }
            Turn::Done(events) => return self.end(working, Ok(events)),
            Turn::Failed(why) => return self.end(working, Err(why)),
        }
        if working.order.events.is_closed() {
            return self.end(working, Ok(Vec::new()));
        }
        self.working = Some(working);
        true
    }

    fn show_backfill(&self, working: &Working, events: &[Event]) {
        let Act::Backfill { to } = working.order.act else { return };
        let Some(Event::Progress { done, total, .. }) = events.last() else { return };
        let (done_blocks, total_blocks) = (*done, *total);
        let to = BlockNumber(to.0 - to.twig_slot());
        let backfill = Backfill { to, done_blocks, total_blocks, began_at: working.began_at };
        self.status.update(self.row.key(), |view| {
            view.backfill = Some(backfill);
            view.advanced_at = Some(SystemClock.now()).max(view.advanced_at);
            if view.state == ChainStage::Following {
                view.state = ChainStage::Backfilling;
            }
        });
    }

    fn show_repair(&self, working: &Working, (done_blocks, total_blocks): (u64, u64)) {
        let Act::Repair { .. } = working.order.act else { return };
        let (repaired, began_at) = (working.job.repaired(), working.began_at);
        let repair = Some(Repair { done_blocks, total_blocks, repaired, began_at });
        self.status.update(self.row.key(), |view| view.repair = repair);
    }

    fn end(&self, working: Working, result: Result<Vec<Event>, String>) -> bool {
        self.status.update(self.row.key(), |view| {
            (view.backfill, view.repair) = (None, None);
            if view.state == ChainStage::Backfilling {
                view.state = ChainStage::Following;
            }
        });
        // nobody may wait for it any more
        let _ = working.order.done.send(result);
        true
    }
}

/// Ready at that time, or never.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Ready when a node announced a new head.
async fn next_head(source: &dyn Source) {
    match source.nodes() {
        Some(nodes) => nodes.next_head().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use superroot_api::{ChainStatus, StatusBoard};
    use superroot_chain::{ChainRow, Registry};
    use superroot_collect::CollectError;
    use superroot_source::{
        Agreement, BlockAt, BoxFuture, Budget, Fetched, LiveNodes, NodesReport, Parts,
        SimulatedChain, SimulatedConfig, SourceError, Tip, Waiting,
    };
    use superroot_store::layout::HaltRow;
    use superroot_store::{MemoryStore, Store};
    use superroot_types::{ChainKey, ManualClock, Network};
    use tokio::sync::{Semaphore, mpsc, oneshot};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::follow::Shared;
    use crate::publish::{Behind, Searches};
    use crate::run::PlannedChain;

    /// A simulated chain whose worker panics while it is told to, and that says of a block that it is
    /// waited for.
    struct Broken {
        chain: SimulatedChain,
        panics: Arc<AtomicBool>,
        is_late: Arc<AtomicBool>,
    }

    impl Source for Broken {
        fn name(&self) -> &str {
            self.chain.name()
        }
        fn chain(&self) -> ChainKey {
            self.chain.chain()
        }
        fn network(&self) -> Network {
            self.chain.network()
        }
        fn fetch_tip(&self) -> BoxFuture<'_, Result<Tip, SourceError>> {
            if self.panics.load(Ordering::SeqCst) {
                return Box::pin(std::future::ready(Err(SourceError::Panicked)));
            }
            self.chain.fetch_tip()
        }
        fn fetch_block<'a>(
            &'a self,
            at: BlockAt,
            parts: Parts,
            _: &'a [Arc<str>],
        ) -> BoxFuture<'a, Result<Option<Fetched>, SourceError>> {
            self.chain.fetch_block(at, parts, &[])
        }
        fn fetch_agreement(
            &self,
            number: BlockNumber,
        ) -> BoxFuture<'_, Result<Agreement, SourceError>> {
            self.chain.fetch_agreement(number)
        }
        fn fetch_numbers(
            &self,
            from: BlockNumber,
            limit: usize,
        ) -> BoxFuture<'_, Result<Option<Vec<BlockNumber>>, SourceError>> {
            self.chain.fetch_numbers(from, limit)
        }
        fn nodes(&self) -> Option<&dyn LiveNodes> {
            Some(self)
        }
    }

    impl LiveNodes for Broken {
        fn blame(&self, _: &str, _: &str) {}
        fn report(&self) -> NodesReport {
            let (number, nodes) = (BlockNumber(1), vec!["a".to_owned()]);
            let waiting = Waiting { number, is_whole: true, nodes, seconds: 6 };
            let waiting = self.is_late.load(Ordering::SeqCst).then_some(waiting);
            NodesReport { waiting, ..NodesReport::default() }
        }
    }

    struct World {
        follow: Follow,
        store: Arc<MemoryStore>,
        status: Arc<StatusBoard>,
        panics: Arc<AtomicBool>,
        is_late: Arc<AtomicBool>,
    }

    fn row() -> ChainRow {
        Registry::builtin().find("ethereum").unwrap().clone()
    }

    fn world() -> World {
        let clock = Arc::new(ManualClock::at(UnixSeconds(1_000_000 + 12 * 80)));
        let config = SimulatedConfig::new(7, UnixSeconds(1_000_000));
        let chain = SimulatedChain::new(&row(), config, clock).unwrap();
        let [panics, is_late] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let source = Arc::new(Broken { chain, panics: panics.clone(), is_late: is_late.clone() });
        let store = Arc::new(MemoryStore::new());
        let status = Arc::new(StatusBoard::new());
        let budget = Budget::default();
        let collect = superroot_collect::Config {
            retry_max_ms: 1_000,
            ..superroot_collect::Config::default()
        };
        let chain = PlannedChain { row: row(), source, collect, budget };
        let shared = Shared {
            store: store.clone(),
            status: status.clone(),
            network: Arc::default(),
            behind: Behind::default().one(),
            searches: Searches::default(),
            orders: mpsc::channel(1).1,
            shutdown: CancellationToken::new(),
        };
        World { follow: Follow::new(chain, shared), store, status, panics, is_late }
    }

    impl World {
        /// A step that fails, as the loop takes it.
        async fn fail(&mut self) {
            let error = self.follow.step().await.unwrap().unwrap_err();
            assert!(matches!(self.follow.failed(error, 1).unwrap(), Next::Halt));
        }

        async fn resume(&mut self) -> Vec<Event> {
            let (done, answer) = oneshot::channel();
            let events = mpsc::channel(1).0;
            let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
            let order = Order { act: Act::Resume, events, done, _permit: permit };
            assert!(self.follow.take(order).await, "the loop goes on at once");
            answer.await.unwrap().unwrap()
        }

        fn state(&self) -> ChainStage {
            self.status.status(row().key()).state
        }
    }

    /// Where each look finds a new final block, the service is ready all the same.
    #[tokio::test]
    async fn a_chain_that_holds_what_was_final_at_first_is_behind_no_more() {
        let mut world = world();
        world.follow.begin().await.unwrap();
        for _ in 0..100 {
            let step = world.follow.step().await.unwrap().unwrap();
            assert!(matches!(step.progress, superroot_collect::Progress::Final { .. }));
            world.follow.advanced(&step).await.unwrap();
            let held = step.state.indexed.unwrap().number;
            let is_there = held >= step.tip.finalized.number;
            assert_eq!(world.follow.behind.is_none(), is_there, "{held}");
            if is_there {
                return;
            }
        }
        panic!("it never catches up");
    }

    /// Short failures of a chain that had answered make nobody ready before it has caught up.
    #[tokio::test(start_paused = true)]
    async fn a_chain_that_answered_is_waited_for_through_a_few_failures() {
        let silent = || CollectError::Source {
            source_name: "a".to_owned(),
            cause: Box::new(SourceError::NoAnswer { chain: row().key(), asked: 3, timeout_ms: 5 }),
        };
        let mut world = world();
        for failures in 1..=3 {
            assert!(world.follow.behind.is_some());
            world.follow.failed(silent(), failures).unwrap();
        }
        assert!(world.follow.behind.is_none(), "it never answered");
        let mut world = self::world();
        world.follow.final_at_first = Some(BlockNumber(900));
        for failures in 1..=9 {
            world.follow.failed(silent(), failures).unwrap();
        }
        assert!(world.follow.behind.is_some());
        tokio::time::advance(Duration::from_secs(30)).await;
        world.follow.failed(silent(), 10).unwrap();
        assert!(world.follow.behind.is_none(), "it is not waited for for ever");
    }

    /// While a block is waited for, how far its nodes are is asked all the same: what lacks grows.
    #[tokio::test(start_paused = true)]
    async fn what_nodes_have_is_told_while_a_block_is_waited_for() {
        let world = world();
        let wait = || tokio::time::sleep(Duration::from_secs(12));
        let claimed = || world.status.status(row().key()).claimed;
        world.follow.reporting(wait()).await.unwrap();
        assert_eq!(claimed(), None, "nobody is asked for nothing");
        world.is_late.store(true, Ordering::SeqCst);
        world.follow.reporting(wait()).await.unwrap();
        let tip = world.follow.source.fetch_tip().await.unwrap();
        assert_eq!(claimed().unwrap().finalized, tip.finalized.number);
    }

    /// What halts a chain without a note in the store is an error of this program.
    #[tokio::test]
    async fn a_chain_halted_by_an_error_of_ours_is_told_to_be_halted_and_goes_on() {
        let mut world = world();
        world.follow.begin().await.unwrap();
        world.panics.store(true, Ordering::SeqCst);
        world.fail().await;
        assert_eq!(world.state(), ChainStage::Halted);
        let events = world.resume().await;
        let [Event::Restarted { chain, why }] = &events[..] else { panic!("{events:?}") };
        assert!(chain == "Ethereum" && why.contains("panicked"), "{events:?}");
        assert_eq!(world.state(), ChainStage::Starting);
        // it is still broken: it halts again, and says so again
        world.fail().await;
        assert_eq!(world.state(), ChainStage::Halted);
        assert!(matches!(world.resume().await[..], [Event::Restarted { .. }]));
        world.panics.store(false, Ordering::SeqCst);
        let step = world.follow.step().await.unwrap().unwrap();
        world.follow.advanced(&step).await.unwrap();
        assert_eq!(world.state(), ChainStage::Following);
        assert!(matches!(world.resume().await[..], [Event::NotHalted { .. }]));
        assert_eq!(world.state(), ChainStage::Following);
    }

    /// The status says that a repair runs, from when it is taken until it ends.
    #[tokio::test]
    async fn a_repair_is_shown_while_it_runs() {
        let mut world = world();
        world.follow.begin().await.unwrap();
        loop {
            let step = world.follow.step().await.unwrap().unwrap();
            if matches!(world.follow.advanced(&step).await.unwrap(), Next::After(_)) {
                break;
            }
        }
        let shown = |world: &World| world.status.status(row().key()).repair;
        let (done, mut ended) = oneshot::channel();
        let (events, _told) = mpsc::channel(8);
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let order =
            Order { act: Act::Repair { from: None, to: None }, events, done, _permit: permit };
        assert!(!world.follow.take(order).await);
        let at_first = shown(&world).unwrap();
        assert!(at_first.repaired == 0 && at_first.total_blocks > 0, "{at_first:?}");
        while world.follow.working.is_some() {
            assert!(shown(&world).is_some() && world.state() == ChainStage::Following);
            assert!(world.follow.turn().await);
        }
        assert_eq!(shown(&world), None);
        let told = ended.try_recv().unwrap().unwrap();
        assert!(matches!(told.last(), Some(Event::Repaired { left: 0, .. })), "{told:?}");
    }

    /// What the store remembers is told rather than the error that it led to.
    #[tokio::test]
    async fn a_halt_that_is_kept_is_cleared_where_it_is_kept() {
        let mut world = world();
        world.follow.begin().await.unwrap();
        let mut batch = superroot_store::Batch::new();
        let (number, since) = (BlockNumber(9), UnixSeconds(1_000_000));
        let halt = HaltRow { number, since, reason: "two hashes".to_owned() };
        superroot_store::write::put_halt(&mut batch, row().key(), &halt);
        world.store.commit(batch).unwrap();
        world.fail().await;
        let events = world.resume().await;
        let [Event::Resumed { number: 9, why, .. }] = &events[..] else { panic!("{events:?}") };
        assert_eq!(why, "two hashes");
        assert!(world.follow.step().await.unwrap().is_ok());
    }
}
