//! Chain stage: catching up, halts and resumption, and turns.

use std::sync::atomic::{AtomicBool, Ordering};

use superroot_api::{LEFT_OUT_MAX, StatusReader};
use superroot_chain::ChainRegistry;
use superroot_source::{
    BlockAt, BlockParts, FetchedBlock, Fetching, FinalityAgreement, SimulatedChain,
    SimulatedConfig, SourceDescription, SourceError,
};
use superroot_store::layout::HaltRow;
use superroot_store::{MemoryStore, WriteBatch, write};
use superroot_types::{ChainId, ChainKey, Family, ManualClock};
use superroot_watch::WantedByChain;
use tokio::sync::{Semaphore, oneshot, watch};

use super::*;
use crate::admin::{ChainCommand, ProgressEvent};
use crate::publish::CatchingUp;

/// A simulated chain whose worker panics while it is told to.
struct Broken {
    chain: SimulatedChain,
    panics: Arc<AtomicBool>,
}

impl BlockSource for Broken {
    fn about(&self) -> SourceDescription<'_> {
        self.chain.about()
    }
    fn fetch_tip(&self) -> Fetching<'_, SourceTip> {
        if self.panics.load(Ordering::SeqCst) {
            return Box::pin(std::future::ready(Err(SourceError::Panicked)));
        }
        self.chain.fetch_tip()
    }
    fn fetch_block<'a>(
        &'a self,
        at: BlockAt,
        parts: BlockParts,
        _: &'a [Arc<str>],
    ) -> Fetching<'a, Option<FetchedBlock>> {
        self.chain.fetch_block(at, parts, &[])
    }
    fn fetch_agreement(&self, number: BlockNumber) -> Fetching<'_, FinalityAgreement> {
        self.chain.fetch_agreement(number)
    }
    fn fetch_numbers(
        &self,
        from: BlockNumber,
        limit: usize,
    ) -> Fetching<'_, Option<Vec<BlockNumber>>> {
        self.chain.fetch_numbers(from, limit)
    }
}

/// An order's what came.
type Done = oneshot::Receiver<Result<Vec<ProgressEvent>, String>>;

/// An order with what listens to it.
fn order(act: ChainCommand) -> (LoopCommand, mpsc::Receiver<ProgressEvent>, Done) {
    let ((done, ended), (events, told)) = (oneshot::channel(), mpsc::channel(8));
    let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    (LoopCommand { act, events, done, _permit: permit }, told, ended)
}

const REPAIR: ChainCommand = ChainCommand::Repair { from: None, to: None };

struct World {
    follow: Follow,
    store: Arc<MemoryStore>,
    status: Arc<StatusBoard>,
    panics: Arc<AtomicBool>,
}

fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone()
}

fn world() -> World {
    let clock = Arc::new(ManualClock::at(UnixSeconds(1_000_000 + 12 * 80)));
    let config = SimulatedConfig::new(7, UnixSeconds(1_000_000));
    let chain = SimulatedChain::new(&row(), config, clock).unwrap();
    let panics = Arc::new(AtomicBool::new(false));
    let source = Arc::new(Broken { chain, panics: panics.clone() });
    let store = Arc::new(MemoryStore::new());
    let status = Arc::new(StatusBoard::new());
    let budget = Budget::default();
    let collect = superroot_collect::CollectConfig {
        retry_max_ms: 1_000,
        ..superroot_collect::CollectConfig::default()
    };
    let chain = PlannedChain { row: row(), source, collect, budget, finality: None, gate: None };
    let shared = ChainShared {
        store: store.clone(),
        status: status.clone(),
        behind: CatchingUp::default().one(),
        searches: Searches::default(),
        orders: mpsc::channel(1).1,
        watches: KeyWatches {
            wanted: watch::channel(WantedByChain::default()).1,
            apply: Duration::ZERO,
        },
    };
    World { follow: Follow::new(chain, shared), store, status, panics }
}

impl World {
    /// A step of the collector, as the stage takes it; what came of it.
    async fn collect(&mut self) -> CollectStep {
        let step = self.follow.collector.step(SystemClock.now()).await.unwrap();
        self.follow.advanced(&step).await.unwrap();
        step
    }

    /// A step that fails, and after which the chain stands.
    async fn fail(&mut self) {
        assert!(self.follow.collect(SystemClock.now()).await.unwrap());
        assert_eq!(self.follow.due, None);
    }

    async fn resume(&mut self) -> Vec<ProgressEvent> {
        let (order, _told, answer) = order(ChainCommand::Resume);
        self.follow.take(order).await;
        assert!(self.follow.due.is_some(), "it goes on at once");
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
        let step = world.collect().await;
        assert!(matches!(step.progress, CollectProgress::Final { .. }));
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
    for _ in 1..=3 {
        assert!(world.follow.behind.is_some());
        world.follow.failed(silent()).unwrap();
    }
    assert!(world.follow.behind.is_none(), "it never answered");
    let mut world = self::world();
    world.follow.final_at_first = Some(BlockNumber(900));
    for _ in 1..=9 {
        world.follow.failed(silent()).unwrap();
    }
    assert!(world.follow.behind.is_some());
    tokio::time::advance(Duration::from_secs(30)).await;
    world.follow.failed(silent()).unwrap();
    assert!(world.follow.behind.is_none(), "it is not waited for for ever");
}

/// A failure is told once until a step ends well, and no more than once a minute.
#[tokio::test(start_paused = true)]
async fn a_failure_is_logged_once() {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    for (logged, well, now, expected) in [
        (None, 0, 1, true),
        (Some(5), 0, 900, false),
        (Some(5), 7, 64, false),
        (Some(5), 7, 65, true),
    ] {
        assert_eq!(is_news(logged.map(at), at(well), at(now)), expected, "{logged:?} {well} {now}");
    }
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
    let [ProgressEvent::Restarted { chain, why }] = &events[..] else { panic!("{events:?}") };
    assert!(chain == "Ethereum" && why.contains("panicked"), "{events:?}");
    assert_eq!(world.state(), ChainStage::Starting);
    // it is still broken: it halts again, and says so again
    world.fail().await;
    assert_eq!(world.state(), ChainStage::Halted);
    assert!(matches!(world.resume().await[..], [ProgressEvent::Restarted { .. }]));
    world.panics.store(false, Ordering::SeqCst);
    world.collect().await;
    assert_eq!(world.state(), ChainStage::Following);
    assert!(matches!(world.resume().await[..], [ProgressEvent::NotHalted { .. }]));
    assert_eq!(world.state(), ChainStage::Following);
}

/// The status says that a repair runs, from when it is taken until it ends.
#[tokio::test]
async fn a_repair_is_shown_while_it_runs() {
    let mut world = world();
    world.follow.begin().await.unwrap();
    while !world.follow.listens {
        world.collect().await;
    }
    let shown = |world: &World| world.status.status(row().key()).repair;
    let (order, _told, mut ended) = order(REPAIR);
    world.follow.take(order).await;
    let at_first = shown(&world).unwrap();
    assert!(at_first.repaired_blocks == 0 && at_first.total_blocks > 0, "{at_first:?}");
    while world.follow.working.is_some() {
        assert!(shown(&world).is_some() && world.state() == ChainStage::Following);
        world.follow.turn(SystemClock.now()).await;
    }
    assert_eq!(shown(&world), None);
    let told = ended.try_recv().unwrap().unwrap();
    assert!(matches!(told.last(), Some(ProgressEvent::Repaired { left: 0, .. })), "{told:?}");
}

/// What the store remembers is told rather than the error that it led to.
#[tokio::test]
async fn a_halt_that_is_kept_is_cleared_where_it_is_kept() {
    let mut world = world();
    world.follow.begin().await.unwrap();
    let mut batch = WriteBatch::new();
    let (number, since) = (BlockNumber(9), UnixSeconds(1_000_000));
    let halt = HaltRow { number, since, reason: "two hashes".to_owned() };
    write::put_halt(&mut batch, row().key(), &halt);
    world.store.commit(batch).unwrap();
    world.fail().await;
    let events = world.resume().await;
    let [ProgressEvent::Resumed { number: 9, why, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(why, "two hashes");
    assert!(world.follow.collector.step(SystemClock.now()).await.is_ok());
}

/// An order takes turns with the steps, also where there is always a next step; and what comes to an
/// operator who waits for a chain that stands is taken up at once.
#[tokio::test]
async fn an_order_takes_turns_with_the_steps() {
    let (sender, orders) = mpsc::channel(1);
    let mut world = world();
    world.follow.orders = orders;
    let next = world.follow.step(SystemClock.now()).await.unwrap();
    assert_eq!(next, Next::after(Duration::ZERO), "more final blocks are there");
    let (repair, _told, mut ended) = order(REPAIR);
    sender.try_send(repair).ok().unwrap();
    let held = |world: &World| world.status.status(row().key()).finalized.map(|one| one.number);
    let before = held(&world);
    world.follow.step(SystemClock.now()).await.unwrap();
    assert!(world.follow.has_turned && held(&world) == before, "a turn");
    world.follow.step(SystemClock.now()).await.unwrap();
    assert!(!world.follow.has_turned, "a step");
    assert!(ended.try_recv().is_ok() || world.follow.working.is_some());
    // one that stands is woken by an order
    world.follow.stand();
    world.follow.working = None;
    sender.try_send(order(ChainCommand::Resume).0).ok().unwrap();
    world.follow.woken().await;
    world.follow.step(SystemClock.now()).await.unwrap();
    assert_eq!(world.state(), ChainStage::Following);
}

/// What was left out is known after a restart: the newest, in the order in which it is shown.
#[test]
fn what_was_left_out_is_read_back() {
    let (store, mut batch) = (MemoryStore::new(), WriteBatch::new());
    let chain = |id| ChainKey { family: Family::Evm, id: ChainId(id) };
    for number in 0..40 {
        let row = layout::RefusedRow { reason: format!("why {number}"), source: "x".to_owned() };
        write::put_refused(&mut batch, chain(1), BlockNumber(number), &row);
    }
    store.commit(batch).unwrap();
    let read = left_out_before(&store, chain(1)).unwrap();
    let newest = (40 - LEFT_OUT_MAX as u64..40).map(BlockNumber).collect::<Vec<_>>();
    assert_eq!(read.iter().map(|one| one.number).collect::<Vec<_>>(), newest);
    assert_eq!(read[0].reason, format!("why {}", newest[0]));
    assert_eq!(left_out_before(&store, chain(2)).unwrap(), []);
}
