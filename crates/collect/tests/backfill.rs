//! Laws of filling backwards and of repairing.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use superroot_chain::FinalityEvidence;
use superroot_collect::{CollectConfig, CollectError, Filled, Repaired, WatchFilter};
use superroot_store::layout::{HeaderWhy, HeldRun};
use superroot_store::{MemoryStore, Table, WriteBatch, read};
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;
use tokio::time::Instant;

/// A chain of mostly empty blocks, so that whole twigs are quick; held from block 4096 on.
async fn young(config: CollectConfig) -> (Bench, Arc<Nodes>) {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 4120)));
    let nodes = Nodes::new(simulated_with(51, &clock, true, 4096));
    let store = Arc::new(MemoryStore::new());
    let mut bench = Bench::with(store, nodes.clone(), clock, config);
    bench.settle().await.unwrap();
    assert_eq!(bench.state().start, BlockNumber(4096));
    (bench, nodes)
}

fn large() -> CollectConfig {
    CollectConfig {
        blocks_per_step_max: 600,
        fetches_max: 8,
        watch: WatchFilter::nothing(),
        ..small()
    }
}

async fn fill(bench: &mut Bench, to: u64) -> Result<Filled, CollectError> {
    loop {
        let filled = bench.collector.backfill_step(BlockNumber(to), NOW).await?;
        if filled.is_done() {
            return Ok(filled);
        }
    }
}

/// Blocks of a twig in progress do not count until the run begins with it; then all do, at once.
#[tokio::test]
async fn a_twig_counts_when_it_is_full() {
    let (mut bench, nodes) = young(large()).await;
    let before = bench.coverage();
    let filled = bench.collector.backfill_step(BlockNumber(2048), NOW).await.unwrap();
    assert_eq!((filled.target.0, filled.start.0), (2048, 4096));
    assert!(filled.blocks > 0 && filled.blocks as u64 == 4096 - filled.lowest.0);
    assert!(!filled.is_done());
    assert_eq!((bench.state().start.0, bench.coverage()), (4096, before), "not shown yet");
    // following goes on meanwhile
    bench.clock.advance(1);
    bench.settle().await.unwrap();
    assert_eq!(bench.coverage()[0].from, BlockNumber(4096));
    let filled = fill(&mut bench, 2048).await.unwrap();
    assert_eq!((filled.start.0, filled.lowest.0), (2048, 2048));
    bench.check();
    assert_eq!(bench.state().start, BlockNumber(2048));
    assert_eq!(read::load_backfill(&*bench.store, row().key()).unwrap(), None);
    for number in [2048, 3000, 4095, 4096] {
        assert_eq!(bench.hash(number), honest(&nodes.chain, number).await.hash());
        assert!(
            matches!(bench.evidence(number), Some(FinalityEvidence::NodeQuorum(quorum)) if quorum.of == 3)
        );
    }
    let held = HeldRun::HeaderOnly { why: HeaderWhy::NothingWatched };
    assert_eq!(bench.coverage(), [run(2048, bench.state().indexed.unwrap().number.0, held)]);
    let again = bench.collector.backfill_step(BlockNumber(2100), NOW).await.unwrap();
    assert_eq!((again.blocks, again.is_done()), (0, true));
}

/// A forged run below is not slipped in, whoever sends it: each block is the parent that the one
/// above names.
#[tokio::test]
async fn older_blocks_are_linked_up_to_the_run() {
    let (mut bench, nodes) = young(large()).await;
    let forged = simulated_with(52, &bench.clock, true, 4096);
    nodes.act(move |at, _| {
        let lies = !is_by_id(at) && (4000..4010).contains(&at.number().0);
        if lies { Act::Other(forged.clone()) } else { Act::Honest }
    });
    fill(&mut bench, 2048).await.unwrap();
    bench.check();
    assert_eq!(nodes.blamed(), ["liar"; 10]);
    assert_eq!(bench.hash(4005), honest(&nodes.chain, 4005).await.hash());
}

/// What cannot be had stops the filling just above it, and it goes on from there.
#[tokio::test]
async fn filling_stops_above_what_cannot_be_had_and_goes_on_after_a_restart() {
    let (mut bench, nodes) = young(large()).await;
    nodes.act(|at, _| if at.number().0 == 3000 { Act::Bend(with_other_gas) } else { Act::Honest });
    let error = fill(&mut bench, 2048).await.unwrap_err();
    assert!(matches!(error, CollectError::Refused { number: BlockNumber(3000), .. }), "{error}");
    let row_held = read::load_backfill(&*bench.store, row().key()).unwrap().unwrap();
    assert_eq!((row_held.lowest.number.0, row_held.block_count), (3001, 4096 - 3001));
    assert_eq!(bench.state().start, BlockNumber(4096));
    nodes.act(|_, _| Act::Honest);
    bench.restart(nodes.clone(), large());
    nodes.asked();
    fill(&mut bench, 2048).await.unwrap();
    let asked: BTreeSet<u64> = nodes.asked().iter().map(|(at, _)| at.number().0).collect();
    assert_eq!(asked.last(), Some(&3000), "nothing above is fetched again");
    bench.check();
    assert_eq!(bench.rows(Table::Refused), [], "the note is taken back");
}

#[tokio::test]
async fn older_blocks_that_are_not_agreed_on_are_not_taken() {
    let (mut bench, nodes) = young(large()).await;
    let other = simulated_with(52, &bench.clock, true, 4096);
    nodes.agree(
        move |number| {
            if number.0 == 4095 { Agree::Other(other.clone()) } else { Agree::Honest }
        },
    );
    let before = bench.everything();
    let error = fill(&mut bench, 2048).await.unwrap_err();
    assert!(matches!(error, CollectError::Contradiction { .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    nodes.agree(|_| Agree::Fail);
    assert_eq!(fill(&mut bench, 2048).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert!(bench.everything() == before);
}

#[tokio::test]
async fn a_chain_of_which_nothing_is_held_cannot_be_filled() {
    let (mut bench, _) = Bench::live(51, 30, small());
    let error = bench.collector.backfill_step(BlockNumber(0), NOW).await.unwrap_err();
    assert!(matches!(error, CollectError::NoBackfill { .. }), "{error}");
}

// Repair

/// A chain from its first block on, held under that list.
async fn held_under(watch: WatchFilter) -> (Bench, Arc<Nodes>) {
    let config = CollectConfig { watch, start: Some(BlockNumber(0)), ..small() };
    let (mut bench, nodes) = Bench::live(41, 60, config);
    bench.settle().await.unwrap();
    (bench, nodes)
}

async fn repair(bench: &mut Bench) -> (usize, Vec<u64>) {
    let steps = repair_steps(bench).await;
    let left = steps.iter().flat_map(|step| &step.left).map(|refusal| refusal.number.0).collect();
    (steps.iter().map(|step| step.repaired).sum(), left)
}

/// Every step of a repair of everything held.
async fn repair_steps(bench: &mut Bench) -> Vec<Repaired> {
    let (mut from, mut steps) = (Some(BlockNumber(0)), Vec::new());
    while let Some(next) = from {
        let step = bench.collector.repair_step(next, BlockNumber(u64::MAX), NOW).await.unwrap();
        let end = bench.state().indexed.unwrap().number.0 + 1;
        let start = next.max(bench.state().start).0;
        assert_eq!(step.next.map_or(end, |next| next.0), start + step.examined);
        from = step.next;
        steps.push(step);
    }
    steps
}

#[tokio::test]
async fn what_is_sound_is_left_alone() {
    let (mut bench, nodes) = held_under(WatchFilter::All).await;
    let before = bench.everything();
    nodes.asked();
    assert_eq!(repair(&mut bench).await, (0, vec![]));
    assert_eq!(nodes.asked(), []);
    assert!(bench.everything() == before);
}

/// Missing and spoilt bodies come back exactly as they were; no hash changes.
#[tokio::test]
async fn missing_and_spoilt_bodies_come_back() {
    let (mut bench, _) = held_under(WatchFilter::All).await;
    let before = bench.facts();
    let mut damage = WriteBatch::new();
    let bodies = bench.rows(Table::Body);
    let final_bodies = bodies.iter().take(50);
    for (place, (key, value)) in final_bodies.enumerate().filter(|(place, _)| place % 3 == 0) {
        match place % 2 {
            0 => _ = damage.delete(Table::Body, key.clone()),
            _ => _ = damage.put(Table::Body, key.clone(), &value[1..]),
        }
    }
    // a body that is another block's is spoilt as well, and so is a header that cannot be read
    damage.put(Table::Body, bodies[4].0.clone(), bodies[5].1.clone());
    let (header, (key, mut value)) = (bench.block(7).header, bench.rows(Table::Block)[7].clone());
    let place = value.windows(header.len()).position(|bytes| bytes == header).unwrap();
    value[place] ^= 1;
    damage.put(Table::Block, key, value);
    bench.store.commit(damage).unwrap();
    let (repaired, left) = repair(&mut bench).await;
    assert_eq!((repaired, left), (19, vec![]));
    assert!(bench.facts() == before);
}

/// A wider list keeps more of what is held, never less, and the runs say so.
#[tokio::test]
async fn a_wider_list_is_brought_to_older_blocks() {
    let (mut bench, nodes) = held_under(WatchFilter::nothing()).await;
    let config = CollectConfig { start: Some(BlockNumber(0)), ..small() };
    bench.restart(nodes.clone(), config.clone());
    let hashes: Vec<Hash> = (0..=52).map(|number| bench.hash(number)).collect();
    let (repaired, left) = repair(&mut bench).await;
    assert_eq!((repaired, left), (53, vec![]));
    bench.settle().await.unwrap();
    bench.check();
    assert_eq!(bench.coverage(), [run(0, 52, HeldRun::Whole)]);
    assert_eq!((0..=52).map(|number| bench.hash(number)).collect::<Vec<_>>(), hashes);
    let (whole, _) = held_under(WatchFilter::All).await;
    for table in [Table::Block, Table::Body, Table::Transaction, Table::Coverage] {
        assert_eq!(bench.rows(table), whole.rows(table), "{table}");
    }
    // a narrower one takes nothing away
    let before = bench.everything();
    bench.restart(nodes, CollectConfig { watch: WatchFilter::nothing(), ..config });
    assert_eq!(repair(&mut bench).await, (0, vec![]));
    assert!(bench.everything() == before);
}

/// What nobody can give is listed, and the rest is repaired.
#[tokio::test]
async fn what_cannot_be_repaired_is_listed() {
    let (mut bench, nodes) = held_under(WatchFilter::nothing()).await;
    bench.restart(nodes.clone(), CollectConfig { start: Some(BlockNumber(0)), ..small() });
    let forged = simulated(32, &bench.clock);
    nodes.act(move |at, _| match at.number().0 {
        5 => Act::Withhold,
        6 => Act::Bend(with_other_gas),
        7 => Act::Other(forged.clone()),
        _ => Act::Honest,
    });
    let (repaired, left) = repair(&mut bench).await;
    assert_eq!((repaired, left), (50, vec![5, 6, 7]));
    let mut gone = WriteBatch::new();
    gone.delete(Table::Block, bench.rows(Table::Block)[9].0.clone());
    bench.store.commit(gone).unwrap();
    assert_eq!(repair(&mut bench).await.1, [5, 6, 7, 9]);
}

/// Each block is asked for once; that nobody gives its receipts is no repair.
#[tokio::test]
async fn blocks_whose_receipts_nobody_keeps_are_told_from_those_repaired() {
    let (mut bench, nodes) = held_under(WatchFilter::nothing()).await;
    bench.restart(nodes.clone(), CollectConfig { start: Some(BlockNumber(0)), ..small() });
    nodes.act(|at, _| match at.number().0 {
        20 => Act::Honest,
        _ => Act::Bend(without_receipts),
    });
    nodes.asked();
    let steps = repair_steps(&mut bench).await;
    let sum = |of: fn(&Repaired) -> usize| steps.iter().map(of).sum::<usize>();
    assert_eq!((sum(|step| step.asked), sum(|step| step.bare)), (53, 52));
    assert_eq!((nodes.asked().len(), sum(|step| step.left.len())), (53, 52));
    let left = steps.iter().flat_map(|step| &step.left);
    assert!(left.clone().all(|left| left.number.0 != 20));
    let why = "its receipts cannot be taken: no node that was asked has the receipts of this block";
    assert!(left.clone().all(|left| left.reason == why), "{steps:?}");
    assert_eq!(sum(|step| step.repaired), 53, "their transactions are new");
    // asked again nothing is new, and nothing counts as repaired
    let again = bench.collector.repair_step(BlockNumber(0), BlockNumber(9), NOW).await.unwrap();
    assert!(again.asked > 0 && again.bare == again.asked, "{again:?}");
    assert_eq!(again.repaired, 0);
}

/// The head is looked at between two steps: however slow nodes are, a step that has a block ends
/// within seconds, and what it dropped comes with a later one.
#[tokio::test(start_paused = true)]
async fn a_step_of_a_repair_is_short_and_all_steps_together_leave_nothing_out() {
    let (mut bench, nodes) = held_under(WatchFilter::nothing()).await;
    let config = CollectConfig { start: Some(BlockNumber(0)), fetches_max: 4, ..small() };
    bench.restart(nodes.clone(), config);
    nodes.act(|at, _| Act::Slow(Duration::from_millis(700 + 1_300 * (at.number().0 % 4))));
    let began = Instant::now();
    let steps = repair_steps(&mut bench).await;
    let each = began.elapsed() / steps.len() as u32;
    assert!(each <= Duration::from_secs(5), "{each:?}");
    assert!(steps.iter().all(|step| step.left.is_empty() && step.repaired > 0), "{steps:?}");
    let (repaired, steps) = (steps.iter().map(|step| step.repaired).sum::<usize>(), steps.len());
    assert_eq!(repaired, 53);
    assert!(steps > 5, "{steps}");
    assert_eq!(bench.coverage(), [run(0, 52, HeldRun::Whole)]);
}
