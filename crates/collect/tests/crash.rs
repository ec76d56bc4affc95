//! Wherever a process dies, before a commit or just after it, the next one goes on as if nothing had
//! happened.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use superroot_collect::{CollectConfig, CollectError, CollectProgress, WatchFilter};
use superroot_source::BlockSource;
use superroot_store::{
    CheckReport, MemoryStore, Row, ScanOrder, Store, StoreError, Table, WriteBatch,
};
use superroot_types::*;
use support::*;

/// A store whose process dies at one commit.
struct Dying {
    inner: Arc<MemoryStore>,
    /// Commits until it dies; below zero it is dead.
    left: AtomicI64,
    /// Whether the last commit is still written.
    writes_last: bool,
}

impl Store for Dying {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn scan(
        &self,
        table: Table,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
        direction: ScanOrder,
    ) -> Result<Vec<Row>, StoreError> {
        self.inner.scan(table, start, end, limit, direction)
    }

    fn commit(&self, batch: WriteBatch) -> Result<(), StoreError> {
        match self.left.fetch_sub(1, Ordering::SeqCst) {
            1.. => self.inner.commit(batch),
            0 if self.writes_last => {
                self.inner.commit(batch)?;
                Err(StoreError::Dead)
            }
            _ => Err(StoreError::Dead),
        }
    }

    fn commit_count(&self) -> u64 {
        self.inner.commit_count()
    }

    fn check(&self, progress: &mut dyn FnMut(Table, u64)) -> Result<CheckReport, StoreError> {
        self.inner.check(progress)
    }
}

/// What an operator does, one after the other; each may be begun again.
#[derive(Clone, Copy)]
enum Phase {
    /// Follow for that many seconds, in steps of one.
    Follow(u64),
    Backfill,
    /// Under a list of everything.
    Repair,
}

const PHASES: [Phase; 4] = [Phase::Follow(0), Phase::Follow(6), Phase::Backfill, Phase::Repair];

fn config(phase: Phase) -> CollectConfig {
    let watch = match phase {
        Phase::Repair => WatchFilter::All,
        _ => WatchFilter::nothing(),
    };
    CollectConfig { blocks_per_step_max: 800, fetches_max: 8, watch, ..small() }
}

async fn settle(bench: &mut Bench) -> Result<(), CollectError> {
    loop {
        match bench.step().await {
            Ok(step) if step.progress == CollectProgress::Idle => return Ok(()),
            // the head moved while it was fetched
            Ok(_) | Err(CollectError::HeadMoved { .. }) => {}
            Err(error) => return Err(error),
        }
    }
}

async fn run_phase(bench: &mut Bench, phase: Phase, until: u64) -> Result<(), CollectError> {
    match phase {
        Phase::Follow(_) => loop {
            settle(bench).await?;
            if bench.clock.now().0 >= until {
                return Ok(());
            }
            bench.clock.advance(1);
        },
        Phase::Backfill => {
            while !bench.collector.backfill_step(BlockNumber(2048), NOW).await?.is_done() {}
            Ok(())
        }
        Phase::Repair => {
            let mut from = Some(BlockNumber(4000));
            while let Some(next) = from {
                from = bench.collector.repair_step(next, BlockNumber(u64::MAX), NOW).await?.next;
            }
            settle(bench).await
        }
    }
}

/// Runs everything, dying once after `commits` commits; gives what is held in the end, and whether it
/// died at all.
async fn run_dying(
    nodes: &Arc<Nodes>,
    clock: &Arc<ManualClock>,
    commits: i64,
    writes_last: bool,
) -> (Vec<(Table, Vec<Row>)>, bool) {
    let inner = Arc::new(MemoryStore::new());
    let left = AtomicI64::new(commits);
    let mut store: Arc<dyn Store> = Arc::new(Dying { inner: inner.clone(), left, writes_last });
    let mut died = false;
    let mut end = GENESIS + 4125;
    clock.set(UnixSeconds(end));
    let source: Arc<dyn BlockSource> = nodes.clone();
    for phase in PHASES {
        if let Phase::Follow(seconds) = phase {
            end += seconds;
        }
        let config = config(phase);
        let mut bench = Bench::with(store.clone(), source.clone(), clock.clone(), config.clone());
        while let Err(error) = run_phase(&mut bench, phase, end).await {
            assert!(matches!(error, CollectError::Store(StoreError::Dead)), "{error}");
            assert!(!died, "it dies once");
            died = true;
            store = inner.clone();
            bench = Bench::with(store.clone(), source.clone(), clock.clone(), config.clone());
            if !bench.rows(Table::Block).is_empty() {
                bench.check();
            }
        }
        bench.check();
    }
    let bench = Bench::with(store, source, clock.clone(), small());
    (bench.facts(), died)
}

#[tokio::test]
async fn a_death_at_any_commit_changes_nothing_in_the_end() {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 4125)));
    let nodes = Nodes::new(simulated_with(61, &clock, true, 4090));
    let (expected, _) = run_dying(&nodes, &clock, i64::MAX, true).await;
    assert!(expected.iter().any(|(table, rows)| *table == Table::Body && rows.len() > 20));
    let stride = if std::env::var_os("SUPERROOT_TEST_ALL").is_some() { 1 } else { 3 };
    let mut deaths = 0;
    for commits in (0..).step_by(stride) {
        let writes_last = (commits / stride as i64) % 2 == 0;
        let (held, died) = run_dying(&nodes, &clock, commits, writes_last).await;
        for ((table, rows), (_, expected)) in held.iter().zip(&expected) {
            assert!(rows == expected, "{table} differs after a death at commit {commits}");
        }
        if !died {
            break;
        }
        deaths += 1;
    }
    assert!(deaths >= 5, "{deaths} deaths");
}
