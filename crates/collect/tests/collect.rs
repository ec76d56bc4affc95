//! Laws of collecting simulated chains and recordings.

use crate::support;

use std::sync::Arc;

use superroot_collect::{CollectProgress, CollectStep};
use superroot_store::layout::HeldRun;
use superroot_store::read;
use superroot_types::ErrorKind;
use superroot_types::*;
use support::*;

/// Whoever looks seldom meets a short reorganisation when its blocks are final already: it is one all
/// the same.
#[tokio::test]
async fn a_reorganisation_whose_blocks_are_final_by_then_is_counted() {
    let mut bench = Bench::new(11);
    let (mut undone_by_final, mut lost) = (0, 0);
    bench.settle().await.unwrap();
    for _ in 0..60 {
        let state = bench.state();
        let held = state.indexed.unwrap().number.0 + 1..=state.head.unwrap().number.0;
        let before: Vec<_> = held.map(|number| (number, bench.hash(number))).collect();
        bench.clock.advance(20);
        loop {
            match bench.step().await {
                Ok(CollectStep { progress: CollectProgress::Idle, .. }) => break,
                Ok(CollectStep { progress: CollectProgress::Final { undone, .. }, .. }) => {
                    undone_by_final += undone;
                }
                Ok(CollectStep { progress: CollectProgress::Head { undone, .. }, .. }) => {
                    assert_eq!(undone, 0, "all that was held is final by now");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}"),
            }
        }
        lost += before.iter().filter(|(number, hash)| bench.hash(*number) != *hash).count();
    }
    assert!(undone_by_final > 0, "the chain never reorganised, so nothing was tested");
    assert_eq!(undone_by_final, lost, "each block that was replaced was counted, once");
}

/// A recording of those blocks.
fn recorded(numbers: &[u64]) -> (Bench, Arc<Nodes>) {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS + 30)));
    let nodes = Nodes::recorded(simulated(4, &clock), numbers);
    (Bench::over(nodes.clone(), clock), nodes)
}

/// Recordings are sparse: what was not recorded is skipped, what does not recompute is left out,
/// and both are known afterwards.
#[tokio::test]
async fn a_recording_skips_numbers_and_leaves_out_what_does_not_recompute() {
    let (mut bench, nodes) = recorded(&[3, 4, 9, 12, 13, 20]);
    nodes.act(|at, _| match at.number().0 {
        12 => Act::Bend(with_other_gas),
        4 => Act::Unreadable,
        _ => Act::Honest,
    });
    let step = bench.step().await.unwrap();
    let CollectProgress::Final { blocks, refused, .. } = step.progress else { panic!("{step:?}") };
    assert_eq!((blocks, refused.len(), refused[0].number.0, refused[1].number.0), (4, 2, 4, 12));
    assert_eq!(refused[0].reason, "x.json is no recording", "no folder of the operator's");
    bench.settle().await.unwrap();
    let state = bench.state();
    assert_eq!((state.start.0, state.checked_to, state.block_count), (0, Some(BlockNumber(20)), 4));
    let numbers = BlockNumber(0)..BlockNumber(100);
    let held = read::load_blocks(&*bench.store, row().key(), numbers, 100).unwrap();
    let held: Vec<u64> = held.into_iter().map(|(number, _)| number.0).collect();
    assert_eq!(held, [3, 9, 13, 20]);
    let said = [
        run(0, 2, HeldRun::Skipped),
        run(3, 3, HeldRun::Whole),
        run(4, 4, HeldRun::Refused),
        run(5, 8, HeldRun::Skipped),
        run(9, 9, HeldRun::Whole),
        run(10, 11, HeldRun::Skipped),
        run(12, 12, HeldRun::Refused),
        run(13, 13, HeldRun::Whole),
        run(14, 19, HeldRun::Skipped),
        run(20, 20, HeldRun::Whole),
    ];
    assert_eq!(bench.coverage(), said);
}

/// Of two recorded neighbours that do not name each other at most one is of the chain: the later is
/// left out, and what follows is no neighbour of it.
#[tokio::test]
async fn recorded_neighbours_that_do_not_link_are_not_both_taken() {
    let (mut bench, nodes) = recorded(&[3, 4, 5]);
    let other = simulated(5, &bench.clock);
    nodes.act(
        move |at, _| {
            if at.number().0 == 4 { Act::Other(other.clone()) } else { Act::Honest }
        },
    );
    let step = bench.step().await.unwrap();
    let CollectProgress::Final { blocks, refused, .. } = step.progress else { panic!("{step:?}") };
    assert_eq!((blocks, refused.len(), refused[0].number), (2, 1, BlockNumber(4)));
    assert!(refused[0].reason.contains("names parent"), "{}", refused[0].reason);
    assert_eq!(bench.state().indexed.unwrap().number, BlockNumber(5));
}
